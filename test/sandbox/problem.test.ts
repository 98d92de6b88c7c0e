import { expect, test } from "vitest";
import { readProblem } from "../../src/api/answer/problem.ts";
import {
  SANDBOX_ACCESS_TOKEN,
  SANDBOX_API_KEY,
  SANDBOX_DEFAULTS,
} from "../../src/sandbox/defaults.ts";
import { ask, fresh, NOW, setUpRouting, WEBHOOK } from "./ask.ts";

const KEY = { "x-api-key": SANDBOX_API_KEY };
const JSON_TYPE = "application/json";
const TOPICS = "POST /projects/acme/topics";

test("a problem has every field of the spec that applies", async () => {
  const sandbox = fresh();
  await setUpRouting(sandbox);
  const { status, headers, body } = await ask(sandbox, TOPICS, { name: "lifecycle" });
  expect(status).toBe(409);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(readProblem(body as never)).toEqual(body);
  expect(body).toEqual({
    type: "urn:amp-sandbox:problem:name-taken",
    href: "https://sandbox.invalid/problems/name-taken",
    title: "The name is taken",
    status: 409,
    detail: 'A topic named "lifecycle" already exists.',
    instance: expect.stringMatching(/^urn:amp-sandbox:request:req_[0-9a-f]{8}%235$/u),
    subsystem: "notifications",
    time: NOW.toISOString(),
    requestId: expect.stringMatching(/^req_[0-9a-f]{8}#5$/u),
    remedy: "Choose another name, or use the resource that has it.",
    supportEmail: "support@sandbox.invalid",
    supportPhone: "+1-555-0100",
    supportUrl: "https://sandbox.invalid/support",
    retryable: false,
    context: {
      method: "POST",
      path: "/v1/projects/acme/topics",
      resource: "topic",
      id: sandbox.world.topics.at(-1)?.id,
      name: "lifecycle",
    },
  });
  expect(headers.get("x-request-id")).toBe(body.requestId);
});

test("either credential is accepted, but not both", async () => {
  const at = "GET /projects/acme/topics";
  const bearer = { authorization: `Bearer ${SANDBOX_ACCESS_TOKEN}` };
  const status = async (headers: Record<string, string>) =>
    (await ask(fresh(), at, undefined, headers)).status;
  expect(await status(KEY)).toBe(200);
  expect(await status(bearer)).toBe(200);
  expect(await status({ authorization: `bearer ${SANDBOX_ACCESS_TOKEN}` })).toBe(200);
  expect(await status({})).toBe(401);
  expect(await status({ "x-api-key": "wrong" })).toBe(401);
  expect(await status({ "x-api-key": SANDBOX_ACCESS_TOKEN })).toBe(401);
  expect(await status({ authorization: "Bearer wrong" })).toBe(401);
  expect(await status({ authorization: `Bearer ${SANDBOX_API_KEY}` })).toBe(401);
  expect(await status({ authorization: `Basic ${SANDBOX_ACCESS_TOKEN}` })).toBe(401);
  expect(await status({ ...KEY, ...bearer })).toBe(400);
});

test("a refused credential is not sent back", async () => {
  const both = { "x-api-key": "live-key-1234", authorization: "Bearer live-token-1234" };
  for (const headers of [both, { "x-api-key": "live-key-1234" }]) {
    const { text, headers: answered } = await ask(fresh(), "GET /projects", undefined, headers);
    expect(text).not.toMatch(/live-(key|token)/u);
    expect(answered.get("content-type")).toBe("application/problem+json");
  }
  const { body } = await ask(fresh(), "GET /projects", undefined, both);
  expect(body.issues.map((issue: { in: string; name: string }) => [issue.in, issue.name])).toEqual([
    ["header", "X-Api-Key"],
    ["header", "Authorization"],
  ]);
});

test.each([
  ["GET /nothing", 404, "unknown-operation"],
  ["GET /projects/acme", 404, "unknown-operation"],
  ["GET /projects/nowhere/topics", 404, "not-found"],
  ["GET /providers/nobody", 404, "not-found"],
  ["GET /orgs/org_none/invites", 404, "not-found"],
  ["DELETE /orgs/org_none/invites/inv_1", 404, "not-found"],
  [`DELETE /orgs/${SANDBOX_DEFAULTS.org}/invites/inv_1`, 404, "not-found"],
  ["DELETE /projects/acme/topics/top_1", 404, "not-found"],
  ["DELETE /projects/acme/destinations/dst_1", 404, "not-found"],
  ["DELETE /projects/acme/notification-event-topic-routes/evr_1", 404, "not-found"],
  ["DELETE /projects/acme/topic-destination-routes/dsr_1", 404, "not-found"],
  ["GET /projects/acme/destinations/nobody", 404, "not-found"],
  [
    "GET /projects/acme/integrations/00000000-0000-4000-8000-000000000000/installations",
    404,
    "not-found",
  ],
  ["PUT /projects/acme/topics", 405, "method-not-allowed"],
  ["OPTIONS /projects/acme/topics", 405, "method-not-allowed"],
  ["GET /projects/%zz/topics", 400, "malformed-request"],
] as const)("%s is answered %i %s", async (request, status, kind) => {
  const { body, headers } = await ask(fresh(), request);
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(body).toMatchObject({ status, type: `urn:amp-sandbox:problem:${kind}` });
});

test("encoded names in a path are decoded", async () => {
  for (const name of ["a b", "a/b", "ünï", "a#b", "a?b", "a%2Fb", "100%", "a+b", "株式会社"]) {
    const { body } = await ask(fresh(), `GET /providers/${encodeURIComponent(name)}`);
    expect(body.context.id).toBe(name);
  }
});

test("a wrong method is answered with all methods of its path", async () => {
  const allow = async (request: string) => (await ask(fresh(), request)).headers.get("allow");
  expect(await allow("PUT /projects/acme/topics")).toBe("POST, GET");
  expect(await allow("PUT /projects/acme/destinations/x")).toBe("GET, DELETE, PATCH");
});

test("paths outside the base path are not found", async () => {
  const response = await fresh().fetch(new Request("http://sandbox.test/projects"));
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    remedy: "Check the path.",
  });
});

test.each(["", "{", '{"name": "x"', "name=x"])("the body %j is not JSON: 400", async (text) => {
  const { body } = await ask(fresh(), TOPICS, text);
  expect(body).toMatchObject({ status: 400, issues: [{ in: "body", name: "body", value: null }] });
});

test("bytes that are not UTF-8 are not JSON", async () => {
  const response = await fresh().fetch(
    new Request("http://sandbox.test/v1/projects/acme/topics", {
      method: "POST",
      headers: { ...KEY, "content-type": JSON_TYPE },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    }),
  );
  expect(response.status).toBe(400);
});

test("a body without the content type of JSON is refused", async () => {
  const status = async (type: string) =>
    (await ask(fresh(), TOPICS, '{"name":"x"}', { ...KEY, "content-type": type })).status;
  expect(await status("text/plain")).toBe(415);
  expect(await status("application/x-www-form-urlencoded")).toBe(415);
  expect(await status("application/json; charset=utf-8")).toBe(201);
  expect(await status("Application/JSON")).toBe(201);
});

test("a body of more than a megabyte is refused", async () => {
  const sized = (bytes: number) =>
    JSON.stringify({ ...WEBHOOK, metadata: { ...WEBHOOK.metadata, pad: "" } }).replace(
      '"pad":""',
      `"pad":"${"x".repeat(bytes)}"`,
    );
  const overhead = sized(0).length;
  const status = async (bytes: number) =>
    (await ask(fresh(), "POST /projects/acme/destinations", sized(bytes - overhead))).status;
  expect(await status(1_000_000)).toBe(201);
  expect(await status(1_000_001)).toBe(413);
});

test("a request without a credential does not show which resources exist", async () => {
  for (const request of ["GET /projects/nowhere/topics", "DELETE /projects/acme/topics/top_1"]) {
    expect((await ask(fresh(), request, undefined, {})).status).toBe(401);
  }
  expect((await ask(fresh(), TOPICS, "{", { "content-type": JSON_TYPE })).status).toBe(401);
});

test("a defect of the sandbox is reported as a problem", async () => {
  let calls = 0;
  const now = () => {
    if (calls++ === 0) throw new RangeError("the clock stands");
    return NOW;
  };
  const sandbox = fresh({ now });
  expect((await ask(sandbox, TOPICS, { name: "x" })).body).toMatchObject({
    status: 500,
    type: "urn:amp-sandbox:problem:internal",
    causes: ["RangeError: the clock stands"],
  });
  expect((await ask(sandbox, TOPICS, { name: "x" })).status).toBe(201);
});
