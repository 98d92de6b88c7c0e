import { expect, it } from "vitest";
import { later, placeWith } from "./notify-fixture.ts";

/** A place whose routing was applied a moment ago, and a service whose lists do not show it yet. */
async function justApplied() {
  const place = placeWith();
  expect(await place.notify("apply -f routing.yaml --yes")).toMatchObject({ code: 0 });
  const bodies: unknown[] = [];
  const fetch = async (request: Request) => {
    if (request.method === "POST") bodies.push(await request.clone().json());
    const isList = request.method === "GET" && /\/(topics|[a-z-]*routes)$/u.test(request.url);
    return isList ? Response.json([]) : place.sandbox.fetch(request);
  };
  return { place, fetch, bodies };
}

it("a route is created at the topic that amp made, also where the list does not show it yet", async () => {
  const { place, fetch, bodies } = await justApplied();
  const saved = (await place.notify("state pull")).json() as {
    readonly entries: Readonly<Record<string, { readonly id: string }>>;
  };
  const words = "routes create --topic lifecycle --event installation.deleted";
  expect(await place.notify(words, { fetch })).toMatchObject({ code: 0 });
  expect(bodies).toEqual([
    expect.objectContaining({ topicId: saved.entries["topic/lifecycle"]?.id }),
  ]);
});

it("a topic is in use by the routes that amp made, also where the lists do not show them yet", async () => {
  const { place, fetch } = await justApplied();
  const refused = await place.notify("topics delete lifecycle --yes --json", { fetch });
  expect(refused).toMatchObject({ code: 5 });
  expect(refused.error().message).toBe("The topic lifecycle is in use");
  const deleted = await place.notify("topics delete lifecycle --yes --json", later(fetch));
  expect(deleted).toMatchObject({ code: 0 });
});

it("an import of a moment ago stays in the state, also where a list lacks it", async () => {
  const { place } = await justApplied();
  const own = await place.notify("topics create own --state their.json --json");
  const { id } = own.json() as { readonly id: string };
  expect(await place.notify(`state import topic/own ${id}`)).toMatchObject({ code: 0 });
  const fetch = async (request: Request) => {
    const answer = await place.sandbox.fetch(request);
    if (!request.url.endsWith("/topics")) return answer;
    const topics = (await answer.json()) as { readonly id: string }[];
    return Response.json(topics.filter((topic) => topic.id !== id));
  };
  expect(await place.notify("apply -f routing.yaml --yes", { fetch })).toMatchObject({ code: 0 });
  const state = (await place.notify("state list --json")).json();
  expect(state).toContainEqual(expect.objectContaining({ address: "topic/own" }));
});
