import { once } from "node:events";
import { existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { NOW, type RunInput, run } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { BODY, bodyOf, LOCAL, listen, post, SECRET, signed } from "./listening.ts";

/** An application that amp forwards to. */
async function application(answer: (response: ServerResponse) => void) {
  const got: { headers: IncomingHttpHeaders; raw: string[]; body: Buffer; url: string }[] = [];
  const server = createServer(async (request, response) => {
    const { headers, rawHeaders: raw, url = "" } = request;
    got.push({ headers, raw, url, body: await buffer(request) });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/amp`, got };
}

async function freePort(): Promise<number> {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  await promisify(free.close.bind(free))();
  return port;
}

describe("amp listen", () => {
  it("says that it is ready, shows each message, and ends with Ctrl-C and exit code 0", async () => {
    const answers: number[] = [];
    const { code, stderr, lines } = await listen(LOCAL, async (url) => {
      answers.push((await post(url, BODY, signed(BODY))).status);
      answers.push((await post(`${url}/any?path`, `${BODY}\n`, signed(BODY))).status);
    });
    expect({ code, stderr, answers }).toEqual({ code: 0, stderr: "", answers: [204, 401] });
    expect(lines).toEqual([
      { ready: true, url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u) },
      {
        time: NOW.toISOString(),
        id: "msg_1",
        event: "connection.error",
        bytes: BODY.length,
        signature: { valid: true, signedAt: NOW.toISOString() },
        attempts: [{ outcome: "delivered", status: 204, durationMs: expect.any(Number) }],
      },
      expect.objectContaining({
        attempts: [{ outcome: "failed", status: 401, durationMs: expect.any(Number) }],
        signature: expect.objectContaining({ valid: false, mistakes: ["body-newline-added"] }),
      }),
    ]);
  });

  it("writes one document with --json, that a signal ends too", async () => {
    const sent = async (url: string) => void (await post(url, BODY, signed(BODY)));
    const { code, stdout, stderr } = await run(["listen", "--port", "0", "--json", ...LOCAL], {
      env: { SIGNING: SECRET, AMP_BASE_URL: undefined },
      ...untilReady(sent),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      ready: true,
      messages: [{ event: "connection.error" }],
      counts: { messages: 1, invalid: 0, others: 0, refused: 0 },
    });
  });

  it("creates a secret if none is passed, and shows it", async () => {
    const { lines } = await listen(["--local"], async (url, ready) => {
      const [secret = ""] = ready.secrets as string[];
      await post(url, BODY, signed(BODY, { secret }));
    });
    expect(lines[0]).toMatchObject({ secrets: [expect.stringMatching(/^whsec_[\w+/=]{32}$/u)] });
    expect(lines[1]).toMatchObject({ signature: { valid: true } });
  });

  it("warns of --expect without a time limit if there is no terminal", async () => {
    const argv = ["listen", "--port", "0", ...LOCAL, "--expect", "1"];
    const told = async (more: readonly string[], tty = false) => {
      const env = { SIGNING: SECRET, AMP_BASE_URL: undefined };
      return (await run([...argv, ...more], { env, tty, signal: AbortSignal.abort() })).stderr;
    };
    expect(await told([])).toContain("--expect has no time limit. In a script, add one");
    expect(await told(["--within", "20s"])).not.toContain("no time limit");
    expect(await told([], true)).not.toContain("In a script");
  });

  it.runIf(process.platform === "linux")("says of a secret that is not kept how long", async () => {
    const argv = ["listen", "--port", "0", "--local", "--expect", "1", "--within", "100ms"];
    const env = { AMP_BASE_URL: undefined, XDG_STATE_HOME: "/proc" };
    const { code, stderr } = await run(argv, { env });
    expect(code).toBe(124);
    expect(stderr).toContain("The signing secret of this run could not be kept");
    expect(stderr).toMatch(/^Signing secret: \S+ \(for this run alone\)$/mu);
  });

  it("accepts a signing secret without whsec_, with a notice", async () => {
    const bare = { SIGNING: SECRET.slice("whsec_".length), AMP_BASE_URL: undefined };
    const told = async (env: NonNullable<RunInput["env"]>) =>
      (await run(["listen", "--port", "0", ...LOCAL], { env, signal: AbortSignal.abort() })).stderr;
    expect(await told(bare)).toContain("The signing secret does not begin with whsec_.");
    expect(await told({ ...bare, SIGNING: SECRET })).not.toContain("whsec_");
    const sent = async (url: string) => void (await post(url, BODY, signed(BODY)));
    const { lines } = await listen(LOCAL, sent, { env: bare });
    expect(lines[1]).toMatchObject({ signature: { valid: true } });
  });

  it("prints a given secret only when asked", async () => {
    expect((await listen(LOCAL)).stdout).not.toContain(SECRET);
    expect((await listen([...LOCAL, "--print-secret"])).lines[0]).toMatchObject({
      secrets: [SECRET],
    });
  });

  it("answers as --respond says, and has the body with --verbose", async () => {
    const { lines } = await listen([...LOCAL, "--respond", "503", "-v"], async (url) => {
      expect((await post(url, BODY, signed(BODY))).status).toBe(503);
    });
    expect(lines[1]).toMatchObject({ attempts: [{ status: 503 }], body: JSON.parse(BODY) });
  });

  it("receives several messages at once over connections that are kept alive", async () => {
    const { lines } = await listen(LOCAL, async (url) => {
      const ids = Array.from({ length: 50 }, (_, at) => `msg_${at}`);
      await Promise.all(ids.map((id) => post(url, BODY, signed(BODY, { id }))));
    });
    expect(new Set(lines.slice(1).map(({ id }) => id)).size).toBe(50);
  });
});

describe("amp listen --expect", () => {
  it("ends with 0 once it came: messages of these events, with a valid signature", async () => {
    const wanted = ["--event", "connection.*,read.message", "--filter", "projectId=p1"];
    const { code, lines } = await listen(
      [...LOCAL, ...wanted, "--expect", "2", "--within", "20s"],
      async (url) => {
        const other = bodyOf("installation.created");
        const filtered = bodyOf("connection.error", { projectId: "p2" });
        const data = JSON.stringify({ action: "read", projectId: "p1" });
        expect((await post(url, other, signed(other))).status).toBe(204);
        await post(url, filtered, signed(filtered));
        await post(url, BODY, signed(`${BODY} `));
        await post(url, data, signed(data));
        await post(url, BODY, signed(BODY));
      },
      { keepsOn: true },
    );
    expect(code).toBe(0);
    expect(lines.slice(1).map(({ event, attempts: [one] }) => [event, one?.status])).toEqual([
      ["connection.error", 401],
      ["read.message", 204],
      ["connection.error", 204],
    ]);
  });

  it("ends with 8 where the application did not accept one of those that came", async () => {
    const forward = ["--forward-to", "http://127.0.0.1:9/"];
    const { code, stderr } = await listen(
      [...LOCAL, ...forward, "--expect", "1", "--within", "20s"],
      async (url) => {
        await post(url, BODY, signed(BODY));
      },
      { keepsOn: true },
    );
    expect(code).toBe(8);
    expect(stderr).toContain("1 of 1 expected message was not accepted by the application");
  });

  it("ends with 124 where it did not come, and says how much did", async () => {
    const { code, stderr } = await listen(
      [...LOCAL, "--expect", "2", "--within", "1s"],
      async (url) => {
        await post(url, BODY, signed(`${BODY} `));
        await post(url, BODY, signed(BODY));
      },
      { keepsOn: true },
    );
    expect(code).toBe(124);
    expect(stderr).toContain(
      "1 of 2 expected messages arrived within 1 s; 1 more had no valid signature",
    );
  });

  it("ends with 124 where the time of --deadline is over", async () => {
    const { code } = await listen([...LOCAL, "--deadline", "500ms"], undefined, { keepsOn: true });
    expect(code).toBe(124);
  });

  it("ends with 130 where it is interrupted before", async () => {
    const { code, error } = await listen([...LOCAL, "--expect", "1"]);
    expect(code).toBe(130);
    expect(error().done).toContain("0 of 1 expected messages arrived");
  });

  it("ends if the output is closed", async () => {
    const { code } = await listen(
      LOCAL,
      async (url) => {
        await post(url, BODY, signed(BODY));
        await post(url, BODY, signed(BODY)).catch(() => {});
      },
      { keepsOn: true, closesAfter: 2 },
    );
    expect(code).toBe(0);
  });
});

describe("amp listen --forward-to", () => {
  it("passes bytes and headers on as they came, and the answer back without delivery control", async () => {
    const app = await application((response) => {
      response.writeHead(202, { "webhook-delivery": "disable", "x-app": "1" }).end("thanks");
    });
    const body = '{ "notificationType":"read.triggered.done","data":{"n":"Café"}}';
    const headers = { ...signed(body), "X-Twice": ["a", "b"], "X-Case": "Kept" };
    const { lines } = await listen([...LOCAL, "--forward-to", app.url], async (url) => {
      const answer = await post(url, body, headers);
      expect(answer).toMatchObject({ status: 202, body: "thanks", headers: { "x-app": "1" } });
      expect(answer.headers["webhook-delivery"]).toBeUndefined();
    });
    const [got] = app.got;
    expect(got?.body.toString()).toBe(body);
    expect(got?.headers).toMatchObject({ ...signed(body), "x-twice": "a, b" });
    expect(got?.raw).toContain("X-Case");
    expect(got?.headers.host).toBe(new URL(app.url).host);
    expect(lines[1]).toMatchObject({ attempts: [{ url: app.url, status: 202 }] });
  });

  const hosts = new Set([
    "127.0.0.1",
    "127.1",
    "localhost",
    "0.0.0.0",
    "[::1]",
    "[::ffff:127.0.0.1]",
    ...Object.values(networkInterfaces()).flatMap((all = []) =>
      all.flatMap(({ address, family }) => (family === "IPv4" ? [address] : [`[${address}]`])),
    ),
  ]);

  it.each([...hosts])("refuses its own address at the start: %s", async (host) => {
    const port = await freePort();
    const argv = ["--port", `${port}`, "--forward-to", `http://${host}:${port}/x`];
    const { code, stdout, stderr } = await listen([...LOCAL, ...argv]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("is this listener");
  });

  it("ends what comes back through a proxy, also by way of another listener", async () => {
    let [came, own] = [0, ""];
    const proxy = createServer(async (request, response) => {
      came += 1;
      const { host: _, "amp-listen": passages = "", ...kept } = request.headers;
      const headers = { ...(kept as Record<string, string>), "Amp-Listen": passages };
      const answer = await post(own, await buffer(request), headers);
      response.writeHead(answer.status).end(answer.body);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void proxy.close());
    await once(proxy, "listening");
    const back = ["--forward-to", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/`];
    const { lines } = await listen([...LOCAL, ...back], async (url) => {
      own = url;
      expect((await post(url, BODY, signed(BODY))).status).toBe(508);
      expect(came).toBe(1);
      await listen([...LOCAL, "--forward-to", url], async (other) => {
        own = other;
        expect((await post(other, BODY, signed(BODY))).status).toBe(508);
        expect(came).toBe(2);
      });
    });
    expect(lines[1]).toMatchObject({
      attempts: [{ status: 508, response: "amp listen: --forward-to leads back to this listener" }],
    });
  });

  it("shows what a failure says, and follows no redirect", async () => {
    const answers = [
      [500, "x".repeat(500)],
      [302, ""],
    ] as const;
    let at = 0;
    const app = await application((response) => {
      const [status, text] = answers[at++] ?? [200, ""];
      response.writeHead(status, { location: "/elsewhere" }).end(text);
    });
    const { lines } = await listen([...LOCAL, "--forward-to", app.url], async (url) => {
      expect((await post(url, BODY, signed(BODY))).status).toBe(500);
      expect((await post(url, BODY, signed(BODY))).status).toBe(302);
    });
    expect(lines[1]).toMatchObject({
      attempts: [{ status: 500, response: `${"x".repeat(200)}…` }],
    });
    expect(lines[2]).toMatchObject({
      attempts: [{ status: 302, error: "redirects are not followed" }],
    });
    expect(app.got).toHaveLength(2);
  });

  it("explains once why an application refuses a message whose signature is valid", async () => {
    const app = await application((response) =>
      response.writeHead(app.got.length > 1 ? 403 : 401).end(),
    );
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const end = new AbortController();
    // The first row of text is the secret, so that it is known when messages can come.
    const argv = ["listen", "--port", `${port}`, "--print-secret", "--forward-to", app.url];
    const { stderr } = await run([...argv, ...LOCAL], {
      ...{ env: { SIGNING: SECRET, AMP_BASE_URL: undefined }, signal: end.signal },
      onOutput: async (text) => {
        if (!text.startsWith("secret")) return;
        for (const body of [`${BODY} `, BODY, BODY]) await post(url, BODY, signed(body));
        end.abort("SIGINT");
      },
    });
    const hint =
      "The signature is valid, but the answer was 403: the application may verify a body that was parsed and serialised again in place of the unchanged bytes, have another signing secret than --secret, or require a login or a CSRF token for this URL. amp webhooks test finds out which.";
    expect(stderr.split("but the answer was")).toHaveLength(2);
    expect(stderr).toContain(hint);
  });

  it("answers 502 if the application does not respond, and forwards only selected events", async () => {
    const { lines } = await listen(
      [...LOCAL, "--forward-to", "http://127.0.0.1:9/", "-e", "connection.error"],
      async (url) => {
        expect((await post(url, BODY, signed(BODY))).status).toBe(502);
        const other = bodyOf("installation.created");
        expect((await post(url, other, signed(other))).status).toBe(204);
      },
    );
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({ attempts: [{ error: "connection refused" }] });
  });
});

describe("amp listen --save", () => {
  it("can be verified, and sent again with a fresh signature and the same ID", async () => {
    const cwd = temporaryFolder();
    const body = `${BODY.slice(0, -1)} }`;
    await listen(
      [...LOCAL, "--save", "m.ndjson"],
      async (url) => void (await post(url, body, signed(body))),
      {
        cwd,
      },
    );
    const later = new Date(NOW.getTime() + 86_400_000);
    const env = { SIGNING: SECRET };
    expect(statSync(join(cwd, "m.ndjson")).mode & 0o777).toBe(0o600);
    const verified = await run(["webhooks", "verify", "m.ndjson", "--secret", "env:SIGNING"], {
      ...{ cwd, env, now: later },
    });
    expect(verified.code).toBe(0);
    const app = await application((response) =>
      response.writeHead(app.got.length > 1 ? 401 : 200).end(),
    );
    const saved = ["trigger", "--from", "m.ndjson", "--secret", "env:SIGNING", "--to"];
    const resent = await run([...saved, app.url, "--json"], { cwd, env, now: later });
    expect({ code: resent.code, stderr: resent.stderr }).toEqual({ code: 0, stderr: "" });
    expect(resent.json()).toMatchObject({
      messages: [{ id: "msg_1", attempts: [{ outcome: "delivered", status: 200 }] }],
    });
    expect(app.got[0]?.body.toString()).toBe(body);
    expect(app.got[0]?.headers).toMatchObject(signed(body, { time: later }));
    const refused = await run([...saved, app.url], { cwd, env, now: later });
    expect(refused.code).toBe(8);
    const other = ["trigger", "installation.created", ...saved.slice(1), app.url];
    const none = await run(other, { cwd, env, now: later });
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain("m.ndjson has no message of installation.created");
    expect((await run(saved.slice(0, 3), { cwd })).stderr).toContain("Saved messages need --to");
  });

  it("is added to, and must be possible to write before anything else", async () => {
    const cwd = temporaryFolder();
    const send = async (url: string) => void (await post(url, BODY, signed(BODY)));
    for (const _ of [1, 2]) await listen([...LOCAL, "--save", "m.ndjson"], send, { cwd });
    expect(readFileSync(join(cwd, "m.ndjson"), "utf8").trim().split("\n")).toHaveLength(2);
    const { code, stderr } = await listen([...LOCAL, "--save", "no/folder"], send, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("Cannot write no/folder");
  });

  it("does not follow a link, which a checkout could aim at any file of yours", async () => {
    const [cwd, target] = [temporaryFolder(), join(temporaryFolder(), "own")];
    symlinkSync(target, join(cwd, "m.ndjson"));
    const refused = await listen([...LOCAL, "--save", "m.ndjson"], async () => {}, { cwd });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`Cannot write m.ndjson: it is a symbolic link to ${target}`);
    expect(existsSync(target)).toBe(false);
  });
});

describe("amp listen refuses", () => {
  const text = [...LOCAL];
  it.each([
    ["a web page", { origin: "https://evil.example" }, 403],
    ["another host", { host: "evil.example" }, 403],
    ["a local page, without a signature", { origin: "http://localhost:3000" }, 401],
  ])("%s", async (_, headers, status) => {
    await listen(text, async (url) => {
      expect((await post(url, BODY, headers)).status).toBe(status);
    });
  });

  it("no message of a tunnel whose signature is valid", async () => {
    await listen(text, async (url) => {
      const headers = { ...signed(BODY), host: "abc.tunnel.example" };
      expect((await post(url, BODY, headers)).status).toBe(204);
    });
  });

  it("requests that are no POST, and bodies that are too large", async () => {
    const { lines } = await listen(text, async (url) => {
      expect((await post(url, "", {}, "GET")).status).toBe(405);
      const large = await post(url, "x".repeat(2 ** 20 + 1)).catch(() => ({ status: 413 }));
      expect(large.status).toBe(413);
      const chunked = await post(url, "x".repeat(2 ** 20 + 1), {
        "transfer-encoding": "chunked",
      }).catch(() => ({ status: 413 }));
      expect(chunked.status).toBe(413);
      expect((await post(url, BODY, signed(BODY))).status).toBe(204);
    });
    expect(lines).toHaveLength(2);
  });

  it("bytes that are not HTTP", async () => {
    await listen(text, async (url) => {
      const answer = await new Promise<string>((resolve) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1");
        socket.once("data", (data) => resolve(String(data))).write("nonsense\r\n\r\n");
      });
      expect(answer).toContain("400 Bad Request");
    });
  });

  it.each([
    [["--event", "nosuch.*"], "matches no known event type"],
    [["--forward-to", "localhost:4871/x"], "Did you mean http://localhost:4871/x?"],
    [["--public-url", "http://example.com"], "must begin with https://"],
    [["--public-url", "https://t.example"], "--public-url and --local conflict"],
    [["--within", "1s"], "--within has no effect without --expect"],
    [["--respond", "99"], "is not a whole number from 200 to 599"],
    [["--filter", "nonsense"], "is not a valid filter"],
  ])("%j", async (args, message) => {
    const { code, stderr, stdout } = await listen([...LOCAL, ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("formats that cannot be followed", async () => {
    const { code, stderr } = await run(["listen", "-o", "csv", ...LOCAL], {
      env: { SIGNING: SECRET },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("amp listen does not support --output csv");
  });

  it("a port that is in use, and suggests the same with a free one", async () => {
    await listen(LOCAL, async (url) => {
      const { port } = new URL(url);
      const { code, stderr } = await run(["listen", "--port", port, ...LOCAL], {
        env: { SIGNING: SECRET },
      });
      expect(code).toBe(5);
      expect(stderr).toContain(`Port ${port} on 127.0.0.1 is already in use`);
      expect(stderr.replaceAll(/[\s\\]+/gu, " ")).toContain(
        `Try: amp listen --port 0 ${LOCAL.join(" ")}`,
      );
    });
  });
});

/** Ends a run once `use` has done what it does with the URL of its first line. */
function untilReady(use: (url: string) => Promise<void>) {
  const controller = new AbortController();
  let isReady = false;
  return {
    signal: controller.signal,
    onOutput: (text: string) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/u.exec(text)?.[0];
      if (isReady || url === undefined) return;
      isReady = true;
      void use(url).finally(() => controller.abort("SIGINT"));
    },
  };
}
