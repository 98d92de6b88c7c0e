import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { credentialForOrigin } from "../../src/account/credential.ts";
import { readCredentials, readProfileFile } from "../../src/account/files.ts";
import type { Profile } from "../../src/account/profiles.ts";
import { ProfileStore } from "../../src/account/store.ts";
import { Secret } from "../../src/secrets/secret.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** How many writes are still done before the "crash". */
let writesLeft = Number.POSITIVE_INFINITY;
function write<Result>(real: () => Result): Result {
  if (writesLeft <= 0) throw new Error("crashed");
  writesLeft -= 1;
  return real();
}

vi.mock(import("../../src/durable/write-file.ts"), async (original) => {
  const module = await original();
  const { writeFileDurably } = module;
  return {
    ...module,
    writeFileDurably: async (...input) => write(() => writeFileDurably(...input)),
  };
});
vi.mock("conf", async () => {
  const { default: Conf } = await vi.importActual<typeof import("conf")>("conf");
  class CrashingConf extends Conf {
    override set store(value: Record<string, unknown>) {
      write(() => {
        super.store = value;
      });
    }
    override get store(): Record<string, unknown> {
      return super.store;
    }
  }
  return { default: CrashingConf };
});

let folder: string;
let store: ProfileStore;

beforeEach(() => {
  folder = temporaryFolder();
  store = new ProfileStore(folder);
});
afterEach(() => {
  writesLeft = Number.POSITIVE_INFINITY;
});

const profileOf = (host: string): Profile => ({
  baseUrl: `https://${host}/v1`,
  credential: "api-key",
});

const changes: [string, (store: ProfileStore) => Promise<unknown>][] = [
  [
    "a new login",
    (it) => it.save("new", profileOf("new.example"), new Secret("key of new.example")),
  ],
  [
    "a login elsewhere",
    (it) => it.save("old", profileOf("new.example"), new Secret("key of new.example")),
  ],
  [
    "a login that needs no key",
    (it) => it.save("old", { ...profileOf("new.example"), credential: "none" }),
  ],
  ["a logout", (it) => it.remove("old")],
  ["a rename", (it) => it.rename("old", "new")],
];
const cases = changes.flatMap(([name, change]) =>
  [0, 1, 2, 3].map((at) => [name, at, change] as const),
);

it.each(cases)(
  "%s that crashes after %i writes loses no profile and misdirects no secret",
  async (name, at, change) => {
    await store.save("old", profileOf("old.example"), new Secret("key of old.example"));
    await store.save("bystander", profileOf("by.example"), new Secret("key of by.example"));
    writesLeft = at;
    await change(store).catch(() => {});
    writesLeft = Number.POSITIVE_INFINITY;

    const profiles = readProfileFile(folder).profiles;
    const gone = name === "a logout" && at >= 2 ? 0 : 1;
    const added = name === "a new login" && at >= 1 ? 1 : 0;
    expect(profiles.size).toBe(1 + gone + added);

    const { credentials } = readCredentials(folder);
    for (const [each, { baseUrl }] of profiles) {
      const { host, origin } = new URL(baseUrl);
      const stored = credentials.get(each);
      if (stored?.origin !== origin) {
        expect(() => credentialForOrigin(each, { origin }, stored)).toThrow();
      } else {
        expect(stored.secret.reveal()).toBe(`key of ${host}`);
      }
    }
    // A rename never leaves a profile without its secret.
    if (name === "a rename")
      expect([...profiles.keys()].every((each) => credentials.has(each))).toBe(true);

    // What has no profile goes with the next change.
    await store.save("next", profileOf("next.example"), new Secret("key of next.example"));
    const owned = [...readProfileFile(folder).profiles.keys()];
    expect(owned).toEqual(expect.arrayContaining([...readCredentials(folder).credentials.keys()]));
  },
);

it("does not let a new profile adopt the secret that a crash left", async () => {
  await store.save("old", profileOf("old.example"), new Secret("key of old.example"));
  writesLeft = 1;
  await expect(store.rename("old", "new")).rejects.toThrow("crashed");
  writesLeft = Number.POSITIVE_INFINITY;
  await store.save("new", profileOf("old.example"));
  await expect(store.secretOf("new")).rejects.toThrow();
  expect(await readFile(join(folder, "credentials.json"), "utf8")).not.toContain('"new"');
});
