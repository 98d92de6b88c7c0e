// Nothing here runs: `npm run types` refuses this file where an error that it expects is missing.

import {
  choice,
  defineCommand,
  flag,
  integer,
  record,
  required,
  several,
  table,
  text,
} from "../../src/cli/define.ts";

interface Fruit {
  readonly id: string;
  readonly kind: "apple" | "pear";
  readonly weight?: number;
}

const fruit: readonly Fruit[] = [];
const examples = ["amp fruit list"];
const noun = ["fruit", "fruits"] as const;

export const right = defineCommand({
  args: { orchard: text("which orchard") },
  options: {
    sort: choice("the order", ["age", "name"], { placeholder: "order" }),
    count: required(integer("how many", { min: 1, max: 9 })),
    tag: several(text("with this tag")),
    all: flag("even the unripe"),
  },
  needs: ["project"],
  examples,
  run: ({ args, options, project }) => {
    args.orchard satisfies string | undefined;
    options.sort satisfies "age" | "name" | undefined;
    options.count satisfies number;
    options.tag satisfies readonly string[];
    options.all satisfies boolean;
    project satisfies string;
    return fruit;
  },
  view: table<Fruit>(noun, { Kind: "kind", Weight: ({ weight }) => weight, ID: "id" }),
});

export const wrongColumn = defineCommand({
  examples,
  run: () => fruit,
  // @ts-expect-error no field of a fruit
  view: table<Fruit>(noun, { Colour: "colour" }),
});

export const wrongColumnFunction = defineCommand({
  examples,
  run: () => fruit,
  // @ts-expect-error no field of a fruit
  view: table<Fruit>(noun, { Colour: ({ colour }) => colour }),
});

export const wrongCell = defineCommand({
  examples,
  run: () => fruit,
  // @ts-expect-error an object is not a cell
  view: table<Fruit>(noun, { Kind: (each) => ({ kind: each.kind }) }),
});

export const undeclaredOption = defineCommand({
  options: { sort: text("the order") },
  examples,
  // @ts-expect-error not declared
  run: ({ options }) => options.order,
});

export const undeclaredArgument = defineCommand({
  args: { orchard: text("which orchard") },
  examples,
  // @ts-expect-error not declared
  run: ({ args }) => args.garden,
});

export const maybeAbsent = defineCommand({
  args: { orchard: text("which orchard") },
  examples,
  // @ts-expect-error it may be absent, since it is not required
  run: ({ args }) => args.orchard.length,
});

export const otherChoice = defineCommand({
  options: { sort: choice("the order", ["age", "name"], { placeholder: "order" }) },
  examples,
  // @ts-expect-error none of the choices
  run: ({ options }) => options.sort === "size",
});

export const projectWithoutNeed = defineCommand({
  examples,
  // @ts-expect-error it does not need a project
  run: ({ project }) => project,
});

export const unknownNeed = defineCommand({
  // @ts-expect-error nothing that can be needed
  needs: ["orchard"],
  examples,
  run: () => undefined,
});

export const recordOfAnother = defineCommand({
  examples,
  // @ts-expect-error the record shows a fruit, and this is none
  run: () => ({ id: 1 }),
  view: record<Fruit>(({ kind }) => ({ title: kind, blocks: [] })),
});

export const tableOfOne = defineCommand({
  examples,
  // @ts-expect-error a table shows a list
  run: () => fruit[0],
  view: table<Fruit>(noun, { Kind: "kind" }),
});

export const unknownBlock = record<Fruit>(() => ({
  title: "",
  // @ts-expect-error no kind of block
  blocks: [{ kind: "chart", rows: [] }],
}));

// @ts-expect-error a command without examples
export const noExamples = defineCommand({ run: () => undefined });

export const wrongEffect = defineCommand({
  // @ts-expect-error no effect that there is
  effect: "delete",
  examples,
  run: () => undefined,
});

// @ts-expect-error a setting that does not exist
export const unknownSetting = text("which orchard", { setting: "orchard" });
