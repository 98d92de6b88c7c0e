import { describe, expect, it } from "vitest";
import type { Api, Endpoint } from "../../../src/api/operations/endpoint.ts";
import { NotFoundError, ServiceError } from "../../../src/errors.ts";
import { listRouting } from "../../../src/notify/plan/live.ts";

type Answer = readonly object[] | Error;

/** A service that answers each GET by the last part of its path; what it lacks is a 404. */
function service(answers: Readonly<Record<string, Answer>>): { api: Api; asked: string[] } {
  const asked: string[] = [];
  const call = async ({ path }: Endpoint) => {
    const name = path.split("/").at(-1) ?? "";
    asked.push(name);
    const answer = answers[name] ?? new NotFoundError("Not found", { status: 404 });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const none = async () => {
    throw new Error("nothing of the kind here");
  };
  return { api: { call: call as Api["call"], list: none, raw: none }, asked };
}

const LISTS = {
  destinations: [{ id: "d" }],
  topics: [{ id: "t" }],
  "notification-event-topic-routes": [{ id: "r" }],
  "topic-destination-routes": [{ id: "s" }],
};

describe("listRouting", () => {
  it("reads the four lists", async () => {
    const { api, asked } = service(LISTS);
    expect(await listRouting(api, "acme")).toEqual({
      destinations: [{ id: "d" }],
      topics: [{ id: "t" }],
      eventRoutes: [{ id: "r" }],
      destinationRoutes: [{ id: "s" }],
    });
    expect(asked).toHaveLength(4);
  });

  it.each(Object.keys(LISTS))("counts a service without %s as one without lists", async (name) => {
    const { [name as "topics"]: _, ...others } = LISTS;
    const { api } = service({ ...others, "provider-apps": [] });
    expect(await listRouting(api, "acme")).toBeUndefined();
  });

  it.each([405, 501])("takes %i for a list that there is not", async (status) => {
    const error = new ServiceError("No", { status });
    const { api } = service({ ...LISTS, topics: error, "provider-apps": [] });
    expect(await listRouting(api, "acme")).toBeUndefined();
  });

  it("does not take an unknown project for a service without lists", async () => {
    await expect(listRouting(service({}).api, "nowhere")).rejects.toThrow(NotFoundError);
  });

  it("does not take a failure for a service without lists", async () => {
    const error = new ServiceError("Broken", { status: 503 });
    const { topics: _, ...others } = LISTS;
    for (const lists of [LISTS, others]) {
      const { api } = service({ ...lists, destinations: error, "provider-apps": [] });
      await expect(listRouting(api, "acme")).rejects.toThrow(error);
    }
  });
});
