import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Outcome, type RunInput, sandboxAt } from "../../harness.ts";
import { UNROUTED } from "../../unrouted.ts";
import { type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

/** What the service, or something before it, answers in place of what it did. */
type Odd = (answer: Response, request: Request) => Response | Promise<Response>;

const APPLY = "apply -f routing.yaml --yes --json";
const ENV = { AMP_COMMIT_HORIZON: "40ms", AMP_RETRIES: "0" };
const PAGE = "<!doctype html><title>Sign in</title>";
const HTML = { "content-type": "text/html; charset=utf-8" };
const PROBLEM = { type: "about:blank", title: "No", status: 500, detail: "It failed." };
const read = async (answer: Response) => (await answer.json()) as Record<string, unknown>;

/** A body of which only the first bytes come. */
const cut = (bytes: Uint8Array, headers: Record<string, string> = {}, status = 200) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, bytes.length >> 1));
        controller.error(new TypeError("terminated", { cause: { code: "UND_ERR_SOCKET" } }));
      },
    }),
    { status, headers },
  );
const bytesOf = async (answer: Response) => new Uint8Array(await answer.arrayBuffer());

/** Answers to any request. */
const ANY: Readonly<Record<string, Odd>> = {
  "a web page": () => new Response(PAGE, { headers: HTML }),
  "a web page that says it is JSON": () =>
    new Response(PAGE, { headers: { "content-type": "application/json" } }),
  "a web page with 404": () => new Response(PAGE, { status: 404, headers: HTML }),
  "the text of a router with 404": () => new Response("404 page not found\n", { status: 404 }),
  "nothing with 404": () => new Response(null, { status: 404 }),
  "a web page with 405": () => new Response(PAGE, { status: 405, headers: HTML }),
  "a web page with 501": () => new Response(PAGE, { status: 501, headers: HTML }),
  "a web page with 503": () => new Response(PAGE, { status: 503, headers: HTML }),
  "a problem with 200": () => Response.json(PROBLEM),
  "a problem with 200, called so": () =>
    Response.json({ title: "No" }, { headers: { "content-type": "application/problem+json" } }),
  null: () => Response.json(null),
  "a text": () => Response.json("ok"),
  "a text that is not JSON": () => new Response("OK"),
  "a number": () => Response.json(1),
  "207": async (answer) => new Response(await answer.text(), { status: 207 }),
  "202 and nothing": () => new Response(null, { status: 202 }),
  "304": () => new Response(null, { status: 304 }),
  "302 to another host": () => Response.redirect("https://other.example/login", 302),
  "307 to another host": (_, { url }) =>
    Response.redirect(url.replace(/\/\/[^/]+/u, "//other.example"), 307),
  "418": () => Response.json({ status: 418 }, { status: 418 }),
  "a part of the body": async (answer) => cut(await bytesOf(answer)),
  "a compressed body that is cut off": async (answer) =>
    cut(gzipSync(await bytesOf(answer)), { "content-encoding": "identity" }),
  "bytes that are not UTF-8": () => new Response(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])),
  "the type of a page for JSON": async (answer) =>
    new Response(await answer.text(), { status: answer.status, headers: HTML }),
  "a date of 1970": async (answer) => dated(answer, "Thu, 01 Jan 1970 00:00:00 GMT"),
  "a date that is none": async (answer) => dated(answer, "yesterday"),
};

async function dated(answer: Response, date: string): Promise<Response> {
  const headers = { "content-type": "application/json", date };
  const text = answer.status === 204 ? null : await answer.text();
  return new Response(text, { status: answer.status, headers });
}

/** Answers with a record to a create or update. */
const OF_RECORD: Readonly<Record<string, Odd>> = {
  "an empty list": () => Response.json([]),
  "the record in a list": async (answer) => Response.json([await read(answer)]),
  "the record in an envelope": async (answer) => Response.json({ data: await read(answer) }),
  "the record of another ID": async (answer) =>
    Response.json({ ...(await read(answer)), id: "other", name: "another" }),
  "the record of another project": async (answer) =>
    Response.json({ ...(await read(answer)), projectId: "other-project" }),
  "null as the ID": async (answer) => Response.json({ ...(await read(answer)), id: null }),
  "an empty record": () => Response.json({}),
  "a success that is none": () => Response.json({ success: false }),
};

const OF_LIST: Readonly<Record<string, Odd>> = {
  "an object": () => Response.json({}),
  "each record twice": async (answer) => {
    const all = (await answer.json()) as unknown[];
    return Response.json([...all, ...all]);
  },
  "the records of another project": async (answer) => {
    const all = (await answer.json()) as object[];
    return Response.json(all.map((one) => ({ ...one, projectId: "other-project" })));
  },
  "a part, by its status": async (answer) =>
    new Response(await answer.text(), { status: 206, headers: { "content-range": "items 0-0/9" } }),
  "a next page that is itself": (answer, { url }) => linked(answer, url),
  "a token in an envelope": async (answer) => {
    const data = await answer.json();
    return Response.json({ data, pagination: { nextPageToken: "again", done: false } });
  },
};

async function linked(answer: Response, url: string): Promise<Response> {
  const headers = { "content-type": "application/json", link: `<${url}>; rel="next"` };
  return new Response(await answer.text(), { headers });
}

const BEFORE = new Set([...UNROUTED.destinations, ...UNROUTED.topics].map(({ id }) => id));
/** What amp has made. */
const madeIn = ({ sandbox: { world } }: Place) => ({
  destinations: world.destinations.filter(({ id }) => !BEFORE.has(id)),
  topics: world.topics.filter(({ id }) => !BEFORE.has(id)),
  routes: [
    ...world.eventRoutes.map((one) => `${one.topicId} ${one.eventType}`),
    ...world.destinationRoutes.map((one) => `${one.topicId} ${one.destinationId}`),
  ],
});

/** Whether the service has what is in the file, one of each, and nothing else. */
function isThere(place: Place, url: string): boolean {
  const { destinations, topics, routes } = madeIn(place);
  const own = routes.filter((one) => topics.some(({ id }) => one.startsWith(id)));
  const [destination] = destinations;
  const sizes = [destinations.length, topics.length, own.length];
  return sizes.join() === "1,1,3" && destination?.metadata.url === url;
}

/** Whether anything exists twice. */
function isDoubled(place: Place): boolean {
  const { destinations, topics, routes } = madeIn(place);
  const isTwice = new Set(routes).size < routes.length;
  return destinations.length > 1 || topics.length > 1 || isTwice;
}

const HONEST = new Set([0, 1, 3, 4, 5, 6, 7, 8, 9]);
const URL_SENT = "https://hooks.acme.com/amp";
const URL_NEXT = "https://hooks.acme.com/next";

/** A place whose service answers the requests of a method oddly, after it did them. */
function oddPlace(method: string, odd: Odd, { done = true, lists = true } = {}) {
  const place = placeWith(sandboxAt(undefined, lists ? {} : { specOnly: true }));
  const routing = /\/(?:destinations|topics|[a-z-]+-routes)(?:\/[^/]+)?$/u;
  const fetch: RunInput["fetch"] = async (request) => {
    const isMeant = request.method === method && routing.test(new URL(request.url).pathname);
    if (!isMeant) return place.sandbox.fetch(request);
    const asked = request.clone();
    const answer = done
      ? await place.sandbox.fetch(request)
      : Response.json({ id: "never", name: "never" });
    return odd(answer, asked);
  };
  return { place, fetch };
}

const told = ({ code, stderr }: Outcome) => `${code}: ${stderr.slice(0, 400)}`;

async function settled(place: Place, url: string, words = APPLY): Promise<string[]> {
  const broken: string[] = [];
  let last: Outcome | undefined;
  for (let times = 0; times < 3; times += 1) {
    last = await place.notify(words, { env: ENV });
    if (last.code === 0) break;
  }
  if (last?.code !== 0) broken.push(`not at rest, ${last && told(last)}`);
  if (!isThere(place, url)) broken.push("the service has something else");
  const again = await place.notify(words, { env: ENV });
  if (again.code !== 0 || writesOf(again).length > 0) broken.push(`again, ${told(again)}`);
  return broken;
}

/** By these a service says, though oddly, that it has nothing of it. */
const SAYS_NONE = ["nothing with 404", "the text of a router with 404"];

/** By these a service says, though oddly, that it did it. */
const SAYS_DONE = [
  "the record in an envelope",
  "null as the ID",
  "an empty record",
  "a success that is none",
];

const DONE = [
  ["done", true],
  ["not done", false],
] as const;

describe.each(DONE)("writes that are %s, and answered oddly", (_, done) => {
  const ofRecord = Object.keys({ ...ANY, ...OF_RECORD }).filter(
    (name) => done || !SAYS_DONE.includes(name),
  );

  it.each(ofRecord)("creates: %s", async (name) => {
    const odd = { ...ANY, ...OF_RECORD }[name] as Odd;
    const { place, fetch } = oddPlace("POST", odd, { done });
    const first = await place.notify(APPLY, { fetch, env: ENV });
    const broken = HONEST.has(first.code ?? -1) ? [] : [told(first)];
    if (first.code === 0 && !isThere(place, URL_SENT)) broken.push(`a lie, ${told(first)}`);
    if (isDoubled(place)) broken.push("made twice");
    broken.push(...(await settled(place, URL_SENT)));
    expect(broken).toEqual([]);
  });

  it.each(ofRecord)("updates: %s", async (name) => {
    const odd = { ...ANY, ...OF_RECORD }[name] as Odd;
    const { place, fetch } = oddPlace("PATCH", odd, { done });
    expect(await place.notify(APPLY, { env: ENV })).toMatchObject({ code: 0 });
    place.write("routing.yaml", ROUTING.replace(URL_SENT, URL_NEXT));
    const first = await place.notify(APPLY, { fetch, env: ENV });
    const broken = HONEST.has(first.code ?? -1) ? [] : [told(first)];
    if (first.code === 0 && !isThere(place, URL_NEXT)) broken.push(`a lie, ${told(first)}`);
    broken.push(...(await settled(place, URL_NEXT)));
    expect(broken).toEqual([]);
  });

  const ofDelete = Object.keys(ANY).filter((name) => done || !SAYS_NONE.includes(name));

  it.each(ofDelete)("deletes: %s", async (name) => {
    const { place, fetch } = oddPlace("DELETE", ANY[name] as Odd, { done });
    expect(await place.notify(APPLY, { env: ENV })).toMatchObject({ code: 0 });
    place.write("routing.yaml", "version: 1\nname: routing\n");
    const PRUNE = `${APPLY} --prune --accept takeover`;
    const first = await place.notify(PRUNE, { fetch, env: ENV });
    const left = () => madeIn(place).destinations.length + madeIn(place).topics.length;
    const broken = HONEST.has(first.code ?? -1) ? [] : [told(first)];
    if (first.code === 0 && left() > 0) broken.push(`a lie, ${told(first)}`);
    const next = await place.notify(PRUNE, { env: ENV });
    if (next.code !== 0 || left() > 0) broken.push(`not gone, ${told(next)}`);
    expect(broken).toEqual([]);
  });
});

describe("creates that are answered oddly by a service without lists", () => {
  const odds = { ...ANY, ...OF_RECORD };

  it.each(Object.keys(odds))("are never sent again blindly: %s", async (name) => {
    const { place, fetch } = oddPlace("POST", odds[name] as Odd, { lists: false });
    const runs = [
      await place.notify(APPLY, { fetch, env: ENV }),
      await place.notify(APPLY, { env: ENV }),
    ];
    const broken = runs.filter(({ code }) => !HONEST.has(code ?? -1)).map(told);
    const [first] = runs;
    if (first?.code === 0 && !isThere(place, URL_SENT)) broken.push(`a lie, ${told(first)}`);
    // A refusal is the service's word that nothing was done.
    const isRefused = /with 40\d/u.test(name);
    if (isDoubled(place) && !isRefused) broken.push("made twice");
    expect(broken).toEqual([]);
  });
});

describe("lists that are answered oddly", () => {
  // Services written in Go send null in the place of an empty list.
  const { null: _, ...odds } = { ...ANY, ...OF_LIST };

  const names = Object.keys(odds).filter((name) => !SAYS_NONE.includes(name));

  it.each(names)("at the first run: %s", async (name) => {
    const { place, fetch } = oddPlace("GET", (odds as typeof ANY)[name] as Odd);
    // Somebody has made it already, and only the lists say so.
    expect(await placeWith(place.sandbox).notify(APPLY, { env: ENV })).toMatchObject({ code: 0 });
    const first = await place.notify(APPLY, { fetch, env: ENV });
    const broken = HONEST.has(first.code ?? -1) ? [] : [told(first)];
    if (writesOf(first).length > 0) broken.push(`${writesOf(first)}, ${told(first)}`);
    if (first.code === 0 && !isThere(place, URL_SENT)) broken.push(`a lie, ${told(first)}`);
    broken.push(...(await settled(place, URL_SENT)));
    expect(broken).toEqual([]);
  });
});

describe("writes whose effect nothing shows", () => {
  it("are not said to be undone: an update whose values the lists leave out", async () => {
    const { place, fetch: odd } = oddPlace("PATCH", ANY["202 and nothing"] as Odd);
    const fetch: RunInput["fetch"] = async (request) => {
      const answer = await odd(request);
      if (request.method !== "GET" || !request.url.endsWith("/destinations")) return answer;
      const all = (await answer.json()) as object[];
      return Response.json(all.map((one) => ({ ...one, metadata: {} })));
    };
    expect(await place.notify(APPLY, { fetch, env: ENV })).toMatchObject({ code: 0 });
    place.write("routing.yaml", ROUTING.replace(URL_SENT, URL_NEXT));
    const { code, stderr } = await place.notify(APPLY, { fetch, env: ENV });
    expect([code, stderr]).toEqual([9, expect.stringContaining("May be updated")]);
    expect(isThere(place, URL_NEXT)).toBe(true);
  });

  it("have an unknown outcome: a delete without lists, a web page with 404", async () => {
    const odd = ANY["a web page with 404"] as Odd;
    const { place, fetch } = oddPlace("DELETE", odd, { lists: false });
    expect(await place.notify(APPLY, { env: ENV })).toMatchObject({ code: 0 });
    place.write("routing.yaml", ROUTING.replace("    destinations: [ops]\n", ""));
    const { code, stderr } = await place.notify(`${APPLY} --prune`, { fetch, env: ENV });
    expect([code, stderr]).toEqual([9, expect.stringContaining("1 outcome unknown")]);
    expect(stderr).toContain("May be deleted; the next run checks:");
  });
});
