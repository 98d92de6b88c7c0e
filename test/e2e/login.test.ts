import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { SANDBOX_API_KEY } from "../platform.ts";
import { createHome, type Home, runAmp, runShell } from "./program.ts";
import { startSandbox } from "./sandbox.ts";
import type { Size } from "./screen.ts";
import { KEYS, Terminal } from "./terminal.ts";
import { screenText } from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

const MODE = 0o777;

/** Answers the questions of a login up to the hidden one, and that one. */
async function logIn(home: Home, baseUrl: string, key: string, size?: Size): Promise<Terminal> {
  const terminal = new Terminal(["amp", "auth", "login"], home, size);
  await terminal.answer("Base URL", baseUrl);
  await terminal.choose("Credential type", "API key");
  await terminal.asked("Paste the API key");
  terminal.type(key);
  return terminal;
}

/** What is kept of a person, by name; `undefined` where nothing is. */
function kept(home: Home): string[] | undefined {
  const folder = statSync(home.configFolder, { throwIfNoEntry: false });
  return folder && readdirSync(home.configFolder).filter((name) => name.endsWith(".json"));
}

test.each([
  { columns: 60, rows: 24 },
  { columns: 80, rows: 24 },
  { columns: 140, rows: 24 },
])("a login on $columns by $rows asks what it needs and shows no secret", async (size) => {
  const { url } = await startSandbox();
  const home = createHome();
  const terminal = await logIn(home, url, SANDBOX_API_KEY, size);
  // The key that would show it, were there one.
  terminal.type("\x14", KEYS.enter);
  await terminal.answer("Default project", "acme");
  await terminal.choose("Default organisation", "org_5a17e0c4");
  await terminal.choose("Default integration", "crm-sync");
  await terminal.answer("Profile name", "production");
  await terminal.exits(0);

  const lines = terminal.screen.transcript();
  // The line of the URL is above: on 60 columns it is folded within the port, which differs.
  const begin = lines.indexOf("✓ Credential type API key");
  await expect(screenText(lines.slice(begin))).toMatchFileSnapshot(
    `screens/login-${size.columns}.txt`,
  );
  expect(terminal.screen.visible()).toContain("Logged in as profile production");
  // A line with an answer may be as long as the answer.
  if (size.columns > 60) expect(terminal.screen.wrapped()).toEqual([]);
  expect(terminal.written).not.toContain(SANDBOX_API_KEY);

  expect(kept(home)).toEqual(["config.json", "credentials.json"]);
  expect(statSync(home.configFolder).mode & MODE).toBe(0o700);
  const holding = ["config.json", "credentials.json"].filter((name) => {
    const path = join(home.configFolder, name);
    expect(statSync(path).mode & MODE).toBe(0o600);
    return readFileSync(path, "utf8").includes(SANDBOX_API_KEY);
  });
  expect(holding).toEqual(["credentials.json"]);
  expect(await runAmp(["apps", "list", "-o", "id"], { home })).toMatchObject({ code: 0 });
});

test("questions a base URL without a version", async () => {
  const { url } = await startSandbox();
  const terminal = new Terminal(["amp", "auth", "login"], createHome());
  await terminal.answer("Base URL", url.replace("/v1", "/"));
  await terminal.asked("The URL has no version. Which one do you want?");
  await terminal.shows(`› ${url}`, `  ${url.replace("/v1", "").padEnd(url.length)}  as typed`);
  terminal.type(KEYS.enter);
  await terminal.until(`✓ The URL has no version. Which one do you want? ${url}`);
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
});

test("saves nothing for a key that the service refuses", async () => {
  const { url } = await startSandbox();
  const home = createHome();
  const terminal = await logIn(home, url, "another-key");
  terminal.type(KEYS.enter);
  await terminal.until("The service did not accept the credential (401). Paste it again");
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
  expect(terminal.written).not.toContain("another-key");
  expect(kept(home) ?? []).toEqual([]);
});

test("keeps profiles: list, rename, switch, logout", async () => {
  const { url } = await startSandbox();
  const home = createHome();
  const login = (profile: string) =>
    runAmp(["auth", "login", "--profile", profile, "--base-url", url, "--api-key-file", "-"], {
      home,
      stdin: `${SANDBOX_API_KEY}\n`,
    });
  expect(await login("staging")).toMatchObject({ code: 0 });
  const second = await login("default");
  expect(second).toMatchObject({ code: 0 });
  expect(second.stdout + second.stderr).not.toContain(SANDBOX_API_KEY);

  const names = async () => (await runShell("amp auth list | cut -f1,2", { home })).stdout;
  expect(await names()).toBe("default\tactive\nstaging\t\nsandbox\t\n");
  expect(await runAmp(["auth", "rename", "default", "production"], { home })).toMatchObject({
    code: 0,
    stdout: "Renamed profile default to production\n",
  });
  expect(await names()).toBe("production\tactive\nstaging\t\nsandbox\t\n");

  const terminal = new Terminal(["amp", "auth", "switch"], home);
  await terminal.choose("Profile", "staging");
  await terminal.exits(0);
  expect(await names()).toBe("production\t\nstaging\tactive\nsandbox\t\n");

  expect(await runAmp(["auth", "token"], { home })).toMatchObject({
    code: 0,
    stdout: `${SANDBOX_API_KEY}\n`,
  });
  expect(await runAmp(["auth", "logout", "production"], { home })).toMatchObject({ code: 0 });
  expect(await names()).toBe("staging\tactive\nsandbox\t\n");
  expect(await runAmp(["auth", "token", "production"], { home })).toMatchObject({ code: 3 });
  const secrets = readFileSync(join(home.configFolder, "credentials.json"), "utf8");
  expect(secrets).toContain("staging");
  expect(secrets).not.toContain("production");
});
