import { describe, expect, it } from "vitest";
import type { Installation } from "../../src/api/schemas/installation.ts";
import { waitForInstallation } from "../../src/commands/installations/wait.ts";
import { AuthError, NotFoundError, ServiceError, TimeoutError } from "../../src/errors.ts";
import { BARE } from "../commands/installations-at.ts";
import { polling } from "../polling.ts";

const PAUSES = [1, 2, 4];

function installation(more: Partial<Installation> = {}): Installation {
  return { ...BARE, ...more } as Installation;
}

/** Waits for an installation of which the service says these, one after the other. */
async function wait(
  said: readonly (Partial<Installation> | Error | undefined)[],
  request: Partial<Parameters<typeof waitForInstallation>[2]> = {},
  signal = new AbortController().signal,
) {
  const left = [...said];
  const told: string[] = [];
  const call = async () => {
    const next = left.length > 1 ? left.shift() : left[0];
    if (next instanceof Error) throw next;
    if (next === undefined) throw new NotFoundError("not found");
    return installation(next);
  };
  const get = async (_: unknown, { path }: { path: object }) =>
    "installationId" in path ? call() : [];
  const context = polling(get, told, signal);
  // An error that is the last thing said is said again.
  const find = async () => {
    const [next] = left;
    if (!(next instanceof Error) || left.length > 1) left.shift();
    if (next instanceof Error) throw next;
    return installation(next);
  };
  const result = waitForInstallation(
    context,
    find,
    { conditions: ["health=healthy"], failOn: [], withinMs: 2_000, ...request },
    PAUSES,
  );
  return { result: await result, told };
}

const SICK = { healthStatus: "unhealthy", connection: { status: "working" } };
const WELL = { healthStatus: "healthy", connection: { status: "working" } };

describe("waiting for an installation", () => {
  it("ends at once where all is as wanted, without a request", async () => {
    const { result, told } = await wait([WELL]);
    expect(result).toMatchObject({ outcome: "met", polls: 1, id: "ins_1" });
    expect(result.conditions).toEqual([
      { condition: "health=healthy", met: true, value: "healthy" },
    ]);
    expect(told).toEqual([]);
  });

  it("looks again until each condition holds, and says what it sees once", async () => {
    const conditions = ["health=healthy", "lastOperationStatus=success"];
    const { result, told } = await wait(
      [SICK, SICK, WELL, { ...WELL, lastOperationStatus: "success" }],
      { conditions },
    );
    expect(result).toMatchObject({ outcome: "met", polls: 4 });
    expect(told).toEqual([
      "ins_1 of project acme: health is unhealthy, lastOperationStatus is empty",
      "ins_1: health is healthy, lastOperationStatus is empty",
    ]);
  });

  it("fails as soon as what must not be is so, also beside what is wanted", async () => {
    const failOn = ["connection=bad_credentials"];
    const broken = { ...WELL, connection: { status: "bad_credentials" } };
    const { result } = await wait([SICK, broken], { failOn });
    expect(result).toMatchObject({
      outcome: "failed",
      conditions: [{ met: true }],
      failOn: [{ condition: failOn[0], met: true, value: "bad_credentials" }],
    });
  });

  it("ends with the last state once the time is over", async () => {
    const { result } = await wait([SICK, SICK], { withinMs: 30 });
    expect(result).toMatchObject({ outcome: "timeout", conditions: [{ value: "unhealthy" }] });
    expect(result.polls).toBeGreaterThanOrEqual(2);
  });

  it("asks again where the service is away, and says so", async () => {
    const { result, told } = await wait([SICK, new ServiceError("The service is down"), WELL]);
    expect(result.outcome).toBe("met");
    expect(told).toContain("The service does not respond: The service is down. Retrying.");
  });

  it("says once that the service is away, and again after it was back", async () => {
    const down = () => new ServiceError("The service is down");
    const { told } = await wait([SICK, down(), down(), down(), SICK, down(), WELL]);
    expect(told.filter((text) => text.endsWith("The service is down. Retrying."))).toHaveLength(2);
  });

  it("asks again where the service is away from the beginning, within the time", async () => {
    const down = new ServiceError("The service is down", { retryable: true });
    const { result, told } = await wait([down, new TimeoutError("No response"), WELL]);
    expect(result).toMatchObject({ outcome: "met", polls: 1 });
    expect(told).toEqual([
      "The service does not respond: The service is down. Retrying.",
      "The service does not respond: No response. Retrying.",
      "The service responds again.",
    ]);
    const never = wait([down], { withinMs: 20 });
    await expect(never).rejects.toMatchObject({
      exit: "timeout",
      message: expect.stringMatching(/^The service did not answer within /u),
      facts: { detail: "The service is down" },
    });
  });

  it.each([
    ["an address that is wrong", new ServiceError("unknown host", { retryable: false })],
    ["an answer that is none", new ServiceError("not JSON", { status: 200 })],
    ["a refused credential", new AuthError("refused")],
    ["an unknown name", new NotFoundError("no such")],
  ])("does not wait for %s", async (_, error) => {
    await expect(wait([error, WELL])).rejects.toBe(error);
  });

  it.each([
    [["connection.statsu=x"], /unknown field connection.statsu/u],
    [["group.grupName=x", "health=unhealthy"], /unknown field group.grupName/u],
  ])("refuses %j once it sees that there is no such field", async (conditions, message) => {
    await expect(wait([WELL], { conditions })).rejects.toThrow(message);
  });

  it("waits for a field in a map that is not there yet", async () => {
    const conditions = ["config.content.read.objects.leads.disabled=true"];
    const { result } = await wait([WELL, WELL], { conditions, withinMs: 10 });
    expect(result.outcome).toBe("timeout");
  });

  it.each([
    ["it is gone", undefined, NotFoundError],
    ["the credential is refused", new AuthError("refused"), AuthError],
  ])("ends with an error where %s", async (_, said, error) => {
    await expect(wait([SICK, said])).rejects.toThrow(error);
  });

  it("ends when its signal is aborted", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort("SIGINT"), 10);
    await expect(wait([SICK, SICK], {}, controller.signal)).rejects.toThrow();
  });
});
