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
  const kinds = async (status: number, init: { body: string | null; headers?: object }) => {
    const headers = { ...init.headers } as Record<string, string>;
    const { api, requests } = fake(({ url }) =>
      url.endsWith("/provider-apps")
        ? Response.json([])
        : new Response(init.body, { status, headers }),
    );
    const error = await api.call(listTopics, { path }).catch((thrown) => thrown);
    return { error, requests };
  };
  const JSON_TYPE = { "content-type": "application/json" };
  const HTML = { "content-type": "text/html" };
  const TEXT = { "content-type": "text/plain; charset=utf-8" };

  it.each<[string, number, string | null, object]>([
    [
      "a problem document without fields",
      404,
      "{}",
      { "content-type": "application/problem+json" },
    ],
    ["JSON with the fields of a problem", 404, '{"detail": "Not Found"}', JSON_TYPE],
    ["the methods of the path", 405, null, { allow: "POST" }],
    ["the methods of the path, in a page", 405, "<html></html>", { ...HTML, allow: "post, put" }],
    ["a problem", 501, '{"status": 501}', JSON_TYPE],
  ])("says that the service has none, by %s (%i)", async (_, status, body, headers) => {
    const { error } = await kinds(status, { body, headers });
    expect(error).toMatchObject({ kind: "operation_missing", facts: { status } });
  });

  it.each<[string, number, string | null, object]>([
    ["a web page", 404, "<!doctype html><title>Nothing here</title>", HTML],
    ["the text of a router", 404, "404 page not found\n", TEXT],
    ["an empty body", 404, null, {}],
    ["the JSON of a gateway", 404, '{"message": "no Route matched with those values"}', JSON_TYPE],
    ["JSON that is not an object", 404, "null", JSON_TYPE],
    ["a problem that is cut off", 404, '{"status": 404, "title', JSON_TYPE],
    ["a 405 that does not say which methods there are", 405, null, {}],
    ["a 405 that says GET is one", 405, null, { allow: "GET, POST" }],
    ["a 501 of a proxy", 501, "<html></html>", HTML],
  ])("says nothing of the service, by %s (%i)", async (_, status, body, headers) => {
    const { error, requests } = await kinds(status, { body, headers });
    expect(error).toMatchObject({ kind: "answer_unusable", exit: "service", facts: { status } });
    expect(error.message).toMatch(
      /^Could not list the topics: the response \(\d+, .+\) is not an error of the API$/u,
    );
    expect(error.facts.detail).toContain("GET https://api.example.com/v1/projects/acme/topics");
    expect(requests).toHaveLength(1);
  });

  it("says what was answered", async () => {
    const body = "<!doctype html><title>Nothing here</title>";
    const { error } = await kinds(404, { body, headers: HTML });
    expect(error.message).toContain("(404, text/html)");
    expect(error.facts.detail).toMatch(/: Nothing here$/u);
  });
});

it.each([404, 410])(
  "a delete is not done by a %i that is not the service's own",
  async (status) => {
    const input = { path: { ...path, topicId: "t" } };
    const { api } = fake(() => new Response("<html></html>", { status }));
    const error = await api.call(deleteTopic, input).catch((thrown) => thrown);
    expect(error).toMatchObject({ kind: "answer_unusable" });
    // Also where an earlier attempt may have deleted it.
    const again = fake((_, nth) => (nth === 1 ? problem(503) : new Response(null, { status })));
    await expect(again.api.call(deleteTopic, input)).rejects.toMatchObject({
      kind: "answer_unusable",
    });
  },
);

it("a required operation is never missing", async () => {
  const { api } = fake(() => problem(405));
  const error = await api.call(listProviderApps, { path }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(RejectedError);
});
