import { expect, test, vi } from "vitest";
import { runShell } from "./program.ts";
import { ask, homeAt, idsAt, NO_ROUTING, routingAt, startSandbox } from "./sandbox.ts";
import { slowService } from "./slow-service.ts";
import { KEYS } from "./terminal.ts";
import {
  answerAll,
  answerDestination,
  commandOf,
  openWizard,
  ROUTING,
  screenText,
} from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

test("sets up a routing question by question, and prints the non-interactive command", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await terminal.choose("Destination", "New webhook");
  await terminal.answer("Destination name", "ops webhook");
  await terminal.shows(
    "? Destination name ops webhook",
    "  Only letters, digits and dashes are allowed",
  );
  terminal.type(KEYS.backspace.repeat("webhook".length + 1), "-webhook", KEYS.enter);
  await terminal.answer("URL", "htps://hooks.acme.com/amp");
  await terminal.shows("? URL htps://hooks.acme.com/amp", "  URL must begin with https://");
  terminal.type(
    KEYS.backspace.repeat("ps://hooks.acme.com/amp".length),
    "tps://hooks.acme.com/amp",
  );
  terminal.type(KEYS.enter);
  await terminal.answer("Add headers, such as Authorization?", "");
  await terminal.answer("Topic name", "customer-lifecycle");
  await terminal.asked("Event types");
  await terminal.tick("installation.created", "installation.deleted");
  // Letters filter, and none is a command.
  terminal.type("ion.err");
  await terminal.tick("connection.error");
  expect(terminal.screen.visible().join("\n")).not.toContain("installation.created");
  terminal.type(KEYS.enter);
  await terminal.asked("Create these?");
  // Create is chosen.
  terminal.type(KEYS.enter);

  await terminal.exits(0);
  const transcript = terminal.screen.transcript();
  // The whole receipt is in sight.
  const receipt = /^Apply complete in [\d.]+ s: 6 created$/u;
  expect(terminal.screen.visible()).toContainEqual(expect.stringMatching(receipt));
  await expect(screenText(transcript)).toMatchFileSnapshot("screens/wizard.txt");
  expect(terminal.screen.wrapped()).toEqual([]);
  expect(await routingAt(url)).toEqual(ROUTING);
  for (const id of await idsAt(url)) {
    expect(transcript.filter((line) => line.includes(id))).toHaveLength(1);
  }
  expect(transcript.length - transcript.findIndex((line) => receipt.test(line))).toBeLessThan(16);

  const second = await startSandbox();
  const again = await runShell(commandOf(transcript), { home: homeAt(second.url) });
  expect(again).toMatchObject({ code: 0 });
  expect(await routingAt(second.url)).toEqual(ROUTING);
});

test("goes back from the review to a topic, then to the events", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await answerAll(terminal);

  await terminal.choose("Create these?", "Change something");
  await terminal.choose("What do you want to change?", "Topic");
  await terminal.asked("Topic name (customer-lifecycle)");
  terminal.type("incidents", KEYS.enter);
  await terminal.shows(
    "  installation.created ─┐",
    "  installation.deleted ─┼─ incidents ─── ops-webhook",
    "  connection.error ─────┘  topic         webhook hooks.acme.com/amp",
  );

  await terminal.choose("Create these?", "Change something");
  await terminal.choose("What do you want to change?", "Event types");
  await terminal.asked("Event types");
  // What was chosen before is ticked still.
  await terminal.tick("installation.created", "installation.updated");
  terminal.type(KEYS.enter);
  await terminal.shows(
    "  installation.updated ─┐",
    "  installation.deleted ─┼─ incidents ─── ops-webhook",
    "  connection.error ─────┘  topic         webhook hooks.acme.com/amp",
  );
  expect(await routingAt(url)).toEqual(NO_ROUTING);

  await terminal.choose("Create these?", "Create");
  await terminal.exits(0);
  expect(await routingAt(url)).toEqual({
    ...ROUTING,
    topics: ["incidents"],
    eventRoutes: ["connection.error", "installation.deleted", "installation.updated"].map(
      (event) => `${event} > incidents`,
    ),
    destinationRoutes: ["incidents > ops-webhook"],
  });
});

test("Esc and ← return to the question before, which leaves no trace of the later one", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  await terminal.asked("Destination");
  terminal.type(KEYS.escape);
  await answerDestination(terminal);
  await terminal.asked("Topic name (ops-events)");
  terminal.type(KEYS.escape);
  await terminal.asked("Add headers, such as Authorization?");
  terminal.type(KEYS.escape);
  await terminal.asked("URL https://hooks.acme.com/amp");
  expect(terminal.screen.visible().join("\n")).not.toContain("Topic name");
  // The answer is edited, and ← is a key of its editor.
  terminal.type("/v2", KEYS.left, "x", KEYS.enter);
  await terminal.answer("Add headers, such as Authorization?", "");
  await terminal.asked("Topic name");
  terminal.type(KEYS.enter);
  await terminal.asked("Event types");
  await terminal.tick("installation.created");
  terminal.type(KEYS.enter);
  await terminal.asked("Create these?");
  terminal.type(KEYS.left);
  await terminal.asked("Event types");
  terminal.type(KEYS.enter);
  await terminal.choose("Create these?", "Create");
  await terminal.exits(0);
  expect(await routingAt(url)).toMatchObject({
    destinations: [{ metadata: { url: "https://hooks.acme.com/amp/vx2" } }],
    topics: ["ops-events"],
    eventRoutes: ["installation.created > ops-events"],
  });
});

test("joins a destination and a topic that exist", async () => {
  const { url } = await startSandbox();
  for (const name of ["first", "second"]) {
    await ask(url, "destinations", { name, type: "webhook", metadata: { url: "https://a.test/" } });
    await ask(url, "topics", { name: `${name}-topic` });
  }
  const [, { id } = { id: "" }] = await ask<{ id: string }[]>(url, "topics");
  await ask(url, "notification-event-topic-routes", { topicId: id, eventType: "connection.error" });

  const terminal = openWizard(homeAt(url));
  await terminal.choose("Destination", "Existing destination");
  await terminal.choose("Select a destination", "first");
  await terminal.choose("Topic", "Existing topic");
  await terminal.choose("Select a topic", "second-topic");
  await terminal.asked("Event types");
  await terminal.tick("installation.created");
  terminal.type(KEYS.enter);
  await terminal.until("2 to create, 1 to adopt, 2 unchanged");
  await terminal.choose("Create these?", "Create");

  await terminal.exits(0);
  const routing = await routingAt(url);
  expect(routing.topics).toEqual(["first-topic", "second-topic"]);
  expect(routing.eventRoutes).toEqual([
    "connection.error > second-topic",
    "installation.created > second-topic",
  ]);
  expect(routing.destinationRoutes).toEqual(["second-topic > first"]);
  expect(commandOf(terminal.screen.transcript())).toContain(`--topic-id ${id}`);
});

test("refuses an empty selection of events", async () => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url), undefined, "--topic", "customer-lifecycle");
  await terminal.choose("Destination", "New webhook");
  await terminal.answer("Destination name", "ops-webhook");
  await terminal.answer("URL", "https://hooks.acme.com/amp");
  await terminal.answer("Add headers, such as Authorization?", "");
  await terminal.asked("Event types");
  terminal.type(KEYS.enter);
  await terminal.until(/^ {2}Select at least one\.$/u);
  await terminal.tick("installation.created");
  expect(terminal.screen.visible().join("\n")).not.toContain("Select at least one.");
  terminal.type(KEYS.enter);
  await terminal.choose("Create these?", "Cancel");
  await terminal.exits(130);
  const left = terminal.screen.transcript();
  expect(left).toContain("  Nothing was created.");
  expect(left.join("\n")).toContain("Try: amp notify setup --destination-name ops-webhook");
  expect(await routingAt(url)).toEqual(NO_ROUTING);
});

test.each([
  ["Destination", []],
  ["Destination name", ["--destination-type webhook"]],
  ["URL", ["--destination-name ops-webhook --destination-type webhook"]],
  ["Add headers, such as Authorization?", ["--url https://hooks.acme.com/amp"]],
  ["Topic name", ["--url https://hooks.acme.com/amp"]],
  ["Event types", ["--topic customer-lifecycle"]],
  ["Create these?", ["--event installation.created"]],
])("Ctrl-C at %s prints the command that continues", async (question, parts) => {
  const { url } = await startSandbox();
  const terminal = openWizard(homeAt(url));
  const keys: Readonly<Record<string, string>> = {
    "Destination name": "ops-webhook",
    URL: "https://hooks.acme.com/amp",
    "Topic name": "customer-lifecycle",
    "Event types": `${KEYS.down}${KEYS.space}`,
  };
  for (const asked of [
    ...["Destination", "Destination name", "URL", "Add headers, such as Authorization?"],
    ...["Topic name", "Event types", "Create these?"],
  ]) {
    await terminal.asked(asked);
    if (asked === question) break;
    terminal.type(keys[asked] ?? "", KEYS.enter);
  }
  terminal.type(KEYS.ctrlC);
  await terminal.exits(130);
  const said = terminal.screen
    .transcript()
    .join("\n")
    .replaceAll(/ *\\\n */gu, " ");
  expect(said).toContain("Nothing was created.");
  expect(said.includes("Try: amp notify setup")).toBe(parts.length > 0);
  for (const part of parts) expect(said).toContain(part);
  // Nobody has agreed yet.
  expect(said).not.toContain("--yes");
  expect(await routingAt(url)).toEqual(NO_ROUTING);
});

test("a name that the service refuses is asked again with what was typed", async () => {
  const { url } = await startSandbox();
  const issue = { in: "body", name: "name", value: "customer-lifecycle", detail: "is too dull" };
  const refused = { status: 422, issues: [issue] };
  const slow = await slowService(url, { nth: 2, passedOn: false, refused });
  const terminal = openWizard(homeAt(slow.url));
  await answerAll(terminal);
  terminal.type(KEYS.enter);
  await terminal.shows(
    "The service refused the topic (422): Topic name is too dull. Correct the answer,",
    "or press Ctrl-C.",
  );
  await terminal.asked("Topic name (customer-lifecycle)");
  terminal.type("bright", KEYS.enter);
  await terminal.choose("Create these?", "Create");
  await terminal.exits(0);
  expect(await routingAt(url)).toMatchObject({
    destinations: [{ name: "ops-webhook" }],
    topics: ["bright"],
  });
});
