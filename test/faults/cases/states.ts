import { copyFile, readFile, unlink, writeFile } from "node:fs/promises";
import type { Case } from "../case.ts";
import { APPLY, type Bench, placesOf } from "../workbench.ts";
import { kill } from "./requests.ts";

const backup = (bench: Bench) => placesOf(bench).backup;
const saved = ({ stateFile }: Bench) => `${stateFile}.saved`;

/** A run that was killed at the fifth create, and then something that befalls its state. */
function befalls(
  name: string,
  change: (text: string) => string,
  then: Pick<Case, "between" | "exits" | "lists" | "ends" | "core">,
): Case {
  return {
    group: "states",
    name,
    hooks: [{ on: "POST notification-event-topic-routes", nth: 2, moment: "passed", act: kill }],
    faulted: async (bench) => {
      await bench.run(APPLY);
      await copyFile(bench.stateFile, saved(bench));
      await writeFile(bench.stateFile, change(await readFile(bench.stateFile, "utf8")));
      const asked = bench.sandbox.log.length;
      await bench.run(APPLY);
      const sent = bench.sandbox.log.slice(asked).filter(({ method }) => method === "POST");
      if (sent.length > 0) throw new Error(`${sent.length} creates were sent with such a state`);
    },
    ...then,
  };
}

const restore = (bench: Bench) => copyFile(saved(bench), bench.stateFile);
const fallBack = (bench: Bench) => copyFile(backup(bench), bench.stateFile);
const remove = (bench: Bench) => unlink(bench.stateFile);

/** A run that was killed at the fifth create, and then something that befalls its journal. */
function befallsJournal(name: string, change: (lines: string[]) => string[]): Case[] {
  const journal = (bench: Bench) => placesOf(bench).journal;
  return [true, false].map(
    (lists): Case => ({
      group: "states",
      name: `its journal ${name}, then put right`,
      lists,
      core: true,
      hooks: [{ on: "POST notification-event-topic-routes", nth: 2, moment: "passed", act: kill }],
      faulted: async (bench) => {
        await bench.run(APPLY);
        await copyFile(journal(bench), saved(bench));
        const lines = (await readFile(journal(bench), "utf8")).split("\n");
        await writeFile(journal(bench), change(lines).join("\n"));
        const asked = bench.sandbox.log.length;
        await bench.run(APPLY);
        const sent = bench.sandbox.log.slice(asked).filter(({ method }) => method === "POST");
        if (sent.length > 0) throw new Error(`${sent.length} creates were sent`);
      },
      exits: [2],
      between: (bench) => copyFile(saved(bench), journal(bench)),
    }),
  );
}

function changed(text: string, change: (state: Record<string, unknown>) => unknown): string {
  return JSON.stringify(change(JSON.parse(text) as Record<string, unknown>));
}

const half = (text: string) => text.slice(0, text.length >> 1);

/** States that are not what they were. */
export const stateCases: readonly Case[] = [
  ...[true, false].flatMap((lists): Case[] => [
    befalls("cut in half, then put right", half, { lists, exits: [2], between: restore }),
    befalls("empty, then put right", () => "", { lists, exits: [2], between: restore }),
    befalls("of another version", (text) => changed(text, (own) => ({ ...own, version: 99 })), {
      lists,
      exits: [2],
      between: restore,
      core: true,
    }),
    befalls("some other JSON", () => '{"version":1,"resources":[]}', {
      lists,
      exits: [2],
      between: restore,
    }),
    befalls(
      "of another service",
      (text) =>
        changed(text, (own) => ({
          ...own,
          target: { ...Object(own.target), origin: "https://a.example" },
        })),
      { lists, exits: [5], between: restore, core: true },
    ),
    befalls(
      "of another project",
      (text) =>
        changed(text, (own) => ({
          ...own,
          target: { ...Object(own.target), project: "prj_other", name: "other" },
        })),
      { lists, exits: [5], between: restore },
    ),
    {
      group: "states",
      name: "older by one save, after a whole run",
      lists,
      core: true,
      between: fallBack,
    },
  ]),
  ...befallsJournal("damaged in a line", (lines) => lines.with(1, `${lines[1]}x`)),
  ...befallsJournal("without a line", (lines) => lines.toSpliced(1, 1)),
  ...befallsJournal("empty", () => []),
  befalls("cut in half, then its backup in its place", half, {
    lists: true,
    exits: [2],
    between: fallBack,
  }),
  befalls("cut in half, then removed", half, { lists: true, exits: [2], between: remove }),
  {
    group: "states",
    name: "lost after a whole run",
    lists: true,
    core: true,
    between: remove,
  },
];
