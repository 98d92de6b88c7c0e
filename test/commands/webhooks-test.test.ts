import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { CHECK_NAMES } from "../../src/events/webhooks/checks.ts";
import { ROOT } from "../built.ts";
import {
  GOOD,
  type ListeningReceiver,
  type ReceiverParts,
  SECRET,
  startReceiver,
} from "../events/webhooks/receivers.ts";
import { type RunInput, run } from "../harness.ts";
import { certificateFor } from "../network/certificates.ts";
import { sarifLog } from "../sarif-log.ts";
import { ENTER, scriptedPrompter } from "../scripted-prompter.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const OPEN: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of OPEN.splice(0)) await close();
});

async function started(parts?: Partial<ReceiverParts>, host?: string): Promise<ListeningReceiver> {
  const receiver = await startReceiver(parts, host);
  OPEN.push(receiver.close);
  return receiver;
}

const BODY_AGAIN: Partial<ReceiverParts> = {
  verified: (raw) => JSON.stringify(JSON.parse(raw.toString("utf8"))),
  limit: 102_400,
};

/** Runs the command with the receivers' secret, and the real time that signatures need. */
function test(argv: readonly string[], input: RunInput = {}) {
  const env = { WEBHOOK_SECRET: SECRET, ...input.env };
  return run(["webhooks", "test", ...argv], { now: new Date(), ...input, env });
}

const FROM_ENV = ["--secret", "env:WEBHOOK_SECRET"];

describe("amp webhooks test", () => {
  it.each([60, 80, 140])(
    "shows what failed, why, and how it is put right, at %i columns",
    async (columns) => {
      const { url } = await started(BODY_AGAIN);
      const argv = [url, ...FROM_ENV, "--seed", "7f3a"];
      const { code, stdout, stderr } = await test(argv, {
        // Which of its checks take long enough to be shown on a terminal depends on the machine.
        tty: { out: true, err: false },
        columns,
        env: { NO_COLOR: "1" },
      });
      expect({ code, stderr }).toEqual({ code: 8, stderr: "" });
      expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(
        columns,
      );
      const shown = stdout
        .replaceAll(/127\.0\.0\.1:\d+/gu, "127.0.0.1:12345")
        .replace(/p95\u00a0\d+/u, "p95\u00a041");
      expect(shown).toMatchSnapshot();
    },
  );

  it("suggests no test without the header that was given", async () => {
    const { url } = await started(BODY_AGAIN);
    const outcome = await test([url, ...FROM_ENV, "--header", "X-Token=t", "--json"]);
    expect(outcome.json()).not.toHaveProperty("again");
  });

  it("names checks that fail for one reason together", async () => {
    const accepts = { checkHeaders: () => 0, checkSignature: () => 0, checkAge: () => 0 };
    const { url } = await started(accepts);
    const { code, stdout } = await test([url, ...FROM_ENV, "--seed", "7f3a"], {
      tty: true,
      columns: 80,
      env: { NO_COLOR: "1" },
    });
    expect(code).toBe(8);
    expect(stdout.slice(stdout.indexOf("\n✗")).replaceAll(url, "URL")).toMatchInlineSnapshot(`
      "
      ✗  tampered, wrong-key, unsigned, stale, future, swapped-id
         204 for a body that was changed after signing; a signature made with another
         secret; a message without a signature; a message signed an hour ago; a
         message signed an hour in the future; the signature of another message ID
         The receiver does not verify signatures, so anyone who knows its URL can send
         it messages; or it responds before it verifies them: amp cannot distinguish
         the two. Verify the signature, then respond.

      Run these checks again
        amp webhooks test URL --secret env:WEBHOOK_SECRET \\
          --check tampered --check wrong-key --check unsigned --check stale \\
          --check future --check swapped-id
      "
    `);
  });

  it("says so where nothing is wrong", async () => {
    const { url } = await started();
    const { code, stdout } = await test([url, ...FROM_ENV], { tty: true });
    expect(code).toBe(0);
    expect(stdout).toContain("20 of 20 checks passed");
    expect(stdout).not.toContain("Run these checks again");
  });

  it("logs each request with -d", async () => {
    const { url } = await started();
    const { stderr } = await test([url, ...FROM_ENV, "--check", "twice", "-d"]);
    const line = new RegExp(
      `POST ${url} msg_amptest_\\w+ \\(installation\\.created\\): 204 in \\d+ ms`,
      "gu",
    );
    expect(stderr.match(line)).toHaveLength(4);
  });

  it("counts a warning as neither passed nor failed", async () => {
    const crashes = { checkSignature: () => 500 };
    const all = await started({ ...crashes, checkHeaders: () => 500 });
    const { code, stdout } = await test([all.url, ...FROM_ENV], { tty: true });
    expect(code).toBe(8);
    expect(stdout).toContain("Rejects real events: 1 of 20 checks failed, 19 not run");
    const refusals = await started({
      checkHeaders: (headers) => GOOD.checkHeaders(headers) && 500,
    });
    const outcome = await test([refusals.url, ...FROM_ENV, "--json"]);
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toMatchObject({ passed: 19, warned: 1, failed: 0 });
  });

  it("writes one JSON document, without secret and signatures", async () => {
    const { url } = await started({
      ...BODY_AGAIN,
      refusal: (expected) => `expected v1,${expected} of ${SECRET}`,
    });
    const outcome = await test([url, ...FROM_ENV, "--json"]);
    expect(outcome.code).toBe(8);
    expect(outcome.error()).toMatchObject({ code: "check", exitCode: 8 });
    expect(outcome.json()).toMatchObject({ url, passed: 14, failed: 6 });
    const { checks, diagnosis, again } = outcome.json() as {
      checks: { name: string; messages: { attempts: { response?: string }[] }[] }[];
      diagnosis: { checks: string[] }[];
      again: string;
    };
    expect(checks.map(({ name }) => name)).toEqual(CHECK_NAMES);
    expect(diagnosis.map((one) => one.checks)).toEqual([
      ["300-kb"],
      ["raw-body"],
      ["tampered", "wrong-key", "unsigned", "swapped-id"],
    ]);
    expect(again).toContain("--secret env:WEBHOOK_SECRET --check 300-kb --check raw-body");
    const rawBody = checks.find(({ name }) => name === "raw-body");
    expect(rawBody?.messages[0]?.attempts[0]?.response).toBe(
      "expected v1,[redacted] of [redacted]",
    );
    expect(outcome.stdout).not.toMatch(/[A-Za-z0-9+/]{43}=/u);
    const sent = checks.flatMap(({ messages }) => messages);
    for (const { attempts } of sent) expect(attempts).toHaveLength(1);
  });

  it("writes a row for each check in a pipe, and the names of those that failed as IDs", async () => {
    const { url } = await started(BODY_AGAIN);
    const rows = (await test([url, ...FROM_ENV])).stdout.trimEnd().split("\n");
    expect(rows.map((row) => row.split("\t").slice(0, 2).join(" "))).toEqual(
      CHECK_NAMES.map((name) => `${/300-kb|raw-body/u.test(name) ? "fail" : "pass"} ${name}`),
    );
    expect((await test([url, ...FROM_ENV, "-o", "id"])).stdout).toBe("300-kb\nraw-body\n");
  });

  it("makes only the checks that are chosen, after one plain message", async () => {
    const receiver = await started(BODY_AGAIN);
    const argv = [
      receiver.url,
      ...FROM_ENV,
      "--check",
      "raw-body,utf-8",
      "--skip",
      "utf-8",
      "--json",
    ];
    const { code, stdout } = await test(argv);
    expect(code).toBe(8);
    expect(JSON.parse(stdout).checks.map((check: { name: string }) => check.name)).toEqual([
      "raw-body",
    ]);
    expect(receiver.ids).toHaveLength(3);
  });

  it("sends only the event types that are chosen, and the headers", async () => {
    const receiver = await started();
    const argv = [
      receiver.url,
      ...FROM_ENV,
      "--event",
      "connection.*",
      "--header",
      "X-Team=ops",
      "--json",
    ];
    const { code, stdout } = await test([...argv, "--check", "known-events"]);
    expect(code).toBe(0);
    const [check] = JSON.parse(stdout).checks;
    const events = check.messages.map(({ event }: { event: string }) => event);
    expect(events).toContain("connection.error");
    expect(events.filter((event: string) => !event.startsWith("connection."))).toEqual([]);
    for (const headers of receiver.headers) expect(headers["x-team"]).toBe("ops");
  });

  it("makes the same messages for the same seed", async () => {
    const receiver = await started();
    const sent = async (seed: string) => {
      const argv = [receiver.url, ...FROM_ENV, "--seed", seed, "--json"];
      const { checks } = JSON.parse((await test(argv)).stdout);
      const messages = checks.flatMap((check: { messages: object[] }) => check.messages);
      // How long each took is left out.
      return messages.map(({ attempts: _, ...message }: { attempts: unknown }) => message);
    };
    const first = await sent("7f3a");
    expect(await sent("7F3A")).toEqual(first);
    expect(await sent("1")).not.toEqual(first);
  });

  it("makes its messages from a captured one", async () => {
    const receiver = await started({
      handle: ({ data }) => ((data as { own?: string } | undefined)?.own === "mine" ? 500 : 200),
    });
    const cwd = temporaryFolder();
    const body = JSON.stringify({ notificationType: "read.triggered.done", data: { own: "mine" } });
    writeFileSync(join(cwd, "body.json"), body);
    writeFileSync(join(cwd, "request.http"), `POST /amp HTTP/1.1\nsvix-id: msg_1\n\n${body}`);
    for (const file of ["body.json", "request.http"]) {
      const argv = [receiver.url, ...FROM_ENV, "--from", file, "--check", "twice", "--json"];
      const { code, stdout } = await test(argv, { cwd });
      const { checks } = JSON.parse(stdout) as { checks: { name: string; outcome: string }[] };
      expect(code).toBe(8);
      expect(checks.map(({ name, outcome }) => [name, outcome])).toEqual([
        ["known-events", "fail"],
        ["twice", "not_run"],
      ]);
    }
    writeFileSync(join(cwd, "body.json"), "{}");
    const odd = await test([receiver.url, ...FROM_ENV, "--from", "body.json"], { cwd });
    expect(odd).toMatchObject({ code: 2, stdout: "" });
  });

  it("writes the reports, whatever was found", async () => {
    const { url } = await started(BODY_AGAIN);
    const cwd = temporaryFolder();
    const reports = ["--report", "junit=r.xml", "--report", "sarif=r.sarif"];
    expect((await test([url, ...FROM_ENV, ...reports], { cwd })).code).toBe(8);
    const xml = readFileSync(join(cwd, "r.xml"), "utf8");
    expect(xml.match(/<testcase /gu)).toHaveLength(20);
    expect(xml.match(/<failure /gu)).toHaveLength(2);
    const [sarif] = sarifLog.parse(JSON.parse(readFileSync(join(cwd, "r.sarif"), "utf8"))).runs;
    expect(sarif.tool.driver.rules).toHaveLength(20);
    expect(sarif.results.map(({ ruleId }) => ruleId)).toEqual(["300-kb", "raw-body"]);
  });
});

describe("a test of a receiver that cannot begin", () => {
  it("has one secret: its help does not say that --secret may be repeated", async () => {
    const { stdout } = await run(["webhooks", "test", "--help"]);
    const [option = ""] = /--secret <from>[\s\S]*?(?=\n {2}--)/u.exec(stdout) ?? [];
    expect(option).toContain("signing secret of the receiver");
    expect(option.replace(/\s+/gu, " ")).not.toContain("may be repeated");
  });

  it.each([
    [["http://127.0.0.1:9/"], "Missing option --secret"],
    [["ftp://127.0.0.1/", ...FROM_ENV], "must begin with http:// or https://"],
    [["http://me:pw@127.0.0.1/", ...FROM_ENV], "must not contain a user name"],
    [["http://203.0.113.7/amp", ...FROM_ENV], "neither this machine nor in a private network"],
    [["http://[2001:db8::1]/amp", ...FROM_ENV], "neither this machine nor in a private network"],
    [["http://127.0.0.1:9/", "--secret", "env:NOT_SET"], "NOT_SET is not set"],
    [["http://127.0.0.1:9/", ...FROM_ENV, "--check", "twice", "--skip", "twice"], "leave no check"],
    [["http://127.0.0.1:9/", ...FROM_ENV, "--seed", "xyz"], "is not a seed"],
    [["http://127.0.0.1:9/", ...FROM_ENV, "--header", "a b=c"], "is not a valid header"],
    [[...FROM_ENV], "Missing argument <url>"],
  ])("%j is a usage error", async (argv, message) => {
    const { code, stdout, stderr } = await test(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("is a receiver that cannot be reached: exit 7", async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const outcome = await test([receiver.url, ...FROM_ENV, "--json"]);
    expect(outcome).toMatchObject({ code: 7, stdout: "" });
    expect(outcome.error()).toMatchObject({
      message: expect.stringContaining("connection refused"),
    });
  });

  it("is a No to the question about a host of somebody else", async () => {
    const prompter = scriptedPrompter([
      ["203.0.113.7 is neither this machine nor in a private network. Send the messages?", false],
    ]);
    const outcome = await test(["http://203.0.113.7/amp", ...FROM_ENV], { tty: true, prompter });
    expect(outcome).toMatchObject({ code: 130, stdout: "" });
  });
});

describe("a receiver", () => {
  it("gets a new secret on a terminal, which is shown, and the test waits", async () => {
    const { url } = await started();
    const prompter = scriptedPrompter([["Does the receiver have this secret?", ENTER]]);
    const { code, stdout, stderr } = await test([url], { tty: true, columns: 200, prompter });
    expect(stderr).toMatch(/whsec_[A-Za-z0-9+/]{32}/u);
    // This receiver has another one.
    expect(code).toBe(8);
    expect(stdout).toContain("it has a different secret");
    // The next test makes a new secret again: no variable has this one.
    expect(stdout).toMatch(/amp webhooks test \S+ --check known-events\n/u);
    expect(stdout).toContain("Not run: known-events failed.");
  });

  it("that cannot be reached may be behind a proxy, which is not used", async () => {
    const { url, close } = await started();
    await close();
    const told = async (env: Readonly<Record<string, string>>) =>
      (await test([url, ...FROM_ENV], { env })).stderr;
    expect(await told({})).not.toContain("proxy");
    expect(await told({ HTTPS_PROXY: "http://127.0.0.1:9" })).not.toContain("proxy");
    const named = await told({ http_proxy: "http://user:pass@127.0.0.1:9" });
    expect(named).toContain("The proxy of http_proxy is not used");
    expect(named).not.toContain("pass@");
  });

  it("is reached by IPv6", async () => {
    const { url } = await started({}, "::1");
    expect((await test([url, ...FROM_ENV])).code).toBe(0);
  });

  it("that limits the rate is asked again, and is not judged if it keeps to it", async () => {
    const limited = await started({
      first: (number) =>
        number === 1 ? { status: 429, headers: { "retry-after": "0" } } : undefined,
    });
    const argv = [...FROM_ENV, "--check", "rotation", "--json"];
    expect((await test([limited.url, ...argv])).code).toBe(0);
    expect(limited.ids).toHaveLength(4);
    const always = await started({
      first: (number) =>
        number > 1 ? { status: 429, headers: { "retry-after": "0" } } : undefined,
    });
    const { code, stdout } = await test([always.url, ...argv]);
    expect({ code, ...JSON.parse(stdout).checks[0] }).toMatchObject({
      code: 8,
      outcome: "not_run",
    });
  });

  it("with a certificate of its own needs --insecure-tls", async () => {
    const certificate = await certificateFor({ hosts: ["127.0.0.1"] });
    const server = createServer({ ...certificate }, (_, response) => {
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    OPEN.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const argv = [url, ...FROM_ENV, "--check", "utf-8"];
    const refused = await test(argv);
    expect(refused).toMatchObject({ code: 7, stdout: "" });
    expect(refused.stderr).toContain("--insecure-tls");
    expect((await test([...argv, "--insecure-tls"])).code).toBe(0);
  });

  it("that does not answer ends with the deadline: exit 124", async () => {
    const { url } = await started({ delayMs: 10_000 });
    const argv = [url, ...FROM_ENV, "--deadline", "50ms", "--json"];
    const outcome = await test(argv);
    expect(outcome).toMatchObject({ code: 124, stdout: "" });
    expect(outcome.error()).toMatchObject({ code: "timeout" });
  });

  it("that stops in the middle ends the test, which says so", async () => {
    const receiver = await started({
      handle: ({ notificationType }) => {
        if (notificationType === "amp.test.unknown") void receiver.close();
        return 200;
      },
    });
    const { code, stdout } = await test([receiver.url, ...FROM_ENV], { tty: true, columns: 100 });
    expect(code).toBe(8);
    expect(stdout).toContain("The receiver stopped during the test");
    expect(stdout).toMatch(/Not run: the receiver stopped/u);
  });
});

it("has the checks that docs/testing.md lists", async () => {
  const docs = readFileSync(join(ROOT, "docs/testing.md"), "utf8");
  const rows = [...docs.matchAll(/^\| (accept|reject|behaviour) \| `([\w-]+)` \| (.+) \|$/gmu)];
  const { checks } = JSON.parse((await run(["webhooks", "test", "--list", "--json"])).stdout) as {
    checks: { kind: string; name: string; title: string }[];
  };
  expect(rows.map(([, kind, name, title]) => ({ kind, name, title }))).toEqual(
    checks.map(({ kind, name, title }) => ({ kind, name, title })),
  );
});
