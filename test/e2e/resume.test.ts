import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type Home, runAmp, startAmp } from "./program.ts";
import { homeAt, idsAt, routingAt, startSandbox } from "./sandbox.ts";
import { slowService } from "./slow-service.ts";
import { Terminal } from "./terminal.ts";
import { answerAll, EVENTS, openWizard, ROUTING, screenText } from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

const SETUP = [
  ...["notify", "setup", "--destination-name", "ops-webhook", "--destination-type", "webhook"],
  ...["--url", "https://hooks.acme.com/amp", "--topic", "customer-lifecycle"],
  ...EVENTS.flatMap((event) => ["--event", event]),
  "--yes",
];

/** The answers of setups that are not finished. */
function unfinished({ folder }: Home): string[] {
  return readdirSync(join(folder, ".local", "state", "amp-admin")).filter((name) =>
    name.endsWith(".setup.yaml"),
  );
}

test.each([
  { nth: 1, passedOn: true },
  { nth: 4, passedOn: true },
  { nth: 6, passedOn: true },
])("a setup killed at create $nth is resumed", async (one) => {
  const { url } = await startSandbox();
  const slow = await slowService(url, one);
  const home = homeAt(slow.url);
  const setup = startAmp(SETUP, { home });
  await slow.reached;
  setup.child.kill("SIGKILL");
  expect(await setup.ended).toMatchObject({ signal: "SIGKILL" });
  expect(unfinished(home)).toHaveLength(1);

  // Only the one create was slow: the service is the same, at the same address.
  const resumed = await runAmp(["notify", "setup", "--resume", "--yes"], { home });
  expect(resumed).toMatchObject({ code: 0 });
  expect(await routingAt(url)).toEqual(ROUTING);
  expect(unfinished(home)).toEqual([]);
  const ids = await idsAt(url);
  expect(ids).toHaveLength(6);
  for (const id of ids) expect(resumed.stdout).toContain(id);

  const again = await runAmp(SETUP, { home });
  expect(again).toMatchObject({ code: 0 });
  expect(await idsAt(url)).toEqual(ids);
});

test("the wizard offers to resume a setup that was killed", async () => {
  const { url } = await startSandbox();
  const slow = await slowService(url, { nth: 3, passedOn: true });
  const home = homeAt(slow.url);
  const terminal = openWizard(home);
  await answerAll(terminal);
  await terminal.choose("Create these?", "Create");
  await slow.reached;
  process.kill(terminal.pid, "SIGKILL");
  await terminal.exits(137);

  const next = new Terminal(["amp", "notify", "setup"], home);
  await next.choose("An earlier setup did not finish", "Resume customer-lifecycle → ops-webhook");
  await next.choose("Create these?", "Create");
  await next.exits(0);
  await expect(screenText(next.screen.transcript())).toMatchFileSnapshot("screens/resumed.txt");
  expect(next.screen.wrapped()).toEqual([]);
  expect(await routingAt(url)).toEqual(ROUTING);
});
