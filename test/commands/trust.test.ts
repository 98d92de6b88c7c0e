import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type RunInput, run } from "../harness.ts";
import { CTRL_C, ENTER, type Script, scriptedPrompter } from "../scripted-prompter.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ELSEWHERE = "https://evil.example/v1";
const QUESTION = "Trust this file? Requests and credentials will use these settings.";
const OF_NOTHING = [
  ...[
    "version",
    "--help",
    "help apps list",
    "--version",
    "completion bash",
    "commands",
    "trust --list",
  ],
  ...["notify events", "notify schema"],
];
const KEY = { AMP_API_KEY: "key-of-the-shell" };

/** A checkout with a project file; the base URL and the credential are not set unless a test does. */
function checkout(text: string) {
  const cwd = temporaryFolder();
  const write = (content: string) => writeFileSync(join(cwd, ".amp.yaml"), content);
  write(text);
  const amp = async (line: string, { env, ...world }: RunInput = {}) => {
    const outcome = await run(line.split(" "), {
      cwd,
      fetch: async () => Response.json([]),
      ...world,
      env: { AMP_BASE_URL: undefined, AMP_API_KEY: undefined, ...env },
    });
    // Folded lines as one.
    return { ...outcome, stderr: outcome.stderr.replaceAll(/\s+/gu, " ") };
  };
  return { cwd, write, amp };
}

const trustFile = (cwd: string) => join(cwd, "config", "trust.json");

afterEach(() => vi.restoreAllMocks());

describe("an origin that only an untrusted project file names", () => {
  it.each<[string, string, RunInput]>([
    ["AMP_API_KEY", "apps list", { env: KEY }],
    ["AMP_API_KEY, quietly", "apps list -q", { env: KEY }],
    ["AMP_ACCESS_TOKEN", "apps list", { env: { AMP_ACCESS_TOKEN: "token" } }],
    ["--api-key-file", "apps list --api-key-file -", { stdin: "key" }],
    ["no credential", "providers list", {}],
    ["a login", "auth login --api-key-file -", { stdin: "key" }],
    ["a request of one's own", "api GET /providers", { env: KEY }],
    ["a status", "auth status", { env: KEY }],
    ["a plan", "notify plan -f routing.yaml", { env: KEY }],
    ["--yes, which answers other questions", "notify topics create a --yes", { env: KEY }],
  ])("gets nothing: %s", async (_name, line, world) => {
    const { cwd, amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    writeFileSync(join(cwd, "routing.yaml"), "version: 1\n");
    const outcome = await amp(line, world);
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    const said = line === "auth status" ? outcome.stdout : outcome.stderr;
    expect(said).toContain("is not trusted, so its base-url cannot be used");
    expect(said).toContain(ELSEWHERE);
    expect(said).toContain("AMP_BASE_URL");
    expect(outcome.stdout + outcome.stderr).toContain("amp trust");
    expect(outcome.stdout + outcome.stderr).not.toContain("key-of-the-shell");
  });

  it("is shown with its host in ASCII, if it looks like another one", async () => {
    // The first letter is Cyrillic.
    const { amp } = checkout("base-url: https://\u0430pi.example.com/v1\n");
    const host = "host xn--pi-6kc.example.com";
    expect((await amp("apps list", { env: KEY })).stderr).toContain(host);
    const prompter = scriptedPrompter([[QUESTION, false]]);
    const asked = await amp("apps list", { env: KEY, tty: true, prompter });
    expect(asked.stderr).toContain(`(${host})`);
    expect((await amp("trust")).stderr).toContain(`(${host})`);
    expect((await amp("trust --list")).stdout).toContain(`(${host})`);
  });

  it("is shown first, whatever a file says of it", async () => {
    const { amp } = checkout(`state: s.json\nprofile: prod\nbase-url: ${ELSEWHERE}\n`);
    const prompter = scriptedPrompter([[QUESTION, false]]);
    const { stderr } = await amp("apps list", { env: KEY, tty: true, prompter });
    const order = stderr.match(/(?:base-url|state|profile): /gu);
    expect(order).toEqual(["base-url: ", "state: ", "profile: "]);
  });

  it("is passed over for the option or the variable", async () => {
    const { amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    const own = "https://own.example/v1";
    expect(await amp("apps list", { env: { ...KEY, AMP_BASE_URL: own } })).toMatchObject({
      code: 0,
      requests: [{ path: "/projects/acme/provider-apps" }],
    });
    expect((await amp(`apps list --base-url ${own}`, { env: KEY })).code).toBe(0);
  });

  it("is asked about on a terminal, once for a content", async () => {
    const { cwd, write, amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    const prompter = scriptedPrompter([[QUESTION, true]]);
    const first = await amp("apps list", { env: KEY, tty: true, prompter });
    prompter.verify();
    expect(first.code).toBe(0);
    expect(first.stderr).toContain(`base-url: ${ELSEWHERE}`);
    expect(first.requests).toHaveLength(1);
    const silent = scriptedPrompter([]);
    expect((await amp("apps list", { env: KEY, tty: true, prompter: silent })).code).toBe(0);
    expect((await amp("apps list", { env: KEY })).code).toBe(0);
    write(`base-url: ${ELSEWHERE}/v2\n`);
    expect(await amp("apps list", { env: KEY })).toMatchObject({ code: 2, requests: [] });
    expect(readFileSync(trustFile(cwd), "utf8")).toContain(join(cwd, ".amp.yaml"));
  });

  it.each([
    ["--json", ""],
    ["--quiet", ""],
    ["", "output: json\n"],
  ])("is shown before the question, with %j and in a file with %j", async (option, more) => {
    const { cwd, amp } = checkout(`${more}base-url: ${ELSEWHERE}\n`);
    const prompter = scriptedPrompter([[QUESTION, CTRL_C]]);
    const world = { env: { ...KEY, NO_COLOR: "1" }, tty: true, prompter };
    const { stderr } = await amp(`apps list ${option}`.trim(), world);
    const [beforeError] = stderr.split(/\{|✗/u);
    expect(beforeError).toContain(`${join(cwd, ".amp.yaml")} is not trusted yet. It sets:`);
    expect(beforeError).toContain(`base-url: ${ELSEWHERE}`);
  });

  it("that is declined gets nothing, and is asked about again", async () => {
    const { amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    for (const _time of ["first", "second"]) {
      const prompter = scriptedPrompter([[QUESTION, false]]);
      const outcome = await amp("apps list", { env: KEY, tty: true, prompter });
      prompter.verify();
      expect(outcome).toMatchObject({ code: 2, requests: [] });
    }
  });

  it.each(["--no-input", "CI"])("is not asked about with %s", async (how) => {
    const { amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    const env = how === "CI" ? { ...KEY, CI: "true" } : KEY;
    const line = how === "CI" ? "apps list" : `apps list ${how}`;
    const outcome = await amp(line, { env, tty: true, prompter: scriptedPrompter([]) });
    expect(outcome).toMatchObject({ code: 2, requests: [] });
  });

  it("does not stop a command that uses no service", async () => {
    const { amp } = checkout(`base-url: ${ELSEWHERE}\nprofile: x\nstate: /etc/x\n`);
    for (const line of ["version", "notify events", "notify schema", "completion bash"]) {
      expect((await amp(line, { tty: true, prompter: scriptedPrompter([]) })).code).toBe(0);
    }
  });
});

describe("an untrusted project file", () => {
  it("sets project, output and time-outs", async () => {
    const { amp } = checkout("project: of-file\noutput: json\ntimeout: 5s\n");
    const env = { ...KEY, AMP_BASE_URL: "https://own.example/v1", AMP_PROJECT: undefined };
    expect(await amp("apps list", { env })).toMatchObject({
      code: 0,
      stdout: "[]\n",
      requests: [{ path: "/projects/of-file/provider-apps" }],
    });
  });

  it("chooses no profile", async () => {
    const { amp } = checkout("profile: sandbox\n");
    const outcome = await amp("apps list");
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.stderr).toContain("--profile");
    expect(outcome.stderr).toContain("AMP_PROFILE");
  });

  it("is not asked for its profile where the job sets the base URL and the credential", async () => {
    const { cwd, amp } = checkout("profile: production\nproject: of-file\n");
    const env = { ...KEY, AMP_BASE_URL: "https://own.example/v1", AMP_PROJECT: undefined };
    const listed = await amp("apps list", { env });
    expect(listed).toMatchObject({
      code: 0,
      requests: [{ path: "/projects/of-file/provider-apps" }],
    });
    const note = `${join(cwd, ".amp.yaml")} is not trusted, so its profile is ignored.`;
    expect(listed.stderr).toContain(note);
    expect(await amp("apps list --json", { env })).toMatchObject({ code: 0, stderr: "" });
    const login = "auth login --api-key-file - --profile production";
    expect(await amp(login, { env, stdin: "key" })).toMatchObject({ code: 0 });
    // A saved profile may be guarded, which a file without trust must not lift.
    expect(await amp("apps list", { env })).toMatchObject({ code: 2, requests: [] });
  });

  it.each(["insecure-tls: true", "allow-insecure-http: true"])("never sets %s", async (line) => {
    const { amp } = checkout(`${line}\n`);
    expect(await amp("apps list", { env: KEY })).toMatchObject({ code: 2, requests: [] });
    expect(await amp("trust")).toMatchObject({ code: 2 });
  });

  it("of another user is refused until it is trusted", async () => {
    const { amp } = checkout("project: of-others\noutput: json\n");
    vi.spyOn(process, "geteuid").mockReturnValue(4711);
    const env = { ...KEY, AMP_BASE_URL: "https://own.example/v1", AMP_PROJECT: undefined };
    const refused = await amp("apps list", { env });
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(refused.stderr).toContain("belongs to another user");
    expect((await amp("trust")).code).toBe(0);
    expect(await amp("apps list", { env })).toMatchObject({ code: 0, stdout: "[]\n" });
  });
});

describe("the project file of another user", () => {
  const env = { ...KEY, AMP_BASE_URL: "https://own.example/v1", NO_COLOR: "1" };
  const others = (text: string) => {
    vi.spyOn(process, "geteuid").mockReturnValue(4711);
    return checkout(`${text}\n`);
  };
  const SETTINGS = [
    "timeout: 5s",
    "deadline: 5m",
    "integration: 113e9685-9a51-42cc-8662-9d9725b17f14",
    "org: org-of-others",
  ];

  it.each(SETTINGS)("is refused before anything is sent, if it sets only %s", async (text) => {
    const { amp } = others(text);
    const login = "auth login --api-key-file - --base-url https://own.example/v1";
    for (const line of ["apps list", "installations list", "auth status", login]) {
      const refused = await amp(line, { env, stdin: "key" });
      expect(refused, line).toMatchObject({ code: 2, requests: [] });
      expect(refused.stdout + refused.stderr).toContain(
        "belongs to another user and is not trusted",
      );
    }
    for (const line of OF_NOTHING) {
      expect(await amp(line, { env }), line).toMatchObject({ code: 0, stderr: "" });
    }
    expect((await amp("trust", { env })).code).toBe(0);
    expect((await amp("apps list", { env })).code).toBe(0);
  });

  it.each(SETTINGS)("is asked about on a terminal, if it sets only %s", async (text) => {
    const { amp } = others(text);
    for (const answer of [false, true]) {
      const prompter = scriptedPrompter([[QUESTION, answer]]);
      const outcome = await amp("apps list", { env, tty: true, prompter });
      prompter.verify();
      expect(outcome.stderr).toContain("belongs to another user and is not trusted yet");
      expect(outcome.stderr).toContain(text);
      expect(outcome.code).toBe(answer ? 0 : 2);
      expect(outcome.requests).toHaveLength(answer ? 1 : 0);
    }
  });

  it("is passed over where everything in it is said otherwise", async () => {
    const { amp } = others("timeout: 5s\norg: org-of-others\n");
    const said = { ...env, AMP_ORG: "own" };
    expect((await amp("apps list --timeout 9s", { env: said })).code).toBe(0);
    expect((await amp("apps list", { env: { ...said, AMP_TIMEOUT: "9s" } })).code).toBe(0);
    expect((await amp("apps list --timeout 9s", { env })).code).toBe(2);
  });
});

describe("a login on a terminal, with a base URL that only an untrusted file names", () => {
  const login = "auth login --profile own";
  const questions = (answer: boolean): Script => [
    [QUESTION, answer],
    ...(answer
      ? ([
          ["Credential type", "API key"],
          ["Paste the API key", "pasted-key"],
          ["Default organisation ID (Enter for none)", ENTER],
        ] as const)
      : []),
  ];

  it("shows the URL and asks first; without consent nothing is asked, sent or saved", async () => {
    const { cwd, amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    const prompter = scriptedPrompter(questions(false));
    const refused = await amp(login, { tty: true, prompter });
    prompter.verify();
    expect(refused).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(refused.stderr).toContain(`base-url: ${ELSEWHERE}`);
    expect(existsSync(join(cwd, "config", "config.json"))).toBe(false);
  });

  it("continues after consent", async () => {
    const { cwd, amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    const prompter = scriptedPrompter(questions(true));
    const outcome = await amp(login, { tty: true, prompter });
    prompter.verify();
    expect(outcome.code).toBe(0);
    expect(readFileSync(join(cwd, "config", "config.json"), "utf8")).toContain(ELSEWHERE);
  });

  it("asks nothing of it for a base URL of one's own", async () => {
    const { amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    const prompter = scriptedPrompter(questions(true).slice(1));
    const outcome = await amp(`${login} --base-url https://own.example/v1`, {
      tty: true,
      prompter,
    });
    prompter.verify();
    expect(outcome.code).toBe(0);
  });
});

describe("under sudo", () => {
  const env = { ...KEY, AMP_BASE_URL: "https://own.example/v1", AMP_PROJECT: undefined };

  it.each([
    [0, "own", 0],
    [0, "4711", 2],
    [0, "x", 2],
    [4711, "own", 2],
  ])(
    "the file of the calling user needs no trust, as in git: user %i, SUDO_UID %s",
    async (user, sudo, code) => {
      const { cwd, amp } = checkout("project: of-file\n");
      const { uid } = statSync(join(cwd, ".amp.yaml"));
      // The test runs as the owner of the file; another user is simulated by another effective ID.
      if (uid === 0) chownSync(join(cwd, ".amp.yaml"), 1234, 1234);
      const owner = statSync(join(cwd, ".amp.yaml")).uid;
      vi.spyOn(process, "geteuid").mockReturnValue(user);
      const SUDO_UID = sudo === "own" ? String(owner) : sudo;
      expect((await amp("apps list", { env: { ...env, SUDO_UID } })).code).toBe(code);
    },
  );
});

describe("a broken project file", () => {
  it.each(["project: [", "nonsense: x", "output: pdf", "deadline: soon", "x".repeat(70_000)])(
    "stops only commands that would use it (%#)",
    async (text) => {
      const { cwd, amp } = checkout(text);
      const path = join(cwd, ".amp.yaml");
      const env = { ...KEY, AMP_BASE_URL: "https://own.example/v1" };
      for (const line of ["apps list", "notify plan -f r.yaml", "api GET /providers"]) {
        const stopped = await amp(line, { env });
        expect(stopped).toMatchObject({ code: 2, stdout: "", requests: [] });
        expect(stopped.stderr).toContain(path);
        expect(stopped.stderr).toContain("Nothing was sent.");
        if (text.length < 100) expect(stopped.stderr).toContain(`${path}:1`);
      }
      for (const line of OF_NOTHING) {
        expect(await amp(line), line).toMatchObject({ code: 0, stderr: "" });
      }
      const listed = await amp("auth list");
      expect(listed).toMatchObject({ code: 0 });
      const login = await amp("auth login --api-key-file - --base-url https://own.example/v1", {
        stdin: "key",
      });
      expect(login.code).toBe(0);
      expect(login.stderr).toContain("The file is ignored.");
      expect((await amp("auth logout")).code).toBe(0);
      expect((await amp("trust")).stderr).toContain(path);
      expect((await amp("trust --revoke")).code).toBe(3);
    },
  );
});

it("says of a project file with several documents what it must be", async () => {
  const { cwd, amp } = checkout("project: a\n---\nbase-url: https://evil.example/v1\n");
  const { code, stderr } = await amp("apps list", { env: KEY });
  expect(code).toBe(2);
  expect(stderr).toContain(`${join(cwd, ".amp.yaml")}:2 is not valid YAML`);
  expect(stderr).toContain("The file must be one document");
  expect(stderr).not.toContain("parseAllDocuments");
});

describe("the state of a project file", () => {
  const env = { AMP_PROFILE: "sandbox", AMP_STATE_PASSWORD: "pw", AWS_SESSION_TOKEN: "aws" };

  it.each(["state.json", "https://evil.example/state", "s3://evil/key", "gitlab"])(
    "is not used untrusted: %s",
    async (place) => {
      const { amp } = checkout(`state: ${place}\n`);
      const outcome = await amp("notify state pull", { env });
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain("is not trusted, so its state cannot be used");
      expect(outcome.stderr).toContain("Add --state, set AMP_STATE");
      expect((await amp("notify state pull --state own.json", { env })).stderr).not.toContain(
        "trusted",
      );
    },
  );

  it("is refused with all that the file sets and nobody overrides, in one error", async () => {
    const { amp } = checkout(`state: state.json\nbase-url: ${ELSEWHERE}\n`);
    const line = "notify state list --project acme --json";
    const both = (await amp(line, { env: KEY })).error();
    expect(both).toMatchObject({
      message: expect.stringContaining("is not trusted, so its base-url and state cannot be used"),
      detail: `It sets base-url to "${ELSEWHERE}", state to "state.json".`,
      remedy:
        "Add --base-url and --state, set AMP_BASE_URL and AMP_STATE, or read the file and trust it.",
    });
    const one = (await amp(`${line} --base-url http://127.0.0.1:1/v1`, { env: KEY })).error();
    expect(one.message).toContain("so its state cannot be used");
  });

  it.each(["../outside.json", "/etc/amp-state.json", ".", "link/state.json"])(
    "must be in the folder of the file, or the file is not trusted: %s",
    async (place) => {
      const { cwd, amp } = checkout(`state: ${place}\n`);
      symlinkSync(temporaryFolder(), join(cwd, "link"));
      const outcome = await amp("trust --json");
      expect(outcome.code).toBe(2);
      expect(outcome.error()).toMatchObject({
        message: expect.stringContaining("is outside the file's folder"),
        done: "Nothing was trusted.",
      });
      expect((await amp("trust --list --json")).json()).toEqual([]);
    },
  );

  it("stays in the folder of the file, even if it was trusted before a link led out of it", async () => {
    const { cwd, amp } = checkout("state: link/state.json\n");
    expect((await amp("trust")).code).toBe(0);
    symlinkSync(temporaryFolder(), join(cwd, "link"));
    const outcome = await amp("notify state pull", { env });
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.stderr).toContain("is outside the file's folder");
  });

  it("is not trusted with --yes, which sends nothing in any case", async () => {
    const { amp } = checkout("state: state.json\n");
    expect((await amp("trust --yes --json")).error()).toMatchObject({
      message: "--yes has no effect on amp trust",
      done: "Nothing was changed.",
    });
  });

  it("is relative to the file, and said before anything is sent", async () => {
    const { cwd, amp } = checkout("state: state/routing.json\n");
    const below = join(cwd, "deep", "er");
    mkdirSync(below, { recursive: true });
    expect((await amp("trust")).code).toBe(0);
    const place = join(cwd, "state", "routing.json");
    const config = { AMP_CONFIG_DIR: join(cwd, "config") };
    const input = { cwd: below, env: { ...env, ...config } };
    // The search ends at the home folder, which is the working folder of a test.
    const named = await amp("notify state pull", { env: { ...env, ...config } });
    expect(named.stderr).toContain(`Using the state ${place} (from ${join(cwd, ".amp.yaml")}).`);
    symlinkSync(join(cwd, ".amp.yaml"), join(below, ".amp.yaml"));
    expect((await amp("notify state pull", input)).stderr).toContain("not trusted");
  });
});

describe("amp trust", () => {
  it("lists what is trusted, changed and missing, and revokes", async () => {
    const { cwd, write, amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    const path = join(cwd, ".amp.yaml");
    const since = "2026-09-02T08:30:00.000Z";
    const entry = { path, since, status: "trusted", sets: [`base-url: ${ELSEWHERE}`] };
    const shown = await amp("trust");
    expect(shown.stderr).toContain(`settings of ${path}: base-url: ${ELSEWHERE}`);
    const trusted = await amp("trust --json");
    expect(trusted.json()).toEqual([entry]);
    expect(trusted.stderr).toBe("");
    expect((await amp("trust --list --json")).json()).toEqual([entry]);
    write("project: other\n");
    const statusOf = async () => (await amp("trust --list --json")).json();
    expect(await statusOf()).toMatchObject([{ status: "changed", sets: [] }]);
    write(`base-url: ${ELSEWHERE}/other\n`);
    const sets = [`base-url: ${ELSEWHERE}/other`];
    expect(await statusOf()).toMatchObject([{ status: "changed", sets }]);
    rmSync(path);
    expect(await statusOf()).toMatchObject([{ status: "missing" }]);
    expect((await amp("trust --revoke .amp.yaml --json")).json()).toMatchObject([
      { status: "revoked" },
    ]);
    expect(await statusOf()).toEqual([]);
  });

  it("says that the profile of the file is not saved", async () => {
    const { amp, write } = checkout("profile: nope\n");
    const { code, stderr } = await amp("trust");
    expect(code).toBe(0);
    expect(stderr).toContain("Profile nope is not saved on this machine.");
    expect(stderr).toContain("amp auth login --profile nope");
    write("profile: sandbox\n");
    expect((await amp("trust")).stderr).not.toContain("is not saved");
  });

  it("lists paths and values whole enough to tell them apart at 80 columns", async () => {
    const url = (region: string) => `https://routing.${region}.customers.example.com/v1`;
    const { cwd, amp } = checkout(`base-url: ${url("eu-central-1")}\n`);
    const folder = join(cwd, "customers/acme-integration-platform/notification-routing-of-europe");
    const file = join(folder, ".amp.yaml");
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, `base-url: ${url("eu-west-1")}\n`);
    await amp("trust");
    await amp(`trust ${file}`);
    const { stdout } = await amp("trust --list", { tty: { out: true }, columns: 80 });
    expect(stdout).toContain("europe/.amp.yaml");
    // Wrapped, not cut.
    const text = stdout.replaceAll(/\s+/gu, "");
    for (const region of ["eu-central-1", "eu-west-1"]) {
      expect(text).toContain(url(region).slice("https://".length));
    }
  });

  it("ends with the revocation", async () => {
    const { amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    await amp("trust");
    expect((await amp("apps list", { env: KEY })).code).toBe(0);
    expect((await amp("trust --revoke")).code).toBe(0);
    expect(await amp("apps list", { env: KEY })).toMatchObject({ code: 2, requests: [] });
    expect((await amp("trust --revoke")).code).toBe(3);
  });

  it("holds for one path: the same content elsewhere is not trusted", async () => {
    const one = checkout(`base-url: ${ELSEWHERE}\n`);
    const other = checkout(`base-url: ${ELSEWHERE}\n`);
    const env = { ...KEY, AMP_CONFIG_DIR: join(one.cwd, "config") };
    await one.amp("trust");
    expect((await one.amp("apps list", { env })).code).toBe(0);
    expect((await other.amp("apps list", { env })).code).toBe(2);
  });

  it("says where there is no file, and refuses what contradicts itself", async () => {
    const { cwd, amp } = checkout("project: a\n");
    expect((await amp("trust --list --revoke")).code).toBe(2);
    rmSync(join(cwd, ".amp.yaml"));
    expect((await amp("trust")).code).toBe(3);
    expect((await amp("trust nowhere.yaml")).code).toBe(3);
  });

  it("trusts nothing by a broken list, and leaves it alone", async () => {
    const { cwd, amp } = checkout(`base-url: ${ELSEWHERE}\n`);
    await amp("trust");
    writeFileSync(trustFile(cwd), "{");
    expect(await amp("apps list", { env: KEY })).toMatchObject({ code: 2, requests: [] });
    const again = await amp("trust");
    expect(again).toMatchObject({ code: 2 });
    expect(again.stderr).toContain("trust.json");
    expect(readFileSync(trustFile(cwd), "utf8")).toBe("{");
  });

  it("keeps all of many that trust at once", async () => {
    const config = { AMP_CONFIG_DIR: join(temporaryFolder(), "config") };
    const places = Array.from({ length: 8 }, () => checkout("profile: sandbox\n"));
    await Promise.all(places.map(({ amp }) => amp("trust", { env: config })));
    const [first] = places;
    expect((await first?.amp("trust --list --json", { env: config }))?.json()).toHaveLength(8);
  });
});
