import { expect, it } from "vitest";
import { placeWith } from "./provision-world.ts";

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
  const applied = await place.notify("apply -f routing.yaml --yes --parallel 4", { fetch });
  expect(applied).toMatchObject({ code: 0 });
  const creates = applied.requests.filter(
    ({ method, path }) => method === "POST" && path.endsWith("/topics"),
  );
  // Each once, and the first once more.
  expect(creates).toHaveLength(names.length + 1);
  // Those that were on their way with the first one.
  expect(early).toBeLessThanOrEqual(3);
});
