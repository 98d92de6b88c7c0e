import { describe, expect, it } from "vitest";
import type { GroupRoute, LeafRoute } from "../../src/cli/define.ts";
import {
  defineCommand,
  flag,
  lines,
  required,
  several,
  table,
  text,
} from "../../src/cli/define.ts";
import { version } from "../../src/runtime/version.ts";
import { run } from "../harness.ts";
import { only } from "./throwaway-routes.ts";

it.each([
  ["notify plan -f routing.yaml --save p.json", "Did you mean --out?"],
  ["notify plan -f routing.yaml -out p.json", "Did you mean --out?"],
  ["notify setup --out routing.yaml", "Did you mean --save?"],
])("the option of another tool or command leads to the right one: %s", async (line, remedy) => {
  const { code, error } = await run([...line.split(" "), "--json"]);
  expect(code).toBe(2);
  expect(error().remedy).toBe(remedy);
  expect(error().suggestion).toMatch(/ --help$/u);
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

  it("are accepted before and after the command, with a space or an equals sign", async () => {
    for (const argv of [
      ["-p", "x", "probe"],
      ["probe", "-p", "x"],
      ["probe", "-px"],
      ["-qpx", "probe"],
      ["probe", "--project=x"],
      ["--project", "y", "probe", "--project", "x"],
    ]) {
      expect(await read(...argv)).toMatchObject({ project: "x" });
    }
  });

  it("may have a value that is the name of a command or of another option", async () => {
    expect(await read("probe", "--project", "probe")).toMatchObject({ project: "probe" });
    expect(await read("--project=--quiet", "probe")).toMatchObject({ project: "--quiet" });
  });

  it("leave the command's own as they are", async () => {
    expect(await read("probe")).toEqual({
      ...{ first: undefined, tag: [], one: undefined, on: false, project: "acme" },
    });
    expect(
      await read("probe", "--tag", "a", "word", "--tag=b=c", "--one", "1", "--one", "2", "--on"),
    ).toEqual({
      first: "word",
      tag: ["a", "b=c"],
      one: "2",
      on: true,
      project: "acme",
    });
    expect(await read("probe", "--", "--tag")).toMatchObject({ first: "--tag", tag: [] });
  });
});

describe("loading", () => {
  it("is limited to the called command", async () => {
    const loaded: string[] = [];
    const leaf = (path: string): LeafRoute => ({
      summary: path,
      load: async () => {
        loaded.push(path);
        return { default: defineCommand({ examples: [`amp ${path}`], run: () => {} }) };
      },
    });
    const tree: Record<string, GroupRoute | LeafRoute> = {
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
    for (const argv of [["--version"], ["-v"], ["-V"], ["--version", "--json"], ["-V", "--json"]]) {
      expect(await run(argv)).toMatchObject({
        code: 0,
        stdout: `amp-admin ${version}\n`,
        stderr: "",
      });
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

  it("that is no longer read ends the command without an error", async () => {
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
    expect(await missing()).toBe("✗ Missing <from>, <to>, --name, --org");
    expect(await missing("a", "--name", "n", "--org", "o")).toBe("✗ Missing argument <to>");
    expect(await missing("a", "b", "--name", "n")).toBe("✗ Missing option --org");
    expect(await missing("a", "b")).toBe("✗ Missing options --name, --org");
  });
});
