import { describe, expect, test } from "vitest";
import { getProvider, listTopics, revokeInvite } from "../../../src/api/operations/endpoints.ts";
import { ServiceError } from "../../../src/errors.ts";
import { type OddField, originalOf } from "../../../src/values/odd-fields.ts";
import { fake } from "../fake-service.ts";

const path = { projectIdOrName: "p" };
const html = (text: string) =>
  new Response(text, { headers: { "content-type": "text/html; charset=utf-8" } });

describe("a successful answer", () => {
  test("is the service's own, unknown fields, nulls and order kept", async () => {
    const text =
      '[{"zzz":{"deep":[1]},"id":"t1","name":null,"__proto__":{"x":1},"createTime":"yesterday"}]';
    const { api } = fake(() => new Response(text));
    expect(JSON.stringify(await api.call(listTopics, { path }))).toBe(text);
  });

  test("has no more odd records than fit the memory", async () => {
    const { api } = fake(() => new Response(`[${"1,".repeat(100_100)}1]`));
    const error = await api.call(listTopics, { path }).catch((e) => e);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.facts.detail).toBe("More than 100,000 records are not as specified");
  });

  test.each([
    ["204", new Response(null, { status: 204 })],
    ["200 without a body", new Response("")],
    ["200 with plain text", new Response("ok", { status: 200 })],
  ])("of an operation without a specified one may be %s", async (_, response) => {
    const { api } = fake(() => response);
    expect(await api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } })).toBeUndefined();
  });

  test("of an operation without a schema is passed on where there is one", async () => {
    const { api } = fake(() => Response.json({ id: "i", status: "revoked" }));
    expect(await api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } })).toEqual({
      id: "i",
      status: "revoked",
    });
  });

  test("of an operation without a schema is not the login page of a network", async () => {
    const { api } = fake(() => html("<html>Welcome to the hotel</html>"));
    const error = (await api
      .call(revokeInvite, { path: { orgId: "o", inviteId: "i" } })
      .catch((e) => e)) as ServiceError;
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.facts.done).toContain("may have been deleted");
  });

  test("may begin with a byte order mark", async () => {
    const { api } = fake(() => new Response("\ufeff[]"));
    expect(await api.call(listTopics, { path })).toEqual([]);
  });
});

describe("an answer that is not as specified", () => {
  const told = async (body: unknown) => {
    const odd: OddField[] = [];
    const { api } = fake(
      () => new Response(typeof body === "string" ? body : JSON.stringify(body)),
      {
        onOddFields: (fields) => odd.push(...fields),
      },
    );
    const records = await api.call(listTopics, { path });
    return { records, odd: odd.map(({ record, path: at, problem }) => [record, at, problem]) };
  };

  test("has the types that it should; the original is reported, and kept", async () => {
    const body = [{ id: "t" }, { id: "u", name: 7 }, "x", null, { name: "no id" }];
    const { records, odd } = await told(body);
    expect(records).toEqual([
      { id: "t" },
      { id: "u", name: "7" },
      { id: "" },
      { id: "" },
      { id: "", name: "no id" },
    ]);
    expect(odd).toEqual([
      ["u", "name", "expected string, received number"],
      ["record 3", "", "expected object, received string"],
      ["record 4", "", "expected object, received null"],
      ["no id", "id", "expected string, but it is missing"],
    ]);
    expect(originalOf(records)).toEqual(body);
  });

  test("may have numbers as IDs: they are IDs, with all their digits", async () => {
    const text = '[{"id":4,"projectId":9007199254740993}]';
    const { records, odd } = await told(text);
    expect({ records, odd }).toEqual({
      records: [{ id: "4", projectId: "9007199254740993" }],
      odd: [],
    });
    expect(JSON.stringify(originalOf(records))).toBe(text);
  });

  test("is refused where it is not a list at all", async () => {
    await expect(told({ id: "t" })).rejects.toThrow("does not match the API specification");
    await expect(told('"text"')).rejects.toThrow("does not match the API specification");
  });
});

const manyFields = () =>
  Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, 1]));

describe("a 2xx answer that is not valid", () => {
  test.each([
    {
      what: "a portal's page",
      reply: () => html("<!DOCTYPE html><title>Sign in\n to Wi-Fi</title><body>long</body>"),
      message: "Could not list the topics: the response (200, text/html) is not valid JSON",
      detail: "Sign in to Wi-Fi",
    },
    {
      what: "truncated JSON",
      reply: () => new Response('[{"id":"t1"', { headers: { "content-type": "application/json" } }),
      message: "Could not list the topics: the response (200, application/json) is not valid JSON",
      detail: '[{"id":"t1"',
    },
    {
      what: "nothing",
      reply: () => new Response(null, { status: 204 }),
      message: "Could not list the topics: the response (204, an empty body) is not valid JSON",
      detail: undefined,
    },
    {
      what: "more fields than amp reads",
      reply: () => new Response(` ${JSON.stringify([manyFields()])}`),
      message:
        "Could not list the topics: the response (200, text/plain) has too many values, fields or levels",
      detail: `[{"k0":1,`,
    },
  ])("is a service failure: $what", async ({ reply, message, detail }) => {
    const { api, requests } = fake(reply);
    const error = await api.call(listTopics, { path }).catch((e) => e);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe(message);
    if (detail === undefined) expect(error.facts).not.toHaveProperty("detail");
    else expect(error.facts.detail.startsWith(detail)).toBe(true);
    expect(requests).toHaveLength(1);
  });

  test("shows only the beginning of a long body", async () => {
    const { api } = fake(() => new Response(`<html>${"é🙂".repeat(5000)}`));
    const error = await api.call(listTopics, { path }).catch((e) => e);
    expect([...error.facts.detail]).toHaveLength(200);
    expect(error.facts.detail.isWellFormed()).toBe(true);
  });

  test("is cancelled if its body does not end", async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(2 ** 20).fill(32));
      },
      cancel() {
        cancelled = true;
      },
    });
    const { api } = fake(() => new Response(endless));
    const error = await api.call(getProvider, { path: { provider: "p" } }).catch((e) => e);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe("Could not get the provider: the response is larger than 4 MB");
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(10);
  });
});
