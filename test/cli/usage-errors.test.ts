import { Command, CommanderError } from "commander";
import { expect, it } from "vitest";
import { usageErrorOf } from "../../src/cli/usage-errors.ts";

it("a refusal of commander that amp does not know keeps its words", () => {
  const refused = new CommanderError(1, "commander.other", "error: it is odd");
  expect(usageErrorOf(refused, new Command("amp"))).toMatchObject({
    kind: "command_line_invalid",
    message: "it is odd",
  });
});
