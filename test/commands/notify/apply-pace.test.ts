import { expect, it } from "vitest";
import { placeWith } from "./notify-fixture.ts";

const DESTINATION = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
`;

it("holds all creates back where the service asks one of them to wait", async () => {
  const place = placeWith();
  const names = Array.from({ length: 16 }, (_, at) => `topic-${at}`);
  const topics = names
    .map((name) => `  ${name}: { events: [connection.error], destinations: [ops] }`)
    .join("\n");
  place.write("routing.yaml", `${DESTINATION}topics:\n${topics}\n`);
  let opens: number | undefined;
  let early = 0;
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method === "POST" && request.url.endsWith("/topics")) {
      if (opens === undefined) {
        opens = performance.now() + 1_000;
        const body = { status: 429, title: "Too many requests" };
        return Response.json(body, { status: 429, headers: { "retry-after": "1" } });
      }
      if (performance.now() < opens) early += 1;
    }
    return place.sandbox.fetch(request);
  };
  const applied = await place.notify("apply -f routing.yaml --yes AMP_PARALLEL=4", { fetch });
  expect(applied).toMatchObject({ code: 0 });
  const creates = applied.requests.filter(
    ({ method, path }) => method === "POST" && path.endsWith("/topics"),
  );
  // Each once, and the first once more.
  expect(creates).toHaveLength(names.length + 1);
  // Those that were on their way with the first one.
  expect(early).toBeLessThanOrEqual(3);
});

it.each([
  [{ AMP_RETRIES: "0" }, "1"],
  [{ AMP_MAX_WAIT: "2s" }, "3"],
  [{ AMP_MAX_WAIT: "2s" }, "99999999999999999999"],
])("sends no create again with %j where the service asks for %s s", async (env, asked) => {
  const place = placeWith();
  const fetch = async (request: Request): Promise<Response> =>
    request.method === "POST"
      ? Response.json({ status: 429 }, { status: 429, headers: { "retry-after": asked } })
      : place.sandbox.fetch(request);
  const { code, stderr, requests } = await place.notify(
    `apply -f routing.yaml --yes AMP_PARALLEL=1`,
    { fetch, env },
  );
  expect(code).toBe(7);
  expect(requests.filter(({ method }) => method === "POST")).toHaveLength(1);
  expect(stderr).toContain("Try again in");
});

it("an invalid duration of AMP_MAX_WAIT is refused by name", async () => {
  const { code, stderr } = await placeWith().notify("apply -f routing.yaml --yes", {
    env: { AMP_MAX_WAIT: "60" },
  });
  expect(code).toBe(2);
  expect(stderr).toContain('AMP_MAX_WAIT: "60" is not a valid duration');
});
