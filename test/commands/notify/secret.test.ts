import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lockFolder } from "../../../src/durable/lock.ts";
import { placesOf } from "../../../src/notify/state/local/state-file.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { scriptedPrompter } from "../../scripted-prompter.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
  events: { type: kinesis, metadata: { streamName: a, region: b }, secrets: { awsKeyId: env:A, awsSecretKey: env:B } }
topics: {}
`;
const ENV = { A: "AKIA-0123456789", B: "not-a-real-secret" };

/** A world whose state holds a webhook and a stream. */
async function applied() {
  const world = { cwd: temporaryFolder(), sandbox: sandboxAt(), env: ENV };
  writeFileSync(join(world.cwd, "routing.yaml"), ROUTING);
  const words = ["notify", "apply", "-f", "routing.yaml", "--yes"];
  const { code, stderr } = await run(words, world);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return world;
}

const secret = (words: readonly string[], world: RunInput): Promise<Outcome> =>
  run(["notify", "destinations", "secret", ...words], world);

const rotations = ({ requests }: Outcome) =>
  requests.filter(({ path }) => path.includes("rotate=true"));

const KEY = /^whsec_[\w+/]{32}$/u;

/** What the state holds of the webhook. */
async function saved(world: RunInput): Promise<Record<string, unknown> | undefined> {
  const { json, stdout } = await run(["notify", "state", "pull"], world);
  expect(stdout).not.toContain("whsec_");
  return (json() as { entries: Record<string, Record<string, unknown>> }).entries[
    "destination/ops"
  ];
}

/** A network that loses the answers of rotations, before or after the service has them. */
function losing(sandbox: Sandbox, when: "before" | "after") {
  return async (request: Request) => {
    if (!request.url.includes("rotate=true")) return sandbox.fetch(request);
    if (when === "after") await sandbox.fetch(request);
    throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
  };
}

describe("a rotation that waits for the lock", () => {
  it("was not sent where it is interrupted", async () => {
    const world = { ...(await applied()), env: { ...ENV, AMP_STATE: "s.json" } };
    const lock = lockFolder(placesOf(join(world.cwd, "s.json")).lock);
    mkdirSync(lock, { recursive: true });
    const owner = { id: "lock-1", pid: 7, host: "runner-7", command: "amp notify apply" };
    writeFileSync(join(lock, "1"), JSON.stringify({ ...owner, since: "2026-09-02T08:00:00Z" }));
    const stop = new AbortController();
    setTimeout(() => stop.abort("SIGINT"), 300);
    const words = ["ops", "--rotate", "--yes", "AMP_LOCK_WAIT=30s", "--json"];
    const stopped = await secret(words, { ...world, signal: stop.signal });
    expect(stopped.code).toBe(130);
    expect(rotations(stopped)).toEqual([]);
    expect(stopped.error()).toMatchObject({ done: "Nothing was sent." });
    expect(stopped.error().remedy ?? "").not.toContain("rotated");
  });
});

describe("amp notify destinations secret", () => {
  it("prints the secret alone, and in JSON, and nothing else has it", async () => {
    const world = await applied();
    const plain = await secret(["ops", "--debug"], world);
    expect(plain.code).toBe(0);
    expect(plain.stdout.trim()).toMatch(KEY);
    expect(plain.stderr).not.toContain("whsec_");
    const { json } = await secret(["ops", "--json"], world);
    expect(json()).toMatchObject({
      name: "ops",
      rotated: false,
      secrets: { webhookSigningKey: plain.stdout.trim() },
    });
    for (const words of [["destinations", "get", "ops"], ["destinations", "list"], ["export"]]) {
      const other = await run(["notify", ...words, "--json"], world);
      expect(other.stdout + other.stderr).not.toContain("whsec_");
    }
  });

  it("asks for it on request only, by the name, once the ID is known", async () => {
    const world = await applied();
    const id = String((await saved(world))?.id);
    const { requests, code } = await secret([id], world);
    expect(code).toBe(0);
    expect(requests.filter(({ path }) => path.includes("includeSecrets"))).toMatchObject([
      { path: "/projects/acme/destinations/ops?includeSecrets=true" },
    ]);
    expect(await secret(["op"], world)).toMatchObject({ code: 3, stdout: "" });
  });

  it("shows several secrets by name", async () => {
    const world = await applied();
    const { stdout } = await secret(["events"], world);
    expect(stdout).toBe("awsKeyId=AKIA-0123456789\nawsSecretKey=not-a-real-secret\n");
  });

  it("refuses a name that several have, since the service goes by the name", async () => {
    const sandbox = sandboxAt(undefined, { uniqueNames: false });
    const create = ["notify", "destinations", "create", "--name", "ops", "--type", "webhook"];
    const made = [];
    for (const host of ["a", "b"]) {
      const words = [...create, "--url", `https://${host}.example`, "-o", "id"];
      made.push((await run(words, { sandbox })).stdout.trim());
    }
    const outcome = await secret([made[0] ?? "", "--rotate", "--yes"], { sandbox });
    expect(outcome.code).toBe(5);
    expect(outcome.stderr).toContain('2 destinations are named "ops"');
    expect(rotations(outcome)).toEqual([]);
  });
});

describe("--rotate", () => {
  it("asks, with No as the default", async () => {
    const world = await applied();
    const prompter = scriptedPrompter([["Rotate the signing secret of ops?", false]]);
    const outcome = await secret(["ops", "--rotate"], { ...world, tty: true, prompter });
    expect(outcome.code).toBe(130);
    expect(outcome.stderr).toContain("Receivers need both secrets");
    expect(rotations(outcome)).toEqual([]);
    const piped = await secret(["ops", "--rotate"], world);
    expect(piped).toMatchObject({ code: 2, stdout: "" });
    expect(rotations(piped)).toEqual([]);
    const dry = await secret(["ops", "--rotate", "--dry-run"], world);
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain("destinations/ops?includeSecrets=true&rotate=true");
    expect(rotations(dry)).toEqual([]);
  });

  it("makes a new one, prints it, and says that receivers need both", async () => {
    const world = await applied();
    const before = (await secret(["ops"], world)).stdout.trim();
    const outcome = await secret(["ops", "--rotate", "--yes"], world);
    const after = outcome.stdout.trim();
    expect(after).toMatch(KEY);
    expect(after).not.toBe(before);
    expect(outcome.stderr).toContain("signed with the old and the new secret");
    expect(outcome.stderr).not.toContain("whsec_");
    expect((await secret(["ops"], world)).stdout.trim()).toBe(after);
    expect(await saved(world)).not.toHaveProperty("rotating");
  });

  it("is only for webhooks", async () => {
    const outcome = await secret(["events", "--rotate", "--yes"], await applied());
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain("The destination events is of type kinesis, not webhook");
    expect(rotations(outcome)).toEqual([]);
  });

  it.each(["before", "after"] as const)(
    "is never sent again where the answer is lost %s it was done",
    async (when) => {
      const world = await applied();
      const before = (await secret(["ops"], world)).stdout.trim();
      const fetch = losing(world.sandbox, when);
      const outcome = await secret(["ops", "--rotate", "--yes", "--json"], { ...world, fetch });
      expect(outcome).toMatchObject({ code: 9, stdout: "" });
      expect(rotations(outcome)).toHaveLength(1);
      expect(outcome.error()).toMatchObject({
        done: "The secret may have been rotated. The request was not sent again.",
        suggestion: "amp notify destinations secret ops",
      });
      expect(await saved(world)).toHaveProperty("rotating");
      const read = await secret(["ops"], world);
      expect(read.stdout.trim() === before).toBe(when === "before");
      expect(read.stderr).toMatch(/rotation started at \S+Z was unknown/u);
      expect(await saved(world)).not.toHaveProperty("rotating");
      expect((await secret(["ops"], world)).stderr).not.toContain("rotation");
    },
  );

  it("leaves no mark where the service refuses it", async () => {
    const world = await applied();
    const fetch = async (request: Request) =>
      request.url.includes("rotate=true")
        ? Response.json({ title: "Forbidden" }, { status: 403 })
        : world.sandbox.fetch(request);
    const outcome = await secret(["ops", "--rotate", "--yes", "--json"], { ...world, fetch });
    expect(outcome.code).toBe(4);
    expect(outcome.error().done).toBe("Nothing was changed.");
    expect(await saved(world)).not.toHaveProperty("rotating");
  });
});
