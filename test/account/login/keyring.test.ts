import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { accountErrors } from "../../../src/account/errors.ts";
import { type Keyring, systemKeyring } from "../../../src/account/keyring.ts";
import { AuthError } from "../../../src/errors.ts";
import { KEY, machine, piped, URL } from "./machine.ts";

/** A keyring in memory. `gives` spoils what is read from it, `fails` lets what is done throw. */
function memory() {
  const entries = new Map<string, string>();
  const state = { fails: [] as string[], gives: (text: string | undefined) => text };
  const check = (does: string) => {
    if (state.fails.includes(does)) throw accountErrors.keyring_unusable("no session bus");
  };
  const keyring: Keyring = {
    async read(entry) {
      check("read");
      return state.gives(entries.get(entry));
    },
    async write(entry, text) {
      check("write");
      entries.set(entry, text);
    },
    async remove(entry) {
      check("remove");
      entries.delete(entry);
    },
  };
  return { entries, state, keyring };
}

const secure = [...piped, "--profile", "safe", "--secure-storage"];

describe("--secure-storage", () => {
  it("keeps the secret in the keyring alone, and later commands find it there", async () => {
    const { login, amp, read } = machine();
    const { keyring, entries } = memory();
    const outcome = await login(secure, { stdin: KEY, keyring });
    expect(outcome).toMatchObject({ code: 0 });
    expect(entries.size).toBe(1);
    expect(read("config.json")).not.toContain(KEY);
    expect(() => read("credentials.json")).toThrow(/ENOENT/u);
    const status = await amp(["auth", "status", "--json"], { keyring });
    expect(status.json()).toMatchObject({ profile: "safe", storedIn: "keyring", checked: true });
    expect((await amp(["auth", "token"], { keyring })).stdout).toBe(`${KEY}\n`);
  });

  it.each([
    ["cannot be written", { fails: ["write"] }],
    ["cannot be read back", { fails: ["read"] }],
    ["gives something else back", { gives: () => "{}" }],
    ["has forgotten it at once", { gives: () => undefined }],
  ])("saves nothing where the keyring %s", async (_, fault) => {
    const { login, read } = machine();
    const { keyring, entries, state } = memory();
    Object.assign(state, fault);
    const outcome = await login(secure, { stdin: KEY, keyring });
    expect(outcome).toMatchObject({ code: 4, stdout: "" });
    expect(outcome.stderr).toContain("The keyring cannot be used");
    expect(outcome.stderr).toContain("Nothing was saved");
    expect(entries.size).toBe(0);
    for (const name of ["config.json", "credentials.json"]) expect(() => read(name)).toThrow();
  });

  it("stays in force at the next login, which leaves no former secret", async () => {
    const { login, read } = machine();
    const { keyring, entries } = memory();
    await login(secure, { stdin: KEY, keyring });
    const [first] = entries.keys();
    await login([...piped, "--profile", "safe"], { stdin: KEY, keyring });
    expect([...entries.keys()]).toEqual([expect.not.stringMatching(first ?? "")]);
    expect(() => read("credentials.json")).toThrow(/ENOENT/u);
  });

  it("takes over from the file", async () => {
    const { login, read } = machine();
    const { keyring } = memory();
    await login([...piped, "--profile", "safe"], { stdin: KEY, keyring });
    expect(read("credentials.json")).toContain(KEY);
    await login(secure, { stdin: KEY, keyring });
    expect(read("credentials.json")).not.toContain(KEY);
  });

  it("follows a rename, and goes with a logout", async () => {
    const { login, amp, profiles } = machine();
    const { keyring, entries, state } = memory();
    await login(secure, { stdin: KEY, keyring });
    await amp(["auth", "rename", "safe", "safer"], { keyring });
    expect((await amp(["auth", "token", "safer"], { keyring })).stdout).toBe(`${KEY}\n`);
    state.fails = ["remove"];
    const refused = await amp(["auth", "logout", "safer"], { keyring });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("Profile safer and its secret were not changed");
    expect(Object.keys(profiles().profiles)).toEqual(["safer"]);
    state.fails = [];
    expect(await amp(["auth", "logout", "safer"], { keyring })).toMatchObject({ code: 0 });
    expect(entries.size).toBe(0);
    expect(profiles().profiles).toEqual({});
  });

  it("is left behind by a logout that insists, and the entry is named", async () => {
    const { login, amp, read } = machine();
    const { keyring, entries, state } = memory();
    await login(secure, { stdin: KEY, keyring });
    state.fails.push("remove");
    const refused = await amp(["auth", "logout", "safe"], { keyring });
    expect(refused).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain("--force");
    const [entry] = entries.keys();
    const forced = await amp(["auth", "logout", "safe", "--force"], { keyring });
    expect(forced).toMatchObject({ code: 0 });
    expect(forced.stderr).toContain(`amp/${entry}`);
    expect(read("config.json")).not.toContain("safe");
  });

  it("says that the keyring no longer has the secret", async () => {
    const { login, amp } = machine();
    const { keyring, entries } = memory();
    await login(secure, { stdin: KEY, keyring });
    entries.clear();
    const outcome = await amp(["auth", "token", "--json"], { keyring });
    expect(outcome.error()).toMatchObject({ code: "auth", name: "keyring_entry_gone" });
  });

  it("binds the secret to its origin, whatever the profile says", async () => {
    const { login, amp, file } = machine();
    const { keyring } = memory();
    await login(secure, { stdin: KEY, keyring });
    const changed = readFileSync(file("config.json"), "utf8").replace(
      URL,
      "https://evil.example/v1",
    );
    writeFileSync(file("config.json"), changed);
    const outcome = await amp(["auth", "status"], { keyring });
    expect(outcome).toMatchObject({ code: 4, requests: [] });
    expect(outcome.stdout).toContain("cannot be used for https://evil.example");
  });
});

it("cannot be used where its process cannot be started, for example after an update of Node", async () => {
  const { execPath } = process;
  process.execPath = "/no/such/node";
  try {
    const message = /^The keyring cannot be used: .*ENOENT/u;
    await expect(systemKeyring().read("probe")).rejects.toThrow(AuthError);
    await expect(systemKeyring().read("probe")).rejects.toThrow(message);
  } finally {
    process.execPath = execPath;
  }
});
