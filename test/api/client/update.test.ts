import { expect, test } from "vitest";
import { updateDestination } from "../../../src/api/operations/endpoints.ts";
import {
  type AmpError,
  ConflictError,
  NotFoundError,
  PartialError,
  RejectedError,
  ServiceError,
} from "../../../src/errors.ts";
import { fake, networkError, type Reply } from "../fake-service.ts";

const BODY = { updateMask: ["metadata.url"], destination: { metadata: { url: "https://x" } } };

async function update(reply: Reply) {
  const { api, requests, bodies } = fake(reply);
  const outcome: unknown = await api
    .call(updateDestination, {
      path: { projectIdOrName: "p", destinationId: "d/1" },
      body: BODY,
      singleAttempt: true,
    })
    .catch((error: unknown) => error);
  return { outcome, error: outcome as AmpError, requests, bodies };
}

const status = (code: number) => () => new Response(null, { status: code });

test("an update is a PATCH by ID, confirmed by the record or by nothing", async () => {
  const { requests, bodies } = await update(() => Response.json({ id: "d/1" }));
  expect(requests.map(({ method, url }) => [method, new URL(url).pathname])).toEqual([
    ["PATCH", "/v1/projects/p/destinations/d%2F1"],
  ]);
  expect(bodies.map((text) => JSON.parse(text))).toEqual([BODY]);
  const confirmed: Reply[] = [
    status(204),
    status(200),
    () => Response.json({}),
    () => Response.json({ id: "D/1", name: "x" }),
  ];
  for (const reply of confirmed) {
    expect((await update(reply)).outcome).not.toBeInstanceOf(Error);
  }
});

test.each<[string, Reply, new (...words: never[]) => Error]>([
  ["400", status(400), RejectedError],
  ["404", status(404), NotFoundError],
  ["405: the service has no updates", status(405), NotFoundError],
  ["501: the service has no updates", status(501), NotFoundError],
  ["409", status(409), ConflictError],
  ["422", status(422), RejectedError],
  ["429", status(429), ServiceError],
])("an update that ends with %s changed nothing", async (_, reply, kind) => {
  const { error, requests } = await update(reply);
  expect(error).toBeInstanceOf(kind);
  expect(error).not.toBeInstanceOf(PartialError);
  expect(error.facts.done ?? "Nothing was changed.").toBe("Nothing was changed.");
  expect(requests).toHaveLength(1);
});

test.each<[string, Reply]>([
  ["500", status(500)],
  ["503", status(503)],
  ["504", status(504)],
  ["408", status(408)],
  ["302", status(302)],
  ["a reset", () => Promise.reject(networkError("ECONNRESET"))],
  ["the page of a network login", () => new Response("<!doctype html><title>Sign in</title>")],
  ["a list", () => Response.json([])],
  ["the record in a list", () => Response.json([{ id: "d/1" }])],
  ["a text", () => Response.json("ok")],
  ["a text that is not JSON", () => new Response("OK")],
  ["null", () => Response.json(null)],
  ["the record of another ID", () => Response.json({ id: "d/2" })],
  ["a record without its ID", () => Response.json({ name: "x" })],
  ["a problem as a success", () => Response.json({ title: "No", status: 500 })],
  ["202", () => Response.json({ id: "d/1" }, { status: 202 })],
  ["207", () => Response.json({ id: "d/1" }, { status: 207 })],
])("an update that ends with %s has an unknown outcome, and is sent once", async (_, reply) => {
  const { error, requests } = await update(reply);
  expect(error).toBeInstanceOf(PartialError);
  expect(error.message).toContain("It is unknown whether the request took effect");
  expect(requests).toHaveLength(1);
});
