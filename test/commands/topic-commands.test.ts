import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { posixWords } from "../posix-words.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const ROUTING = `version: 1
name: ops
destinations:
  hook: { type: webhook, metadata: { url: "https://hooks.example.com/amp" } }
topics:
  ops: { events: [connection.error], destinations: [hook] }
`;

it("every command in amp help agents does what it says, one after the other", async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), ROUTING);
  const sandbox = sandboxAt();
  const { stdout } = await run(["help", "agents"], { columns: 100 });
  const whole = stdout.replaceAll(/\\\n */gu, "");
  const lines = [...whole.matchAll(/^ {2}amp (.*)$/gmu)].map(([, line = ""]) => line);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    const { code, stderr } = await run(posixWords(line), { cwd, sandbox });
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: "" });
  }
});
