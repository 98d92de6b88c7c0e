import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { requireBundle } from "../built.ts";
import { processesIn } from "../temporary-root.ts";
import { createHome, PROGRAM, ROOT, start } from "./program.ts";

const DEMO = join(ROOT, "test/demo.ts");

/** The home of somebody who runs the demo, its temporary folder in it. */
function homeOfDemo() {
  requireBundle();
  const home = createHome();
  const TMPDIR = join(home.folder, "tmp");
  mkdirSync(TMPDIR);
  return { home, TMPDIR, env: { TMPDIR, AMP_E2E_PROGRAM: PROGRAM } };
}

/** Nothing of the demo runs any more, and its folder is gone. */
async function expectNothingLeft(TMPDIR: string): Promise<void> {
  await vi.waitFor(() => expect(processesIn(TMPDIR)).toEqual([]), { timeout: 60_000 });
  expect(readdirSync(TMPDIR).filter((name) => name !== "node-compile-cache")).toEqual([]);
}

test("the demo shows every step with its output, and leaves no files", async () => {
  const { home, TMPDIR, env } = homeOfDemo();
  const ended = await start([process.execPath, DEMO], {
    home,
    // What a shell says must not change the story.
    env: { ...env, CI: "true", AMP_PROJECT: "of-the-shell", AMP_OUTPUT: "json" },
  }).ended;

  expect(ended).toMatchObject({ code: 0, signal: null });
  const commands = ended.stdout.match(/^\$ .*$/gmu) ?? [];
  const steps = [
    "amp sandbox start",
    "auth login",
    "amp apps list",
    "amp installations summary",
    "amp case create bluth",
    "amp notify setup",
    "cat routing.yaml",
    "amp notify routes list",
    "amp listen",
    "amp trigger connection.error",
    "amp webhooks test",
  ];
  for (const step of steps) expect(commands.some((line) => line.includes(step))).toBe(true);
  expect(ended.stdout).toContain("Bluth Company · stripe · billing-sync · ins_cbde36a4");
  // Everything has a name that a person can read.
  expect(ended.stdout).not.toMatch(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/iu);
  expect(ended.stdout).toMatch(/Apply complete in [\d.]+ s: 6 created/u);
  // The event was seen, and its signature is valid; the receiver's defects were named.
  expect(ended.stdout).toMatch(/connection\.error\tvalid\tdelivered 204.*msg_\w+/u);
  expect(ended.stdout).toContain("2 of 20 checks failed");
  expect(ended.stdout).toContain(
    "The receiver verifies a body that was parsed and serialised again.",
  );
  expect(ended.stdout + ended.stderr).not.toMatch(/^\s+at /mu);
  // The runtime's own cache of compiled code may stay: it is shared by all that it runs.
  const before = ["bin", "tmp"];
  expect(readdirSync(home.folder).filter((name) => !before.includes(name))).toEqual([]);
  await expectNothingLeft(TMPDIR);
});

test("the demo leaves no process where its reader has seen enough", async () => {
  const { home, TMPDIR, env } = homeOfDemo();
  for (const lines of [3, 12]) {
    const command = `'${process.execPath}' '${DEMO}' | head -${lines}`;
    const { stdout, stderr } = await start(["sh", "-c", command], { home, env }).ended;
    expect(stdout.split("\n")).toHaveLength(lines + 1);
    expect(stderr).toBe("");
    await expectNothingLeft(TMPDIR);
  }
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "the demo leaves no process after %s",
  async (signal) => {
    const { home, TMPDIR, env } = homeOfDemo();
    // Only the demo gets the signal: a terminal would send it to its programs as well.
    const demo = start([process.execPath, DEMO], { home, env });
    await demo.firstLine();
    await once(demo.child.stdout ?? demo.child, "data");
    demo.child.kill(signal);
    const { code } = await demo.ended;
    expect(code).toBeGreaterThan(128);
    await expectNothingLeft(TMPDIR);
  },
);
