import { expect, it } from "vitest";
import { carryOver, typedTarget } from "../../src/cli/carry-over.ts";
import { PartialError } from "../../src/errors.ts";

const TARGET = typedTarget(
  { typedOptions: { state: ["my state.json"] } },
  { project: "acme", profile: "staging" },
);

function told(suggestion: string): string | undefined {
  return carryOver(new PartialError("x", { suggestion }), TARGET).facts.suggestion;
}

it("repeats what was typed of the target in each suggested command", () => {
  expect(told("amp notify resolve topic/a --not-created\namp notify unlock 4f1c")).toBe(
    [
      "amp notify resolve topic/a --not-created --profile staging --project acme --state 'my state.json'",
      "amp notify unlock 4f1c --profile staging --project acme --state 'my state.json'",
    ].join("\n"),
  );
});

it("repeats all but the state in commands that show what is there, and nothing in their help", () => {
  expect(told("amp installations list")).toBe(
    "amp installations list --profile staging --project acme",
  );
  expect(told("amp installations list --help")).toBe("amp installations list --help");
});

it("repeats it in what a program reads, and touches nothing else there", () => {
  const commands = [
    "amp notify resolve topic/a --id ID",
    "amp notify resolve topic/a --not-created",
  ];
  const command = "amp notify import topic/a top_1";
  const data = {
    unknown: [{ address: "topic/a", commands }],
    rescued: [{ command }],
    note: command,
  };
  const more = " --profile staging --project acme --state 'my state.json'";
  expect(carryOver(new PartialError("x", { data }), TARGET).facts.data).toEqual({
    unknown: [{ address: "topic/a", commands: commands.map((line) => line + more) }],
    rescued: [{ command: command + more }],
    note: command,
  });
});

it("keeps what a suggestion says itself, and leaves other commands and prose alone", () => {
  expect(told("amp notify apply -f x --state s --project p --profile q")).toBe(
    "amp notify apply -f x --state s --project p --profile q",
  );
  expect(told("amp auth login")).toBe("amp auth login");
  expect(told("Say what you saw: amp notify plan shows it.")).toBe(
    "Say what you saw: amp notify plan shows it.",
  );
});

it("changes nothing where nothing was typed", () => {
  const error = new PartialError("x", { suggestion: "amp notify resume" });
  expect(carryOver(error, typedTarget({ typedOptions: {} }, {})).facts.suggestion).toBe(
    "amp notify resume",
  );
});
