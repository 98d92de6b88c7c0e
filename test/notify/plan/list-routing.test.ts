import { describe, expect, it } from "vitest";
import { apiErrors } from "../../../src/api/errors.ts";
import type { Api, Endpoint } from "../../../src/api/operations/endpoint.ts";
import { NotFoundError, ServiceError } from "../../../src/errors.ts";
import { listRouting } from "../../../src/notify/plan/live.ts";

type Answer = readonly object[] | Error;

/** A service that answers each GET by the last part of its path; it lacks every other list. */
function service(answers: Readonly<Record<string, Answer>>): { api: Api; asked: string[] } {
  const asked: string[] = [];
  const call = async ({ path, optional = { does: "have that" } }: Endpoint) => {
    const name = path.split("/").at(-1) ?? "";
    asked.push(name);
    const answer = answers[name] ?? apiErrors.operation_missing(optional, 404);
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
  it("reads the lists of all four kinds", async () => {
    const { api, asked } = service(LISTS);
    expect(await listRouting({ api, project: "acme" })).toEqual({
      destination: [{ id: "d" }],
      topic: [{ id: "t" }],
      "event-route": [{ id: "r" }],
      "destination-route": [{ id: "s" }],
    });
    expect(asked).toHaveLength(4);
  });

  it.each(Object.keys(LISTS))("counts a service without %s as one without lists", async (name) => {
    const { [name as "topics"]: _, ...others } = LISTS;
    expect(await listRouting({ api: service(others).api, project: "acme" })).toBeUndefined();
  });

  it("does not take a failure for a service without lists", async () => {
    const error = new ServiceError("Broken", { status: 503 });
    const { topics: _, ...others } = LISTS;
    for (const lists of [LISTS, others]) {
      const { api } = service({ ...lists, destinations: error });
      await expect(listRouting({ api, project: "acme" })).rejects.toThrow(error);
    }
  });

  it("does not take an unknown project for a service without lists", async () => {
    const error = new NotFoundError("Not found", { status: 404 });
    await expect(
      listRouting({ api: service({ ...LISTS, topics: error }).api, project: "x" }),
    ).rejects.toThrow(error);
  });
});
