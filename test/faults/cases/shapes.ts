import type { Case } from "../case.ts";
import { droppingCreate, type Front, inPages, retelling } from "../front.ts";
import { CREATES } from "../routing.ts";
import { APPLY } from "../workbench.ts";
import { SOME_CREATES } from "./lags.ts";
import { kill } from "./requests.ts";

type Told = Record<string, unknown>;

/** The fields that name another record. */
const REFERENCES = ["topicId", "destinationId"];

/** Changes some texts of a record. */
const texts = (fields: readonly string[], change: (text: string) => unknown) => (record: Told) =>
  Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field,
      fields.includes(field) && typeof value === "string" ? change(value) : value,
    ]),
  );
const without = (record: Told) =>
  Object.fromEntries(Object.entries(record).filter(([field]) => !REFERENCES.includes(field)));

/** Services whose records come back otherwise than they went. */
const SHAPES: Readonly<Record<string, () => Front>> = {
  "names in upper case": () => retelling(texts(["name"], (name) => name.toUpperCase())),
  "names and event types with blanks around them": () =>
    retelling(texts(["name", "eventType"], (text) => ` ${text} `)),
  "event types in upper case": () => retelling(texts(["eventType"], (type) => type.toUpperCase())),
  "references in upper case": () => retelling(texts(REFERENCES, (id) => id.toUpperCase())),
  "addresses with a slash at the end": () =>
    retelling(({ metadata, ...record }) =>
      typeof metadata === "object" && metadata !== null && "url" in metadata
        ? { ...record, metadata: { ...metadata, url: `${metadata.url}/` } }
        : { ...record, metadata },
    ),
  "references as null": () => retelling(texts(REFERENCES, () => null)),
  "no references": () => retelling(without),
  "pages with a link": () => inPages("link"),
  "pages with a token": () => inPages("token"),
};

type Twist = Pick<Case, "name" | "script" | "hooks" | "faulted">;

const TWISTS: readonly Twist[] = [
  {
    name: "run twice",
    faulted: async (bench) => {
      await bench.run(APPLY);
      await bench.run(APPLY);
    },
  },
  ...SOME_CREATES.flatMap(({ at, create: [path, nth] = CREATES[0] }): Twist[] => [
    {
      name: `reset after commit, at create ${at}`,
      script: { faults: [{ on: `POST ${path}`, nth, do: "reset" }] },
    },
    {
      name: `killed with create ${at} committed`,
      hooks: [{ on: `POST ${path}`, nth, moment: "passed", act: kill }],
    },
  ]),
];

/** Services that the specification does not forbid, and those that do not do what they say. */
export const shapeCases: readonly Case[] = [
  ...Object.entries(SHAPES).flatMap(([shape, front]) =>
    TWISTS.map(
      (twist): Case => ({
        ...twist,
        group: "shapes",
        name: `${shape}: ${twist.name}`,
        lists: true,
        core: /twice|killed with create 6/u.test(twist.name),
        front,
        // Two open routes that a list does not tell apart are left to a person.
        ends: shape.includes("references") ? ["survived", "stopped"] : ["survived"],
      }),
    ),
  ),
  ...CREATES.map(
    ([path, nth], at): Case => ({
      group: "shapes",
      name: `create ${at + 1} answered and not done`,
      lists: true,
      core: at === 5,
      front: () => droppingCreate(path, nth),
      isFooled: true,
      between: async (bench) => {
        // It is not taken for deleted before somebody says so.
        const { code } = await bench.run(APPLY);
        if (code !== 5) throw new Error(`the run after it ends with ${code}`);
      },
      cleanWords: ["--accept", "recreate"],
    }),
  ),
];
