import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import { verifySignature } from "../../../src/events/message/signature.ts";
import { NOW, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { listen, SECRET } from "./listening.ts";

it("receives each event type that occurs in a sandbox, signed, without further setup", async () => {
  const sandbox = sandboxAt();
  const cwd = temporaryFolder();
  const input = { sandbox, cwd, env: { AMP_BASE_URL: "http://127.0.0.1:4747/v1" } };
  const count = String(EVENT_TYPES.length);
  const { code, lines } = await listen(
    ["--expect", count, "--within", "60s"],
    async () => {
      for (const event of EVENT_TYPES) {
        const { code: triggered, stderr } = await run(["trigger", event], input);
        expect(triggered, stderr).toBe(0);
      }
    },
    { ...input, keepsOn: true },
  );
  expect(code).toBe(0);
  const came = lines.slice(1);
  expect(came.map(({ event }) => event).sort()).toEqual([...EVENT_TYPES].sort());
  expect(came.every(({ signature }) => (signature as { valid: boolean }).valid)).toBe(true);
  expect(came.every(({ attempts: [one] }) => one?.status === 204)).toBe(true);
  await sandbox.events.close();
});

it("receives the data messages of reads whose destination leads here", async () => {
  // The seeded world, as `amp sandbox start` has it.
  const sandbox = sandboxAt(NOW, { state: undefined });
  const cwd = temporaryFolder();
  const env = { AMP_BASE_URL: "http://127.0.0.1:4747/v1" };
  const input = { sandbox, cwd, env };
  const { stdout, stderr: said } = await run(
    ["notify", "destinations", "secret", "acme-webhook"],
    input,
  );
  expect(said).toBe("");
  const { code, lines } = await listen(
    ["--local", "-e", "read.message", "--secret", "env:OWN", "--expect", "1", "--within", "20s"],
    async (url) => {
      const got = await run(["notify", "destinations", "get", "acme-webhook", "-o", "id"], input);
      const former = ["notify", "destinations", "get", "acme-webhook", "--jq", ".metadata.url"];
      expect((await run(former, input)).stdout).toMatch(/^https?:\S+\n$/u);
      const taken = ["notify", "state", "import", "destination/acme-webhook", got.stdout.trim()];
      const moved = ["notify", "destinations", "update", "acme-webhook", "--url", url, "--yes"];
      // The ID of an example in the documentation.
      const triggered = ["trigger", "read.message", "--installation", "ins_80c1cca5"];
      for (const args of [taken, moved, triggered]) {
        const { code: ended, stderr } = await run(args, input);
        expect(ended, stderr).toBe(0);
      }
    },
    { ...input, env: { ...env, OWN: stdout.trim() }, keepsOn: true },
  );
  expect({ code, last: lines.at(-1) }).toMatchObject({
    code: 0,
    last: { event: "read.message", signature: { valid: true } },
  });
  await sandbox.events.close();
});

it("says what data messages need, and that --expect alone has no time limit", async () => {
  const input = { sandbox: sandboxAt(), cwd: temporaryFolder() };
  const { stderr } = await listen(
    ["-o", "table", "-e", "read.message", "--expect", "1", "--deadline", "12s"],
    undefined,
    { ...input, env: { AMP_BASE_URL: "http://127.0.0.1:4747/v1" } },
  );
  expect(stderr).toMatch(/Temporary destination amp-listen-[\da-f]{8}, until/u);
  expect(stderr).toContain("arrives only if the reads of an installation use amp-listen-");
  expect(stderr).toContain("Ends after 1 message, with no time limit.");
  // A shell without its variables triggers it, too.
  expect(stderr).toContain(
    "amp trigger read.message --profile sandbox --base-url http://127.0.0.1:4747/v1\n",
  );
});

describe("a message that a listener with temporary routing forwards", () => {
  /** An application that accepts what is signed with a secret. */
  async function applicationOf(secret: () => string) {
    const statuses: number[] = [];
    const server = createServer(async (request, response) => {
      const body = await buffer(request);
      const { valid } = verifySignature({ headers: request.headers, body }, [secret()], NOW);
      statuses.push(valid ? 204 : 401);
      response.writeHead(valid ? 204 : 401).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, statuses };
  }

  const once = ["--event", "connection.error", "--expect", "1", "--within", "20s"];

  it("is signed with a secret that is shown, and the same in every run of a profile", async () => {
    const sandbox = sandboxAt();
    const input = {
      sandbox,
      cwd: temporaryFolder(),
      env: { AMP_BASE_URL: "http://127.0.0.1:4747/v1" },
      keepsOn: true,
    };
    let known = "";
    const app = await applicationOf(() => known);
    const forward = ["--forward-to", app.url, ...once];
    const trigger = async () => void (await run(["trigger", "connection.error"], input));
    const first = await listen(
      [...forward, "--print-secret"],
      async (_url, { secrets }) => {
        [known = ""] = secrets as string[];
        await trigger();
      },
      input,
    );
    expect(first).toMatchObject({ code: 0, lines: [{}, { signature: { valid: true } }] });
    // The application has the secret now, and every later event is accepted.
    expect((await listen(forward, trigger, input)).code).toBe(0);
    expect(app.statuses).toEqual([204, 204]);
    // A table has no line that says when events arrive: they are triggered until one does.
    let isListening = true;
    const listening = run(["listen", "--port", "0", ...forward], input).finally(() => {
      isListening = false;
    });
    while (isListening) await trigger();
    const shown = await listening;
    expect(shown.stderr).toContain(
      `Signing secret: ${known} (the same in every run of profile sandbox)`,
    );
    const other = await run(["listen", "--local", "--port", "0", "--deadline", "1s"], {
      ...input,
      env: { ...input.env, AMP_PROFILE: "sandbox2" },
    });
    expect(other.stderr).not.toContain(known);
    await sandbox.events.close();
  });

  it("is signed with one's own secret if one is given", async () => {
    const sandbox = sandboxAt();
    const env = { AMP_BASE_URL: "http://127.0.0.1:4747/v1" };
    const input = { sandbox, cwd: temporaryFolder(), env, keepsOn: true };
    const app = await applicationOf(() => SECRET);
    const forward = ["--forward-to", app.url, "--secret", "env:SIGNING", ...once];
    forward.push("--save", "saved.ndjson");
    const { code } = await listen(
      forward,
      async () => void (await run(["trigger", "connection.error"], input)),
      input,
    );
    expect({ code, statuses: app.statuses }).toEqual({ code: 0, statuses: [204] });
    const verify = ["webhooks", "verify", "saved.ndjson", "--secret", "env:SIGNING"];
    const verified = await run(verify, { ...input, env: { ...env, SIGNING: SECRET } });
    expect(verified.code, verified.stdout).toBe(0);
    await sandbox.events.close();
  });
});
