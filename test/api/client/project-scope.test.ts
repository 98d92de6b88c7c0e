import { describe, expect, test } from "vitest";
import { listDestinationRoutes, listTopics } from "../../../src/api/operations/endpoints.ts";
import { ServiceError } from "../../../src/errors.ts";
import { fake, type Reply } from "../fake-service.ts";

const ACME = "prj_acme";
const OTHER = "prj_globex";

/** The lists of a project by the last part of their path; absent: none. */
function lists(records: Readonly<Record<string, readonly object[]>>): Reply {
  return ({ url }) => Response.json(records[new URL(url).pathname.split("/").at(-1) ?? ""] ?? []);
}

const topic = (id: string, projectId?: unknown) => ({ id, name: id, projectId });

async function refusal(call: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await call.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

describe("the project of listed records", () => {
  test.each([
    ["its ID", "acme", [ACME, ACME]],
    ["its name", "acme", ["acme", "acme"]],
    ["none", "acme", [undefined, undefined]],
    ["sometimes none", "acme", [ACME, undefined, "", null]],
  ])("is accepted if it is %s", async (_, project, ids) => {
    const topics = ids.map((id, nth) => topic(`t${nth}`, id));
    const { api, requests } = fake(lists({ topics }));
    const path = { projectIdOrName: project };
    expect(await api.call(listTopics, { path })).toHaveLength(ids.length);
    expect(requests).toHaveLength(1);
  });

  test("is refused if a list has two", async () => {
    const { api } = fake(lists({ topics: [topic("t1", ACME), topic("t2", OTHER)] }));
    const error = await refusal(api.call(listTopics, { path: { projectIdOrName: "acme" } }));
    expect(error.message).toBe(
      "Could not list the topics: the service listed resources of another project",
    );
    expect(error.facts.detail).toBe(
      'The lists of project "acme" have resources of the projects prj_acme and prj_globex.',
    );
  });

  test("is refused if two lists differ, also as they arrive", async () => {
    const { api } = fake(
      lists({
        topics: [topic("t1", ACME)],
        "topic-destination-routes": [{ id: "r1", projectId: OTHER }],
      }),
    );
    const path = { projectIdOrName: "acme" };
    await api.list(listTopics, { path });
    await refusal(
      (async () => {
        for await (const _ of await api.list(listDestinationRoutes, { path }));
      })(),
    );
  });

  test("is one for each project that is asked for", async () => {
    const { api } = fake(({ url }) =>
      Response.json([topic("t1", url.includes("/acme/") ? ACME : OTHER)]),
    );
    for (const projectIdOrName of ["acme", "globex", "acme"])
      expect(await api.call(listTopics, { path: { projectIdOrName } })).toHaveLength(1);
  });
});

describe("a redirect", () => {
  const moved =
    (location: string): Reply =>
    (_, nth) =>
      nth === 1 ? new Response(null, { status: 302, headers: { location } }) : Response.json([]);

  test("to the path of another project is not followed", async () => {
    const { api, requests } = fake(moved("/v1/projects/globex/topics"));
    const error = await refusal(api.call(listTopics, { path: { projectIdOrName: "acme" } }));
    expect(error.facts.detail).toBe(
      "It redirects to https://api.example.com/v1/projects/globex/topics; the redirect was not followed.",
    );
    expect(error.facts.remedy).toBe(
      "It is the path of another project. If the project has a new name, pass it with --project.",
    );
    expect(requests).toHaveLength(1);
  });

  test("within the project is followed", async () => {
    const { api } = fake(moved("/v2/projects/a%63me/topics"));
    expect(await api.call(listTopics, { path: { projectIdOrName: "acme" } })).toEqual([]);
  });
});
