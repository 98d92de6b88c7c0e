import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/api/catalogue/events.ts";
import { NOW, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { listen } from "./listening.ts";

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
    ["-o", "table", "-e", "read.message", "--expect", "1", "--deadline", "1s"],
    undefined,
    { ...input, env: { AMP_BASE_URL: "http://127.0.0.1:4747/v1" } },
  );
  expect(stderr).toMatch(/Temporary destination amp-listen-[\da-f]{8}, until/u);
  expect(stderr).toContain("arrives only if the reads of an installation use amp-listen-");
  expect(stderr).toContain("Ends after 1 message, with no time limit.");
  expect(stderr).toContain("amp trigger read.message");
});
