import { describe, expect, it } from "vitest";
import { SANDBOX_API_KEY } from "../../../src/sandbox/defaults.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { type Outcome, type RunInput, sandboxAt } from "../../harness.ts";
import { type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

type Told = Record<string, unknown>;

const APPLY = "apply -f routing.yaml --yes --json AMP_COMMIT_HORIZON=300ms";
const PLAN = "plan -f routing.yaml --json --exit-code AMP_COMMIT_HORIZON=1ms";
const SENT = "https://hooks.acme.com/amp";
const NEXT = "https://hooks.acme.com/next";
const THEIRS = "https://other.example/x";
/** A routing of one destination: nothing else is created beside it. */
const ALONE = ROUTING.slice(0, ROUTING.indexOf("topics:"));

const itemOf = (run: Outcome) => (run.json() as { items: Told[] }).items[0];

/** Sends a request past amp, as another admin does. */
async function send(sandbox: Sandbox, method: string, path: string, body?: Told): Promise<Told> {
  const url = `http://sandbox/v1/projects/acme/${path}`;
  const headers = { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" };
  const answer = await sandbox.fetch(
    new Request(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }),
  );
  return (await answer.json()) as Told;
}

/** A place whose service does something else at the requests that `on` takes. */
function placeAt(
  on: (request: Request, sandbox: Sandbox) => Promise<Response | undefined>,
  routing = ROUTING,
): Place & { readonly amp: (words: string) => Promise<Outcome> } {
  const sandbox = sandboxAt();
  const fetch: RunInput["fetch"] = async (request) =>
    (await on(request.clone(), sandbox)) ?? sandbox.fetch(request);
  const place = placeWith(sandbox);
  place.write("routing.yaml", routing);
  return { ...place, amp: (words) => place.notify(words, { fetch }) };
}

const isCreateOf = (path: string, { method, url }: Request) =>
  method === "POST" && new URL(url).pathname.endsWith(`/${path}`);

describe("a create of unknown outcome, while somebody else creates one of the name", () => {
  /** Another admin is faster, with a URL of their own; amp gets no usable answer. */
  function overtaken(record: Told = { type: "webhook", metadata: { url: THEIRS } }) {
    let isDone = false;
    return placeAt(async (request, sandbox) => {
      if (isDone || !isCreateOf("destinations", request)) return undefined;
      isDone = true;
      await send(sandbox, "POST", "destinations", { name: "ops", ...record });
      return Response.json({ title: "busy", status: 503 }, { status: 503 });
    }, ALONE);
  }

  it.each([
    ["URL", undefined, "metadata.url"],
    [
      "type",
      { type: "slack", metadata: { url: "https://hooks.slack.com/services/T0/B0/x" } },
      "type",
    ],
  ])(
    "is a conflict where its %s differs, and theirs is never owned or pruned",
    async (_, record, field) => {
      const { amp, write, sandbox } = overtaken(record);
      const sent = await amp(APPLY);
      expect([sent.code, writesOf(sent)]).toEqual([7, ["POST destinations"]]);
      expect(sent.error()).toMatchObject({ done: "Nothing was created." });
      const run = await amp(APPLY);
      expect([run.code, run.stderr]).toEqual([5, expect.stringContaining(field)]);
      expect(run.error()).toMatchObject({ message: "Conflict: destination/ops" });
      expect(writesOf(run)).toEqual([]);
      const [theirs] = sandbox.world.destinations.filter(({ name }) => name === "ops");
      expect(run.stderr).toContain(theirs?.id);
      expect((await amp("state pull")).stdout).not.toContain(theirs?.id);
      // The next plan has the same conflict, and no open outcome.
      const plan = await amp(PLAN);
      expect([plan.code, itemOf(plan)?.action]).toEqual([5, "conflict"]);
      write("routing.yaml", "version: 1\n");
      expect(writesOf(await amp(`${APPLY} --prune`))).toEqual([]);
      expect(sandbox.world.destinations).toContainEqual(theirs);
    },
  );

  it("is a conflict also where the next run looks it up", async () => {
    const { amp } = overtaken();
    // Long enough for the create on a busy machine, and far too short for the horizon.
    const stopped = await amp(`${APPLY} --deadline 4s AMP_COMMIT_HORIZON=10m`);
    expect(stopped.code).toBe(124);
    expect((await amp(APPLY)).code).toBe(5);
  });

  it("takes what only spells the URL otherwise for its own", async () => {
    const url = "HTTPS://Hooks.ACME.com:443/a%6Dp/";
    const { amp } = overtaken({ type: "webhook", metadata: { url } });
    const run = await amp(APPLY);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('"earlier": true')]);
    expect(itemOf(await amp(PLAN))).toMatchObject({ action: "in_place" });
  });
});

describe("a create that is answered with another resource", () => {
  /** Creates of a kind are answered with this record, and not done. */
  const answering = (path: string, record: (sandbox: Sandbox) => Told, routing = ROUTING) =>
    placeAt(async (request, sandbox) => {
      if (!isCreateOf(path, request)) return undefined;
      return Response.json(record(sandbox), { status: 201 });
    }, routing);

  it("is not created, where its ID was listed before, and names that resource", async () => {
    const place = answering("topics", ({ world }) => {
      const { id, name } = world.topics.find((one) => one.name === "installs") ?? {};
      return { id, name };
    });
    const { sandbox, amp } = place;
    const installs = await send(sandbox, "POST", "topics", { name: "installs" });
    const run = await amp(APPLY);
    expect(run.code).toBe(9);
    expect(run.stderr).toContain(
      `The service answered the create of topic/lifecycle with a topic that existed before: ${installs.id}, installs`,
    );
    expect(writesOf(run).filter((path) => path.includes("routes"))).toEqual([]);
    const { stdout } = await amp("state pull");
    const { entries } = JSON.parse(stdout) as { entries: Record<string, Told> };
    expect(Object.keys(entries)).toEqual(["destination/ops", "topic/lifecycle"]);
    expect(entries["topic/lifecycle"]).not.toHaveProperty("id");
    expect(stdout).not.toContain(installs.id);
    expect(run.stdout + run.stderr).not.toContain("elete all but one");
  });

  it("is not created where the name differs, and exits with 5 if nothing else was done", async () => {
    const record = {
      id: "dst_new",
      name: "acme-webhook",
      type: "webhook",
      metadata: { url: SENT },
    };
    const run = await answering("destinations", () => record, ALONE).amp(APPLY);
    expect([run.code, run.stderr]).toEqual([5, expect.stringContaining("acme-webhook")]);
    expect(run.error()).toMatchObject({
      message:
        "The service answered the create of destination/ops with another destination: dst_new, acme-webhook",
    });
  });

  it("says how to record the outcome where the service has no lists", async () => {
    const sandbox = sandboxAt(undefined, { specOnly: true });
    const fetch: RunInput["fetch"] = async (request) =>
      isCreateOf("destinations", request)
        ? Response.json({ id: "dst_old", name: "acme-webhook" }, { status: 201 })
        : sandbox.fetch(request);
    const place = placeWith(sandbox);
    const run = await place.notify(APPLY, { fetch });
    expect(run.code).toBe(5);
    expect(run.error().suggestion).toContain(
      "amp notify state resolve destination/ops --not-created",
    );
    // It is not sent again before somebody says so.
    expect(writesOf(await place.notify(APPLY, { fetch }))).toEqual([]);
  });
});

describe("a create that is refused where the service has no lists", () => {
  const IMPORT = "amp notify state import destination/ops <id>";
  const issue = (name: string) => [{ in: "body", name, detail: "is wrong" }];

  it.each([
    ["409", 409, undefined, [IMPORT]],
    ["422 without issues", 422, undefined, [IMPORT]],
    ["422 about its name", 422, issue("name"), [IMPORT]],
    ["422 about something else", 422, issue("metadata.url"), []],
    ["403", 403, undefined, []],
  ])("with %s says how to add one that exists: %#", async (_, status, issues, commands) => {
    const sandbox = sandboxAt(undefined, { specOnly: true });
    const place = placeWith(sandbox);
    const fetch: RunInput["fetch"] = async (request) =>
      isCreateOf("destinations", request)
        ? Response.json({ title: "No", status, ...(issues && { issues }) }, { status })
        : sandbox.fetch(request);
    const refused = await place.notify(APPLY, { fetch });
    const said = [refused.error().suggestion ?? []].flat() as string[];
    expect(said.filter((line) => line.includes("state import"))).toEqual(commands);
  });
});

describe("a create that is answered, or listed, with other values", () => {
  /** A service that keeps another URL than it is sent; `bare`: the create is answered with the ID alone. */
  const keeping = (url: string, { bare = false, updates = true } = {}) =>
    placeAt(async (request, sandbox) => {
      if (request.method === "PATCH" && !updates) return Response.json({});
      if (!isCreateOf("destinations", request)) return undefined;
      const record = await send(sandbox, "POST", "destinations", {
        ...((await request.json()) as Told),
        metadata: { url },
      });
      return Response.json(bare ? { id: record.id } : record, { status: 201 });
    });

  /** The plan says what the service shows in place of what it was sent, and nothing is sent again. */
  async function isNotKept(amp: (words: string) => Promise<Outcome>, sent: string) {
    const plan = await amp(PLAN);
    expect([plan.code, itemOf(plan)]).toEqual([
      0,
      expect.objectContaining({
        action: "in_place",
        notKept: [expect.objectContaining({ field: "metadata.url", wanted: sent })],
      }),
    ]);
    const again = await amp(APPLY);
    expect([again.code, writesOf(again)]).toEqual([0, []]);
  }

  it.each([
    ["another host", THEIRS],
    ["another path", `${SENT}/more`],
    ["another case of the path", "https://hooks.acme.com/AMP"],
    ["a query", `${SENT}?x=1`],
  ])(
    "is warned of at once, told by the plan, and sent when the file changes: %s",
    async (_, url) => {
      const { amp, write } = keeping(url);
      const run = await amp(APPLY.replace("--json", "--progress json"));
      expect([run.code, run.stderr]).toEqual([0, expect.stringContaining("with other values")]);
      expect(run.stderr).toContain(url);
      await isNotKept(amp, SENT);
      write("routing.yaml", ROUTING.replace(SENT, NEXT));
      expect(await amp(PLAN)).toMatchObject({ code: 8 });
      expect(writesOf(await amp(APPLY))).toEqual([expect.stringMatching(/^PATCH destinations/u)]);
      const plan = await amp(PLAN);
      expect(plan.code).toBe(0);
      expect(itemOf(plan)).not.toHaveProperty("notKept");
    },
  );

  it.each([
    ["case of scheme and host", "HTTPS://HOOKS.acme.com/amp"],
    ["default port", "https://hooks.acme.com:443/amp"],
    ["slash", `${SENT}/`],
    ["percent-encoding", "https://hooks.acme.com/%61mp"],
  ])("is in place where only its spelling differs: %s", async (_, url) => {
    const { amp } = keeping(url);
    const run = await amp(APPLY);
    expect([run.code, run.stdout]).toEqual([0, expect.not.stringContaining("differences")]);
    expect((await amp(PLAN)).code).toBe(0);
  });

  it("is sent once more where only the list shows them: somebody may have changed it", async () => {
    const { amp } = keeping(THEIRS, { bare: true });
    expect(await amp(APPLY)).toMatchObject({ code: 0 });
    const once = await amp(APPLY);
    expect([once.code, writesOf(once)]).toEqual([0, [expect.stringMatching(/^PATCH/u)]]);
    expect(writesOf(await amp(APPLY))).toEqual([]);
  });

  it("is sent twice, and then told, where the service keeps no update either", async () => {
    const { amp, write } = keeping(THEIRS, { updates: false });
    await amp(APPLY);
    write("routing.yaml", ROUTING.replace(SENT, NEXT));
    for (const _ of [1, 2]) {
      const run = await amp(APPLY);
      expect([run.code, writesOf(run)]).toEqual([0, [expect.stringMatching(/^PATCH/u)]]);
    }
    await isNotKept(amp, NEXT);
    const page = await amp("plan -f routing.yaml AMP_COMMIT_HORIZON=1ms");
    expect(page.stderr).toContain("the service did not keep what it was sent");
    write("routing.yaml", ROUTING);
    expect(writesOf(await amp(APPLY))).toHaveLength(1);
  });
});
