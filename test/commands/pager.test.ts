import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { CRM, list } from "./installations-at.ts";

/** Lists 20 installations on a terminal of 10 lines, with a pager that keeps what it gets. */
async function paged(argv: readonly string[], world: RunInput = {}) {
  const folder = temporaryFolder();
  const got = join(folder, "got");
  const script = join(folder, "pager.cjs");
  writeFileSync(
    script,
    `process.stdin.pipe(require("fs").createWriteStream(${JSON.stringify(got)}));`,
  );
  const env = { NO_COLOR: "1", AMP_PAGER: `"${process.execPath}" ${script}`, ...world.env };
  const outcome = await list([CRM, ...argv], { tty: true, rows: 10, ...world, env });
  return { ...outcome, got: existsSync(got) ? readFileSync(got, "utf8") : undefined };
}

describe("a result on a terminal", () => {
  it("goes through the pager where it is longer than the screen, in any format", async () => {
    const table = await paged([]);
    expect([table.code, table.stdout]).toEqual([0, ""]);
    expect(table.got).toContain("Northwind");
    expect(table.stderr).toContain("20 installations");
    expect(JSON.parse((await paged(["--json"])).got ?? "")).toHaveLength(20);
  });

  it("has counts that say so if the reader quits the pager early", async () => {
    const env = { AMP_PAGER: `"${process.execPath}" -e 0` };
    const sandbox = sandboxAt(NOW, { state: largeWorld(5_000) });
    const { stderr } = await run(["installations", "list", "--all-integrations"], {
      sandbox,
      env,
      tty: true,
      rows: 10,
    });
    expect(stderr).toMatch(/\d+ installations .* so far/u);
    expect(stderr).not.toContain("5,000 installations");
  });

  it.each<[string, readonly string[], RunInput]>([
    ["fits", ["--limit", "3"], {}],
    ["is in a pipe", [], { tty: { err: true } }],
    ["is quiet", ["-q"], {}],
    ["is in CI", [], { env: { CI: "true" } }],
    ["is on a terminal that can do nothing", [], { env: { TERM: "dumb" } }],
    ["is to be without one", [], { env: { AMP_PAGER: "" } }],
    ["is a count", ["-o", "count"], {}],
  ])("is written as it is where it %s", async (_, argv, world) => {
    const { code, stdout, got } = await paged(argv, world);
    expect([code, got]).toEqual([0, undefined]);
    expect(stdout).not.toBe("");
  });
});
