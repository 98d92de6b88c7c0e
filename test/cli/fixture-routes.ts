import type { Routes } from "../../src/cli/define.ts";
import { choice, defineCommand, flag, required, several, text } from "../../src/cli/define.ts";

/** Text that every shell reads as something else, were it not quoted. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the dollar is for the shells
export const HOSTILE = 'it\'s "50%" `off` $(touch pwned) ${HOME} \\n [a:b] #!; | & <x> *';

const list = defineCommand({
  description: "The fruit of one orchard.\n\nWith tags:\n  ripe  now\n  raw   later",
  args: { orchard: text("which orchard", { placeholder: "id" }) },
  options: {
    tag: several(
      text("only with this tag", { suggestions: ["ripe:now", "ripe:later", "on sale"] }),
    ),
    sort: choice("the order", ["age", "name"], { placeholder: "order" }),
    unripe: flag(HOSTILE),
  },
  examples: [
    "amp fruit list north",
    { run: "amp fruit list north --sort age", note: "oldest first" },
  ],
  run: () => {},
});

const pick = defineCommand({
  effect: "write",
  args: {
    kind: required(choice("what to pick", ["apple", "apricot", "pear"], { placeholder: "fruit" })),
    basket: several(text("where to put it", { complete: "file" })),
  },
  options: { pieces: required(text("how many | at least", { placeholder: "n" })) },
  examples: ["amp fruit pick apple basket.txt --pieces 3"],
  run: () => {},
});

const turn = defineCommand({
  args: { way: choice("which way", ["left", "right"], { placeholder: "way" }) },
  examples: ["amp fruit press turn left"],
  run: () => {},
});

const parts = defineCommand({
  args: { part: text("which part", { complete: "field" }) },
  examples: ["amp fruit press parts"],
  run: () => {},
});

const plain = defineCommand({ examples: ["amp weather"], run: () => {} });

/** A small tree with a case for each thing that completion and the reference must get right. */
export const fixtureRoutes: Routes = {
  fruit: { summary: HOSTILE, section: "Inspect", alias: "fruits" },
  "fruit list": { summary: "list the fruit", load: async () => ({ default: list }) },
  "fruit pick": { summary: "pick some", load: async () => ({ default: pick }) },
  "fruit press": { summary: "the press: juice and cider" },
  "fruit press turn": { summary: "turn the press", load: async () => ({ default: turn }) },
  "fruit press parts": { summary: "explain a part", load: async () => ({ default: parts }) },
  weather: {
    summary: "how it looks outside",
    section: "Account and tools",
    load: async () => ({ default: plain }),
  },
};
