import { describe, expect, it } from "vitest";
import { type CredentialSources, Credentials } from "../../src/account/credential.ts";
import type { Profile } from "../../src/account/profiles.ts";
import { type SettingSources, Settings } from "../../src/account/settings.ts";
import { AuthError, NotFoundError, UsageError } from "../../src/errors.ts";
import { Secret } from "../../src/secrets/secret.ts";
import { SETTINGS, type Setting, type SettingName } from "../../src/settings.ts";
import { suggest, suggestedLines } from "../../src/values/suggested-command.ts";

/** What stands where; everything that is left out is not there. */
interface ResolveInput {
  options?: Partial<Record<SettingName, string>>;
  env?: Record<string, string>;
  project?: Partial<Record<SettingName, string>>;
  active?: string;
  profiles?: Record<string, Partial<Profile>>;
  /** Origin by profile. */
  secrets?: Record<string, string>;
  secretFile?: string;
  allowInsecureHttp?: boolean;
  /** Whether the project file was trusted; true where it is left out. */
  isTrusted?: boolean;
}

const FILE = "/repo/.amp.yaml";
const profileOf = (more: Partial<Profile>): Profile => ({
  baseUrl: "https://api.example.com/v1",
  credential: "api-key",
  ...more,
});

/** The settings and credentials of a call. */
type Resolved = Settings & { credential: Credentials["ofService"] };

function resolved(sources: SettingSources & CredentialSources): Resolved {
  const settings = new Settings(sources);
  return Object.assign(settings, { credential: new Credentials(settings, sources).ofService });
}

function settingsOf(world: ResolveInput): Resolved & { readonly opened: string[] } {
  const opened: string[] = [];
  const sources: SettingSources & CredentialSources = {
    options: world.options ?? {},
    env: world.env ?? {},
    projectFile: world.project && {
      path: FILE,
      values: world.project,
      text: "",
      isForeign: false,
    },
    isTrusted: () => world.isTrusted ?? true,
    profiles() {
      opened.push("profiles");
      const profiles = Object.entries(world.profiles ?? {});
      return {
        active: world.active,
        profiles: new Map(profiles.map(([name, profile]) => [name, profileOf(profile)])),
      };
    },
    credentials() {
      opened.push("credentials");
      const secrets = Object.entries(world.secrets ?? {}).map(([name, origin]) => {
        const kind =
          world.profiles?.[name]?.credential === "access-token" ? "access-token" : "api-key";
        return [name, { kind, secret: new Secret(`secret of ${name}`), origin }] as const;
      });
      return { credentials: new Map(secrets), notices: [] };
    },
    async readSecretFile(path) {
      opened.push(path);
      return world.secretFile ?? "";
    },
    async fromKeyring(entry) {
      opened.push(`keyring: ${entry}`);
      return {
        kind: "api-key",
        secret: new Secret("of-keyring"),
        origin: "https://api.example.com",
      };
    },
    async hide(secret) {
      opened.push(`hidden: ${secret.reveal()}`);
    },
    allowInsecureHttp: world.allowInsecureHttp ?? false,
    now: () => new Date("2026-01-01T00:00:00Z"),
  };
  return Object.assign(resolved(sources), { opened });
}

/** The secret and its source in one line, or why there is none. */
async function credentialOf(settings: Resolved): Promise<string> {
  const answer = await settings.credential();
  if (answer.kind === "none") return `none: ${answer.why.message}`;
  return `${answer.kind} "${answer.secret.reveal()}" from ${answer.source}`;
}

const production = {
  profiles: { production: { project: "of-profile" }, staging: {} },
  active: "production",
};

/** The places of a setting by the table, each with the source that it has there. */
function placesOf(name: SettingName) {
  const { flags, env, inProjectFile, inProfile }: Setting = SETTINGS[name];
  const places: [place: string, source: string | undefined][] = [
    ["option", flags?.includes("<") ? flags.match(/--[a-z-]+/u)?.[0] : undefined],
    ["variable", env],
    ["project file", inProjectFile && FILE],
    ["profile", inProfile && "profile production"],
  ];
  return places.flatMap(([place, source]) => (source ? [{ place, source }] : []));
}

const valueAt = (place: string) => `https://api.example.com/${place.replace(" ", "-")}`;

/** A call in which all these places set the setting. */
function worldWith(name: SettingName, places: readonly string[]): ResolveInput {
  const at = (place: string) => (places.includes(place) ? { [name]: valueAt(place) } : {});
  const variable = (SETTINGS[name] as Setting).env ?? "";
  return {
    options: at("option"),
    env: places.includes("variable") ? { [variable]: valueAt("variable") } : {},
    project: at("project file"),
    profiles: { production: at("profile") },
    active: "production",
  };
}

describe.each(Object.keys(SETTINGS) as SettingName[])("the setting %s", (name) => {
  const places = placesOf(name);

  it("has the value of the first place that the table gives it, and shadows the others", () => {
    for (const [at, { place, source }] of places.entries()) {
      const left = places.slice(at);
      const settings = settingsOf(
        worldWith(
          name,
          left.map((one) => one.place),
        ),
      );
      const isSecret = name === "apiKey" || name === "accessToken";
      const value = isSecret ? "[redacted]" : valueAt(place);
      expect(settings.get(name)).toEqual({ value, source, place });
      const shadows = left.slice(1).map((one) => one.source);
      expect(settings.explain(name).shadows ?? []).toEqual(shadows);
    }
  });

  it.skipIf(name === "profile" || places.some(({ place }) => place === "profile"))(
    "is not looked for in a profile",
    () => {
      const settings = settingsOf(worldWith(name, ["profile"]));
      expect(settings.get(name)).toBeUndefined();
      expect(settings.opened).toEqual([]);
    },
  );
});

describe("a value", () => {
  it("of a variable has no spaces around it", () => {
    const { value } = settingsOf({ env: { AMP_PROJECT: " of-env\n" } }).get("project") ?? {};
    expect(value).toBe("of-env");
  });

  it("is absent if no source sets it", () => {
    expect(settingsOf({}).get("project")).toBeUndefined();
    expect(settingsOf({ ...production, profiles: { production: {} } }).get("org")).toBeUndefined();
  });

  it.each<[string, ResolveInput, SettingName]>([
    ["--project", { options: { project: "" } }, "project"],
    ["--project", { options: { project: " " } }, "project"],
    ["AMP_PROJECT", { env: { AMP_PROJECT: "" } }, "project"],
    ["AMP_DEBUG", { env: { AMP_DEBUG: "" } }, "debug"],
    ["AMP_PROFILE", { env: { AMP_PROFILE: "" } }, "project"],
    [FILE, { project: { org: " " } }, "org"],
    ["profile a", { active: "a", profiles: { a: { integration: "" } } }, "integration"],
  ])("that is empty is refused by its source: %s", (source, world, name) => {
    expect(() => settingsOf(world).get(name)).toThrow(UsageError);
    expect(() => settingsOf(world).get(name)).toThrow(`${source} is empty`);
  });

  it("of another program's variable may be empty, and is none then", () => {
    expect(settingsOf({ env: { NO_COLOR: "", CI: "" } }).get("noColor")).toBeUndefined();
    expect(settingsOf({ env: { NO_COLOR: "1" } }).get("noColor")?.value).toBe("1");
  });

  it("of the environment is reported where it shadows another of the project file", () => {
    const settings = settingsOf({
      env: { AMP_ORG: "a", AMP_PROJECT: "b" },
      project: { org: "c", project: "b" },
    });
    settings.get("org");
    settings.get("project");
    expect(settings.takeNotices()).toEqual([`Using AMP_ORG (org in ${FILE} is ignored).`]);
  });
});

describe("the profile", () => {
  const profiles = { a: {}, b: {}, c: {}, d: {} };
  it.each<[string, ResolveInput]>([
    ["--profile", { profiles, options: { profile: "a" }, env: { AMP_PROFILE: "b" } }],
    [
      "AMP_PROFILE",
      { profiles, env: { AMP_PROFILE: "a" }, project: { profile: "c" }, active: "d" },
    ],
    [FILE, { profiles, project: { profile: "a" }, active: "d" }],
    ["active profile", { profiles, active: "a" }],
  ])("is the one of %s", (source, world) => {
    expect(settingsOf(world).profile()).toMatchObject({ name: "a", source });
    expect(settingsOf(world).get("profile")).toMatchObject({ value: "a", source });
  });

  it("is absent if none is named, or the active one was deleted", () => {
    expect(settingsOf({ profiles }).profile()).toBeUndefined();
    expect(settingsOf({ profiles, active: "gone" }).profile()).toBeUndefined();
  });

  it("that is built in is available without a file", () => {
    const settings = settingsOf({ options: { profile: "sandbox" } });
    expect(settings.get("project")).toEqual({
      value: "acme",
      source: "profile sandbox",
      place: "profile",
    });
    expect(settings.baseUrl().value.href).toBe("http://127.0.0.1:4747/v1");
    expect(settings.opened).toEqual([]);
  });

  it("that does not exist is reported, with what chose it and what may be meant", () => {
    const settings = settingsOf({
      profiles: { production: {} },
      env: { AMP_PROFILE: "prodution" },
    });
    expect(() => settings.get("project")).toThrow(NotFoundError);
    try {
      settings.profile();
    } catch (error) {
      expect((error as NotFoundError).facts).toEqual({
        detail: "It is set by AMP_PROFILE.",
        remedy: "Did you mean production?",
        suggestion: suggest("auth list"),
      });
    }
    expect.assertions(2);
  });
});

describe("the base URL", () => {
  it("has no default", () => {
    expect(() => settingsOf({}).baseUrl()).toThrow(AuthError);
    expect(() => settingsOf({}).baseUrl()).toThrow(/^Not logged in/u);
    // With a credential only the base URL is missing.
    const env = { AMP_API_KEY: "key" };
    expect(() => settingsOf({ env }).baseUrl()).toThrow(/^No base URL configured/u);
  });

  it("is normalised, and names its source where it is none", () => {
    const url = { href: "https://a.b/v1", origin: "https://a.b", versioned: true };
    const env = { AMP_BASE_URL: "https://A.b/v1/" };
    expect(settingsOf({ env }).baseUrl()).toEqual({
      value: url,
      source: "AMP_BASE_URL",
      place: "variable",
    });
    expect(() => settingsOf({ options: { baseUrl: "a.b" } }).baseUrl()).toThrow(
      /\(--base-url\) is not a full URL/u,
    );
  });

  it("may be http elsewhere only where that is allowed", () => {
    const world = { options: { baseUrl: "http://a.b/v1" } };
    expect(() => settingsOf(world).baseUrl()).toThrow(UsageError);
    const allowed = settingsOf({ ...world, allowInsecureHttp: true });
    expect(allowed.baseUrl().value.href).toBe("http://a.b/v1");
  });

  it("is reported where it is not the profile's", () => {
    const settings = settingsOf({
      ...production,
      env: { AMP_BASE_URL: "https://other.example/v1" },
    });
    settings.baseUrl();
    expect(settings.takeNotices()).toEqual([
      "Using the base URL from AMP_BASE_URL (profile production is for another service, and is ignored).",
    ]);
    // What the profile names are the project and IDs of its own service.
    expect(settings.get("project")).toBeUndefined();
    const named = settingsOf({
      ...production,
      env: { AMP_BASE_URL: "https://other.example/v1", AMP_PROFILE: "production" },
    });
    named.baseUrl();
    expect(named.get("project")?.value).toBe("of-profile");
    expect(named.takeNotices()).toEqual([
      "Using the base URL from AMP_BASE_URL (the base URL of profile production is ignored).",
    ]);
    const same = settingsOf({
      ...production,
      env: { AMP_BASE_URL: "https://api.example.com/v1/" },
    });
    same.baseUrl();
    expect(same.takeNotices()).toEqual([]);
  });
});

describe("the credential", () => {
  const secrets = { production: "https://api.example.com", staging: "https://api.example.com" };
  const key = { AMP_API_KEY: "of-env" };

  it.each<[string, ResolveInput, string, string[]]>([
    [
      "--api-key-file before all",
      {
        ...production,
        secrets,
        options: { apiKeyFile: "k", profile: "staging" },
        env: key,
        secretFile: "of-file\n",
      },
      'api-key "of-file" from --api-key-file',
      ["Using --api-key-file (AMP_API_KEY is ignored)."],
    ],
    [
      "a profile of --profile before the environment",
      { ...production, secrets, options: { profile: "staging" }, env: { AMP_ACCESS_TOKEN: "t" } },
      'api-key "secret of staging" from profile staging',
      ["Using the API key of profile staging (AMP_ACCESS_TOKEN is ignored)."],
    ],
    [
      "the environment before AMP_PROFILE",
      { ...production, secrets, env: { ...key, AMP_PROFILE: "staging" } },
      'api-key "of-env" from AMP_API_KEY',
      ["Using AMP_API_KEY (the API key of profile staging is ignored)."],
    ],
    [
      "the environment before the project file's profile",
      { ...production, secrets, env: key, project: { profile: "staging" } },
      'api-key "of-env" from AMP_API_KEY',
      ["Using AMP_API_KEY (the API key of profile staging is ignored)."],
    ],
    [
      "the environment before the active profile",
      { ...production, secrets, env: { AMP_ACCESS_TOKEN: "t" } },
      'access-token "t" from AMP_ACCESS_TOKEN',
      ["Using AMP_ACCESS_TOKEN (the API key of profile production is ignored)."],
    ],
    [
      "AMP_PROFILE before the project file's profile",
      {
        ...production,
        secrets,
        env: { AMP_PROFILE: "production" },
        project: { profile: "staging" },
      },
      'api-key "secret of production" from profile production',
      [`Using AMP_PROFILE (profile in ${FILE} is ignored).`],
    ],
    [
      "the project file's profile before the active one",
      { ...production, secrets, project: { profile: "staging" } },
      'api-key "secret of staging" from profile staging',
      [],
    ],
    [
      "the active profile's",
      { ...production, secrets },
      'api-key "secret of production" from profile production',
      [],
    ],
    [
      "the environment for a profile that has none",
      { profiles: { open: { credential: "none" } }, options: { profile: "open" }, env: key },
      'api-key "of-env" from AMP_API_KEY',
      [],
    ],
  ])("is that of %s", async (_name, world, wanted, notices) => {
    const settings = settingsOf(world);
    expect(await credentialOf(settings)).toBe(wanted);
    expect(settings.takeNotices()).toEqual(notices);
  });

  it("is read only once", async () => {
    const settings = settingsOf({ options: { apiKeyFile: "-" }, secretFile: "key" });
    expect(await settings.credential()).toBe(await settings.credential());
    expect(settings.opened).toEqual(["-", "profiles", "hidden: key"]);
  });

  it("cannot be two in the environment, unless something else goes first", async () => {
    const both = { AMP_API_KEY: "k", AMP_ACCESS_TOKEN: "t" };
    const settings = settingsOf({ env: both });
    await expect(settings.credential()).rejects.toThrow(UsageError);
    await expect(settings.credential()).rejects.toThrow(
      "Both AMP_API_KEY and AMP_ACCESS_TOKEN are set",
    );
    const explicit = settingsOf({
      ...production,
      secrets,
      env: both,
      options: { profile: "staging" },
    });
    expect(await credentialOf(explicit)).toMatch(/from profile staging$/u);
    expect(explicit.takeNotices()).toHaveLength(2);
  });

  it("is the kind that AMP_AUTH says, of two in the environment", async () => {
    const env = { AMP_API_KEY: "k", AMP_ACCESS_TOKEN: "t" };
    const of = (auth: string) => credentialOf(settingsOf({ env: { ...env, AMP_AUTH: auth } }));
    expect(await of("api-key")).toBe('api-key "k" from AMP_API_KEY');
    expect(await of("access-token")).toBe('access-token "t" from AMP_ACCESS_TOKEN');
    await expect(of("basic")).rejects.toThrow("AMP_AUTH: auth must be api-key or access-token");
  });

  it("is never of a kind that AMP_AUTH does not say", async () => {
    const settings = settingsOf({ ...production, secrets, env: { AMP_AUTH: "access-token" } });
    await expect(settings.credential()).rejects.toThrow(
      "auth is access-token (AMP_AUTH), but profile production has an API key",
    );
  });

  it.each<[string, ResolveInput, RegExp]>([
    ["nobody is logged in", {}, /^none: Not logged in/u],
    [
      "the profile has none",
      { profiles: { a: { credential: "none" } }, active: "a" },
      /^none: Profile a has no/u,
    ],
    ["it is not saved", { ...production }, /^none: No credential is saved for profile production/u],
  ])("is none where %s", async (_name, world, why) => {
    const settings = settingsOf(world);
    expect(await credentialOf(settings)).toMatch(why);
    const answer = await settings.credential();
    expect(answer.kind === "none" && answer.why).toBeInstanceOf(AuthError);
  });

  it.each([
    ["http://127.0.0.1:4977/v1", "amp sandbox start --port 4977"],
    ["http://localhost:4747/v1", "amp sandbox start"],
    ["https://api.example.com:8443/v1", "amp sandbox start"],
  ])("is none at %s, with the sandbox that would be there", async (baseUrl, command) => {
    const answer = await settingsOf({ env: { AMP_BASE_URL: baseUrl } }).credential();
    const { suggestion } = (answer.kind === "none" && answer.why.facts) || {};
    expect(suggestedLines(suggestion)).toEqual(["amp auth login", command]);
  });

  it("is the one variable that is missing where the environment has the base URL", async () => {
    const whyOf = async (env: Record<string, string>) => {
      const answer = await settingsOf({ env }).credential();
      return answer.kind === "none" ? answer.why : undefined;
    };
    const env = { AMP_BASE_URL: "https://api.example.com/v1" };
    expect((await whyOf(env))?.message).toBe("AMP_API_KEY is not set");
    expect((await whyOf(env))?.facts.remedy).toBe(
      "Log in, or set AMP_API_KEY (or AMP_ACCESS_TOKEN), or try the sandbox: while it runs, add --profile sandbox.",
    );
    // Nobody logs in from a CI job.
    const inCi = await whyOf({ ...env, CI: "true" });
    expect(inCi?.message).toBe("AMP_API_KEY is not set");
    expect(inCi?.facts).toEqual({
      remedy: "Set AMP_API_KEY (or AMP_ACCESS_TOKEN).",
      done: "Nothing was sent.",
    });
    expect((await whyOf({ CI: "true" }))?.facts.remedy).toBe(
      "Set AMP_BASE_URL, AMP_PROJECT and AMP_API_KEY (or AMP_ACCESS_TOKEN).",
    );
  });
});

describe("files", () => {
  it("are opened only if a setting needs them", async () => {
    const settings = settingsOf({
      options: { project: "p", baseUrl: "https://a.b/v1", profile: "sandbox" },
    });
    settings.get("project");
    settings.baseUrl();
    expect(settings.opened).toEqual([]);
    const saved = settingsOf({ ...production, secrets: { production: "https://api.example.com" } });
    saved.get("project");
    saved.baseUrl();
    expect(saved.opened).toEqual(["profiles"]);
    await saved.credential();
    expect(saved.opened).toEqual(["profiles", "credentials", "hidden: secret of production"]);
  });
});
