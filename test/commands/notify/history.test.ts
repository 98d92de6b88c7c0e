import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SEED_WORLD } from "../../../src/sandbox/seed/world.ts";
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
      changes: { action: string; address: string; before?: object; hidden?: string[] }[];
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

describe("amp notify state history", () => {
  it("lists the runs that changed something, with the values before", async () => {
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
      {
        action: "updated",
        address: "destination/ops",
        id: expect.any(String),
        before: { "metadata.url": A, type: "webhook" },
      },
    ]);
    const table = await amp(["notify", "state", "history"], { tty: true, env: { NO_COLOR: "1" } });
    expect(table.stdout).toContain("1 updated");
    expect(table.stdout).toContain("4 created");
  });

  it("keeps no value that may be a secret", async () => {
    const { apply, history, amp } = project();
    const slack = (part: string) =>
      `version: 1\nname: ops\ndestinations:\n  ops: { type: slack, metadata: { url: "https://hooks.slack.com/services/T0/B0/${part}" } }\ntopics:\n  lifecycle: { events: [installation.created], destinations: [ops] }\n`;
    await apply(slack("firstsecret"), "--allow-literal-secrets");
    await apply(slack("secondsecret"), "--allow-literal-secrets");
    const [update] = await history();
    expect(update?.changes).toMatchObject([{ hidden: ["metadata.url"] }]);
    const { stdout } = await amp(["notify", "state", "pull"]);
    expect(stdout).not.toMatch(/(?:first|second)secret/u);
    const undone = await amp(["notify", "undo", update?.run ?? "", "--yes"]);
    expect(undone.code).toBe(5);
    expect(undone.stderr).toContain("the earlier metadata.url was not saved");
    expect(undone.stderr).toContain(`No change of run ${update?.run} can be undone`);
  });

  it.each([
    ["a token in its path", "https://hooks.acme.com/hook/pK3x9QvT2mZr8LwYhF82"],
    ["a token in its query", "https://hooks.acme.com/hook?token=pK3x9QvT2mZr8LwYhF82"],
  ])("keeps no URL with %s, and says so in an undo", async (_what, first) => {
    const { amp, apply, history } = project();
    const second = "https://hooks.acme.com/other/nEwnEw1234nEwnEw12";
    await apply(routing(first));
    await apply(routing(second));
    const [update] = await history();
    expect(update?.changes).toMatchObject([{ hidden: ["metadata.url"] }]);
    const pulled = await amp(["notify", "state", "pull"]);
    const undone = await amp(["notify", "undo", update?.run ?? "", "--dry-run"]);
    expect(`${pulled.stdout}${undone.stdout}${undone.stderr}`).not.toMatch(/pK3x9|nEwnEw/u);
    expect(undone.stderr).toContain("the earlier metadata.url was not saved");
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
    expect(stderr).toContain("Run r2 is no longer kept: the oldest is r3");
    expect(stderr).not.toContain("Did you mean");
  });
});

describe("amp notify undo", () => {
  it("restores what a run updated, after its plan was shown and agreed to", async () => {
    const { apply, history, amp, world } = project();
    await apply(routing(A));
    await apply(routing(B));
    const [update] = await history();
    const id = update?.run ?? "";
    const tried = await amp(["notify", "undo", id, "--dry-run", "--json"]);
    const page = await amp(["notify", "undo", id, "--dry-run"]);
    expect(page.stderr).toContain("This run can be undone.");
    expect(page.stderr).not.toContain("This routing");
    expect(tried.json()).toMatchObject({
      counts: { update: 1, create: 0, delete: 0 },
      items: [{ address: "destination/ops", differences: [{ wanted: A, found: B }] }],
    });
    expect(await amp(["notify", "undo", id])).toMatchObject({ code: 2, stdout: "" });
    expect(world().urls).toEqual([B]);
    const asked = operator([["Apply these changes?", true]]);
    const undone = await amp(["notify", "undo", id], asked);
    expect(undone.code).toBe(0);
    expect(undone.stderr).toContain(`Undoing run ${id} will:`);
    expect(undone.stderr).toContain("metadata.url");
    expect(undone.stderr).not.toContain("--all");
    expect(world().urls).toEqual([A]);
    expect((await history())[0]).toMatchObject({ undoes: id, counts: { updated: 1 } });
    const again = await amp(["notify", "undo", id, "--yes"]);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain(`Run ${id} is already undone.`);
    expect(again.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    // What was taken back does not stand in the way of what was before it.
    const first = (await history()).at(-1)?.run ?? "";
    expect(await amp(["notify", "undo", first, "--yes"])).toMatchObject({ code: 0 });
    expect(world()).toEqual({ urls: [], topics: [] });
    for (const words of [["--yes"], ["--dry-run"]]) {
      const { code, stdout, stderr } = await amp(["notify", "undo", first, ...words]);
      expect(code).toBe(0);
      expect(stderr).toContain(`Run ${first} is already undone.`);
      expect(stdout + stderr).not.toContain("0 resources");
    }
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

  it("creates again what a run deleted, and gives back a name", async () => {
    const { apply, history, undo, world } = project();
    const both = `${routing(A)}  second: { events: [installation.deleted], destinations: [ops] }\n`;
    await apply(both);
    await apply(routing(A), "--prune");
    const [pruned] = await history();
    expect(pruned?.counts).toEqual({ created: 0, updated: 0, deleted: 3 });
    expect(await undo(pruned?.run ?? "", "--yes")).toMatchObject({ code: 0 });
    expect(world().topics).toEqual(["lifecycle", "second"]);
    const status = (await undo(pruned?.run ?? "", "--dry-run", "--json")).json();
    expect(status).toMatchObject({ pending: false });
    await apply(both.replace("  second: {", "  third: { renamed-from: second,"));
    const [renamed] = await history();
    expect(await undo(renamed?.run ?? "", "--yes")).toMatchObject({ code: 0 });
    expect(world().topics).toEqual(["lifecycle", "second"]);
  });

  it("creates a route again after its destination, which the run deleted too", async () => {
    const { apply, history, undo, sandbox } = project();
    const before = sandbox.world.destinationRoutes.length;
    const more = `  alerts: { type: webhook, metadata: { url: "${B}" } }\n`;
    await apply(routing(A, more).replace("[ops] }", "[ops, alerts] }"));
    await apply(routing(A), "--prune");
    const id = (await history())[0]?.run ?? "";
    const undone = await undo(id, "--yes");
    expect(undone).toMatchObject({ code: 0 });
    expect(undone.stderr).not.toContain("cannot be");
    expect(sandbox.world.destinationRoutes).toHaveLength(before + 2);
  });

  it("creates again a webhook that a delete removed, with its routes", async () => {
    const { amp, apply, history, undo, world, sandbox } = project();
    await apply(routing(A));
    const routes = sandbox.world.destinationRoutes.length;
    const args = ["notify", "destinations", "delete", "ops", "--break-references", "--yes"];
    const deleted = await amp(args);
    expect(deleted).toMatchObject({ code: 0 });
    expect(deleted.stderr).not.toContain("Cannot be undone");
    expect(world().urls).toEqual([]);
    expect(await undo((await history())[0]?.run ?? "", "--yes")).toMatchObject({ code: 0 });
    expect(world().urls).toEqual([A]);
    expect(sandbox.world.destinationRoutes).toHaveLength(routes);
  });

  it("says before a delete that it cannot be undone, and ends with 5 or 9 where it is not", async () => {
    const { amp, apply, history, undo } = project();
    const slack = `  chat: { type: slack, metadata: { url: "https://hooks.slack.com/services/T0/B0/XX" } }\n`;
    const both = routing(A, slack).replace("[ops] }", "[ops, chat] }");
    await apply(both, "--allow-literal-secrets");
    const args = ["notify", "destinations", "delete", "chat", "--break-references", "--yes"];
    const deleted = await amp(args);
    expect(deleted.stderr).toContain("Cannot be undone: destination/chat: its metadata.url");
    const none = (await history())[0]?.run ?? "";
    for (const words of [["--yes"], ["--dry-run"]]) {
      const refused = await undo(none, ...words);
      expect(refused).toMatchObject({ code: 5, stdout: "" });
      expect(refused.stderr).toContain(`No change of run ${none} can be undone`);
      expect(refused.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    }
    await apply(both, "--allow-literal-secrets");
    await apply(routing(A).replace("installation.created", "installation.deleted"), "--prune");
    const part = (await history())[0]?.run ?? "";
    expect(await undo(part, "--dry-run")).toMatchObject({ code: 9 });
    const undone = await undo(part, "--yes");
    expect(undone).toMatchObject({ code: 9 });
    expect(undone.stderr).toContain("Partial undo complete");
    expect(undone.stderr).toContain("The run was undone only in part");
    expect(await undo(part, "--yes")).toMatchObject({ code: 9 });
  });

  it("says that what the state does not have cannot be undone", async () => {
    const { amp } = project(SEED_WORLD);
    const args = [
      "notify",
      "destinations",
      "delete",
      "acme-webhook",
      "--break-references",
      "--yes",
    ];
    const { stderr } = await amp(args);
    expect(stderr).toContain("Cannot be undone, because the state does not have it:");
  });

  it("keeps a destination that reads of customers name, unless they may be broken", async () => {
    const { apply, history, undo } = project();
    // The reads of the sandbox name this destination.
    await apply(routing(A).replaceAll("ops", "acme-webhook"));
    const id = (await history())[0]?.run ?? "";
    const refused = await undo(id, "--yes");
    expect(refused.code).toBe(5);
    expect(refused.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(await undo(id, "--yes", "--break-references")).toMatchObject({ code: 0 });
  });

  it("keeps the name that reads of customers use, which a run gave", async () => {
    const { apply, history, undo } = project();
    await apply(routing(A));
    const named = routing(A).replace("ops: {", "acme-webhook: { renamed-from: ops,");
    await apply(named.replaceAll("[ops]", "[acme-webhook]"));
    const id = (await history())[0]?.run ?? "";
    for (const words of [["--yes"], ["--dry-run"]]) {
      const refused = await undo(id, ...words);
      expect(refused).toMatchObject({ code: 5 });
      expect(refused.stderr).toContain("36 installations deliver to acme-webhook");
      expect(refused.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    }
    expect(await undo(id, "--yes", "--break-references")).toMatchObject({ code: 0 });
  });

  it("gives back the name and the values of what a run adopted and changed", async () => {
    const { apply, history, undo, sandbox } = project(SEED_WORLD);
    const routes = sandbox.world.destinationRoutes.length;
    const found = () => {
      const { name, metadata } =
        sandbox.world.destinations.find(({ id }) => id === "dst_45ba7978") ?? {};
      return { name, url: metadata?.url };
    };
    const before = found();
    expect(before).toMatchObject({ name: "acme-webhook" });
    const text = routing(B).replace("ops: {", "hook: { renamed-from: acme-webhook,");
    await apply(text.replace("[ops]", "[hook]"), "--adopt-changes", "--break-references");
    expect(found()).toEqual({ name: "hook", url: B });
    const id = (await history())[0]?.run ?? "";
    const undone = await undo(id, "--yes");
    expect(undone).toMatchObject({ code: 0 });
    expect(found()).toEqual(before);
    expect(sandbox.world.destinationRoutes).toHaveLength(routes);
    const again = await undo(id, "--yes");
    expect(again).toMatchObject({ code: 0 });
    expect(again.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(await history()).toMatchObject([{ undoes: id }, { run: id }]);
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
    // It names only what goes back, and has no file.
    const tried = await undo(id, "--dry-run");
    expect(tried.stdout).toContain("destination/ops");
    expect(tried.stdout).not.toContain("the file");
    expect(await undo(id, "--yes")).toMatchObject({ code: 0 });
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

  it("refuses an unknown run, and one that a later run builds on", async () => {
    const { apply, history, undo } = project();
    await apply(routing(A));
    await apply(routing(B));
    const [second, first] = await history();
    for (const run of ["r999", "r0", "r", "r1x"]) {
      const unknown = await undo(run);
      expect(unknown).toMatchObject({ code: 3, stdout: "" });
      expect(unknown.stderr).toContain(`The state has no run "${run}"`);
      expect(unknown.stderr).not.toContain("Did you mean");
    }
    const built = await undo(first?.run ?? "", "--yes");
    expect(built).toMatchObject({ code: 5 });
    expect(built.stderr).toContain(`A later run has changed the same resources: ${second?.run}`);
    expect(built.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});
