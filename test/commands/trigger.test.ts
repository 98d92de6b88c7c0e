import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DeliveryAttempt } from "../../src/api/schemas/sandbox-event.ts";
import { verifySignature } from "../../src/events/message/signature.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { SEED_WORLD } from "../platform.ts";
import { ask } from "../sandbox/ask.ts";
import { type Answer, type Receiver, receive } from "../sandbox/events/receiver.ts";
import { scriptedPrompter } from "../scripted-prompter.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const trigger = (args: readonly string[], world: RunInput = {}) =>
  run(["trigger", "connection.error", ...args], world);
const printed = async (args: readonly string[], world: RunInput = {}) => {
  const { stdout, stderr, code } = await trigger([...args, "--print"], world);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).data;
};

async function receiving(answer?: (number: number) => Answer): Promise<Receiver> {
  const receiver = await receive(answer);
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  return receiver;
}

/** A sandbox in which connection.error goes to a receiver. */
async function routed(answer?: (number: number) => Answer) {
  const receiver = await receiving(answer);
  const sandbox = sandboxAt(NOW, { events: { timeScale: 1_000_000 } });
  onTestFinished(() => sandbox.events.close());
  const cwd = temporaryFolder();
  writeFileSync(
    join(cwd, "routing.yaml"),
    `version: 1
destinations:
  ops: { type: webhook, metadata: { url: "${receiver.url}" } }
topics:
  trouble: { events: [connection.error], destinations: [ops] }
`,
  );
  const applied = await run(["notify", "apply", "-f", "routing.yaml", "--yes"], { sandbox, cwd });
  expect(applied.code, applied.stderr).toBe(0);
  return { receiver, sandbox, cwd };
}

describe("amp trigger", () => {
  it("does not say with --dry-run that no destination receives it", async () => {
    const { sandbox } = await routed();
    const { code, stderr } = await trigger(["--dry-run"], { sandbox });
    expect(code).toBe(0);
    expect(stderr).not.toContain("No destination");
    expect((await trigger([], { sandbox: sandboxAt(NOW) })).stderr).toContain("No destination");
  });

  it("lets an event occur, which arrives", async () => {
    const { receiver, sandbox } = await routed();
    const { code, json } = await trigger(["--set", "groupRef=me", "--json"], { sandbox });
    await sandbox.events.settled();
    expect(code).toBe(0);
    expect(json()).toEqual({
      type: "connection.error",
      projectId: "prj_acme0a1b",
      eventIds: [expect.stringMatching(/^evt_/u)],
      reaches: [expect.objectContaining({ topicName: "trouble", destinationName: "ops" })],
    });
    expect(JSON.parse(receiver.got[0]?.body ?? "").data.groupRef).toBe("me");
  });

  it("names the topics and destinations on a terminal", async () => {
    const { sandbox } = await routed();
    const { stdout } = await trigger(["--repeat", "3"], {
      sandbox,
      tty: true,
      env: { NO_COLOR: "1" },
    });
    expect(stdout).toMatch(/^Triggered connection\.error/u);
    expect(stdout).toMatch(/trouble\s+ops\s+webhook\s+queued/u);
    expect(stdout).toContain("Events  3, the first evt_");
  });

  it("says below the table to whom nothing is sent, so that 60 columns do not cut the reason", async () => {
    const { sandbox } = await routed();
    const { id } = sandbox.world.destinations.find(({ name }) => name === "ops") ?? { id: "" };
    await ask(sandbox, `PATCH /projects/acme/destinations/${id}`, {
      updateMask: ["metadata.url"],
      destination: { metadata: { url: "https://hooks.example.com/amp" } },
    });
    const world = { sandbox, env: { NO_COLOR: "1" } };
    const screen = await trigger([], { ...world, tty: true, columns: 60 });
    expect(screen.stdout).toMatch(/^ +trouble +ops +webhook +not sent$/mu);
    expect(screen.stdout).toContain("Not sent to ops: the URL is not on this machine.");
    const piped = await trigger([], world);
    expect(piped.stdout).toContain("\twebhook\tnot sent: the URL is not on this machine\n");
    await sandbox.events.pause(id, true);
    expect((await trigger([], world)).stdout).toContain("\twaits: the destination is paused\n");
    const paused = await trigger([], { ...world, tty: true });
    expect(paused.stdout).toMatch(/webhook +waits$/mu);
    expect(paused.stdout).toContain("Waits for ops: the destination is paused.");
  });

  it("is one table in a pipe: a row for each event and destination, of five columns", async () => {
    const { sandbox } = await routed();
    const columns = async (argv: string[], world: RunInput = { sandbox }) => {
      const { stdout } = await trigger(argv, world);
      return stdout.match(/.+/gu)?.map((line) => line.split("\t").length);
    };
    expect(await columns([])).toEqual([5]);
    expect(await columns(["--repeat", "3"])).toEqual([5, 5, 5]);
    // It reaches no destination.
    expect(await columns([], { sandbox: sandboxAt() })).toEqual([5]);
    const receiver = await receiving();
    const to = ["--to", receiver.url, "--secret", "env:S"];
    const env = { S: SECRET };
    expect(await columns(to, { env })).toEqual([6]);
    expect(await columns([...to, "--repeat", "2"], { env })).toEqual([6, 6]);
  });

  it("says that it reaches no destination, and how to find out why", async () => {
    const { code, stderr } = await trigger([], { sandbox: sandboxAt() });
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^No destination receives connection\.error\. To find out why: {2}amp notify graph connection\.error/mu,
    );
  });

  it("refuses a mistyped event type, and takes an unknown one that is like no other", async () => {
    const { sandbox } = await routed();
    for (const more of [[], ["--print"], ["--to", "http://127.0.0.1:9/", "--secret", "env:S"]]) {
      const mistyped = await run(["trigger", "conection.error", "--json", ...more], { sandbox });
      expect({ code: mistyped.code, stdout: mistyped.stdout }).toEqual({ code: 2, stdout: "" });
      expect(mistyped.requests).toEqual([]);
      expect(mistyped.error()).toMatchObject({
        message:
          'Unknown event type "conection.error": did you mean connection.error? (or pass --allow unknown)',
        done: "Nothing was sent.",
      });
    }
    for (const words of [["conection.error", "--allow", "unknown"], ["billing.closed"]]) {
      const { code, stdout, stderr } = await run(["trigger", ...words, "--print"]);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ notificationType: words[0] });
      expect(stderr).toContain(`Unknown event type "${words[0]}"`);
    }
  });

  it("lists the events where none is typed, on a terminal as a question", async () => {
    const prompter = scriptedPrompter([["Event", "read.message"]]);
    const { code, stdout } = await run(["trigger", "--print"], { tty: true, prompter });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ action: "read" });
    const piped = await run(["trigger", "--print"]);
    expect(piped.code).toBe(2);
    expect(piped.stderr).toMatch(/Choose one of: installation\.created, .*, subscribe\.message\./u);
  });

  it("takes the name of an installation, and refuses one that matches none", async () => {
    const sandbox = sandboxAt();
    const args = ["--print", "--installation"];
    const { stdout, code } = await trigger([...args, "paper street"], { sandbox });
    expect(code).toBe(0);
    expect(stdout).toContain("Paper Street");
    for (const more of [args, ["--installation"]]) {
      const none = await trigger([...more, "nobody-at-all"], { sandbox });
      expect([none.code, none.stdout], none.stderr).toEqual([3, ""]);
      expect(none.stderr).toContain("amp installations list");
    }
  });

  it("writes nothing to a service that is not a sandbox", async () => {
    const specOnly = sandboxAt(NOW, { specOnly: true });
    for (const args of [[], ["--from", "-"]]) {
      const world = { sandbox: specOnly, stdin: "{}" };
      const { code, requests, stderr } = await trigger(args, world);
      expect(code).toBe(3);
      expect(requests.every(({ method }) => method === "GET")).toBe(true);
      expect(stderr).toMatch(/does not|not found/u);
    }
  });
});

describe("the payload", () => {
  it("has fields set and removed, as JSON where it is JSON", async () => {
    const data = await printed([
      ...["--set", "errors.0=expired", "--set", "errors.1=2", "--set", "a.b=true"],
      ...[
        "--set",
        "new.0=x",
        "--set",
        "new.1=y",
        "--set",
        'text="5"',
        "--set",
        "__proto__=x",
        "--unset",
        "consumerName",
      ],
    ]);
    expect(data).toMatchObject({
      errors: ["expired", 2],
      a: { b: true },
      text: "5",
      new: ["x", "y"],
    });
    expect(Object.hasOwn(data, "__proto__")).toBe(true);
    expect(data).not.toHaveProperty("consumerName");
  });

  it.each([
    [["--set", "errors.5=x"], "5 is not an index from 0 to 1"],
    [["--set", "provider.x=1"], 'x would be a field of "hubspot"'],
    [["--set", "a..b=1"], "the path has an empty part"],
    [
      ["--set", "provder=x"],
      "--set provder: the event has no field provder: did you mean provider?",
    ],
    [["--unset", "providr"], "the event has no such field"],
    [["--unset", "errors.4"], "the event has no such field"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await trigger([...args, "--print"]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("may have a field that is nearly another where that is allowed", async () => {
    expect(await printed(["--set", "provder=x", "--allow", "unknown"])).toMatchObject({
      provder: "x",
    });
  });

  it("comes from a file or standard input, as data or as a whole body", async () => {
    const cwd = temporaryFolder();
    const data = { mine: 1 };
    writeFileSync(join(cwd, "data.json"), JSON.stringify(data));
    expect(await printed(["--from", "data.json"], { cwd })).toEqual(data);
    const body = { notificationType: "connection.error", data };
    expect(await printed(["--from", "-"], { stdin: JSON.stringify(body) })).toEqual(data);
    const untyped = await run(["trigger", "--from", "-", "--print"], {
      stdin: JSON.stringify(body),
    });
    expect(JSON.parse(untyped.stdout)).toEqual(body);
    for (const [stdin, message] of [
      ["{", "Standard input is not valid JSON"],
      ["[]", "Standard input is not a JSON object"],
      [JSON.stringify({ ...body, notificationType: "x" }), 'has the event "x"'],
    ] as const) {
      const { code, stderr } = await trigger(["--from", "-", "--print"], { stdin });
      expect([code, stderr.includes(message)], stderr).toEqual([2, true]);
    }
  });

  it("is edited on a terminal, again while it is not valid", async () => {
    const cwd = temporaryFolder();
    const editor = join(cwd, "edit.sh");
    // The first time it breaks the text, the second time it mends it and changes a field.
    writeFileSync(
      editor,
      `if test -e seen; then sed -i 's/^{{/{/; s/northwind/edited/' "$1"
else touch seen; sed -i 's/^{/{{/' "$1"; fi
`,
    );
    const env = { EDITOR: `cd ${cwd} && sh ${editor}` };
    const prompter = scriptedPrompter([["Edit it again?", true]]);
    const data = await printed(["--edit"], { cwd, env, tty: true, prompter });
    expect(data.groupRef).toBe("edited");
    const failing = await trigger(["--edit", "--print"], { env: { EDITOR: "false" }, tty: true });
    expect([failing.code, failing.stdout]).toEqual([2, ""]);
    expect(failing.stderr).toContain("The editor false ended with 1");
    const piped = await trigger(["--edit", "--print"]);
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining("--edit needs")]);
  });

  it("is sample data without a request, unless an installation is named", async () => {
    const { requests, stdout } = await trigger(["--print"]);
    expect(requests).toEqual([]);
    expect(stdout).toContain("Northwind");
    const sandbox = sandboxAt();
    const { id } = sandbox.world.installations.at(-1) ?? { id: "" };
    const named = await trigger(["--print", "--installation", id], { sandbox });
    expect(named.stdout).toContain("Paper Street");
  });
});

describe("amp trigger --to", () => {
  const world = { stdin: SECRET };

  it("sends a signed event to one URL", async () => {
    const receiver = await receiving((number) =>
      number < 3 ? 204 : (response) => response.writeHead(401).end("who are you?"),
    );
    const args = ["--to", `${receiver.url}?token=1`, "--secret", "-"];
    const sent = await trigger([...args, "--repeat", "2", "--json"], world);
    expect([sent.code, sent.requests]).toEqual([0, []]);
    expect(sent.stdout).not.toContain("token");
    expect(receiver.got).toHaveLength(2);
    for (const { headers, body } of receiver.got) {
      expect(verifySignature({ headers, body }, [SECRET], NOW)).toMatchObject({ valid: true });
    }
    const refused = await trigger([...args, "--json"], world);
    expect(refused.code).toBe(8);
    expect(refused.json()).toMatchObject({
      messages: [{ attempts: [{ outcome: "failed", status: 401, response: "who are you?" }] }],
    });
  });

  it("says how many messages were sent before it was interrupted", async () => {
    const end = new AbortController();
    const receiver = await receiving((number) => {
      if (number === 2) end.abort("SIGINT");
      return 204;
    });
    const args = ["--to", receiver.url, "--secret", "-", "--repeat", "3"];
    const { code, stderr } = await trigger(args, { ...world, signal: end.signal });
    expect(code).toBe(130);
    expect(stderr).toContain("2 of 3 messages were sent.");
  });

  it("needs a secret, and a confirmation for another machine", async () => {
    const withoutSecret = await trigger(["--to", "http://localhost:1/"]);
    expect([withoutSecret.code, withoutSecret.stderr]).toEqual([
      2,
      expect.stringContaining("--to needs the signing secret"),
    ]);
    const far = await trigger(["--to", "https://hooks.acme.example/", "--secret", "-"], world);
    expect(far.code).toBe(2);
    expect(far.stderr).toContain("Sending to hooks.acme.example needs confirmation");
    expect((await trigger(["--secret", "-"], world)).stderr).toContain("no effect without --to");
    expect((await trigger(["--to", "ftp://x/"])).stderr).toContain(
      "must begin with http:// or https://",
    );
  });

  it("reports a URL at which nothing answers", async () => {
    const receiver = await receiving();
    await receiver[Symbol.asyncDispose]();
    const args = ["--to", receiver.url, "--secret", "-", "--json"];
    const { code, json } = await trigger(args, world);
    expect(code).toBe(8);
    expect(json()).toMatchObject({ messages: [{ attempts: [{ error: "connection refused" }] }] });
  });
});

describe("amp sandbox deliveries, and amp trigger --from one", () => {
  it("show each attempt, and make another", async () => {
    const { sandbox } = await routed((number) => (number <= 8 ? 500 : 204));
    await trigger([], { sandbox });
    await sandbox.events.settled();
    const listed = await run(["sandbox", "deliveries", "--json"], { sandbox });
    expect(listed.json()).toHaveLength(8);
    const screen = await run(["sandbox", "deliveries"], {
      ...{ sandbox, tty: true, columns: 80, env: { NO_COLOR: "1" } },
    });
    expect(screen.stdout).toMatch(/^TIME +EVENT +RESULT +DESTINATION +ATTEMPT +MESSAGE/mu);
    const shown = /^08:30:00Z +connection.error +failed 500 +ops +\d +(msg_\w{8})$/mu;
    const [, short = ""] = shown.exec(screen.stdout) ?? [];
    const [{ messageId }] = listed.json() as [{ messageId: string }];
    expect(messageId.startsWith(short)).toBe(true);
    const again = await run(["trigger", "--from", short, "--json"], { sandbox });
    expect(again.code).toBe(0);
    expect(again.json()).toMatchObject({
      messages: [
        {
          id: messageId,
          event: "connection.error",
          attempts: [{ outcome: "delivered", status: 204 }],
        },
      ],
    });
    await trigger([], { sandbox });
    await sandbox.events.settled();
    const several = await run(["trigger", "--from", "evt_"], { sandbox });
    expect(several.code).toBe(5);
    expect(several.stderr).toMatch(/2 delivery IDs match "evt_"/u);
    const { id } = sandbox.world.destinations.find(({ name }) => name === "ops") ?? { id: "" };
    await ask(sandbox, `DELETE /projects/acme/destinations/${id}`);
    const deleted = await run(["trigger", "--from", messageId, "--json"], { sandbox });
    expect(deleted.code).toBe(8);
    expect(deleted.json()).toMatchObject({
      messages: [{ attempts: [{ outcome: "not_sent", error: "the destination was deleted" }] }],
    });
    const mistyped = `${messageId.slice(0, -1)}z`;
    const unknown = await run(["trigger", "--from", mistyped], { sandbox });
    expect({ code: unknown.code, stderr: unknown.stderr }).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        [
          `✗ No delivery ID matches "${mistyped}"`,
          "  Nothing was sent.",
          `  Did you mean "${messageId}"?`,
          `  Try: amp trigger --from ${messageId}`,
          "",
        ].join("\n"),
      ),
    });
  });

  it.each([
    [["connection.error", "--from", "msg_1"], "<event> has no effect with --from msg_1"],
    [["connection.error", "--print", "--repeat", "3"], "--repeat has no effect with --print"],
    [["--from", "msg_1", "--set", "a=1", "--edit"], "--set, --edit have no effect"],
    [["--from", "msg_1", "--to", "http://localhost:1/", "--secret", "-"], "--to has no effect"],
    [[], "Missing argument <event>"],
  ])("refuse %j", async (argv, message) => {
    const { code, stderr, requests } = await run(["trigger", ...argv], { sandbox: sandboxAt() });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(message);
  });

  it("show the time of the next attempt only until it was made", async () => {
    const { sandbox } = await routed(() => 500);
    await trigger([], { sandbox });
    await sandbox.events.settled();
    const args = ["sandbox", "deliveries"];
    const all = (await run([...args, "--json"], { sandbox })).json() as DeliveryAttempt[];
    expect(all.filter(({ nextAttemptTime }) => nextAttemptTime)).toHaveLength(7);
    const world = { sandbox, tty: true, columns: 160, env: { NO_COLOR: "1" } };
    const every = await run(args, world);
    expect(every.stdout).not.toContain("just now");
    expect(every.stdout.match(/\d\d:\d\d:\d\dZ/gu)).toHaveLength(8);
    sandbox.events.history.attempts.splice(1);
    const first = await run(args, world);
    expect(first.stdout).toMatch(/^08:30:00Z .* 08:30:\d\dZ +\d+ ms +msg_/mu);
    // 35 hours later, as the last interval is.
    const [one] = sandbox.events.history.attempts as { nextAttemptTime?: string }[];
    Object.assign(one ?? {}, { nextAttemptTime: "2040-03-01T07:00:00.000Z" });
    expect((await run(args, world)).stdout).toContain(" 2040-03-01 07:00:00Z ");
  });

  it("trigger an event in a project without installations", async () => {
    const outcome = await run(["trigger", "connection.error", "-p", "globex-staging", "--json"], {
      sandbox: sandboxAt(undefined, { state: { ...SEED_WORLD, installations: [] } }),
    });
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toMatchObject({
      projectId: "prj_globex2c",
      eventIds: [expect.stringMatching(/^evt_/u)],
    });
  });

  it("say why a message was not sent", async () => {
    const sandbox = sandboxAt(undefined, { state: SEED_WORLD });
    await trigger([], { sandbox });
    await sandbox.events.settled();
    const terminal = { tty: true, columns: 140, env: { NO_COLOR: "1" } };
    const { stdout } = await run(["sandbox", "deliveries"], { sandbox, ...terminal });
    expect(stdout).toContain("the URL is not on this machine");
  });

  it("keep the ID on a narrow terminal, and tell where the whole ones are", async () => {
    const { sandbox } = await routed();
    await trigger([], { sandbox });
    await sandbox.events.settled();
    const world = { sandbox, tty: true, env: { NO_COLOR: "1" } };
    const narrow = await run(["sandbox", "deliveries"], { ...world, columns: 50 });
    expect(narrow.stdout).toMatch(/^Message +msg_/mu);
    // What is cut before it is hidden.
    const small = await run(["sandbox", "deliveries"], { ...world, columns: 60 });
    expect(small.stdout).toMatch(/^EVENT +RESULT +DESTINATION +ATTEMPT +MESSAGE\nconnection/u);
    expect(narrow.stderr).toContain("For the full IDs, add --output id.");
  });

  it("refuse a destination that does not exist, with the nearest", async () => {
    const { sandbox } = await routed();
    for (const more of [[], ["--follow"]]) {
      const args = ["sandbox", "deliveries", "--destination", "opps", ...more];
      const { code, stdout, stderr } = await run(args, { sandbox });
      expect([code, stdout], stderr).toEqual([3, ""]);
      expect(stderr).toContain("amp sandbox deliveries --destination ops");
    }
    const none = await run(["sandbox", "deliveries", "--destination", "ops"], { sandbox });
    expect([none.code, none.stdout]).toEqual([0, ""]);
  });

  it("follow what is delivered until the signal", async () => {
    const { sandbox } = await routed();
    await trigger([], { sandbox });
    await sandbox.events.settled();
    const stop = new AbortController();
    const lines: string[] = [];
    const following = run(["sandbox", "deliveries", "--follow", "-o", "ndjson"], {
      sandbox,
      signal: stop.signal,
      onOutput: (text) => {
        lines.push(...text.trim().split("\n"));
        if (lines.length === 1) void trigger([], { sandbox });
        if (lines.length === 2) stop.abort("SIGINT");
      },
    });
    expect((await following).code).toBe(130);
    expect(lines.map((line) => JSON.parse(line).sequence)).toEqual([1, 2]);
  });
});
