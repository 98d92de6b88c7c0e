import { writeFile } from "node:fs/promises";
import type { Case } from "../case.ts";
import { ADDRESSES, ROUTING } from "../routing.ts";
import { APPLY, type Bench, type Hook } from "../workbench.ts";
import { kill } from "./requests.ts";

const [LIFECYCLE = ""] = ROUTING.split("  trouble:");
const DELETE = ["notify", "topics", "delete", "trouble", "--accept", "references", "--yes"];
const ROTATE = ["notify", "destinations", "secret", "ops", "--rotate", "--yes", "--json"];

/** The writes of the delete of a topic, in their order. */
const DELETES = [
  "DELETE notification-event-topic-routes/*",
  "DELETE topic-destination-routes/*",
  "DELETE topics/*",
];

/** What becomes of a write, or of the process that sends it. */
const FAULTS = {
  "killed with it asked for": { moment: "arrived" },
  "killed with it committed": { moment: "passed" },
  "killed with it answered": { moment: "answered" },
  "reset before commit": { fault: { do: "reset", commit: false } },
  "reset after commit": { fault: { do: "reset" } },
  "500 after commit": { fault: { do: "status", status: 500 } },
  "504 before commit": { fault: { do: "status", status: 504, commit: false } },
} as const satisfies Record<string, { moment?: Hook["moment"]; fault?: object }>;

async function wholeRouting(bench: Bench): Promise<void> {
  const { code, stderr } = await bench.run(APPLY);
  if (code !== 0) throw new Error(`the run before ended with ${code}: ${stderr}`);
}

/** Deletes again; what is gone already is not found, and the file no longer names the topic. */
async function deleteAgain(bench: Bench): Promise<void> {
  const { code, stderr } = await bench.run(DELETE);
  if (code !== 0 && code !== 3) throw new Error(`the second delete ended with ${code}: ${stderr}`);
  await writeFile(bench.routingFile, LIFECYCLE);
}

/** Sees that one run asked for one rotation, and that the next run of anything asks for none. */
async function oneRotation({ sandbox, run }: Bench): Promise<void> {
  const asked = () => sandbox.log.filter(({ path }) => path.includes("rotate=true")).length;
  if (asked() !== 1) throw new Error(`${asked()} rotations were asked for`);
  const { code, stderr } = await run(APPLY);
  if (code !== 0) throw new Error(`the run after the rotation ended with ${code}: ${stderr}`);
  if (asked() !== 1) throw new Error("an apply asked for a rotation");
}

function faultOf(on: string, wrong: (typeof FAULTS)[keyof typeof FAULTS], run: Case["faulted"]) {
  const { moment, fault } = { moment: undefined, fault: undefined, ...wrong };
  return {
    ...(moment === undefined ? {} : { hooks: [{ on, nth: 1, moment, act: kill }], exits: [null] }),
    faulted: async (bench: Bench) => {
      if (fault !== undefined) bench.sandbox.follow([{ on, nth: 1, ...fault }]);
      await run?.(bench);
    },
  };
}

/** A delete and a rotation that are killed, or whose answers are lost. */
export const deleteCases: readonly Case[] = [true, false].flatMap((lists) => [
  ...DELETES.flatMap((on, at) =>
    Object.entries(FAULTS).map(
      ([what, wrong]): Case => ({
        group: "deletes",
        name: `${on} ${what}`,
        lists,
        core: at === 1 && what === (lists ? "reset after commit" : "killed with it committed"),
        prepare: wholeRouting,
        ...faultOf(on, wrong, (bench) => bench.run(DELETE)),
        between: deleteAgain,
        wanted: ADDRESSES.filter((address) => !address.includes("trouble")),
        isFooled: true,
      }),
    ),
  ),
  // The path of a rotation takes the name; amp asks for the secrets by it in no other request.
  ...Object.entries(FAULTS).map(
    ([what, wrong]): Case => ({
      group: "deletes",
      name: `rotation ${what}`,
      lists,
      core: lists && what === "500 after commit",
      prepare: wholeRouting,
      ...faultOf("GET destinations/ops", wrong, (bench) => bench.run(ROTATE)),
      between: oneRotation,
      isFooled: true,
    }),
  ),
]);
