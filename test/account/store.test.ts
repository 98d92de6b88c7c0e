import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import { readProfileFile } from "../../src/account/files.ts";
import { ProfileStore } from "../../src/account/store.ts";
import { withLock } from "../../src/durable/lock.ts";
import { AuthError, ConflictError, NotFoundError, UsageError } from "../../src/errors.ts";
import { Secret } from "../../src/secrets/secret.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let folder: string;
let store: ProfileStore;

beforeEach(() => {
  folder = temporaryFolder();
  store = new ProfileStore(folder, { wait: 60_000 });
});

const acme = {
  baseUrl: "https://api.example.com/v1",
  credential: "api-key",
  project: "acme",
} as const;
const names = () => store.list().map(({ name }) => name);
const read = (file: string) => readFile(join(folder, file), "utf8");
const savedSecrets = async () =>
  Object.keys(JSON.parse(await read("credentials.json")).credentials);
const saveAcme = (name: string) => store.save(name, acme, new Secret(`secret of ${name}`));

describe("saving", () => {
  it("saves profile and secret separately, with the secret bound to the origin", async () => {
    await store.save(
      "production",
      { ...acme, baseUrl: "https://API.example.com/v1/" },
      new Secret("s3cr3t"),
    );
    expect(store.list()[0]).toEqual({ ...acme, name: "production", active: false, builtIn: false });
    expect(await read("config.json")).not.toContain("s3cr3t");
    expect(await store.secretOf("production")).toMatchObject({
      kind: "api-key",
      origin: "https://api.example.com",
    });
    expect((await store.secretOf("production")).secret.reveal()).toBe("s3cr3t");
  });

  it("replaces a profile of the same name, and its secret", async () => {
    await saveAcme("production");
    const token = { ...acme, credential: "access-token" } as const;
    await store.save("production", token, new Secret("token"));
    expect(names()).toEqual(["production", "sandbox"]);
    expect((await store.secretOf("production")).kind).toBe("access-token");
    expect((await store.secretOf("production")).secret.reveal()).toBe("token");
  });

  it("keeps the secret of a profile whose defaults change", async () => {
    await saveAcme("production");
    await store.save("production", { ...acme, project: "other" });
    expect(store.list()[0]?.project).toBe("other");
    expect((await store.secretOf("production")).secret.reveal()).toBe("secret of production");
  });

  it.each([
    ["the origin", { ...acme, baseUrl: "https://api.other.example/v1" }],
    ["the kind", { ...acme, credential: "access-token" as const }],
    ["the wish", { ...acme, credential: "none" as const }],
  ])("drops the secret when %s changes", async (_, profile) => {
    await saveAcme("production");
    await store.save("production", profile);
    await expect(store.secretOf("production")).rejects.toThrow(AuthError);
    expect(await savedSecrets()).toEqual([]);
  });

  it("makes no file of secrets where there is none", async () => {
    await store.save("open", { ...acme, credential: "none" });
    expect((await readdir(folder)).sort()).toEqual(["config.json", "config.json.lock.d"]);
  });

  it.each(["constructor", "toString", "hasOwnProperty", "a.b", "...", "-x", "A".repeat(64)])(
    "takes the name %s",
    async (name) => {
      await saveAcme(name);
      expect(names()).toContain(name);
      expect((await store.secretOf(name)).secret.reveal()).toBe(`secret of ${name}`);
      await store.remove(name);
      expect(names()).toEqual(["sandbox"]);
    },
  );

  it.each(["", "a b", "a/b", "é", "__proto__", "A".repeat(65), "a\n"])(
    "refuses the name %j",
    async (name) => {
      await expect(saveAcme(name)).rejects.toThrow(UsageError);
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("refuses an invalid base URL", async () => {
    await expect(store.save("a", { ...acme, baseUrl: "ftp://x" })).rejects.toThrow(UsageError);
  });
});

describe("the active profile", () => {
  it("is the one that was activated, the built-in one too", async () => {
    expect(readProfileFile(folder).active).toBeUndefined();
    await saveAcme("production");
    await store.activate("production");
    expect(readProfileFile(folder).active).toBe("production");
    expect(store.list().map(({ name, active }) => [name, active])).toEqual([
      ["production", true],
      ["sandbox", false],
    ]);
    await store.activate("sandbox");
    expect(readProfileFile(folder).active).toBe("sandbox");
  });

  it("follows a rename and goes with a removal", async () => {
    await saveAcme("a");
    await saveAcme("b");
    await store.activate("a");
    await store.rename("a", "c");
    expect(readProfileFile(folder).active).toBe("c");
    await store.remove("b");
    expect(readProfileFile(folder).active).toBe("c");
    await store.remove("c");
    expect(readProfileFile(folder).active).toBeUndefined();
  });
});

describe("removing and renaming", () => {
  it("renames the saved secret with its profile", async () => {
    await saveAcme("a");
    await saveAcme("b");
    await store.rename("a", "c");
    expect(names()).toEqual(["b", "c", "sandbox"]);
    expect((await store.secretOf("c")).secret.reveal()).toBe("secret of a");
    expect((await savedSecrets()).sort()).toEqual(["b", "c"]);
    await store.remove("c");
    expect(await savedSecrets()).toEqual(["b"]);
    await store.rename("b", "b");
    expect(names()).toEqual(["b", "sandbox"]);
  });

  it("refuses a name that is taken", async () => {
    await saveAcme("a");
    await saveAcme("b");
    await expect(store.rename("a", "b")).rejects.toThrow(ConflictError);
    expect((await store.secretOf("b")).secret.reveal()).toBe("secret of b");
  });

  it("reports a profile that does not exist, and suggests a similar name", async () => {
    await saveAcme("production");
    const error = await store.remove("prodution").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotFoundError);
    expect((error as NotFoundError).facts.remedy).toBe("Did you mean production?");
    await expect(store.rename("x", "y")).rejects.toThrow(NotFoundError);
    await expect(store.activate("x")).rejects.toThrow(NotFoundError);
    await expect(store.secretOf("x")).rejects.toThrow(NotFoundError);
  });
});

describe("the built-in profile", () => {
  it("is listed, and has its public key", async () => {
    expect(store.list()).toMatchObject([{ name: "sandbox", builtIn: true, active: false }]);
    expect((await store.secretOf("sandbox")).secret.reveal()).toBe("sandbox-api-key");
  });

  it("cannot be changed", async () => {
    await saveAcme("a");
    for (const change of [
      () => saveAcme("sandbox"),
      () => store.remove("sandbox"),
      () => store.rename("sandbox", "b"),
      () => store.rename("a", "sandbox"),
    ]) {
      await expect(change()).rejects.toThrow(/^The profile sandbox is built in and cannot be/u);
      await expect(change()).rejects.toThrow(UsageError);
    }
  });

  it("is not replaced by a profile of this name in the file", async () => {
    const text = '{"profiles": {"sandbox": {"baseUrl": "https://evil.example/v1"}}}';
    await writeFile(join(folder, "config.json"), text);
    expect(store.list().map(({ baseUrl }) => baseUrl)).toEqual(["http://127.0.0.1:4747/v1"]);
  });
});

describe("a file that cannot be understood", () => {
  it.each(["config.json", "credentials.json"])("is not written over: %s", async (file) => {
    await saveAcme("a");
    const config = await read("config.json");
    await writeFile(join(folder, file), "{ half", { mode: 0o600 });
    for (const change of [
      () => saveAcme("b"),
      () => store.remove("a"),
      () => store.rename("a", "b"),
    ]) {
      await expect(change()).rejects.toThrow(`${file} is not valid JSON at line 1, column 3`);
    }
    expect(await read(file)).toBe("{ half");
    if (file !== "config.json") expect(await read("config.json")).toBe(config);
  });
});

describe("several processes", () => {
  it("keep each other's changes", async () => {
    const script = fileURLToPath(new URL("save-profiles.ts", import.meta.url));
    const prefixes = ["a", "b", "c", "d"];
    const children = prefixes.map((prefix) =>
      spawn(process.execPath, [script, folder, prefix, "10"], {
        stdio: ["ignore", "ignore", "inherit"],
      }),
    );
    const ends = await Promise.all(children.map((child) => once(child, "exit")));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0, 0]);
    const wanted = prefixes.flatMap((prefix) =>
      Array.from({ length: 10 }, (_, n) => `${prefix}${n + 1}`),
    );
    expect(names().sort()).toEqual([...wanted, "sandbox"].sort());
    for (const name of wanted)
      expect((await store.secretOf(name)).secret.reveal()).toBe(`of ${name}`);
  });

  it("say who holds the lock when it takes too long", async () => {
    await withLock(join(folder, "config.json"), { command: "another amp" }, async () => {
      const impatient = new ProfileStore(folder, { wait: 0 });
      const error = await impatient.activate("sandbox").catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConflictError);
      expect((error as ConflictError).facts.detail).toMatch(/^another amp, process \d+ on /u);
    });
  });
});
