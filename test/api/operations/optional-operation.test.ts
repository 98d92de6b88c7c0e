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

it("a required operation is never missing", async () => {
  const { api } = fake(() => problem(405));
  const error = await api.call(listProviderApps, { path }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(RejectedError);
});
