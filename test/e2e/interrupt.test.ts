import { expect, test, vi } from "vitest";
import { homeAt, idsAt, NO_ROUTING, routingAt, startSandbox } from "./sandbox.ts";
import { slowService } from "./slow-service.ts";
import { KEYS, Terminal } from "./terminal.ts";
import { answerAll, answerDestination, openWizard, told } from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

test("Ctrl-C at a question creates nothing, and leaves the terminal as it was", async () => {
  const { url } = await startSandbox();
  const terminal = new Terminal(
    ["sh", "-c", "stty -a; amp notify setup; echo exit $?; stty -a"],
    homeAt(url),
  );
  await answerDestination(terminal);
  await terminal.answer("Topic name", "customer-lifecycle");
  // A list hides the cursor, and takes keys one by one without an echo.
  await terminal.asked("Event types");
  await terminal.tick("installation.created");
  expect(terminal.screen.isCursorShown).toBe(false);
  terminal.type(KEYS.ctrlC);
  await terminal.exits(0);

  const lines = terminal.screen.transcript();
  const settings = lines.flatMap((line, at) => (/^speed /u.test(line) ? [at] : []));
  const [before = 0, after = 0] = settings;
  const exit = lines.indexOf("exit 130");
  expect(lines.slice(exit - 2, exit)).toEqual(["✗ Interrupted", "  Nothing was created."]);
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
  expect(terminal.screen.transcript().slice(-2)).toEqual([
    "✗ Interrupted",
    "  Nothing was created.",
  ]);
});

test("SIGTERM at a question creates nothing", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await answerAll(terminal);
  process.kill(terminal.pid, "SIGTERM");
  await terminal.exits(143);
  expect(terminal.screen.transcript().slice(-2)).toEqual([
    "✗ Terminated",
    "  Nothing was created.",
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
  await expect(told(lines.slice(begin))).toMatchFileSnapshot("screens/interrupted.txt");
  const ids = await idsAt(url);
  expect(ids).toHaveLength(one.inPlace);
  for (const id of ids.slice(0, 2)) expect(lines.join("\n").split("Created:")[1]).toContain(id);
  expect(terminal.screen.wrapped()).toEqual([]);
});
