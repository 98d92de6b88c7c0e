import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pagerCommand, writePaged } from "../../src/ui/pager.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const LINES = Array.from({ length: 50 }, (_, at) => `line ${at}\n`);

async function* chunksOf(lines: readonly string[], ended: string[] = []) {
  try {
    yield* lines;
  } finally {
    ended.push("ended");
  }
}

/** Pages lines with a script as the pager; says what it got, and what was written without it. */
async function page(lines: readonly string[], script: string, { rows = 10, command = "" } = {}) {
  const folder = temporaryFolder();
  const pager = join(folder, "pager.cjs");
  const got = join(folder, "got");
  writeFileSync(got, "");
  writeFileSync(pager, script.replaceAll("GOT", JSON.stringify(got)));
  const direct: string[] = [];
  const ended: string[] = [];
  const handed: string[] = [];
  await writePaged(chunksOf(lines, ended), {
    command: command || `"${process.execPath}" '${pager}'`,
    env: { PATH: process.env.PATH },
    rows,
    write: async (chunks) => {
      for await (const chunk of chunks) direct.push(chunk);
    },
    handOver: async (work) => {
      handed.push("begun");
      const done = await work();
      handed.push("ended");
      return done;
    },
  });
  return { got: readFileSync(got, "utf8"), direct: direct.join(""), ended, handed };
}

const KEEP = `process.stdin.pipe(require("fs").createWriteStream(GOT));`;
const QUIT = `process.stdin.once("data", () => process.exit(1));`;
const OPTIONS = `require("fs").writeFileSync(GOT, process.env.LESS); process.stdin.resume();`;

describe("the pager", () => {
  it("receives all output that is longer than the screen", async () => {
    const { got, direct, handed, ended } = await page(LINES, KEEP);
    expect([got, direct]).toEqual([LINES.join(""), ""]);
    expect([handed, ended]).toEqual([["begun", "ended"], ["ended"]]);
  });

  it("is not started for output that fits the screen", async () => {
    for (const count of [0, 1, 9]) {
      const { got, direct, handed } = await page(LINES.slice(0, count), KEEP);
      expect([got, direct, handed]).toEqual(["", LINES.slice(0, count).join(""), []]);
    }
    expect((await page(LINES.slice(0, 10), KEEP)).got).toBe(LINES.slice(0, 10).join(""));
  });

  it("may be quit early, which ends the source", async () => {
    const long = Array.from({ length: 2000 }, () => `${"x".repeat(1000)}\n`);
    const { direct, ended } = await page(long, QUIT);
    expect([direct, ended]).toEqual(["", ["ended"]]);
  });

  it("is skipped if its program cannot be started", async () => {
    const { direct, handed } = await page(LINES, KEEP, { command: "no-such-pager -x" });
    expect([direct, handed]).toEqual([LINES.join(""), []]);
  });

  it("leaves colours to less, and ends it for what fits, unless the user has options", async () => {
    expect((await page(LINES, OPTIONS)).got).toBe("FRX");
  });

  it("closes with an error of the source once the pager has ended", async () => {
    const failing = (async function* () {
      yield* LINES;
      throw new Error("cut off");
    })();
    const handed: string[] = [];
    const paging = {
      command: `"${process.execPath}" -e "process.stdin.resume()"`,
      env: {},
      rows: 10,
      write: async () => {},
      handOver: async <Done>(work: () => Promise<Done>) => {
        try {
          return await work();
        } finally {
          handed.push("ended");
        }
      },
    };
    await expect(writePaged(failing, paging)).rejects.toThrow("cut off");
    expect(handed).toEqual(["ended"]);
  });

  it("is not needed for what comes before an error of the source, which is written", async () => {
    const failing = (async function* () {
      yield* LINES.slice(0, 3);
      throw new Error("cut off");
    })();
    const written: string[] = [];
    const paging = {
      command: "no-such-pager",
      env: {},
      rows: 10,
      write: async (chunks: AsyncIterable<string>) => {
        for await (const chunk of chunks) written.push(chunk);
      },
      handOver: <Done>(work: () => Promise<Done>) => work(),
    };
    await expect(writePaged(failing, paging)).rejects.toThrow("cut off");
    expect(written.join("")).toBe(LINES.slice(0, 3).join(""));
  });

  it.each([
    [{}, "less"],
    [{ PAGER: "more" }, "more"],
    [{ AMP_PAGER: "less -S", PAGER: "more" }, "less -S"],
    [{ AMP_PAGER: "", PAGER: "more" }, undefined],
    [{ AMP_PAGER: "cat" }, undefined],
    [{ PAGER: "cat" }, undefined],
    [{ PAGER: " " }, undefined],
  ])("of %j is %s", (env, command) => {
    expect(pagerCommand(env)).toBe(command);
  });
});
