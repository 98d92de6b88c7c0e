import { describe, expect, it } from "vitest";
import {
  defineCommand,
  flag,
  lines,
  required,
  several,
  table,
  text,
} from "../../src/cli/define.ts";
import type { Group, Leaf } from "../../src/commands/routes.ts";
import * as errors from "../../src/errors.ts";
import { AmpError, type ErrorFacts, EXIT } from "../../src/errors.ts";
import { version } from "../../src/version.ts";
import { run } from "../harness.ts";
import { doing, only } from "./throwaway-routes.ts";

type Kind = new (message: string, facts?: ErrorFacts) => AmpError;
const KINDS = (Object.values(errors) as unknown[]).filter(
  (value): value is Kind => typeof value === "function" && value.prototype instanceof AmpError,
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
    expect([...exits].sort()).toEqual(
      Object.keys(EXIT)
        .filter((name) => name !== "ok")
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
      expect(stderr).toContain("✗ Unexpected failure: boom\n");
      expect(stderr).toContain("defect of amp");
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
      expect(outcome.stderr).toMatch(/\n +at .*program\.test\.ts:\d+/u);
    }
    const off = await run(["probe"], { ...failing(new Error("boom")), env: { AMP_DEBUG: "0" } });
    expect(off.stderr).not.toContain("program.test.ts");
  });
});

describe("an error", () => {
  const FACTS: ErrorFacts = {
    detail: "The name is taken.",
    remedy: "Choose another.",
    suggestion: "amp probe --name b",
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

  it("tells all that it knows as JSON", async () => {
    const outcome = await run(["probe", "--json"], { routes });
    expect(outcome).toMatchObject({ code: 6, stdout: "" });
    const { data, ...facts } = FACTS;
    expect(outcome.error()).toEqual({
      code: "rejected",
      message: "Refused",
      exitCode: 6,
      ...facts,
      issues: [{ in: "body", name: "name", value: "a b", detail: "letters only", flag: "--name" }],
      created: [{ id: "t_1" }],
    });
  });

  it("tells the same to a person, the input by its option", async () => {
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

  it("of the output itself is told as text", async () => {
    const outcome = await run(["probe", "--json", "--output", "csv"], { routes });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toBe("✗ --json and --output csv contradict each other\n");
    expect(await run(["probe", "--json", "--output", "json"], { routes })).toMatchObject({
      code: 6,
    });
  });
});

describe("options that work everywhere", () => {
  const seen: unknown[] = [];
  const routes = only(
    defineCommand({
      args: { first: text("first") },
      options: { tag: several(text("tag")), one: text("one"), on: flag("on") },
      examples: ["amp probe"],
      run: ({ args, options, settings }) => {
        seen.push({ ...args, ...options, project: settings.get("project")?.value });
      },
    }),
  );
  const read = async (...argv: string[]) => {
    const { code, stderr } = await run(argv, { routes });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return seen.at(-1);
  };

  it("stand before and behind the command, with a space or an equals sign", async () => {
    for (const argv of [
      ["-p", "x", "probe"],
      ["probe", "-p", "x"],
      ["probe", "-px"],
      ["probe", "--project=x"],
      ["--project", "y", "probe", "--project", "x"],
    ]) {
      expect(await read(...argv)).toMatchObject({ project: "x" });
    }
  });

  it("leave the command's own as they are", async () => {
    expect(await read("probe")).toEqual({
      ...{ first: undefined, tag: [], one: undefined, on: false, project: "acme" },
    });
    expect(
      await read("probe", "--tag", "a", "word", "--tag=b=c", "--one", "1", "--one", "2", "--on"),
    ).toEqual({ first: "word", tag: ["a", "b=c"], one: "2", on: true, project: "acme" });
    expect(await read("probe", "--", "--tag")).toMatchObject({ first: "--tag", tag: [] });
  });
});

describe("loading", () => {
  it("reaches the command that runs, and no other", async () => {
    const loaded: string[] = [];
    const leaf = (path: string): Leaf => ({
      summary: path,
      load: async () => {
        loaded.push(path);
        return { default: defineCommand({ examples: [`amp ${path}`], run: () => {} }) };
      },
    });
    const tree: Record<string, Group | Leaf> = {
      a: { summary: "a" },
      "a one": leaf("a one"),
      "a two": leaf("a two"),
      b: leaf("b"),
    };
    const calls = async (...argv: string[]) => {
      loaded.length = 0;
      await run(argv, { routes: tree });
      return [...loaded];
    };
    expect(await calls("a", "one")).toEqual(["a one"]);
    expect(await calls("a", "one", "--help")).toEqual(["a one"]);
    expect(await calls("help", "a", "two")).toEqual(["a two"]);
    expect(await calls("a", "--help")).toEqual([]);
    expect(await calls("--help")).toEqual([]);
    expect(await calls("--version")).toEqual([]);
    expect(await calls("a")).toEqual([]);
  });
});

describe("amp --version", () => {
  it("prints the version and nothing else", async () => {
    for (const argv of [["--version"], ["-V"], ["--version", "--json"]]) {
      expect(await run(argv)).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
    }
  });
});

describe("a result", () => {
  it("of one line stays one in every format", async () => {
    const view = lines<{ id: string }>(({ id }) => `Made ${id}`);
    const made = only(
      defineCommand({ examples: ["amp probe"], run: () => ({ id: "x_1", more: 1 }), view }),
    );
    const as = async (...argv: string[]) =>
      (await run(["probe", ...argv], { routes: made })).stdout;
    expect(await as()).toBe("Made x_1\n");
    expect(await as("-o", "id")).toBe("x_1\n");
    expect(JSON.parse(await as("--json"))).toEqual({ id: "x_1", more: 1 });
  });

  it("without an identifier is an error of --output id, before anything is written", async () => {
    const list = only(
      defineCommand({
        examples: ["amp probe"],
        run: () => [{ id: "a" }, {} as { id: string }],
        view: table<{ id: string }>(["thing", "things"], { ID: "id" }),
      }),
    );
    const outcome = await run(["probe", "-o", "id"], { routes: list });
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
  });

  it("that nobody reads any more is a quiet end", async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => ({ id: `thing_${at}`.padEnd(40, "x") }));
    const long = only(
      defineCommand({
        examples: ["amp probe"],
        run: () => many,
        view: table<{ id: string }>(["thing", "things"], { ID: "id" }),
      }),
    );
    const cut = await run(["probe"], { routes: long, closesAfter: 1 });
    expect(cut).toMatchObject({ code: 0, stderr: "" });
    const whole = await run(["probe"], { routes: long });
    expect(cut.stdout.length).toBeGreaterThan(0);
    expect(cut.stdout.length).toBeLessThan(whole.stdout.length);
  });

  it("names the argument that is missing, whatever is mandatory", async () => {
    const strict = only(
      defineCommand({
        args: { from: required(text("from")), to: required(several(text("to"))) },
        options: { name: required(text("name")), org: required(text("org", { setting: "org" })) },
        examples: ["amp probe"],
        run: () => {},
      }),
    );
    const missing = async (...argv: string[]) =>
      (await run(["probe", ...argv], { routes: strict })).stderr.split("\n")[0];
    expect(await missing()).toBe("✗ missing <from>, <to>, --name, --org");
    expect(await missing("a", "--name", "n", "--org", "o")).toBe("✗ missing argument <to>");
    expect(await missing("a", "b", "--name", "n")).toBe("✗ missing option --org");
    expect(await missing("a", "b")).toBe("✗ missing options --name, --org");
  });
});
