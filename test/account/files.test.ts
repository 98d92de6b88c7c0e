import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  configFolder,
  parseJsonText,
  readCredentials,
  readProfileFile,
  readTrusted,
} from "../../src/account/files.ts";
import { userStateFolder } from "../../src/account/folders.ts";
import { ProfileStore } from "../../src/account/store.ts";
import { UsageError } from "../../src/errors.ts";
import { Secret } from "../../src/secrets/secret.ts";
import { temporaryFolder } from "../temporary-folder.ts";

type Env = Record<string, string>;
const posix = (env: Env) => ({ env, homeDir: "/home/ada", platform: "linux" }) as const;
const windows = (env: Env) => ({ env, homeDir: "C:\\Users\\Ada", platform: "win32" }) as const;

describe("the config folder", () => {
  it.each<[string, Env, string]>([
    ["~/.config/amp-admin by default", {}, "/home/ada/.config/amp-admin"],
    ["in XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "/x" }, "/x/amp-admin"],
    ["AMP_CONFIG_DIR itself", { AMP_CONFIG_DIR: "/a", XDG_CONFIG_HOME: "/x" }, "/a"],
    ["not in a relative XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "x" }, "/home/ada/.config/amp-admin"],
    ["not in an empty XDG_CONFIG_HOME", { XDG_CONFIG_HOME: "" }, "/home/ada/.config/amp-admin"],
    ["not in APPDATA outside Windows", { APPDATA: "/d" }, "/home/ada/.config/amp-admin"],
  ])("is %s", (_, env, folder) => expect(configFolder(posix(env))).toBe(folder));

  it.each<[string, Env, string]>([
    ["in APPDATA on Windows", { APPDATA: "C:\\Data" }, "C:\\Data\\amp-admin"],
    [
      "in XDG_CONFIG_HOME before",
      { APPDATA: "C:\\D", XDG_CONFIG_HOME: "D:\\x" },
      "D:\\x\\amp-admin",
    ],
    ["below the home folder else", {}, "C:\\Users\\Ada\\.config\\amp-admin"],
  ])("is %s", (_, env, folder) => expect(configFolder(windows(env))).toBe(folder));

  it("is refused where AMP_CONFIG_DIR is empty", () => {
    expect(() => configFolder(posix({ AMP_CONFIG_DIR: "" }))).toThrow(UsageError);
  });
});

it("the state folder is apart from the config folder", () => {
  expect(userStateFolder(posix({}))).toBe("/home/ada/.local/state/amp-admin");
  expect(userStateFolder(posix({ XDG_STATE_HOME: "/s" }))).toBe("/s/amp-admin");
});

describe("parseJsonText", () => {
  it("reads JSON, after a byte order mark too", () => {
    expect(parseJsonText('\uFEFF{"a": [1, "b"]}', "/f")).toEqual({ a: [1, "b"] });
  });

  it.each([
    ["", ""],
    ["{", " at line 1, column 2"],
    ['{\n  "a": hello\n}', ""],
    ['{\n  "a": "b",\n}', " at line 3, column 1"],
  ])("names the place of the fault in %j where JSON.parse does", (text, place) => {
    expect(() => parseJsonText(text, "/home/ada/config.json")).toThrow(
      new UsageError(`/home/ada/config.json is not valid JSON${place}`),
    );
  });

  it("never shows the text around the error", () => {
    try {
      parseJsonText('{"secret": hidden, "origin": 1}', "/f");
    } catch (error) {
      expect(JSON.stringify([error, (error as UsageError).facts, String(error)])).not.toContain(
        "hidden",
      );
      expect((error as UsageError).cause).toBeUndefined();
    }
    expect.assertions(2);
  });
});

let folder: string;
let store: ProfileStore;
beforeEach(() => {
  folder = join(temporaryFolder(), "amp");
  store = new ProfileStore(folder);
});

const placeOf = (name: string) => join(folder, name);
const mode = async (name: string) => (await stat(placeOf(name))).mode & 0o777;
const ACME = { baseUrl: "https://api.example.com/v1", credential: "api-key" } as const;
const save = (name: string) => store.save(name, ACME, new Secret("hidden"));

async function put(name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(placeOf(name), text, { mode: 0o600 });
}

const PROFILES = [
  ['{\n  "active": "a",\n}', /config\.json is not valid JSON at line 3, column 1/u],
  ["", /is not valid JSON$/u],
  ["[]", /it must be an object/u],
  ['{"active": 7}', /active must be a string/u],
  ['{"profiles": []}', /profiles must be an object/u],
  ['{"profiles": {"a": null}}', /profiles\.a must be an object/u],
  ['{"profiles": {"a": {}}}', /profiles\.a\.baseUrl must be a string/u],
  ['{"profiles": {"a": {"baseUrl": "x", "project": 1}}}', /profiles\.a\.project must be a string/u],
  ['{"profiles": {"a": {"baseUrl": "x", "readOnly": 1}}}', /a\.readOnly must be true or false/u],
  ['{"profiles": {"a": {"baseUrl": "x", "credential": "pin"}}}', /must be one of api-key, access/u],
  ['{"profiles": {"a b": {"baseUrl": "x"}}}', /the name "a b" must be/u],
  ['{"profiles": {"__proto__": {"baseUrl": "x"}}}', /the name "__proto__" must be/u],
] as const;

const saved = (more: object) =>
  JSON.stringify({
    version: 1,
    credentials: { a: { kind: "api-key", secret: "hidden", origin: "o", ...more } },
  });
const SECRETS = [
  ['{"version":1,\n"credentials":{"a":{"secret":"hidden"', /is not valid JSON at line 2, column/u],
  ['{"version":2,"credentials":{}}', /version must be 1/u],
  ["{}", /version must be 1/u],
  ['{"version":1}', /credentials must be an object/u],
  ['{"version":1,"credentials":{"a":"hidden"}}', /credentials\.a must be an object/u],
  [saved({ kind: "hidden" }), /a\.kind must be/u],
  [saved({ secret: ["hidden"] }), /a\.secret must be a string/u],
  [saved({ origin: undefined }), /a\.origin must be a string/u],
  [saved({ readOrigin: 1 }), /a\.readOrigin must be a string/u],
] as const;

const TRUSTED = [
  ["{}", /version must be 1/u],
  ['{"version":1,"files":{"/f":{"sha256":1}}}', /files\.\/f\.sha256 must be a string/u],
] as const;

describe.each([
  { name: "config.json", cases: PROFILES, read: () => readProfileFile(folder) },
  { name: "credentials.json", cases: SECRETS, read: () => readCredentials(folder) },
  { name: "trust.json", cases: TRUSTED, read: () => readTrusted(folder) },
])("$name", ({ name, cases, read }) => {
  it.each(cases)(
    "is refused as %j, told without secrets, and left alone",
    async (text, message) => {
      await put(name, text);
      expect(read).toThrow(UsageError);
      expect(read).toThrow(message);
      expect(read).not.toThrow(/hidden/u);
      expect(await readFile(placeOf(name), "utf8")).toBe(text);
    },
  );

  it.runIf(process.platform !== "win32")("is not waited for where it is not a file", async () => {
    await mkdir(folder);
    execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', placeOf(name)]);
    expect(read).toThrow(`${placeOf(name)} is not a regular file`);
    await rm(placeOf(name));
    await mkdir(placeOf(name));
    expect(read).toThrow(UsageError);
  });
});

describe("the profiles", () => {
  it("are none where there is no file", () => {
    expect(readProfileFile(folder)).toEqual({ active: undefined, profiles: new Map() });
  });

  it("are read as they were written", async () => {
    const names = ["production", "constructor", "toString", "a.b", "..."];
    for (const name of names) await save(name);
    await store.activate("a.b");
    const { active, profiles } = readProfileFile(folder);
    expect([active, [...profiles]]).toEqual(["a.b", names.map((name) => [name, ACME])]);
  });

  it("that do not name their credential have none", async () => {
    await put("config.json", '{"profiles": {"a": {"baseUrl": "https://a.b/v1"}}}');
    expect(readProfileFile(folder).profiles.get("a")?.credential).toBe("none");
  });

  it("keep the fields that a newer amp wrote", async () => {
    const profile = '{"baseUrl": "https://a.b/v1", "region": "eu"}';
    await put("config.json", `{"future": {"x": 1}, "profiles": {"a": ${profile}}}`);
    await store.activate("a");
    expect(JSON.parse(await readFile(placeOf("config.json"), "utf8"))).toEqual({
      future: { x: 1 },
      active: "a",
      profiles: { a: { baseUrl: "https://a.b/v1", credential: "none", region: "eu" } },
    });
  });

  it("are in a file 0600 in a folder 0700, also after others could read it", async () => {
    await save("a");
    expect([await mode("config.json"), await mode("")]).toEqual([0o600, 0o700]);
    await chmod(placeOf("config.json"), 0o644);
    await save("b");
    expect(await mode("config.json")).toBe(0o600);
  });

  it("say in words why a folder cannot be used", async () => {
    await writeFile(folder, "a file in the place of the folder");
    await expect(save("a")).rejects.toThrow(UsageError);
    await expect(save("a")).rejects.toThrow(/^Cannot lock .*config\.json: /u);
  });
});

describe("the secrets", () => {
  it("are none where there is no file", () => {
    expect(readCredentials(folder)).toEqual({ credentials: new Map(), notices: [] });
  });

  it("are in a file of their own with a version, 0600, without what a killed writer left", async () => {
    await put(".credentials.json.0123456789abcdef.tmp", "older secret");
    await save("a");
    const origin = "https://api.example.com";
    expect(JSON.parse(await readFile(placeOf("credentials.json"), "utf8"))).toEqual({
      version: 1,
      credentials: { a: { kind: "api-key", secret: "hidden", origin } },
    });
    expect(await mode("credentials.json")).toBe(0o600);
    const files = ["config.json", "config.json.lock.d", "credentials.json"];
    expect((await readdir(folder)).sort()).toEqual(files);
  });

  it.runIf(process.platform !== "win32")("are made private, and a notice says so", async () => {
    await save("a");
    const path = placeOf("credentials.json");
    await chmod(path, 0o644);
    const { credentials, notices } = readCredentials(folder);
    expect(credentials.size).toBe(1);
    expect(notices).toEqual([
      `${path} was readable by other users (mode 0644); its mode is now 0600.`,
    ]);
    expect(await mode("credentials.json")).toBe(0o600);
    expect(readCredentials(folder).notices).toEqual([]);
  });

  it.runIf(process.platform !== "win32")("of another user are refused, and links", async () => {
    await save("a");
    const path = placeOf("credentials.json");
    const { uid } = await stat(path);
    expect(() => readCredentials(folder, uid + 1)).toThrow(`${path} belongs to another user`);
    expect(readCredentials(folder, uid).credentials.size).toBe(1);
    await rm(path);
    await put("elsewhere", '{"version":1,"credentials":{}}');
    await symlink(placeOf("elsewhere"), path);
    const linked = new UsageError(`Cannot read ${path}: it is a symbolic link`);
    expect(() => readCredentials(folder)).toThrow(linked);
    await rm(placeOf("elsewhere"));
    expect(() => readCredentials(folder)).toThrow(UsageError);
  });
});
