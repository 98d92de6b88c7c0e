import { describe, expect, it } from "vitest";
import { FORMER_COMMANDS, FORMER_OPTIONS } from "../../src/cli/former-names.ts";
import { globalOptions } from "../../src/cli/tree.ts";
import { isCommandPath } from "../../src/values/command-paths.ts";
import { optionsText, suggest } from "../../src/values/suggested-command.ts";
import { groups, leaves } from "../commands/leaves.ts";
import { run } from "../harness.ts";

interface Refusal {
  readonly error: { readonly remedy?: string; readonly suggestion?: string };
}

async function refusal(argv: readonly string[]) {
  const { code, stderr } = await run([...argv, "--json"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^\{/u) });
  return (JSON.parse(stderr) as Refusal).error;
}

const globals = globalOptions().map(({ name }) => name);

// Each suggested command is parsed with the program's own parser after the tests of this file.
describe("a former name is refused, and leads to what exists", () => {
  it("of a command", async () => {
    for (const [path, { to, says }] of Object.entries(FORMER_COMMANDS)) {
      expect(isCommandPath(path) || groups.includes(path), path).toBe(false);
      const { remedy, suggestion } = await refusal([...path.split(" "), "x"]);
      expect(remedy, path).toBe(says ?? `Did you mean amp ${to?.[0]}?`);
      if (to !== undefined) expect(suggestion, path).toBe(suggest(...to).line());
    }
  });

  it.each([
    ["notify histroy", "amp notify state history"],
    ["trace x", "amp notify graph <event>"],
    ["case ls", "amp installations list lists customers"],
    ["trigger connection.error --forward-to http://localhost:3000", "Use --to URL"],
    ["notify state history --since 7d", "Use --filter 'time>7d'"],
  ])("of a command, typed with a mistake or without its group: amp %s", async (typed, meant) => {
    const { code, stderr } = await run(typed.split(" "));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(meant) });
  });

  it("of an option, on each command that has the new one", async () => {
    for (const [name, { to, says }] of Object.entries(FORMER_OPTIONS)) {
      const [former = "", ...only] = name.split(" ").toReversed();
      const words = to && optionsText(to);
      const option = words?.split(" ")[0] ?? "";
      const having = leaves.filter(
        ({ path, options }) =>
          (only.length === 0 || path === only.toReversed().join(" ")) &&
          (to === undefined || [...globals, ...options.map((one) => one.name)].includes(option)),
      );
      expect(having, name).not.toEqual([]);
      for (const { words: command, options } of having.slice(0, 12)) {
        expect(options.map((one) => one.name)).not.toContain(former);
        const { remedy } = await refusal([...command, former]);
        expect(remedy, `${command.join(" ")} ${former}`).toBe(says ?? `Did you mean ${words}?`);
      }
    }
  });
});
