import { expect, test } from "vitest";
import { deleteTopic, listTopics } from "../../../src/api/operations/endpoints.ts";
import { type AmpError, PartialError } from "../../../src/errors.ts";
import { fake, networkError, type Reply } from "../fake-service.ts";

const DELETE = { endpoint: deleteTopic, path: { projectIdOrName: "p", topicId: "t" } };
const GET = { endpoint: listTopics, path: { projectIdOrName: "p" } };

async function call(
  { endpoint, path }: typeof DELETE | typeof GET,
  notRepeatable: boolean,
  reply: Reply,
) {
  const { api, requests } = fake(reply);
  const outcome: unknown = await api
    .call({ ...endpoint, notRepeatable } as typeof deleteTopic, {
      path: path as typeof DELETE.path,
    })
    .catch((error: unknown) => error);
  return { error: outcome as AmpError, sent: requests.length };
}

const lost: readonly (readonly [string, Reply])[] = [
  ["a reset", () => Promise.reject(networkError("ECONNRESET"))],
  ["503", () => new Response(null, { status: 503 })],
];

for (const [name, request] of Object.entries({ DELETE, GET })) {
  test.each(lost)(`a ${name} that must be sent once is not repeated after %s`, async (_, reply) => {
    const { error, sent } = await call(request, true, reply);
    expect(error).toBeInstanceOf(PartialError);
    expect(error.message).toContain("It is unknown whether the request took effect");
    expect(sent).toBe(1);
    expect((await call(request, false, reply)).sent).toBe(3);
  });
}

test("a request that must be sent once and was refused had no effect", async () => {
  const { error } = await call(GET, true, () => new Response(null, { status: 403 }));
  expect(error).not.toBeInstanceOf(PartialError);
  expect(error.facts.done).toBe("Nothing was changed.");
});
