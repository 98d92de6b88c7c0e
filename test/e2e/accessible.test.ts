import { stripVTControlCharacters } from "node:util";
import { expect, test, vi } from "vitest";
import type { Home } from "./program.ts";
import { homeAt, routingAt, startSandbox } from "./sandbox.ts";
import { KEYS, Terminal } from "./terminal.ts";
import { EVENTS, ROUTING, screenText } from "./wizard.ts";

vi.setConfig({ testTimeout: 120_000 });

const at = (url: string, env: Record<string, string>): Home => {
  const home = homeAt(url);
  return { ...home, env: { ...home.env, AMP_PAGER: "less", ...env } };
};

/** Types lines, each once its question is there. */
async function answer(terminal: Terminal, ...lines: readonly (readonly [string, string])[]) {
  let from = 0;
  for (const [question, line] of lines) {
    const asked = new RegExp(`^${question}(?: \\(.*\\))?: $`, "mu");
    await vi.waitFor(
      () => expect(stripVTControlCharacters(terminal.written.slice(from))).toMatch(asked),
      120_000,
    );
    from = terminal.written.length;
    terminal.type(line, KEYS.enter);
  }
}

const ANSWERS = [
  ["Choose a number", "1"],
  ["Destination name", "ops-webhook"],
  ["URL", "http://hooks.acme.com/amp"],
  ["URL", "https://hooks.acme.com/amp"],
  ["Add headers, such as Authorization\\?", "n"],
  ["Topic name", "customer-lifecycle"],
  ["Choose numbers", "1,3,13"],
  ["Choose a number", "1"],
] as const;

/** Whether a text moves the cursor, erases, or has another colour than the 16, or a faint one. */
const REDRAWN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b(?!\[(?:0|1|22|3[0-79]|39)?m)|[\b\v\f]|\r(?!\n|\r)|[✓✗◉◯›─│┌└├·→←█]|[\u2800-\u28ff]/u;

test.each(["ACCESSIBLE=1", "TERM=dumb"])(
  "the wizard is answered by typed lines with %s",
  async (set) => {
    const { url } = await startSandbox();
    const terminal = new Terminal(["env", set, "amp", "notify", "setup"], at(url, {}));
    await answer(terminal, ...ANSWERS);
    await terminal.exits(0);
    const routing = await routingAt(url);
    expect(routing).toEqual({
      ...ROUTING,
      eventRoutes: EVENTS.map((one) => `${one} > customer-lifecycle`),
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an escape code begins with it
    if (set === "TERM=dumb") return expect(terminal.written).not.toMatch(/\u001b/u);
    expect(terminal.written).not.toMatch(REDRAWN);
    await expect(screenText(terminal.screen.transcript())).toMatchFileSnapshot(
      "screens/accessible-wizard.txt",
    );
  },
);

test("a case is made of the customer that was chosen by number", async () => {
  const { url } = await startSandbox();
  const home = at(url, { ACCESSIBLE: "1" });
  const terminal = new Terminal(["amp", "case", "create", "Initech"], home);
  await answer(terminal, ["Choose a number", "stripe"], ["Choose a number", "2"]);
  await terminal.exits(0);
  expect(terminal.written).not.toMatch(REDRAWN);
  const lines = terminal.screen.transcript();
  expect(lines).toContain("Choose a number: 2");
  expect(lines.join("\n")).toMatch(/^Who must act: /mu);
});

test("lists, plans and what is received are lines, too", async () => {
  const { url } = await startSandbox();
  const home = at(url, { ACCESSIBLE: "yes" });
  for (const [words, said] of [
    ["installations list --limit 2", /^Next: amp installations get <id>$/mu],
    ["installations get Cyberdyne", /^Cyberdyne Systems/mu],
    ["installations summary", /^unhealthy: \d+$/mu],
    ["notify graph", /^Routing of project acme$/mu],
    ["installations get nosuch", /^Error: No installation/mu],
    ["help accessibility", /^Screen readers/mu],
  ] as const) {
    const terminal = new Terminal(["amp", ...words.split(" ")], home, { columns: 80, rows: 12 });
    await terminal.exits(words.endsWith("nosuch") ? 3 : 0);
    expect(terminal.written).not.toMatch(REDRAWN);
    expect(terminal.screen.transcript().join("\n")).toMatch(said);
  }
});

test("a secret is not shown", async () => {
  const { url } = await startSandbox();
  const home = at(url, { ACCESSIBLE: "1", AMP_API_KEY: "" });
  const { AMP_API_KEY: _k, AMP_BASE_URL: _b, AMP_PROJECT: _p, ...env } = home.env;
  const terminal = new Terminal(["amp", "auth", "login"], { ...home, env });
  await answer(
    terminal,
    ["Base URL.*", url],
    ["Choose a number", "1"],
    ["Paste the API key", "sandbox-api-key"],
    ["Choose a number", "1"],
    ["Choose a number", "2"],
    ["Choose a number", "1"],
    ["Profile name", ""],
  );
  await terminal.exits(0);
  expect(terminal.written).not.toMatch(REDRAWN);
  expect(terminal.written).not.toContain("sandbox-api-key");
});
