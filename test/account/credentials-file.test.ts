import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { credentialForOrigin } from "../../src/account/credential.ts";
import { readCredentials } from "../../src/account/files.ts";
import type { StoredCredential } from "../../src/account/profiles.ts";
import { writeCredentials } from "../../src/account/store.ts";
import { AuthError, UsageError } from "../../src/errors.ts";
import { Secret } from "../../src/secrets/secret.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let root: string;
let folder: string;
let path: string;

beforeEach(() => {
  root = temporaryFolder();
  folder = join(root, "amp");
  path = join(folder, "credentials.json");
});

const key: StoredCredential = {
  kind: "api-key",
  secret: new Secret("hidden"),
  origin: "https://api.example.com",
};
const mode = async (of: string) => (await stat(of)).mode & 0o777;
const onPosix = process.platform !== "win32";

/** Puts a text where the secrets are. */
async function put(text: string, of = path): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(of, text, { mode: 0o600 });
}

describe("the file of secrets", () => {
  it("is read as it was written", async () => {
    await writeCredentials(
      folder,
      new Map([
        ["constructor", key],
        ["a.b", { ...key, kind: "access-token" }],
      ]),
    );
    const { credentials, notices } = readCredentials(folder);
    expect([...credentials.keys()]).toEqual(["constructor", "a.b"]);
    expect(credentials.get("constructor")?.secret.reveal()).toBe("hidden");
    expect(credentials.get("a.b")).toMatchObject({ kind: "access-token", origin: key.origin });
    expect(notices).toEqual([]);
  });

  it("holds nothing where there is none", () => {
    expect(readCredentials(folder).credentials.size).toBe(0);
  });

  it("has its own version", async () => {
    await writeCredentials(folder, new Map([["a", key]]));
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      version: 1,
      credentials: { a: { kind: "api-key", secret: "hidden", origin: "https://api.example.com" } },
    });
  });

  it.runIf(onPosix)("is 0600 in a folder 0700", async () => {
    await writeCredentials(folder, new Map([["a", key]]));
    expect([await mode(path), await mode(folder)]).toEqual([0o600, 0o700]);
  });

  it("removes older secrets that a killed writer left", async () => {
    await put("older secret", join(folder, ".credentials.json.0123456789abcdef.tmp"));
    await writeCredentials(folder, new Map());
    expect(await readdir(folder)).toEqual(["credentials.json"]);
  });

  it.runIf(onPosix)("is made private, and a notice says so, where others can read it", async () => {
    await writeCredentials(folder, new Map([["a", key]]));
    await chmod(path, 0o644);
    const { credentials, notices } = readCredentials(folder);
    expect(credentials.size).toBe(1);
    expect(notices).toEqual([
      `${path} was readable by other users (mode 0644); its mode is now 0600.`,
    ]);
    expect(await mode(path)).toBe(0o600);
    expect(readCredentials(folder).notices).toEqual([]);
  });

  it.runIf(onPosix)("is refused when it belongs to another user", async () => {
    await writeCredentials(folder, new Map([["a", key]]));
    const { uid } = await stat(path);
    expect(() => readCredentials(folder, uid + 1)).toThrow(`${path} belongs to another user`);
    expect(readCredentials(folder, uid).credentials.size).toBe(1);
  });

  it.runIf(onPosix)("is refused when it is a symbolic link, in place or broken", async () => {
    await put('{"version":1,"credentials":{}}', join(folder, "elsewhere"));
    await symlink(join(folder, "elsewhere"), path);
    expect(() => readCredentials(folder)).toThrow(
      new UsageError(`Cannot read ${path}: it is a symbolic link`),
    );
    await rm(join(folder, "elsewhere"));
    expect(() => readCredentials(folder)).toThrow(UsageError);
  });

  it.runIf(onPosix)("is refused when it is no file, without waiting for one", async () => {
    await mkdir(folder);
    execFileSync("sh", ["-c", 'mkfifo -m 600 "$0"', path]);
    expect(() => readCredentials(folder)).toThrow(`${path} is not a regular file`);
    await rm(path);
    await mkdir(path);
    expect(() => readCredentials(folder)).toThrow(UsageError);
  });

  it.each([
    [
      '{"version":1,\n"credentials":{"a":{"kind":"api-key","secret":"hidden"',
      /is not valid JSON at line 2, column \d+$/u,
    ],
    ['{"version":2,"credentials":{}}', /version must be 1/u],
    ["{}", /version must be 1/u],
    ['{"version":1}', /credentials must be an object/u],
    ['{"version":1,"credentials":{"a":"hidden"}}', /credentials\.a must be an object/u],
    [
      '{"version":1,"credentials":{"a":{"kind":"hidden","secret":"hidden","origin":"o"}}}',
      /a\.kind must be/u,
    ],
    [
      '{"version":1,"credentials":{"a":{"kind":"api-key","secret":["hidden"],"origin":"o"}}}',
      /a\.secret must be a string/u,
    ],
    [
      '{"version":1,"credentials":{"a":{"kind":"api-key","secret":"hidden"}}}',
      /a\.origin must be a string/u,
    ],
  ])("is refused as %j, told without what it holds, and left alone", async (text, message) => {
    await put(text);
    expect(() => readCredentials(folder)).toThrow(UsageError);
    expect(() => readCredentials(folder)).toThrow(message);
    expect(() => readCredentials(folder)).not.toThrow(/hidden/u);
    expect(await readFile(path, "utf8")).toBe(text);
  });
});

describe("credentialFor", () => {
  it("gives a key for the origin that it was saved for", () => {
    expect(credentialForOrigin("production", { origin: "https://api.example.com" }, key)).toBe(key);
  });

  it.each([
    "https://api.example.com:8443",
    "http://api.example.com",
    "https://api.example.com.evil.example",
  ])("gives none for %s, and names both", (origin) => {
    const ask = () => credentialForOrigin("production", { origin }, key);
    expect(ask).toThrow(AuthError);
    expect(ask).toThrow(`The API key of profile production cannot be used for ${origin}`);
    try {
      ask();
    } catch (error) {
      expect((error as AuthError).facts.detail).toBe("It was saved for https://api.example.com.");
    }
  });

  it("refuses a profile without a saved credential", () => {
    expect(() => credentialForOrigin("production", key, undefined)).toThrow(AuthError);
  });
});
