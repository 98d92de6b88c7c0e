import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JournalEntry } from "../../../src/sandbox/events/delivery.ts";
import { EventHistory } from "../../../src/sandbox/events/history.ts";
import {
  type EventFiles,
  openEventFiles,
  openJournal,
} from "../../../src/sandbox/events/journal.ts";
import { readSandboxState, writeSandboxState } from "../../../src/sandbox/run.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { ask } from "../ask.ts";
import { create, delivering, receiving, route, trigger, webhook } from "./wiring.ts";

const MAIN = new URL("../../../src/main.ts", import.meta.url).pathname;
const HEADERS = { "x-api-key": "sandbox-api-key", "content-type": "application/json" };

/** A sandbox in a process of its own, which ends with the test. */
async function started(folder: string): Promise<{ url: string; child: ChildProcess }> {
  const words = [
    "sandbox",
    "start",
    "--port",
    "0",
    "--state",
    "world.json",
    "--time-scale",
    "1000",
  ];
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  return { url, child };
}

async function post(url: string, path: string, body: object) {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: HEADERS,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return (await answer.json()) as { id: string };
}

describe("a sandbox with a state that is killed", () => {
  it("delivers every accepted event after the next start", async () => {
    const folder = temporaryFolder();
    // Every message is refused until the kill, so that all wait for another attempt.
    let isTaking = false;
    const receiver = await receiving(() => (isTaking ? 204 : 500));
    const first = await started(folder);
    const killed = once(first.child, "exit");
    const projects = `${first.url}/projects/acme`;
    const { id: destinationId } = await post(projects, "/destinations", {
      ...{ name: "ops", type: "webhook" },
      metadata: { url: receiver.url },
    });
    const { id: topicId } = await post(projects, "/topics", { name: "t" });
    await post(projects, "/notification-event-topic-routes", {
      topicId,
      eventType: "connection.deleted",
    });
    await post(projects, "/topic-destination-routes", { topicId, destinationId });
    const accepted: number[] = [];
    const sends = Array.from({ length: 60 }, async (_, number) => {
      await post(`${first.url}/sandbox/projects/acme`, "/events", {
        type: "connection.deleted",
        data: { number },
      });
      accepted.push(number);
      if (accepted.length === 30) first.child.kill("SIGKILL");
    });
    await Promise.allSettled([...sends, killed]);
    expect(accepted.length).toBeGreaterThanOrEqual(30);
    isTaking = true;
    const before = receiver.got.length;
    const second = await started(folder);
    const arrived = () =>
      new Set(
        receiver.got
          .slice(before)
          .map(({ body }) => (JSON.parse(body) as { data: { number: number } }).data.number),
      );
    await expect
      .poll(() => accepted.filter((number) => !arrived().has(number)), { timeout: 30_000 })
      .toEqual([]);
    second.child.kill("SIGTERM");
    await once(second.child, "exit");
  });
});

describe("the journal", () => {
  const event = (number: number) =>
    ({
      kind: "event",
      event: { id: `evt_${number}`, projectId: "p", type: "t", time: "", data: { number } },
      messages: [{ id: `msg_${number}`, destinationId: "dst_1" }],
    }) as const;
  const remarks: string[] = [];
  const open = async (path: string, history = new EventHistory()) => ({
    history,
    journal: await openJournal(path, history, (remark) => remarks.push(remark)),
  });

  it("leaves out a line that was cut off, and says so", async () => {
    const path = join(temporaryFolder(), "journal.ndjson");
    const { journal } = await open(path);
    await journal.append([event(1), event(2)], { isDurable: true });
    await journal.close();
    appendFileSync(path, '{"kind":"event","event":{"id":"evt_3"');
    const { history, journal: again } = await open(path);
    expect([...history.open()].map(({ message }) => message.id)).toEqual(["msg_1", "msg_2"]);
    expect(remarks).toEqual([`${path}: 1 line was not readable and left out`]);
    await again.append([event(4)]);
    await again.close();
    expect(readFileSync(path, "utf8")).not.toContain("evt_3");
    expect(readFileSync(path, "utf8")).toContain("evt_4");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("keeps pending messages, and only the last of the others", async () => {
    const path = join(temporaryFolder(), "journal.ndjson");
    const { history, journal } = await open(path);
    const entries = Array.from({ length: 12_000 }, (_, number) => event(number));
    await journal.append(entries);
    for (const entry of entries) history.apply(entry);
    for (const { event: one, messages } of entries.slice(10)) {
      history.apply({
        kind: "attempt",
        attempt: {
          ...{ sequence: history.counts.attempts + 1, projectId: "p", eventType: "t", attempt: 1 },
          ...{ messageId: messages[0].id, eventId: one.id, destinationId: "dst_1", time: "" },
          outcome: "delivered",
        },
      });
    }
    await journal.close();
    const kept = [...history.entries()].filter(({ kind }) => kind === "event");
    expect(kept).toHaveLength(10_010);
    expect(history.event("evt_2000")).toBeDefined();
    expect(history.event("evt_1000")).toBeUndefined();
    // What a new history is made of makes the same history again.
    const copy = new EventHistory();
    for (const entry of history.entries()) copy.apply(entry);
    expect([...copy.entries()]).toEqual([...history.entries()]);
    expect([...copy.open()]).toHaveLength(10);
  });
});

describe("an event that a change causes", () => {
  /** A sandbox of a state file, whose journal is that of the file unless another is given. */
  const opened = async (state: string, stops?: EventFiles["journal"]["append"]) => {
    const saved = await readSandboxState(state);
    const files = await openEventFiles(state, () => {}, saved?.caused);
    const journal = stops === undefined ? files.journal : { ...files.journal, append: stops };
    return delivering(
      { ...files, journal },
      {
        state: saved?.world,
        onChange: (world, caused) => writeSandboxState(state, world, caused),
      },
    );
  };
  const pause = async (sandbox: Sandbox) => {
    const { id, integrationId } = sandbox.world.installations[0] ?? {};
    const path = `/projects/acme/integrations/${integrationId}/installations/${id}`;
    return ask(sandbox, `PATCH ${path}`, {
      updateMask: ["config.content.read.objects.contacts.disabled"],
      installation: {
        config: { content: { read: { objects: { contacts: { disabled: true } } } } },
      },
    });
  };

  it("is saved with the change, so that a kill before the journal does not lose it", async () => {
    const state = join(temporaryFolder(), "world.json");
    const receiver = await receiving();
    const first = await opened(state);
    const id = await webhook(first, "ops", receiver.url);
    await route(first, "t", ["installation.updated", "destination.webhook.disabled"], [id]);
    await first.events.close();
    // A process that ends here writes nothing more to the journal.
    const killed = await opened(state, () => new Promise(() => {}));
    const before = await readSandboxState(state);
    void pause(killed);
    await expect.poll(async () => (await readSandboxState(state))?.caused.length).toBe(1);
    expect(before?.caused).toEqual([]);
    expect(receiver.got).toHaveLength(0);
    const second = await opened(state);
    await second.events.settled();
    expect(receiver.got).toHaveLength(1);
    expect(JSON.parse(receiver.got[0]?.body ?? "").notificationType).toBe("installation.updated");
    await second.events.close();
    // The state still has it, and it is not delivered again, even when the journal has forgotten it.
    const third = await opened(state);
    await Promise.all(
      Array.from({ length: 30 }, () => trigger(third, "connection.created", { repeat: 400 })),
    );
    await third.events.settled();
    await third.events.close();
    // The first start writes the journal anew without it, and the second reads that.
    for (const _ of [1, 2]) {
      const next = await opened(state);
      await next.events.settled();
      await next.events.close();
    }
    expect(readFileSync(`${state}.events/journal.ndjson`, "utf8")).not.toContain(
      "installation.updated",
    );
    expect(receiver.got).toHaveLength(1);
  });

  it("is saved in the same write as the end of a destination", async () => {
    const written: JournalEntry[][] = [];
    const state = join(temporaryFolder(), "world.json");
    const sandbox = await opened(state, async (entries) => void written.push([...entries]));
    const receiver = await receiving(
      () => (response) => response.writeHead(204, { "webhook-delivery": "disable" }).end(),
    );
    const id = await webhook(sandbox, "ops", receiver.url);
    await route(sandbox, "t", ["connection.error"], [id]);
    await trigger(sandbox, "connection.error");
    await expect
      .poll(() => written.map((entries) => entries.map(({ kind }) => kind)))
      .toContainEqual(["event", "disabled"]);
  });
});

describe("a destination that is not a webhook", () => {
  it("receives the data alone, as lines of a file", async () => {
    const state = join(temporaryFolder(), "world.json");
    const files = await openEventFiles(state, () => {});
    const sandbox = delivering(files);
    const receiver = await receiving();
    const archive = await create(sandbox, "destinations", {
      ...{ name: "archive", type: "s3" },
      ...{ metadata: { bucket: "b", region: "r" }, secrets: { awsKeyId: "k", awsSecretKey: "s" } },
    });
    await route(
      sandbox,
      "t",
      ["connection.error"],
      [archive, await webhook(sandbox, "ops", receiver.url)],
    );
    await trigger(sandbox, "connection.error", { data: { number: 1 } });
    await trigger(sandbox, "connection.error", { data: { number: 2 } });
    await sandbox.events.settled();
    const path = join(`${state}.events`, "streams", "acme", "archive.ndjson");
    expect(readFileSync(path, "utf8").trim().split("\n").sort()).toEqual([
      '{"number":1}',
      '{"number":2}',
    ]);
    expect(receiver.got).toHaveLength(2);
  });

  it("is disabled, or failing, also after a restart", async () => {
    const state = join(temporaryFolder(), "world.json");
    const sandbox = delivering(await openEventFiles(state, () => {}));
    const receiver = await receiving(
      () => (response) => response.writeHead(500, { "webhook-delivery": "disable" }).end(),
    );
    const id = await webhook(sandbox, "ops", receiver.url);
    await route(sandbox, "t", ["connection.error"], [id]);
    await trigger(sandbox, "connection.error");
    await sandbox.events.settled();
    await sandbox.events.close();
    const files = await openEventFiles(state, () => {});
    const next = delivering(files, { state: sandbox.world });
    const { body } = await trigger(next, "connection.error");
    expect(body.reaches[0].reason).toBe("the destination is disabled");
    const listed = await ask(next, "GET /sandbox/projects/acme/deliveries");
    expect(listed.body[0]).toMatchObject({ sequence: 1, outcome: "aborted" });
    await next.events.settled();
  });
});
