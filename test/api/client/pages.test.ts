import { describe, expect, it, onTestFinished, vi } from "vitest";
import { listTopics } from "../../../src/api/operations/endpoints.ts";
import { type AmpError, isKind, ServiceError } from "../../../src/errors.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { run } from "../../harness.ts";
import { fake, type Reply } from "../fake-service.ts";

const path = { projectIdOrName: "p" };
const BASE = "https://api.example.com/v1/projects/p/topics";

/** The topics of a page, each with an ID that says which one it is. */
const topics = (...ids: readonly string[]) => ids.map((id) => ({ id }));

/** Pages by the `pageToken` of the request: "" is the first. */
function tokenPages(pages: Readonly<Record<string, object>>): Reply {
  return ({ url }) => {
    const page = pages[new URL(url).searchParams.get("pageToken") ?? ""];
    return page ? Response.json(page) : new Response(null, { status: 500 });
  };
}

/** Pages by their path, with what the `Link` header of each says. */
function linkedPages(pages: readonly (readonly [object, string?])[]): Reply {
  return (_, nth) => {
    const [body, link] = pages[nth - 1] ?? [[]];
    return Response.json(body, link === undefined ? {} : { headers: { link } });
  };
}

async function listed(reply: Reply): Promise<readonly [string[], string[]]> {
  const { api, requests } = fake(reply);
  const records = await api.call(listTopics, { path });
  return [records.map(({ id }) => id), requests.map(({ url }) => url.slice(BASE.length))];
}

async function refused(reply: Reply): Promise<ServiceError> {
  const { api } = fake(reply, { retries: 0 });
  const error: unknown = await api.call(listTopics, { path }).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(ServiceError);
  return error as ServiceError;
}

describe("a list of several pages", () => {
  it("is followed by its tokens", async () => {
    const reply = tokenPages({
      "": { results: topics("a", "b"), pagination: { done: false, nextPageToken: "x/ y" } },
      "x/ y": { results: [], pagination: { done: false, nextPageToken: "z" } },
      z: { results: topics("c"), pagination: { done: true, nextPageToken: "never" } },
    });
    expect(await listed(reply)).toEqual([
      ["a", "b", "c"],
      ["", "?pageToken=x%2F+y", "?pageToken=z"],
    ]);
  });

  it("is followed by tokens that are numbers, every digit of them", async () => {
    const token = "9007199254740993123";
    const pages: Readonly<Record<string, string>> = {
      "": '{"results":[{"id":"a"}],"pagination":{"nextPageToken":7}}',
      7: `{"results":[{"id":"b"}],"pagination":{"nextPageToken":${token}}}`,
      [token]: '{"results":[{"id":"c"}],"pagination":{"done":true}}',
    };
    const reply: Reply = ({ url }) =>
      new Response(pages[new URL(url).searchParams.get("pageToken") ?? ""]);
    expect(await listed(reply)).toEqual([
      ["a", "b", "c"],
      ["", "?pageToken=7", `?pageToken=${token}`],
    ]);
  });

  it("is followed by its links, relative ones too", async () => {
    const reply = linkedPages([
      [topics("a"), '</v1/first>; rel=prev, <?cursor=2>; title="a, b"; rel="last next"'],
      [topics("b"), `<${BASE}?cursor=3>; rel=next`],
      [topics("c"), `<${BASE}>; rel="first"`],
    ]);
    expect(await listed(reply)).toEqual([
      ["a", "b", "c"],
      ["", "?cursor=2", "?cursor=3"],
    ]);
  });

  it("sends the credential with each page, and to the same origin alone", async () => {
    const { api, requests } = fake(linkedPages([[topics("a"), "<?n=2>; rel=next"], [[]]]));
    await api.call(listTopics, { path });
    const keys = requests.map(({ headers }) => headers.get("x-api-key"));
    expect(keys[1]).toBe(keys[0]);
    const other = linkedPages([[topics("a"), "<https://evil.example/>; rel=next"]]);
    expect((await refused(other)).message).toBe(
      "Could not list the topics: its next page is at evil.example; it was not requested",
    );
    const plain = linkedPages([[topics("a"), "<http://api.example.com/v1>; rel=next"]]);
    expect((await refused(plain)).message).toContain("its next page is at api.example.com");
  });

  it.each([
    ["says so without a token", { done: false }],
    ["has an empty token", { done: false, nextPageToken: "" }],
    ["says nothing", {}],
    ["has odd pagination", "more"],
  ])("is never taken for the whole where it %s", async (_, pagination) => {
    const error = await refused(tokenPages({ "": { results: topics("a"), pagination } }));
    expect(error.message).toBe(
      "Could not list the topics: the list is incomplete but has no link to the next page",
    );
  });

  it.each<readonly [string, ResponseInit]>([
    ["is a part by its status", { status: 206 }],
    ["is a part by its range", { status: 206, headers: { "content-range": "items 0-0/40" } }],
    ["is a part of its bytes", { status: 206, headers: { "content-range": "bytes 0-0/1" } }],
    ["has a range", { headers: { "content-range": "items 0-0/40" } }],
    ["has a number of records", { headers: { "x-total-count": "40" } }],
    ["has a total", { headers: { "x-total": "2" } }],
    ["has a next page", { headers: { "x-next-page": "2" } }],
    ["has a number of pages", { headers: { "x-total-pages": "9" } }],
  ])("is never taken for the whole where its head says that it %s", async (_, head) => {
    const error = await refused(() => Response.json(topics("a"), head));
    expect(error.message).toBe(
      "Could not list the topics: the list is incomplete but has no link to the next page",
    );
    const long = () => Response.json([{ id: "a", pad: "x".repeat(300_000) }], head);
    const list = async () => {
      const { api } = fake(long, { retries: 0 });
      for await (const _batch of await api.list(listTopics, { path })) void _batch;
    };
    await expect(list()).rejects.toThrow("the list is incomplete");
  });

  it("is the whole where its head says so", async () => {
    const whole = { "content-range": "items 0-1/2", "x-total-count": "2", "x-total-pages": "1" };
    const headers = { ...whole, "x-next-page": "" };
    const [ids] = await listed(() => Response.json(topics("a", "b"), { status: 206, headers }));
    expect(ids).toEqual(["a", "b"]);
    const counted: Reply = (_request, nth) =>
      Response.json(topics(`${nth}`), {
        headers: { "x-total-count": "2", ...(nth === 1 ? { link: "<?n=2>; rel=next" } : {}) },
      });
    expect(await listed(counted)).toEqual([
      ["1", "2"],
      ["", "?n=2"],
    ]);
  });

  it.each(["/v1/projects/globex/topics?n=2", "/v2/projects/%70%70/topics"])(
    "is not followed to the path of another project: %s",
    async (target) => {
      const { api, requests } = fake(linkedPages([[topics("a"), `<${target}>; rel=next`], [[]]]));
      const error: AmpError = await api.call(listTopics, { path }).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(ServiceError);
      expect(error.message).toBe(
        "Could not list the topics: its next page is of another project; it was not requested",
      );
      expect(suggestedLines(error.facts.suggestion ?? [])).toEqual(["amp projects list"]);
      expect(requests).toHaveLength(1);
    },
  );

  it.each(["%70", "0b0f6d1e-5b7c-4c53-9d9b-3f6a1c2d4e5f"])(
    "is followed to another path of its project, by name or ID: %s",
    async (project) => {
      const link = `</v2/projects/${project}/topics>; rel=next`;
      const reply = linkedPages([[topics("a"), link], [[]]]);
      expect((await listed(reply))[0]).toEqual(["a"]);
    },
  );

  it("has each record once, although it grows between two pages", async () => {
    const reply = linkedPages([
      [topics("a", "b", ""), "<?n=2>; rel=next"],
      [topics("b", "c", ""), "<?n=3>; rel=next"],
      [topics("c")],
    ]);
    expect((await listed(reply))[0]).toEqual(["a", "b", "", "c", ""]);
  });

  it("is refused where its link cannot be read", async () => {
    const error = await refused(linkedPages([[topics("a"), "garbage; rel=next"]]));
    expect(error.message).toBe(
      "Could not list the topics: its next page is at an invalid URL; it was not requested",
    );
  });

  it.each([404, 405, 501])("is not missing where a later page answers %i", async (status) => {
    const { api } = fake((_, nth) =>
      nth === 1
        ? Response.json(topics("a"), { headers: { link: "<?n=2>; rel=next" } })
        : new Response(null, { status }),
    );
    const error: Error = await api.call(listTopics, { path }).catch((thrown) => thrown);
    expect(isKind(error, "operation_missing")).toBe(false);
    expect(error.message).not.toContain("does not list topics");
  });

  it("has an end, or is refused", async () => {
    const same = linkedPages([
      [topics("a"), "<?n=2>; rel=next"],
      [topics("b"), "<?n=2>; rel=next"],
    ]);
    expect((await refused(same)).message).toBe("Could not list the topics: its pages repeat");
    const endless: Reply = (_, nth) =>
      Response.json(["x".repeat(1_000)], { headers: { link: `<?n=${nth}>; rel=next` } });
    const { api } = fake(endless, { maxBodyBytes: 5_000 });
    await expect(api.call(listTopics, { path })).rejects.toThrow("the list is larger than 4.9 KB");
  });

  it("ends where 100 pages in a row or 60 s bring nothing new, and says what was read", async () => {
    // New cursors for ever: of two pages in turn, of empty ones, of records without an ID.
    const turns = [topics("a", "b"), topics("c")];
    const page = (nth: number) => ({ headers: { link: `<?n=${nth}>; rel=next` } });
    const endless: readonly [readonly object[][], string][] = [
      [turns, "153 records read, nothing new on the last 100 pages."],
      [[topics("a"), []], "51 records read, nothing new on the last 100 pages."],
      [[[{ name: "x" }]], "101 records read, nothing new on the last 100 pages."],
    ];
    for (const [pages, detail] of endless) {
      const error = await refused((_, nth) =>
        Response.json(pages[(nth - 1) % pages.length], page(nth)),
      );
      expect(error.message).toBe("Could not list the topics: its pages do not end");
      expect(error.facts.detail).toBe(detail);
    }
    let clock = 0;
    vi.spyOn(performance, "now").mockImplementation(() => clock);
    onTestFinished(() => void vi.restoreAllMocks());
    const slow = await refused((_, nth) => {
      clock += 25_000;
      return Response.json(topics(`t${Math.min(nth, 4)}`), page(nth));
    });
    expect(slow.facts.detail).toBe("7 records read, nothing new on the last 3 pages.");
  });

  it("goes on as long as each hundred pages bring a new record", async () => {
    const records = await fake((_, nth) => {
      const headers = nth < 400 ? { link: `<?n=${nth}>; rel=next` } : {};
      return Response.json(nth % 99 === 0 ? topics(`t${nth}`) : [], { headers });
    }).api.call(listTopics, { path });
    expect(records.map(({ id }) => id)).toEqual(["t99", "t198", "t297", "t396"]);
  });

  it("shows what was read of a list that does not end", async () => {
    const replies = Array.from({ length: 102 }, (_, nth) => ({
      path: `/projects/acme/topics${nth === 0 ? "" : `?n=${nth}`}`,
      body: nth < 2 ? [{ id: `t${nth}` }] : [],
      headers: { link: `<?n=${nth + 1}>; rel=next` },
    }));
    const { code, stdout, stderr } = await run(["notify", "topics", "list", "-o", "id"], {
      replies,
    });
    expect({ code, stdout }).toEqual({ code: 7, stdout: "t0\nt1\n" });
    expect(stderr).toContain("Could not list the topics: its pages do not end");
    expect(stderr).toContain("2 records read, nothing new on the last 100 pages.");
    expect(stderr).toContain("Already written: 2 topics.");
  });

  it("is written page by page, and counts its records on", async () => {
    const replies = [
      { body: [{ id: "a" }], headers: { link: "<?n=2>; rel=next" } },
      { path: "/projects/acme/topics?n=2", body: [{ id: "b" }, { name: 5, id: "" }] },
    ];
    const listed = await run(["notify", "topics", "list", "--json"], { replies });
    expect(listed.code).toBe(0);
    expect(listed.json()).toEqual([{ id: "a" }, { id: "b" }, { name: 5, id: "" }]);
    const { stderr } = await run(["notify", "topics", "list"], { replies });
    expect(stderr).toMatch(
      /^2 fields are not as specified: 5 id: expected string, but it is empty; 5 name: /u,
    );
    const counted = await run(["notify", "topics", "list", "-o", "count"], { replies });
    expect(counted.stdout).toBe("3\n");
  });

  it("may be long on each page", async () => {
    const many = (from: number) =>
      Array.from({ length: 400 }, (_, nth) => ({ id: `t${from + nth}`, pad: "x".repeat(1_000) }));
    const replies = [
      { body: many(0), headers: { link: "<?n=2>; rel=next" } },
      { path: "/projects/acme/topics?n=2", body: many(400) },
    ];
    const { stdout } = await run(["notify", "topics", "list", "-o", "id"], { replies });
    expect(stdout.trimEnd().split("\n")).toEqual(Array.from({ length: 800 }, (_, n) => `t${n}`));
  });
});
