import { expect, test, vi } from "vitest";
import { EVENT_TYPES } from "../../src/api/catalogue/events.ts";
import { ask, homeAt, routingAt, startSandbox } from "./sandbox.ts";
import { KEYS } from "./terminal.ts";
import { answerAll, answerDestination, openWizard, screenText } from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

test("every list fits 80 columns", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await terminal.shows(
    "? Destination",
    "› New webhook                      your own HTTPS endpoint",
    "  New destination of another type  chat, queue, stream, storage, database",
    "",
    "↑↓ navigate · ⏎ select · esc cancel",
  );
  await terminal.choose("Destination", "New destination of another type");
  await terminal.asked("Destination type");
  await terminal.moveTo("Other");
  await terminal.until("⏎ select");
  await expect(screenText(terminal.screen.transcript())).toMatchFileSnapshot("screens/types.txt");
  terminal.type(KEYS.up, KEYS.enter);
  await terminal.until("✓ Destination type redshift");
  expect(terminal.screen.wrapped()).toEqual([]);
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
});

test.each([
  { columns: 80, rows: 24 },
  { columns: 80, rows: 15 },
  { columns: 60, rows: 15 },
])("the events keep their question in sight on $columns by $rows", async (size) => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url), size);
  await answerDestination(terminal);
  await terminal.answer("Topic name", "customer-lifecycle");
  await terminal.asked("Event types");
  for (const event of EVENT_TYPES) {
    await terminal.moveTo(event);
    await terminal.until("⏎ done");
    expect(terminal.screen.visible()).toContain("? Event types");
  }
  await expect(screenText(terminal.screen.visible())).toMatchFileSnapshot(
    `screens/events-${size.columns}x${size.rows}.txt`,
  );
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
});

test.each([
  { columns: 60, rows: 24 },
  { columns: 80, rows: 24 },
])("the review of every event type is in sight as a whole on $columns by $rows", async (size) => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url), size);
  await answerDestination(terminal);
  await terminal.answer("Topic name", "customer-lifecycle");
  await terminal.asked("Event types");
  terminal.type(KEYS.space, KEYS.enter);
  await terminal.asked("Create these?");
  await terminal.until("esc back");
  const visible = terminal.screen.visible();
  expect(visible.join("\n")).toMatch(/^18 to create$/mu);
  await expect(screenText(visible)).toMatchFileSnapshot(
    `screens/review-${size.columns}x${size.rows}.txt`,
  );
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
});

test.each([
  { columns: 60, rows: 24 },
  { columns: 140, rows: 24 },
])("a new routing is reviewed, created and reported on $columns by $rows", async (size) => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url), size);
  await answerAll(terminal);
  await terminal.choose("Create these?", "Create");
  await terminal.exits(0);
  const lines = terminal.screen.transcript();
  const begin = lines.indexOf("✓ Destination New webhook");
  await expect(screenText(lines.slice(begin))).toMatchFileSnapshot(
    `screens/wizard-${size.columns}.txt`,
  );
  expect((await routingAt(url)).topics).toEqual(["customer-lifecycle"]);
});

test.each([
  { columns: 60, rows: 24 },
  { columns: 80, rows: 24 },
  { columns: 140, rows: 24 },
])("an existing topic is reviewed, extended and reported on $columns by $rows", async (size) => {
  const { url } = await startSandbox();
  const home = homeAt(url);
  await ask(url, "destinations", {
    name: "pager",
    type: "webhook",
    metadata: { url: "https://a.test/" },
  });
  const first = openWizard(home);
  await answerAll(first);
  await first.choose("Create these?", "Create");
  await first.exits(0);

  const terminal = openWizard(
    home,
    size,
    "--destination-name",
    "pager",
    "--topic",
    "customer-lifecycle",
  );
  await terminal.asked("Event types");
  await terminal.tick("installation.created", "installation.updated");
  terminal.type(KEYS.enter);
  await terminal.asked("Create these?");
  await terminal.until("⏎ select");
  await expect(screenText(terminal.screen.transcript())).toMatchFileSnapshot(
    `screens/review-${size.columns}.txt`,
  );
  const visible = terminal.screen.visible();
  // 60 columns have room for a tree, which is longer: its heading is the line above.
  const heading = size.columns === 60 ? "  customer-lifecycle" : "2 to create, 4 unchanged";
  expect(visible).toContain(heading);
  expect(visible).toContain("? Create these?");
  await terminal.choose("Create these?", "Create");
  await terminal.exits(0);
  const lines = terminal.screen.transcript();
  expect(terminal.screen.visible()).toContain("✓ Create these? Create");
  await expect(
    screenText(lines.slice(lines.indexOf("✓ Create these? Create"))),
  ).toMatchFileSnapshot(`screens/receipt-${size.columns}.txt`);
  expect((await routingAt(url)).destinationRoutes).toEqual([
    "customer-lifecycle > ops-webhook",
    "customer-lifecycle > pager",
  ]);
});

// Tried again where the size and the next key reach the program in one go, as no hand types them.
test("the wizard continues on a terminal that becomes narrower", { retry: 2 }, async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await answerDestination(terminal);
  await terminal.asked("Topic name");
  terminal.resize({ columns: 60, rows: 20 });
  terminal.type("customer-lifecycle");
  // Once this is drawn the program has learned of its new size.
  await terminal.asked("Topic name customer-lifecycle");
  terminal.type(KEYS.enter);
  await terminal.asked("Event types");
  await terminal.tick("installation.created");
  terminal.type(KEYS.enter);
  await terminal.asked("Create these?");
  await terminal.shows(
    "  customer-lifecycle",
    "  topic",
    "    ← installation.created",
    "    → ops-webhook",
  );
  await terminal.choose("Create these?", "Create");
  await terminal.exits(0);
  expect((await routingAt(url)).topics).toEqual(["customer-lifecycle"]);
});

test("a list of events is drawn anew on a terminal that becomes narrower", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url), { columns: 140, rows: 30 });
  await answerDestination(terminal);
  await terminal.answer("Topic name", "customer-lifecycle");
  await terminal.asked("Event types");
  await terminal.tick("installation.created");
  terminal.resize({ columns: 60, rows: 30 });
  // What does not fit is below the label now.
  await terminal.until(/^ {10,}integration$/u);
  terminal.type(KEYS.down);
  await terminal.until("›◯ installation.updated");
  await expect(screenText(terminal.screen.visible())).toMatchFileSnapshot("screens/shrunk.txt");
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
});

test("an answer that was returned from leaves no line behind", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await answerDestination(terminal);
  await terminal.asked("Topic name");
  const answers = () => terminal.screen.transcript().filter((line) => line.startsWith("✓"));
  const before = answers();
  expect(before).toHaveLength(4);
  await terminal.answer("Topic name", "customer-lifecycle");
  await terminal.asked("Event types");
  terminal.type(KEYS.escape);
  await terminal.asked("Topic name");
  expect(answers()).toEqual(before);
  terminal.type(KEYS.escape);
  await terminal.asked("Add headers, such as Authorization?");
  expect(answers()).toEqual(before.slice(0, -1));
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
});
