import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseBaseUrl } from "../../src/account/base-url.ts";
import { readProfileFile } from "../../src/account/files.ts";
import {
  type ProfileFile,
  SANDBOX_CREDENTIAL,
  SANDBOX_PROFILE,
} from "../../src/account/profiles.ts";
import { changeProfiles } from "../../src/account/store.ts";
import { UsageError } from "../../src/errors.ts";
import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let folder: string;
let path: string;

beforeEach(() => {
  folder = join(temporaryFolder(), "amp");
  path = join(folder, "config.json");
});

const acme = {
  baseUrl: "https://api.example.com/v1",
  credential: "api-key",
  project: "acme",
} as const;
const fileOf = (...names: string[]): ProfileFile => ({
  active: names[0],
  profiles: new Map(names.map((name) => [name, acme])),
});
const mode = async (of: string) => (await stat(of)).mode & 0o777;

const write = ({ active, profiles }: ProfileFile) =>
  changeProfiles(folder, {}, async (open) => {
    open.active = active;
    open.profiles.clear();
    for (const [name, profile] of profiles) open.profiles.set(name, profile);
    await open.writeProfiles();
  });

/** Replaces the text of the file of profiles. */
async function put(text: string): Promise<void> {
  await write(fileOf());
  await writeFile(path, text);
}

describe("reading profiles", () => {
  it("finds none where there is no file", () => {
    expect(readProfileFile(folder)).toEqual({ active: undefined, profiles: new Map() });
  });

  it("reads what was written", async () => {
    const file = fileOf("production", "constructor", "toString", "a.b", "...");
    await write(file);
    expect(readProfileFile(folder)).toEqual(file);
  });

  it("takes a profile that does not name its credential as one without", async () => {
    await put('{"profiles": {"a": {"baseUrl": "https://a.b/v1"}}}');
    expect(readProfileFile(folder).profiles.get("a")?.credential).toBe("none");
  });

  it.each([
    ['{\n  "active": "a",\n}', /config\.json is not valid JSON at line 3, column 1/u],
    ["", /is not valid JSON$/u],
    ["[]", /it must be an object/u],
    ['{"active": 7}', /active must be a string/u],
    ['{"profiles": []}', /profiles must be an object/u],
    ['{"profiles": {"a": null}}', /profiles\.a must be an object/u],
    ['{"profiles": {"a": {}}}', /profiles\.a\.baseUrl must be a string/u],
    [
      '{"profiles": {"a": {"baseUrl": "x", "project": 1}}}',
      /profiles\.a\.project must be a string/u,
    ],
    [
      '{"profiles": {"a": {"baseUrl": "x", "credential": "pin"}}}',
      /must be one of api-key, access/u,
    ],
    ['{"profiles": {"a b": {"baseUrl": "x"}}}', /the name "a b" must be/u],
    ['{"profiles": {"__proto__": {"baseUrl": "x"}}}', /the name "__proto__" must be/u],
  ])("refuses %j and leaves it alone", async (text, message) => {
    await put(text);
    expect(() => readProfileFile(folder)).toThrow(UsageError);
    expect(() => readProfileFile(folder)).toThrow(message);
    expect(await readFile(path, "utf8")).toBe(text);
  });
});

describe("writing profiles", () => {
  it("makes the file 0600 in a folder 0700, and nothing else", async () => {
    await write(fileOf("production"));
    expect([await mode(path), await mode(folder)]).toEqual([0o600, 0o700]);
    await write(fileOf("staging"));
    expect([await mode(path), await mode(folder)]).toEqual([0o600, 0o700]);
    expect(await readdir(folder)).toEqual(["config.json", "config.json.lock.d"]);
  });

  it("mends the mode of a file that others can read", async () => {
    await write(fileOf("production"));
    await chmod(path, 0o644);
    await write(fileOf("staging"));
    expect(await mode(path)).toBe(0o600);
  });

  it("keeps fields that a newer amp wrote", async () => {
    await put(
      '{"future": {"x": 1}, "active": "a", "profiles": {"a": {"baseUrl": "u", "region": "eu"}}}',
    );
    const { profiles } = readProfileFile(folder);
    await write({ active: undefined, profiles });
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      future: { x: 1 },
      profiles: { a: { baseUrl: "u", credential: "none", region: "eu" } },
    });
  });

  it("says in words why a folder cannot be used", async () => {
    await writeFile(folder, "a file in the place of the folder");
    await expect(write(fileOf())).rejects.toThrow(UsageError);
    await expect(write(fileOf())).rejects.toThrow(/^Cannot lock .*config\.json: /u);
  });
});

it("the built-in profile is that of the sandbox", () => {
  const { host, port, project, org, integration } = SANDBOX_DEFAULTS;
  const baseUrl = `http://${host}:${port}/v1`;
  expect(SANDBOX_PROFILE).toEqual({ baseUrl, credential: "api-key", project, org, integration });
  expect(SANDBOX_CREDENTIAL.secret.reveal()).toBe(SANDBOX_API_KEY);
  expect(SANDBOX_CREDENTIAL.origin).toBe(parseBaseUrl(baseUrl).origin);
});
