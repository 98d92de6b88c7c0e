import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";
import { removeTemporaryFolders, temporaryFolder } from "../temporary-folder.ts";
import { abandonedIn, leftoversIn, removeFolder } from "../temporary-root.ts";

/** The files that may use the system's temporary folder themselves. */
const MAKERS = ["laws/temporary-folder.test.ts", "temporary-folder.ts", "temporary-root.ts"];

/** The ID of a process that has ended. */
async function pidOfEnded(): Promise<number | undefined> {
  const ended = spawn(process.execPath, ["--version"]);
  await once(ended, "exit");
  return ended.pid;
}

describe("the temporary folder", () => {
  it("is used by one helper alone, so that no test leaves anything there", () => {
    const users = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => /mkdtemp|tmpdir\(/u.test(readFileSync(join(ROOT, "test", name), "utf8")));
    expect(users.sort()).toEqual(MAKERS);
  });

  it("of a run is its own, so that the end of the run can look for leftovers", () => {
    expect(process.env.TMPDIR).toMatch(/amp-tests-\d+-\w+$/u);
  });

  it("with leftovers fails the run, by their names", () => {
    const folder = temporaryFolder();
    expect(leftoversIn(folder)).toBeUndefined();
    writeFileSync(join(folder, "left.json"), "");
    mkdirSync(join(folder, "also-left"));
    expect(leftoversIn(folder)).toContain("also-left, left.json");
  });

  it("of a run that was killed goes with its programs, and that of a running one stays", async () => {
    const folder = temporaryFolder();
    const ended = await pidOfEnded();
    const left = join(folder, `amp-tests-${ended}-a1b2c3`);
    const home = join(left, "home");
    mkdirSync(home, { recursive: true });
    mkdirSync(join(folder, `amp-tests-${process.pid}-a1b2c3`));
    const program = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { cwd: home });
    await once(program, "spawn");
    const gone = once(program, "exit");
    expect(abandonedIn(folder)).toEqual([left]);
    removeFolder(left);
    if (process.platform !== "linux") program.kill("SIGKILL");
    expect(await gone).toEqual([null, "SIGKILL"]);
    expect(readdirSync(folder)).toEqual([`amp-tests-${process.pid}-a1b2c3`]);
  });

  it("loses the folders of a test file when that ends", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "left.json"), "");
    removeTemporaryFolders();
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });
});
