import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { runAmp, startAmp } from "./program.ts";
import { homeAt, idsAt, NO_ROUTING, routingAt, startSandbox } from "./sandbox.ts";
import { slowService } from "./slow-service.ts";
import { KEYS, Terminal } from "./terminal.ts";
import { answerAll, answerDestination, openWizard, screenText } from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

test("Ctrl-C at a question creates nothing, and leaves the terminal as it was", async () => {
  const { url } = await startSandbox();
  const terminal = new Terminal(
    ["sh", "-c", "stty -a; amp notify setup; echo exit $?; stty -a"],
    homeAt(url),
  );
  await answerDestination(terminal);
  await terminal.answer("Topic name", "customer-lifecycle");
  // A list takes keys one by one without an echo.
  await terminal.asked("Event types");
  await terminal.tick("installation.created");
  terminal.type(KEYS.ctrlC);
  await terminal.exits(0);

  const lines = terminal.screen.transcript();
  const settings = lines.flatMap((line, at) => (/^speed /u.test(line) ? [at] : []));
  const [before = 0, after = 0] = settings;
  const exit = lines.indexOf("exit 130");
  const said = lines.indexOf("✗ Interrupted");
  expect(lines.slice(said + 1, said + 3)).toEqual([
    "  Nothing was created.",
    "  To continue, run this command.",
  ]);
  expect(lines.slice(said, exit).join("\n")).toContain("--topic customer-lifecycle");
  expect(after).toBe(exit + 1);
  expect(lines.slice(after)).toEqual(lines.slice(before, before + lines.length - after));
  expect(terminal.screen.isCursorShown).toBe(true);
  expect(await routingAt(url)).toEqual(NO_ROUTING);
});

test("Ctrl-D at a question is the same as Ctrl-C", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await terminal.choose("Destination", "New webhook");
  await terminal.asked("Destination name");
  terminal.type(KEYS.ctrlD);
  await terminal.exits(130);
  expect(terminal.screen.transcript().slice(-4)).toEqual([
    "✗ Interrupted",
    "  Nothing was created.",
    "  To continue, run this command.",
    "  Try: amp notify setup --destination-type webhook",
  ]);
});

test("SIGTERM at a question creates nothing", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await answerAll(terminal);
  process.kill(terminal.pid, "SIGTERM");
  await terminal.exits(143);
  const lines = terminal.screen.transcript();
  expect(lines.slice(lines.indexOf("✗ Terminated")).slice(0, 3)).toEqual([
    "✗ Terminated",
    "  Nothing was created.",
    "  To continue, run this command.",
  ]);
  expect(terminal.screen.isCursorShown).toBe(true);
  expect(await routingAt(url)).toEqual(NO_ROUTING);
});

test.each([
  { arrived: "and is in place", passedOn: true, inPlace: 3 },
  { arrived: "and is not", passedOn: false, inPlace: 2 },
])("Ctrl-C while a route is created, $arrived, tells what is there", async (one) => {
  const { url } = await startSandbox();
  // Destination, topic, and then the first route.
  const slow = await slowService(url, { nth: 3, passedOn: one.passedOn });
  const terminal = openWizard(homeAt(slow.url));
  await answerAll(terminal);
  await terminal.choose("Create these?", "Create");
  await slow.reached;
  await terminal.until("✓ topic");
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);

  const lines = terminal.screen.transcript();
  const begin = lines.indexOf("✓ Create these? Create");
  const end = lines.findIndex((line) => line.startsWith("  Try: amp notify apply"));
  await expect(screenText(lines.slice(begin, end + 1))).toMatchFileSnapshot(
    "screens/interrupted.txt",
  );
  // A terminal cannot show the path of the file in one line.
  expect(lines.slice(end).join("")).toMatch(/\.setup\.yaml \\ +--allow literal-secrets$/u);
  const ids = await idsAt(url);
  expect(ids).toHaveLength(one.inPlace);
  for (const id of ids.slice(0, 2)) expect(lines.join("\n").split("Created:")[1]).toContain(id);
});

test("a second SIGINT ends a create sooner than one that waits for its answer, and saves that its outcome is unknown", async () => {
  /** @returns the milliseconds from the first of so many signals to the end of amp */
  async function endedAfter(signals: number): Promise<number> {
    const { url } = await startSandbox();
    const slow = await slowService(url, { nth: 2, passedOn: true });
    const home = homeAt(slow.url);
    const state = join(home.folder, "state.json");
    await runAmp(["notify", "topics", "create", "first"], { home });
    writeFileSync(join(home.folder, "routing.yaml"), "version: 1\ntopics: { second: {} }\n");
    const apply = ["notify", "apply", "-f", join(home.folder, "routing.yaml"), "--state", state];
    const { child, ended } = startAmp([...apply, "--yes"], { home });
    await slow.reached;
    const from = performance.now();
    child.kill("SIGINT");
    await pause(200);
    if (signals > 1) child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, signal: null });
    const after = performance.now() - from;
    const { entries } = JSON.parse(readFileSync(state, "utf8"));
    expect(entries).toMatchObject({ "topic/second": { pending: { op: "create" } } });
    expect(entries["topic/second"]).not.toHaveProperty("id");
    const left = readdirSync(home.folder).filter((name) => name.startsWith("state.json"));
    expect(left).toEqual(["state.json"]);
    const beside = readdirSync(join(home.folder, ".amp-admin", "state.json"));
    const expected = [".gitignore", "backup", "journal", "state.lock.d"];
    expect(beside.filter((name) => !expected.includes(name))).toEqual([]);
    const { code, stdout } = await runAmp([...apply, "--yes"], { home });
    expect(code, stdout).toBe(0);
    return after;
  }
  expect(await endedAfter(2)).toBeLessThan(await endedAfter(1));
});
