import { describe, expect, it } from "vitest";
import {
  AmpError,
  AuthError,
  InterruptedError,
  PartialError,
  RejectedError,
  TerminatedError,
} from "../../src/errors.ts";
import { type Application, applyRouting, type Report } from "../../src/notify/apply.ts";
import { stepsOf } from "../../src/notify/steps.ts";
import { fakeService } from "./fake-service.ts";
import { lifecycle } from "./routings.ts";

const ADDRESSES = stepsOf(lifecycle).map(({ address }) => address);

function application(more: Partial<Application> = {}) {
  const reports: Report[] = [];
  const api = fakeService();
  const given: Application = {
    api,
    project: "acme",
    model: lifecycle,
    lists: true,
    signal: new AbortController().signal,
    report: (report) => reports.push(report),
    ...more,
  };
  return { given, reports };
}

async function failureOf(given: Application): Promise<AmpError> {
  const error = await applyRouting(given).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AmpError)) throw new Error(`no typed error: ${error}`);
  return error;
}

describe("applyRouting", () => {
  it("creates ends before routes and connects them by their ids", async () => {
    const api = fakeService();
    const { given, reports } = application({ api });
    const made = await applyRouting(given);
    expect(made.map(({ id }) => id)).toEqual(["id-1", "id-2", "id-3", "id-4", "id-5", "id-6"]);
    expect(api.asked).toEqual([
      {
        creates: "destination",
        body: {
          name: "ops-webhook",
          type: "webhook",
          metadata: { url: "https://hooks.acme.com/amp" },
        },
      },
      { creates: "topic", body: { name: "customer-lifecycle" } },
      { creates: "event route", body: { topicId: "id-2", eventType: "installation.created" } },
      { creates: "event route", body: { topicId: "id-2", eventType: "installation.deleted" } },
      { creates: "event route", body: { topicId: "id-2", eventType: "connection.error" } },
      { creates: "destination route", body: { topicId: "id-2", destinationId: "id-1" } },
    ]);
    expect(reports.map(({ outcome, step }) => [outcome, step.address])).toEqual(
      ADDRESSES.map((address) => ["created", address]),
    );
  });

  it("creates only what does not stand", async () => {
    const api = fakeService();
    const { given } = application({
      api,
      model: {
        destinations: new Map([["d", { kind: "existing", id: "d_1" }]]),
        topics: new Map([["t", { id: "t_1", events: ["a", "b"], destinations: ["d"] }]]),
      },
      standing: new Map([["event-route/t/a", "r_1"]]),
    });
    await applyRouting(given);
    expect(api.asked.map(({ body }) => body)).toEqual([
      { topicId: "t_1", eventType: "b" },
      { topicId: "t_1", destinationId: "d_1" },
    ]);
  });

  describe.each(ADDRESSES.map((address, index) => ({ address, at: index + 1 })))(
    "with step $at",
    ({ address, at }) => {
      const before = ADDRESSES.slice(0, at - 1);
      const after = ADDRESSES.slice(at);
      const failing = (error: AmpError) =>
        fakeService((call) => {
          if (call === at) throw error;
        });
      const created = before.map((made, index) => ({ address: made, id: `id-${index + 1}` }));

      it("refused: stops, and tells what exists", async () => {
        const refusal = new RejectedError("The service refused it (422)", {
          status: 422,
          requestId: "req#1",
          remedy: "Do it right.",
        });
        const api = failing(refusal);
        const { given, reports } = application({ api });
        const error = await failureOf(given);
        expect(error.exit).toBe(at === 1 ? "rejected" : "partial");
        expect(error.facts).toMatchObject({
          status: 422,
          requestId: "req#1",
          remedy: "Do it right.",
        });
        expect(error.facts.data).toEqual({
          created,
          failed: { address, outcome: "refused" },
          notTried: after,
        });
        if (at === 1) expect(error.facts.done).toBe("Nothing was created.");
        for (const one of created)
          expect(error.facts.done).toMatch(new RegExp(`${one.address} +${one.id}`));
        expect(api.asked).toHaveLength(at);
        expect(reports.at(-1)).toMatchObject({ outcome: "refused" });
      });

      it("unknown: says so, and does not try again", async () => {
        const api = failing(new PartialError("It is not known whether it was created"));
        const { given, reports } = application({ api });
        const error = await failureOf(given);
        expect(error.exit).toBe("partial");
        expect(error.message).toMatch(new RegExp(`^${at - 1} of 6 created, 1 outcome unknown`));
        expect(error.facts.done).toContain(`May exist, and was not sent again:\n  ${address}`);
        expect(error.facts.suggestion).toMatch(/^amp notify [a-z-]+ list/);
        expect(error.facts.data).toMatchObject({ failed: { address, outcome: "unknown" } });
        expect(api.asked).toHaveLength(at);
        expect(reports.at(-1)).toMatchObject({ outcome: "unknown" });
      });

      it("interrupted before: starts no further create", async () => {
        const interrupt = new AbortController();
        const api = fakeService((call) => {
          if (call === at - 1) interrupt.abort("SIGINT");
        });
        if (at === 1) interrupt.abort("SIGINT");
        const { given } = application({ api, signal: interrupt.signal });
        const error = await failureOf(given);
        expect(error).toBeInstanceOf(InterruptedError);
        expect(error.facts.data).toEqual({ created, notTried: [address, ...after] });
        if (at === 1) expect(error.facts.done).toBe("Nothing was created.");
        expect(api.asked).toHaveLength(at - 1);
      });

      it("terminated in the middle: says that it may exist", async () => {
        const interrupt = new AbortController();
        const api = fakeService((call) => {
          if (call !== at) return;
          interrupt.abort("SIGTERM");
          throw new TerminatedError("Terminated");
        });
        const { given } = application({ api, signal: interrupt.signal });
        const error = await failureOf(given);
        expect(error).toBeInstanceOf(TerminatedError);
        expect(error.facts.done).toContain(`May exist, and was not sent again:\n  ${address}`);
        expect(error.facts.data).toMatchObject({ created, notTried: after });
      });
    },
  );

  it("suggests the command that makes the rest", async () => {
    const fail = (at: number) =>
      fakeService((call) => {
        if (call === at) throw new AuthError("no");
      });
    const suggestionAt = async (at: number) =>
      (await failureOf(application({ api: fail(at) }).given)).facts.suggestion;
    expect(await suggestionAt(1)).toBe(undefined);
    expect(await suggestionAt(2)).toMatch(
      /^amp notify setup --destination-id id-1 --topic customer-lifecycle/,
    );
    expect((await suggestionAt(4))?.replaceAll(/ \\\n */gu, " ")).toBe(
      "amp notify setup --destination-id id-1 --topic-id id-2 --event installation.deleted " +
        "--event connection.error --yes",
    );
    expect(await suggestionAt(6)).toBe(
      "amp notify destination-routes create --topic-id id-2 --destination-id id-1",
    );
  });

  it("suggests the nearest event in place of one that was refused", async () => {
    const model = {
      ...lifecycle,
      topics: new Map([["t", { events: ["instalation.created"], destinations: ["ops-webhook"] }]]),
    };
    const api = fakeService((call) => {
      if (call === 3) throw new RejectedError("no");
    });
    const error = await failureOf(application({ api, model }).given);
    expect(error.facts.suggestion).toContain("--event installation.created");
  });

  it("sends nobody to a list that the service does not have", async () => {
    const api = fakeService(() => {
      throw new PartialError("unknown");
    });
    const error = await failureOf(application({ api, lists: false }).given);
    expect(error.facts.suggestion).toBe(undefined);
    expect(error.facts.remedy).toContain("no list");
  });

  it("goes on with the id of an answer that is odd otherwise", async () => {
    const api = fakeService((call) => {
      if (call === 2) throw new PartialError("odd", { data: { created: { id: "t_odd" } } });
    });
    const made = await applyRouting(application({ api }).given);
    expect(made[1]).toMatchObject({ id: "t_odd" });
    expect(api.asked[2]?.body).toMatchObject({ topicId: "t_odd" });
  });

  it("lets a defect through as it is", async () => {
    const api = fakeService(() => {
      throw new TypeError("a defect");
    });
    await expect(applyRouting(application({ api }).given)).rejects.toThrow(TypeError);
  });
});
