import { describe, expect, it } from "vitest";
import {
  deleteTopic,
  listInvites,
  listProviderApps,
  listProviders,
  listTopics,
} from "../../../src/api/operations/endpoints.ts";
import { NotFoundError, RejectedError, ServiceError } from "../../../src/errors.ts";
import { fake, problem } from "../fake-service.ts";

const path = { projectIdOrName: "acme" };

/** A service whose project has provider apps, or does not exist, and that answers all else by a status. */
function service(status: number, { exists = true } = {}) {
  return fake(({ url }) =>
    url.endsWith("/provider-apps") ? (exists ? Response.json([]) : problem(404)) : problem(status),
  );
}

describe("an optional operation", () => {
  it.each([405, 501])(
    "is missing where the service answers %i, nothing else asked",
    async (status) => {
      const { api, requests } = service(status);
      const error = await api.call(listTopics, { path }).catch((thrown) => thrown);
      expect(error).toMatchObject({ kind: "operation_missing" });
      expect(error).toMatchObject({
        exit: "not-found",
        message: "This service does not list topics",
        facts: {
          status,
          remedy: "It can only create them: keep the IDs that the create commands print.",
        },
      });
      expect(requests).toHaveLength(1);
    },
  );

  it("is missing where it is not found in a project that exists", async () => {
    const { api } = service(404);
    await expect(api.call(listTopics, { path })).rejects.toMatchObject({
      kind: "operation_missing",
    });
    await expect(api.list(listTopics, { path })).rejects.toMatchObject({
      kind: "operation_missing",
    });
  });

  it("is not missing in a project that does not exist", async () => {
    const error = await service(404, { exists: false })
      .api.call(listTopics, { path })
      .catch((e) => e);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).not.toMatchObject({ kind: "operation_missing" });
  });

  it("is missing where it belongs to no project and is not found", async () => {
    await expect(service(404).api.call(listProviders, {})).rejects.toMatchObject({
      kind: "operation_missing",
    });
  });

  it("may not be missing where an organisation is not found", async () => {
    const { api, requests } = service(404);
    const error = await api.call(listInvites, { path: { orgId: "o" } }).catch((thrown) => thrown);
    expect(error).not.toMatchObject({ kind: "operation_missing" });
    expect(error).toBeInstanceOf(NotFoundError);
    expect(requests).toHaveLength(1);
  });

  it("is missing for one thing by 405 alone: a 404 means the thing", async () => {
    const input = { path: { ...path, topicId: "t" } };
    await expect(service(405).api.call(deleteTopic, input)).rejects.toMatchObject({
      kind: "operation_missing",
    });
    const error = await service(404)
      .api.call(deleteTopic, input)
      .catch((thrown) => thrown);
    expect(error).not.toMatchObject({ kind: "operation_missing" });
    expect(error).toBeInstanceOf(NotFoundError);
  });

  it("is not missing where it fails", async () => {
    await expect(service(500).api.call(listTopics, { path })).rejects.toThrow(ServiceError);
  });
});

describe("the refusal of a list", () => {
  const answered = async (body: string | null, type?: string, status = 404) => {
    const headers = type === undefined ? {} : { "content-type": type };
    const { api } = fake(({ url }) =>
      url.endsWith("/provider-apps") ? Response.json([]) : new Response(body, { status, headers }),
    );
    return api.call(listTopics, { path }).catch((thrown) => thrown);
  };

  it.each([
    ["a problem document", "{}", "application/problem+json"],
    ["other JSON", '{"message": "Not Found"}', "application/json"],
    ["the text of a router", "404 page not found\n", "text/plain; charset=utf-8"],
    ["an empty body", null, undefined],
  ])("says that the service has none, as %s", async (_, body, type) => {
    expect(await answered(body, type)).toMatchObject({ kind: "operation_missing" });
  });

  it.each([
    ["its type", 404, "<title>Nothing here</title>", "text/html"],
    ["its beginning", 404, "<!doctype html><title>Nothing here</title>", undefined],
    ["its type", 405, "<title>Nothing here</title>", "text/html"],
  ])("says nothing of the service, as a web page by %s (%i)", async (_, status, body, type) => {
    const error = await answered(body, type, status);
    expect(error).toMatchObject({ kind: "answer_unusable", exit: "service" });
    expect(error.message).toMatch(/the response \(\d+, .+\) is not an error of the API$/u);
    expect(error.facts.detail).toBe(
      "GET https://api.example.com/v1/projects/acme/topics: Nothing here",
    );
  });
});

it.each([
  [404, "<html></html>"],
  [410, "<html></html>"],
])("a delete is not done by a %i that is not the service's own: %s", async (status, body) => {
  const input = { path: { ...path, topicId: "t" } };
  const page = () => new Response(body, { status });
  const error = await fake(page)
    .api.call(deleteTopic, input)
    .catch((thrown) => thrown);
  expect(error).toMatchObject({ kind: "answer_unusable" });
  // Also where an earlier attempt may have deleted it.
  const again = fake((_, nth) => (nth === 1 ? problem(503) : page()));
  await expect(again.api.call(deleteTopic, input)).rejects.toMatchObject({
    kind: "answer_unusable",
  });
});

it("a required operation is never missing", async () => {
  const { api } = fake(() => problem(405));
  const error = await api.call(listProviderApps, { path }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(RejectedError);
});
