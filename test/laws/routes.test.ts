import { describe, expect, it } from "vitest";
import { fixtureRoutes } from "../cli/fixture-routes.ts";
import { commandTree } from "../command-tree.ts";
import { routes, run } from "../harness.ts";
import { fileOf } from "./check.ts";
import { ampLines, inert } from "./examples.ts";
import { routeBreaches, treeBreaches } from "./tree.ts";

const root = await commandTree();
const commands = Object.entries(routes).flatMap(([path, route]) =>
  "load" in route ? [{ path, route }] : [],
);

describe("the table of routes", () => {
  it("has no breach", () => expect(routeBreaches(routes)).toEqual([]));

  it("keeps the conventions of names, summaries and options", () => {
    expect(treeBreaches(root)).toEqual([]);
  });

  it.each(commands)("has amp $path in the file of that name", async ({ path, route }) => {
    const file = await import(/* @vite-ignore */ `../../src/${fileOf(path)}`);
    expect((await route.load()).default).toBe(file.default);
  });
});

describe("the examples", () => {
  it.each(commands)("of amp $path are taken by the program", async ({ path, route }) => {
    const { examples } = (await route.load()).default;
    const reached: string[] = [];
    const world = {
      routes: inert(routes, (command) => reached.push(command)),
      // A dash reads it.
      stdin: "ins_1",
      env: { AMP_ORG: "org_1", AMP_INTEGRATION: "113e9685-9a51-42cc-8662-9d9725b17f14" },
    };
    for (const example of examples) {
      const lines = ampLines(typeof example === "string" ? example : example.run);
      expect(lines, JSON.stringify(example)).not.toEqual([]);
      for (const words of lines) {
        const { code, stderr } = await run(words, world);
        expect({ words, code, stderr: code === 0 ? "" : stderr }).toEqual({
          words,
          code: 0,
          stderr: "",
        });
      }
    }
    expect(reached).toContain(path);
  });
});

describe("a breach is seen", () => {
  const leaf = {
    summary: "do it",
    load: async () => ({ default: { examples: [], run: () => {} } }),
  };

  it("in the table of routes", () => {
    expect(
      routeBreaches({
        "lost child": leaf,
        empty: { summary: "nothing", section: "Inspect" },
        command: { ...leaf, section: "Inspect" },
        "command below": { ...leaf, section: "Inspect" },
      }),
    ).toEqual([
      "lost child: no group lost",
      "empty: a group of nothing",
      "command below: command is a command",
    ]);
    expect(routeBreaches({ alone: leaf })).toEqual(["alone: no section"]);
    const group = { summary: "a group", section: "Inspect" };
    expect(
      routeBreaches({ group, "group a": { ...leaf, section: "Change" }, "group b": leaf }),
    ).toEqual([
      "group a: only a part of its siblings has a section",
      "group b: only a part of its siblings has a section",
    ]);
  });

  it("in names, summaries, options and arguments", async () => {
    const fruit = await commandTree(fixtureRoutes);
    const [group] = fruit.children;
    const pick = group?.children.find((child) => child.path[1] === "pick");
    if (!group || !pick) throw new Error("the fixture has changed");
    const plain = { ...pick, args: [], options: [], children: [], aliases: [] };
    const option = { ...pick.options[0], mandatory: false, repeats: false, takesValue: true };
    const param = { ...option, name: "--x", description: "an x", placeholder: "x" };
    const at = (name: string) => ({ ...plain, path: [name] });
    const tree = {
      ...fruit,
      children: [
        { ...at("Loud"), summary: "Shouts." },
        { ...at("long"), summary: `say ${"much ".repeat(20)}indeed` },
        { ...at("twin"), aliases: ["other"] },
        { ...at("other"), examples: [] },
        {
          ...at("help"),
          options: [
            { ...param, name: "--output" },
            { ...param, short: "-p" },
          ],
        },
        { ...at("odd"), options: [param, param, { ...param, name: "--Y", description: "A y." }] },
        {
          ...at("order"),
          args: [
            { ...param, name: "some", repeats: true },
            { ...param, name: "last", mandatory: true, placeholder: "" },
          ],
        },
      ],
    };
    expect(treeBreaches(tree)).toEqual([
      "Loud: its summary does not start in lower case",
      "Loud: its summary ends like a sentence",
      "Loud: Loud is not kebab-case",
      "long: its summary does not fit the list",
      "long: its summary does not fit its own help",
      "twin: shares the name other",
      "other: shares the name other",
      "other: has no example",
      "help: shares the name help",
      "help: redeclares --output",
      "help: redeclares -p",
      "odd: --Y is not kebab-case",
      "odd: --Y is described by a sentence",
      "odd: --x stands twice",
      "order: last has no placeholder",
      "order: last is never reached",
      "order: last must be given after one that need not be",
    ]);
  });

  it.each([
    ["amp fruit pick plum basket.txt --pieces 3", "plum"],
    ["amp fruit pick apple", "--pieces"],
    ["amp fruit list --colour red", "--colour"],
    ["amp fruit press turn left right", "takes 1 argument, but 2 were given"],
    ["amp fruit peel", "peel"],
  ])("in the example %j", async (example, told) => {
    const reached: string[] = [];
    const [words = []] = ampLines(example);
    const { code, stderr } = await run(words, {
      routes: inert(fixtureRoutes, (path) => reached.push(path)),
    });
    expect({ code, reached }).toEqual({ code: 2, reached: [] });
    expect(stderr).toContain(told);
  });

  it("in an amp command inside shell syntax", () => {
    expect(ampLines("amp a 'b c' --d=\"e f\" > g")).toEqual([["a", "b c", "--d=e f"]]);
    expect(ampLines('curl -H "X: $(amp auth token x)" https://x')).toEqual([
      ["auth", "token", "x"],
    ]);
    expect(ampLines("amp a | jq .")).toEqual([["a"]]);
    expect(ampLines("ls")).toEqual([]);
  });
});
