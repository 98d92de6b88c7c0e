import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { World } from "../../../src/sandbox/world.ts";
import { NOW, type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { operator } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { UNROUTED } from "../../unrouted.ts";

const routing = (url: string, more = "") => `version: 1
name: ops
destinations:
  ops: { type: webhook, metadata: { url: "${url}" } }
${more}topics:
  lifecycle: { events: [installation.created], destinations: [ops] }
`;

/** A project with a fresh state. */
function project(state: World = UNROUTED) {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt(undefined, { state });
  const amp = (args: readonly string[], world: RunInput = {}): Promise<Outcome> =>
    run(args, { cwd, sandbox, ...world });
  const apply = async (text: string, ...more: readonly string[]) => {
    writeFileSync(join(cwd, "routing.yaml"), text);
    const outcome = await amp(["notify", "apply", "-f", "routing.yaml", "--yes", ...more]);
    expect(outcome).toMatchObject({ code: 0 });
  };
  const history = async () =>
    (await amp(["notify", "state", "history", "--json"])).json() as {
      run: string;
      counts: object;
      undoes?: string;
      changes: { action: string; address: string }[];
    }[];
  const undo = (id: string, ...more: readonly string[]) => amp(["notify", "undo", id, ...more]);
  const world = () => ({
    urls: sandbox.world.destinations
      .filter(({ name }) => name === "ops" || name === "alerts")
      .map(({ metadata }) => metadata.url),
    topics: sandbox.world.topics
      .filter(({ projectId }) => projectId === "prj_acme0a1b")
      .map(({ name }) => name)
      .sort(),
  });
  return { cwd, sandbox, amp, apply, history, undo, world };
}

const A = "https://hooks.acme.com/a";
const B = "https://hooks.acme.com/b";

describe("a run of more changes than a state keeps", () => {
  const topics = (count: number) =>
    Array.from({ length: count }, (_, at) => `  t${at}: { events: [], destinations: [] }`);
  const warning = "the state keeps 1000 of a run: amp notify undo cannot take this run back";

  it.each([
    ["no undo is promised", 1_001, true],
    ["nothing is said of what fits", 1_000, false],
  ])("%s", async (_, count, isSaid) => {
    const { cwd, amp } = project();
    const text = ["version: 1", "name: many", "topics:", ...topics(count)].join("\n");
    writeFileSync(join(cwd, "routing.yaml"), text);
    const planned = await amp(["notify", "plan", "-f", "routing.yaml"]);
    expect(planned.stderr.includes(warning)).toBe(isSaid);
  });
});

describe("amp notify state history", () => {
  it("lists the runs that changed something, without any values", async () => {
    const { amp, apply, history } = project();
    expect((await amp(["notify", "state", "history"])).stdout).toBe("");
    await apply(routing(A));
    await apply(routing(A));
    await apply(routing(B));
    const [update, create, ...others] = await history();
    expect(others).toEqual([]);
    expect(create).toMatchObject({
      counts: { created: 4, updated: 0, deleted: 0 },
      routing: "ops",
      command: "amp notify apply -f routing.yaml --yes",
      time: NOW.toISOString(),
      complete: true,
    });
    expect(update?.changes).toEqual([
      { action: "updated", address: "destination/ops", id: expect.any(String) },
    ]);
    const { stdout } = await amp(["notify", "state", "pull"]);
    expect(stdout).not.toContain("hooks.acme.com");
    const table = await amp(["notify", "state", "history"], { tty: true, env: { NO_COLOR: "1" } });
    const words = table.stdout.replace(/\s+/gu, " ");
    expect(words).toContain("1 updated: destination ops");
    // What is made at the same time is named in the order in which it was done.
    expect(words).toMatch(/4 created: (?=.*destination ops)(?=.*topic lifecycle).*route \S+ → /u);
    // A program has the changes in JSON.
    expect((await amp(["notify", "state", "history"])).stdout).toContain("\t1 updated\t");
    expect(table.stdout).toContain("1 updated");
    expect(table.stdout).toContain("4 created");
  });

  it("keeps the last 20 runs", async () => {
    const { apply, history, undo } = project();
    for (let nth = 0; nth < 22; nth += 1) await apply(routing(`https://hooks.acme.com/${nth}`));
    const all = await history();
    expect(all.map(({ run }) => run)).toEqual(Array.from(all, (_, at) => `r${22 - at}`));
    expect(all).toHaveLength(20);
    expect(all.at(-1)?.changes).toMatchObject([{ action: "updated" }]);
    const { code, stderr } = await undo("r2", "--yes");
    expect(code).toBe(3);
    expect(stderr).toContain("Run r2 is no longer in the history; the oldest is r3");
    expect(stderr).not.toContain("Did you mean");
  });
});

describe("amp notify undo", () => {
  it("shows its plan, asks, and takes the last run if none is given", async () => {
    const { apply, amp, history, world } = project();
    await apply(routing(A));
    const page = await amp(["notify", "undo", "--dry-run"]);
    expect(page.stderr).toContain("4 to delete");
    expect(await amp(["notify", "undo"])).toMatchObject({ code: 2, stdout: "" });
    expect(world().urls).toEqual([A]);
    const asked = operator([["This deletes 4 resources. Type 4 to apply the plan", "4"]]);
    const undone = await amp(["notify", "undo"], asked);
    expect(undone.code).toBe(0);
    expect(undone.stderr).toContain("Undo of run r1: 4 to delete");
    expect(undone.stderr).not.toContain("--all");
    expect(world()).toEqual({ urls: [], topics: [] });
    expect((await history())[0]).toMatchObject({ undoes: "r1", counts: { deleted: 4 } });
    for (const words of [["--yes"], ["--dry-run"]]) {
      const { code, stdout, stderr, requests } = await amp(["notify", "undo", ...words]);
      expect(code).toBe(0);
      expect(stderr).toContain("Run r1 is already undone.");
      expect(stdout + stderr).not.toContain("0 resources");
      expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
    }
  });

  it("leaves what a run updated or deleted, and says how to restore it", async () => {
    const { apply, undo, world } = project();
    const second = "  second: { events: [installation.deleted], destinations: [ops] }\n";
    await apply(routing(A) + second);
    await apply(routing(B), "--prune");
    for (const words of [["--yes"], ["--dry-run"]]) {
      const refused = await undo("r2", ...words, "--json");
      expect(refused).toMatchObject({ code: 5, stdout: "" });
      expect(refused.error()).toMatchObject({
        message: "Run r2 created nothing that could be deleted",
        detail: expect.stringMatching(
          /^It updated destination ops and deleted .*, topic second\.$/u,
        ),
        remedy: "Apply the earlier file to restore.",
        suggestion: expect.stringContaining("amp notify state history"),
        done: "Nothing was changed.",
      });
      expect(refused.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    }
    await apply(routing(A) + second);
    const part = await undo("r3", "--yes", "--json");
    expect(part.code).toBe(9);
    expect(part.json()).toMatchObject({
      counts: { deleted: 3 },
      warnings: ["Run r3 updated destination ops. Apply the earlier file to restore."],
    });
    expect(part.error()).toMatchObject({ message: "The run was undone only in part" });
    expect(world()).toEqual({ urls: [A], topics: ["lifecycle"] });
    const again = await undo("r3", "--yes");
    expect(again.code).toBe(9);
    expect(again.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it("deletes what a run created, and nothing else", async () => {
    const { apply, history, undo, world, sandbox } = project();
    const before = structuredClone(sandbox.world.topics.length);
    await apply(routing(A));
    const extended = routing(A, `  alerts: { type: webhook, metadata: { url: "${B}" } }\n`);
    await apply(extended.replace("[ops] }", "[ops, alerts] }"));
    const [second, first] = await history();
    expect(second?.counts).toEqual({ created: 2, updated: 0, deleted: 0 });
    const refused = await undo(second?.run ?? "", "--dry-run", "--json");
    expect(refused.json()).toMatchObject({ counts: { delete: 2, create: 0 } });
    expect(await undo(second?.run ?? "", "--yes")).toMatchObject({ code: 0 });
    expect(world()).toMatchObject({ urls: [A], topics: ["lifecycle"] });
    const last = await undo(first?.run ?? "", "--yes");
    expect(last).toMatchObject({ code: 0 });
    expect(last.stderr).not.toMatch(/taken? back/u);
    expect(world()).toEqual({ urls: [], topics: [] });
    expect(sandbox.world.topics).toHaveLength(before);
  });

  it("keeps a destination that reads of customers name, unless they may be broken", async () => {
    const { apply, history, undo } = project();
    // The reads of the sandbox name this destination.
    await apply(routing(A).replaceAll("ops", "acme-webhook"));
    const id = (await history())[0]?.run ?? "";
    const refused = await undo(id, "--yes");
    expect(refused.code).toBe(5);
    expect(refused.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(await undo(id, "--yes", "--accept", "references")).toMatchObject({ code: 0 });
  });

  it("deletes a route that a run created at what it also renamed", async () => {
    const { apply, history, undo, world, sandbox } = project();
    const more = "  second: { events: [installation.deleted], destinations: [ops] }\n";
    const renamed = routing(A).replace("ops: {", "alerts: { renamed-from: ops,") + more;
    await apply(routing(A) + more.replace("[ops]", "[]"));
    const routes = sandbox.world.destinationRoutes.length;
    await apply(renamed.replaceAll("[ops]", "[alerts]"));
    expect(sandbox.world.destinationRoutes).toHaveLength(routes + 1);
    const id = (await history())[0]?.run ?? "";
    const tried = await undo(id, "--dry-run");
    expect(tried.stdout).toContain("destination-route/second/alerts");
    expect(await undo(id, "--yes")).toMatchObject({ code: 9 });
    expect(sandbox.world.destinationRoutes).toHaveLength(routes);
    expect(world().topics).toEqual(["lifecycle", "second"]);
  });

  it("leaves what another run sent, although this run found out that it exists", async () => {
    const { cwd, sandbox, amp, history, undo, world } = project();
    const file = (name: string) => routing(A).replaceAll("ops", name).replace("lifecycle", name);
    for (const name of ["ma", "mb"]) writeFileSync(join(cwd, `${name}.yaml`), file(name));
    const stop = new AbortController();
    const killed = await amp(["notify", "apply", "-f", "ma.yaml", "--yes"], {
      signal: stop.signal,
      fetch: async (request) => {
        const isTopic = request.method === "POST" && request.url.endsWith("/topics");
        const answer = await sandbox.fetch(request);
        if (!isTopic) return answer;
        stop.abort("SIGINT");
        throw new TypeError("the answer is lost");
      },
    });
    expect(killed.code).not.toBe(0);
    const before = world().topics;
    expect(before).toContain("ma");
    expect((await amp(["notify", "apply", "-f", "mb.yaml", "--yes"])).code).toBe(0);
    const [later, first] = await history();
    expect(later).toMatchObject({ routing: "mb", counts: { created: 4 } });
    expect(first?.changes.map(({ address }) => address)).toContain("topic/ma");
    expect((await undo(later?.run ?? "", "--yes")).code).toBe(0);
    expect(world().topics).toEqual(before);
    expect((await undo(first?.run ?? "", "--yes")).code).toBe(0);
    expect(world().topics).toEqual(before.filter((name) => name !== "ma"));
  });

  it("keeps the run of a create that was in flight when the run was killed", async () => {
    const { cwd, sandbox, amp, apply, history } = project();
    const stop = new AbortController();
    writeFileSync(join(cwd, "first.yaml"), routing(A).replace("name: ops", "name: first"));
    await amp(["notify", "apply", "-f", "first.yaml", "--yes", "AMP_PARALLEL=1"], {
      signal: stop.signal,
      fetch: async (request) => {
        const answer = await sandbox.fetch(request);
        if (request.method !== "POST") return answer;
        stop.abort("SIGINT");
        throw new TypeError("the answer is lost");
      },
    });
    expect(await history()).toEqual([]);
    await apply(routing(A));
    expect(await history()).toMatchObject([
      { run: "r2", routing: "ops", counts: { created: 3 } },
      { run: "r1", routing: "first", counts: { created: 1 } },
    ]);
  });

  it("refuses an unknown run", async () => {
    const { apply, undo } = project();
    await apply(routing(A));
    for (const run of ["r999", "r0", "r", "r1x"]) {
      const unknown = await undo(run);
      expect(unknown).toMatchObject({ code: 3, stdout: "" });
      expect(unknown.stderr).toContain(`The state has no run "${run}"`);
      expect(unknown.stderr).not.toContain("Did you mean");
    }
  });
});
