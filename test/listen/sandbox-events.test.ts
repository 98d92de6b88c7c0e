import { expect, it } from "vitest";
import { EVENT_TYPES } from "../../src/api/catalogue/events.ts";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
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
  expect(came.every(({ signature }) => (signature as { holds: boolean }).holds)).toBe(true);
  expect(came.every(({ status }) => status === 204)).toBe(true);
  await sandbox.events.close();
});
