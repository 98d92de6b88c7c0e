import { describe, expect, it } from "vitest";
import type { Installation } from "../../src/api/schemas/installation.ts";
import { createCounter } from "../../src/case/target.ts";

type States = readonly [health: string, lastOperation?: string, connection?: string];

function installation([healthStatus, lastOperationStatus, status = "working"]: States) {
  const connection = { provider: "hubspot", status };
  const states = { healthStatus, lastOperationStatus, connection, config: {} };
  return { integrationId: "int_1", ...states } as unknown as Installation;
}

/** The counts of an installation's integration, with the installations beside it. */
function counts(own: States, others: readonly States[]) {
  const counter = createCounter();
  for (const one of [own, ...others]) counter.add(installation(one));
  return counter.beside(installation(own)).integration;
}

const OTHERS: readonly States[] = [
  ["unhealthy", "failure"],
  ["unhealthy", "in_progress"],
  ["unhealthy", "success"],
  ["unhealthy", "failure", "bad_credentials"],
  ["healthy", "success", "bad_credentials"],
  ["healthy", "failure"],
  ["healthy", "success"],
  ["healthy", "in_progress"],
  ["healthy"],
  ["degraded", "success"],
];

describe("the installations beside that of a case", () => {
  const of = { lastOperationFailed: 1, fine: 3, total: 11 };

  it("counts each once, and as failing similarly only one in the same state", () => {
    expect(counts(["unhealthy", "failure"], OTHERS)).toEqual({ ...of, failing: 6, alike: 3 });
    expect(counts(["unhealthy", "success"], OTHERS)).toEqual({ ...of, failing: 6, alike: 2 });
    const refused: States = ["unhealthy", "failure", "bad_credentials"];
    expect(counts(refused, OTHERS)).toEqual({ ...of, failing: 6, alike: 3 });
  });

  it("does not count that of the case as fine: its operations may say otherwise", () => {
    expect(counts(["healthy", "success"], OTHERS)).toEqual({ ...of, failing: 5, alike: 0 });
    expect(counts(["healthy", "failure"], OTHERS)).toEqual({ ...of, failing: 5, alike: 0 });
  });

  it("compares none with a state that amp does not know", () => {
    expect(counts(["degraded", "success"], OTHERS)).toEqual({ ...of, failing: 5, alike: 0 });
  });
});
