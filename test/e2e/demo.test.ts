import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireBundle } from "../built.ts";
import { createHome, PROGRAM, ROOT, start } from "./program.ts";

test("the demo shows every step with its output, and leaves no files", {
  timeout: 60_000,
}, async () => {
  requireBundle();
  const home = createHome();
  const TMPDIR = join(home.folder, "tmp");
  mkdirSync(TMPDIR);
  const ended = await start([process.execPath, join(ROOT, "test/demo.ts")], {
    home,
    // What a shell says must not change the story.
    env: {
      TMPDIR,
      CI: "true",
      AMP_PROJECT: "of-the-shell",
      AMP_OUTPUT: "json",
      AMP_E2E_PROGRAM: PROGRAM,
    },
  }).ended;

  expect(ended).toMatchObject({ code: 0, signal: null });
  const commands = ended.stdout.match(/^\$ .*$/gmu) ?? [];
  const steps = [
    "amp sandbox start",
    "auth login",
    "amp apps list",
    "amp installations list",
    "amp installations get",
    "amp notify setup",
    "cat routing.yaml",
    "amp notify routes list",
    "amp listen",
    "amp trigger connection.error",
    "amp webhooks test",
  ];
  for (const step of steps) expect(commands.some((line) => line.includes(step))).toBe(true);
  expect(ended.stdout).toMatch(/Apply complete in [\d.]+ s: 6 created/u);
  // The event was seen, and its signature is valid; the receiver's defects were named.
  expect(ended.stdout).toMatch(/connection\.error\tvalid\tdelivered 204.*msg_\w+/u);
  expect(ended.stdout).toContain("18 of 20 checks passed");
  expect(ended.stdout).toContain(
    "The receiver verifies a body that was parsed and serialised again.",
  );
  expect(ended.stdout + ended.stderr).not.toMatch(/^\s+at /mu);
  // The runtime's own cache of compiled code may stay: it is shared by all that it runs.
  const before = ["bin", "tmp"];
  expect(readdirSync(home.folder).filter((name) => !before.includes(name))).toEqual([]);
  expect(readdirSync(TMPDIR).filter((name) => name !== "node-compile-cache")).toEqual([]);
});
