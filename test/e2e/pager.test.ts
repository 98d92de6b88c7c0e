import { expect, test, vi } from "vitest";
import { createHome } from "./program.ts";
import { Terminal } from "./terminal.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Prints the licences, which are long and need no service, on a terminal of 24 lines. */
function printed(pager: string): Terminal {
  const home = createHome();
  return new Terminal(["amp", "version", "--licences"], {
    ...home,
    env: { ...home.env, AMP_PAGER: pager },
  });
}

test("a pager that is quit early is not an error", async () => {
  const terminal = printed("head -n 3");
  await terminal.exits(0);
  const lines = terminal.screen.transcript().filter((line) => line !== "");
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.length).toBeLessThan(5);
});

test("a pager that does not exist is ignored", async () => {
  const terminal = printed("no-such-pager");
  await terminal.exits(0);
  expect(terminal.screen.transcript().join("\n")).toContain("MIT");
});
