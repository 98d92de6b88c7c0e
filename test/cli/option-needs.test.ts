import { describe, expect, it } from "vitest";
import { leaves, runBad } from "../commands/leaves.ts";

const declared = leaves.flatMap(({ path, options }) =>
  options.flatMap((option) =>
    option.needs === undefined ? [] : [{ path, option, needs: option.needs, options }],
  ),
);

it("is declared for each option that acts only with another one", () => {
  expect(declared.map(({ path, option, needs }) => `${path} ${option.name} ${needs}`)).toEqual([
    "apps lint --overwrite --report",
    "installations list --every --watch",
    "installations check --overwrite --report",
    "case create --overwrite --save",
    "case create --review --save",
    "notify check --overwrite --report",
    ...secretsOfFile("notify check"),
    "notify plan --strict --exit-code",
    "notify export --overwrite --save",
    ...secretsOfFile("notify graph"),
    "notify test --overwrite --report",
    "notify destinations update --accept --name",
    "listen --within --expect",
    "webhooks test --overwrite --report",
    "trigger --secret --to",
    "sandbox start --save --from-project",
    "sandbox start --overwrite --from-project",
    "sandbox start --keep-names --from-project",
    "sandbox export --overwrite --save",
  ]);
});

function secretsOfFile(path: string): string[] {
  return [`${path} --allow --file`];
}

/** Valid values, where not any text is one. */
const VALID: Readonly<Record<string, string>> = {
  time: "1s",
  from: "env:SECRET",
  what: "env:A",
  words: "references",
};

describe.each(declared)("amp $path $option.name", ({ path, option, needs, options }) => {
  it("is refused without the option that it needs, and sends nothing", async () => {
    expect(options.map(({ name }) => name)).toContain(needs);
    const typed = option.takesValue
      ? [option.name, VALID[option.placeholder ?? ""] ?? "x"]
      : [option.name];
    const outcome = await runBad(path, typed);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain(`${option.name} has no effect without ${needs}`);
    expect(outcome.stderr).toContain(`Add ${needs}, or leave it out.`);
  });
});
