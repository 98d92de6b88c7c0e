import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { SANDBOX_API_KEY } from "../platform.ts";
import { createHome, type Home, runAmp } from "./program.ts";
import { startSandbox } from "./sandbox.ts";

vi.setConfig({ testTimeout: 240_000 });

const login = (home: Home, url: string, profile: string) =>
  runAmp(["auth", "login", "--profile", profile, "--base-url", url, "--api-key-file", "-"], {
    home,
    stdin: `${SANDBOX_API_KEY}\n`,
  });
const json = (home: Home, name: string) =>
  JSON.parse(readFileSync(join(home.configFolder, name), "utf8"));

test("twenty logins at once are all kept, and logouts between them all done", async () => {
  const { url } = await startSandbox();
  const home = createHome();
  const leaving = ["old1", "old2", "old3", "old4"];
  for (const name of leaving) expect(await login(home, url, name)).toMatchObject({ code: 0 });
  const coming = Array.from({ length: 20 }, (_, at) => `new${at}`);
  const runs = [
    ...coming.map((name) => login(home, url, name)),
    ...leaving.map((name) => runAmp(["auth", "logout", name], { home })),
  ];
  const failed = (await Promise.all(runs)).filter(({ code }) => code !== 0);
  expect(failed).toEqual([]);
  const { profiles, active } = json(home, "config.json");
  expect(Object.keys(profiles).sort()).toEqual([...coming].sort());
  expect(coming).toContain(active);
  const { credentials } = json(home, "credentials.json");
  expect(Object.keys(credentials).sort()).toEqual([...coming].sort());
  expect(readdirSync(home.configFolder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(statSync(home.configFolder).mode & 0o777).toBe(0o700);
});

test("a file that others can read is mended, and that is said once", async () => {
  const { url } = await startSandbox();
  const home = createHome();
  await login(home, url, "production");
  const path = join(home.configFolder, "credentials.json");
  chmodSync(path, 0o644);
  const first = await runAmp(["auth", "status"], { home });
  expect(`${first.stdout}${first.stderr}`.split("was readable by other users").length).toBe(2);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const second = await runAmp(["auth", "status"], { home });
  expect(second).toMatchObject({ code: 0, stderr: "" });
  expect(second.stdout).not.toContain("was readable by other users");
});
