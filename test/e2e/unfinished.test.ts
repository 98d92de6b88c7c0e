import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type Home, runAmp, startAmp } from "./program.ts";
import { homeAt, idsAt, routingAt, startSandbox } from "./sandbox.ts";
import { slowService } from "./slow-service.ts";
import { KEYS, Terminal } from "./terminal.ts";
import { answerAll, EVENTS, openWizard, ROUTING } from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

const SETUP = [
  ...["notify", "setup", "--destination-name", "ops-webhook", "--destination-type", "webhook"],
  ...["--url", "https://hooks.acme.com/amp", "--topic", "customer-lifecycle"],
  ...EVENTS.flatMap((event) => ["--event", event]),
  "--yes",
];

/** The routing files of setups that are not finished. */
function unfinished({ folder }: Home): string[] {
  const states = join(folder, ".local", "state", "amp-admin");
  const names = readdirSync(states).filter((name) => name.endsWith(".setup.yaml"));
  return names.map((name) => join(states, name));
}

test.each([
  { nth: 1, passedOn: true },
  { nth: 4, passedOn: true },
  { nth: 6, passedOn: true },
])("a setup killed at create $nth is continued by an apply of its file", async (one) => {
  const { url } = await startSandbox();
  const slow = await slowService(url, one);
  const home = homeAt(slow.url);
  const setup = startAmp(SETUP, { home });
  await slow.reached;
  setup.child.kill("SIGKILL");
  expect(await setup.ended).toMatchObject({ signal: "SIGKILL" });
  expect(unfinished(home)).toHaveLength(1);

  const [file = ""] = unfinished(home);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // Only the one create was slow: the service is the same, at the same address.
  const apply = ["notify", "apply", "-f", file, "--allow", "literal-secrets", "--yes"];
  const resumed = await runAmp(apply, { home });
  expect(resumed).toMatchObject({ code: 0 });
  expect(await routingAt(url)).toEqual(ROUTING);
  expect(unfinished(home)).toEqual([]);
  const ids = await idsAt(url);
  expect(ids).toHaveLength(6);
  const known = await runAmp(["notify", "state", "list"], { home });
  for (const id of ids) expect(known.stdout).toContain(id);

  const again = await runAmp(SETUP, { home });
  expect(again).toMatchObject({ code: 0 });
  expect(await idsAt(url)).toEqual(ids);
});

test("the next wizard names the command that continues a setup that was killed", async () => {
  const { url } = await startSandbox();
  const slow = await slowService(url, { nth: 3, passedOn: true });
  const home = homeAt(slow.url);
  const terminal = openWizard(home);
  await answerAll(terminal);
  await terminal.choose("Create these?", "Create");
  await slow.reached;
  process.kill(terminal.pid, "SIGKILL");
  await terminal.exits(137);

  // The whole command is in one line.
  const next = openWizard(home, { columns: 300, rows: 24 });
  await next.asked("Destination");
  const lines = next.screen.transcript();
  const said = lines.indexOf("An earlier setup did not finish. Continue it, or delete its file:");
  expect(said).toBeGreaterThan(-1);
  const asked = lines.findIndex((line) => line.startsWith("? Destination"));
  const command = lines.slice(said + 1, asked);
  next.type(KEYS.ctrlC);
  await next.exits(130);

  const continued = new Terminal(["sh", "-c", command.join("\n")], home);
  await continued.answer("Create these?", "");
  await continued.exits(0);
  expect(await routingAt(url)).toEqual(ROUTING);
  expect(unfinished(home)).toEqual([]);
});
