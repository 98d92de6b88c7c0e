import { describe, expect, it } from "vitest";
import { choice, defineCommand, text } from "../../src/cli/define.ts";
import * as errors from "../../src/errors.ts";
import { AmpError, type ErrorFacts, EXIT } from "../../src/errors.ts";
import { suggest } from "../../src/values/suggested-command.ts";
import { run } from "../harness.ts";
import { doing, only } from "./throwaway-routes.ts";

type Kind = new (message: string, facts?: ErrorFacts) => AmpError;
const KINDS = (Object.values(errors) as unknown[]).filter(
  (value): value is Kind =>
    typeof value === "function" &&
    value.prototype instanceof AmpError &&
    // Its exit code is that of the result.
    value !== errors.ResultError,
);
const failing = (error: unknown) => ({
  routes: doing(() => {
    throw error;
  }),
});

describe("the exit code", () => {
  it("is 0 for what succeeds", async () => {
    expect(await run(["probe"], { routes: doing(() => {}) })).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  it("has a kind of error for each row of the table", () => {
    const exits = new Set(KINDS.map((Kind) => new Kind("").exit));
    // A check that did not hold is a result, not an error: the command's `exit` says so.
    const results = ["ok", "check"];
    expect([...exits].sort()).toEqual(
      Object.keys(EXIT)
        .filter((name) => !results.includes(name))
        .sort(),
    );
    const codes = Object.values(EXIT).map(({ code }) => code);
    expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 124, 130, 143]);
  });

  it.each(KINDS.map((Kind) => ({ Kind, name: Kind.name })))(
    "of $name is that of its row, on a terminal and as JSON",
    async ({ Kind }) => {
      const error = new Kind("It went wrong");
      const { code } = EXIT[error.exit];
      const shown = await run(["probe"], failing(error));
      expect(shown).toMatchObject({ code, stdout: "", stderr: "✗ It went wrong\n" });
      const json = await run(["probe", "--json"], failing(error));
      expect(json).toMatchObject({ code, stdout: "" });
      expect(json.error()).toEqual({ code: error.exit, message: "It went wrong", exitCode: code });
    },
  );

  it.each([new Error("boom"), new TypeError("boom"), "boom", { toString: () => "boom" }])(
    "is 1 for what nobody threw on purpose: %j",
    async (thrown) => {
      const { code, stdout, stderr } = await run(["probe"], failing(thrown));
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain("✗ Unexpected error: boom\n");
      expect(stderr).toContain("bug in amp");
      expect(stderr).not.toContain(".ts:");
      const json = await run(["probe", "-o", "ndjson"], failing(thrown));
      expect(json.error()).toMatchObject({ code: "unexpected", exitCode: 1 });
    },
  );

  it("comes with a stack where it is asked for", async () => {
    for (const world of [
      { argv: ["probe", "--debug"], env: {} },
      { argv: ["probe"], env: { AMP_DEBUG: "1" } },
    ]) {
      const outcome = await run(world.argv, { ...failing(new Error("boom")), env: world.env });
      expect(outcome.stderr).toMatch(/\n +at .*report-error\.test\.ts:\d+/u);
    }
    const off = await run(["probe"], { ...failing(new Error("boom")), env: { AMP_DEBUG: "0" } });
    expect(off.stderr).not.toContain("fail.test.ts");
  });
});

describe("an error", () => {
  const FACTS: ErrorFacts = {
    detail: "The name is taken.",
    remedy: "Choose another.",
    suggestion: suggest("notify topics create", ["b"]),
    done: "Nothing was created.",
    status: 422,
    type: "urn:taken",
    href: "https://docs.example/taken",
    title: "Taken",
    requestId: "req-1#2",
    retryable: false,
    retryAfter: "2026-09-02T08:31:00Z",
    issues: [{ in: "body", name: "name", value: "a b", detail: "letters only" }],
    causes: ["first", "second"],
    data: { created: [{ id: "t_1" }], code: "never this" },
  };
  const routes = only(
    defineCommand({
      options: { name: text("a name") },
      examples: ["amp probe"],
      run: () => {
        throw new errors.RejectedError("Refused", FACTS);
      },
    }),
  );

  it("has all facts as JSON", async () => {
    const outcome = await run(["probe", "--json"], { routes });
    expect(outcome).toMatchObject({ code: 6, stdout: "" });
    const { data, ...facts } = FACTS;
    expect(outcome.error()).toEqual({
      code: "rejected",
      message: "Refused",
      exitCode: 6,
      ...facts,
      suggestion: "amp notify topics create b",
      issues: [{ in: "body", name: "name", value: "a b", detail: "letters only", flag: "--name" }],
      created: [{ id: "t_1" }],
    });
  });

  it("shows the same facts as text, with the input by its option", async () => {
    const { stderr } = await run(["probe"], { routes, tty: true, env: { NO_COLOR: "1" } });
    await expect(stderr).toMatchFileSnapshot("./golden/error.txt");
  });

  it("is JSON too where the environment asks for JSON, and for a bad command line", async () => {
    const env = { AMP_OUTPUT: "json" };
    expect((await run(["probe"], { routes, env })).error()).toMatchObject({ message: "Refused" });
    expect((await run(["prob"], { routes, env })).error()).toMatchObject({ code: "usage" });
    expect((await run(["probe", "--nope", "-o", "ndjson"], { routes })).error()).toMatchObject({
      code: "usage",
    });
  });

  it("names the nearest of a closed set of words, and the set in JSON too", async () => {
    const options = {
      state: choice("state to show", ["healthy", "unhealthy"], { placeholder: "state" }),
    };
    const routes = only(defineCommand({ options, examples: ["amp probe"], run: () => {} }));
    const { code, stderr } = await run(["probe", "--state", "helthy"], { routes });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        '✗ --state: "helthy" is not valid\n  Did you mean healthy? Choose one of: healthy, unhealthy.\n',
    });
    const far = await run(["probe", "--state", "blue", "--json"], { routes });
    expect(far.error()).toEqual({
      code: "usage",
      name: "word_invalid",
      message: '--state: "blue" is not valid',
      exitCode: 2,
      remedy: "Choose one of: healthy, unhealthy.",
    });
  });

  it("of the output itself is reported as text, and as JSON where --json was typed", async () => {
    const outcome = await run(["probe", "--output", "cvs"], { routes });
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toMatch(/^✗ --output: "cvs" is not a valid format/u);
    expect(outcome.stderr).toMatch(/\n {2}Did you mean csv\? Choose one of: table, json, /u);
    const both = await run(["probe", "--json", "--output", "csv"], { routes });
    expect(both).toMatchObject({ code: 2, stdout: "" });
    expect(both.error().message).toBe('--json and --output "csv" conflict');
    expect(await run(["probe", "--json", "--output", "json"], { routes })).toMatchObject({
      code: 6,
    });
  });
});
