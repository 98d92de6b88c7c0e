import { describe, expect, it } from "vitest";
import type { Api } from "../../src/api/operations/endpoint.ts";
import type { Installation } from "../../src/api/schemas/installation.ts";
import type { CommandContext } from "../../src/context/command-context.ts";
import { AuthError, NotFoundError, ServiceError } from "../../src/errors.ts";
import { waitForInstallation } from "../../src/inspect/wait.ts";
import { BARE } from "../commands/installations-at.ts";

const PACE = { first: 1, longest: 4 };

function installation(more: Partial<Installation> = {}): Installation {
  return { ...BARE, ...more } as Installation;
}

/** Waits for an installation of which the service says these, one after the other. */
async function wait(
  said: readonly (Partial<Installation> | Error | undefined)[],
  request: Partial<Parameters<typeof waitForInstallation>[2]> = {},
  signal = new AbortController().signal,
) {
  const [first, ...later] = said;
  const left = [...later];
  const told: string[] = [];
  const call = async () => {
    const next = left.length > 1 ? left.shift() : left[0];
    if (next instanceof Error) throw next;
    if (next === undefined) throw new NotFoundError("not found");
    return installation(next);
  };
  const report = {
    notice: (text: string) => told.push(text),
    warn: (text: string) => told.push(text),
    working: () => () => {},
  };
  const context = {
    api: {
      call: async (_: unknown, { path }: { path: object }) =>
        "installationId" in path ? call() : [],
    } as unknown as Api,
    project: "acme",
    report: report as unknown as CommandContext["report"],
    signal,
    now: () => new Date("2026-09-02T08:30:00Z"),
  };
  const result = waitForInstallation(
    context,
    installation(first as Partial<Installation>),
    { conditions: ["health=healthy"], failOn: [], withinMs: 2_000, ...request },
    PACE,
  );
  return { result: await result, told };
}

const SICK = { healthStatus: "unhealthy", connection: { status: "working" } };
const WELL = { healthStatus: "healthy", connection: { status: "working" } };

describe("waiting for an installation", () => {
  it("ends at once where all is as wanted, without a request", async () => {
    const { result, told } = await wait([WELL]);
    expect(result).toMatchObject({ outcome: "met", looks: 1, id: "ins_1" });
    expect(result.conditions).toEqual([
      { condition: "health=healthy", holds: true, value: "healthy" },
    ]);
    expect(told).toEqual([]);
  });

  it("looks again until each condition holds, and says what it sees once", async () => {
    const conditions = ["health=healthy", "lastOperationStatus=success"];
    const { result, told } = await wait(
      [SICK, SICK, WELL, { ...WELL, lastOperationStatus: "success" }],
      { conditions },
    );
    expect(result).toMatchObject({ outcome: "met", looks: 4 });
    expect(told).toEqual([
      "ins_1: health is unhealthy, lastOperationStatus is empty",
      "ins_1: health is healthy, lastOperationStatus is empty",
    ]);
  });

  it("fails as soon as what must not be is so, also beside what is wanted", async () => {
    const failOn = ["connection=bad_credentials"];
    const broken = { ...WELL, connection: { status: "bad_credentials" } };
    const { result } = await wait([SICK, broken], { failOn });
    expect(result).toMatchObject({
      outcome: "failed",
      conditions: [{ holds: true }],
      failOn: [{ condition: failOn[0], holds: true, value: "bad_credentials" }],
    });
  });

  it("ends with the last state once the time is over", async () => {
    const { result } = await wait([SICK, SICK], { withinMs: 30 });
    expect(result).toMatchObject({ outcome: "timeout", conditions: [{ value: "unhealthy" }] });
    expect(result.looks).toBeGreaterThan(2);
  });

  it("asks again where the service is away, and says so", async () => {
    const { result, told } = await wait([SICK, new ServiceError("The service is down"), WELL]);
    expect(result.outcome).toBe("met");
    expect(told).toContain("The service is down. Asking again.");
  });

  it.each([
    ["it is gone", undefined, NotFoundError],
    ["the credential is refused", new AuthError("refused"), AuthError],
  ])("ends with an error where %s", async (_, said, error) => {
    await expect(wait([SICK, said])).rejects.toThrow(error);
  });

  it("ends with the signal", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort("SIGINT"), 10);
    await expect(wait([SICK, SICK], {}, controller.signal)).rejects.toThrow();
  });
});
