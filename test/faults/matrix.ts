import { availableParallelism } from "node:os";
import { type Case, type Result, runCase } from "./case.ts";
import { clockCases } from "./cases/clocks.ts";
import { combinationCases } from "./cases/combinations.ts";
import { crowdCases } from "./cases/crowds.ts";
import { deleteCases } from "./cases/deletes.ts";
import { diskCases } from "./cases/disk.ts";
import { driftCases } from "./cases/drift.ts";
import { fileCases } from "./cases/files.ts";
import { interruptCases } from "./cases/interrupts.ts";
import { lagCases } from "./cases/lags.ts";
import { listenerCases } from "./cases/listeners.ts";
import { lockCases } from "./cases/locks.ts";
import { requestCases } from "./cases/requests.ts";
import { routingCases } from "./cases/routings.ts";
import { serverCases } from "./cases/servers.ts";
import { serviceCases } from "./cases/service.ts";
import { shapeCases } from "./cases/shapes.ts";
import { stateCases } from "./cases/states.ts";
import { strangerCases } from "./cases/strangers.ts";
import { undoCases } from "./cases/undos.ts";
import { updateCases } from "./cases/updates.ts";

/** Every case. */
export function wholeMatrix(): Case[] {
  return [
    ...fileCases,
    ...requestCases,
    ...serviceCases,
    ...driftCases,
    ...lagCases,
    ...clockCases,
    ...combinationCases,
    ...shapeCases,
    ...strangerCases,
    ...interruptCases,
    ...diskCases(),
    ...stateCases,
    ...lockCases,
    ...crowdCases,
    ...routingCases,
    ...serverCases,
    ...listenerCases,
    ...undoCases,
    ...deleteCases,
    ...updateCases,
  ];
}

/** Those of each kind that every run of the tests takes. */
export function reducedMatrix(): Case[] {
  return wholeMatrix().filter(({ core }) => core === true);
}

/** More than there are processors: a case spends most of its time waiting. */
const AT_ONCE = availableParallelism() * 3;

/** Runs cases, several at once; results come in the order of the cases. */
export async function runMatrix(
  cases: readonly Case[],
  { program, done = () => {} }: { program?: string; done?: (result: Result) => void } = {},
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = cases.entries();
  const work = async () => {
    for (const [at, one] of queue) {
      const result = await runCase(one, program);
      results[at] = result;
      done(result);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}
