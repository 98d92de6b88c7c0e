import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import type { CaseFile } from "../../src/case/case-file.ts";
import { packCase, unpackCase } from "../../src/case/case-file.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { parseJson } from "../../src/values/json.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const cwd = temporaryFolder();
const path = join(cwd, "c.ampcase");
let file: CaseFile;

beforeAll(async () => {
  const sandbox = sandboxAt(NOW, { state: largeWorld(64) });
  await run(["case", "create", "cyberdyne", "--save", "c.ampcase"], { sandbox, cwd });
  file = unpackCase(readFileSync(path), "c");
});

const zipped = (value: unknown) =>
  gzipSync(typeof value === "string" ? value : JSON.stringify(value));
const problem = (bytes: Uint8Array) => {
  try {
    unpackCase(bytes, "c");
    return "none";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("a case file", () => {
  it("is read as it was written, with numbers beyond 2^53", () => {
    const [answer, ...answers] = file.answers;
    const big = {
      ...file,
      answers: [{ ...answer, body: parseJson("[12345678901234567890]") }, ...answers],
    };
    const text = packCase(big as CaseFile);
    expect(unpackCase(text, "c")).toEqual(big);
  });

  it.each([
    ["an empty file", () => Buffer.alloc(0), "c is not a case"],
    ["a text", () => Buffer.from("hello"), "c is not a case"],
    ["another gzip", () => zipped({ some: "thing" }), "c is not a case"],
    ["a list", () => zipped([file]), "c is not a case"],
    ["a strange format", () => zipped({ ...file, format: "amp-case/../../x" }), "c is not a case"],
    [
      "a cut file",
      () => readFileSync(path).subarray(0, 400),
      "c is damaged: it cannot be unpacked",
    ],
    ["no JSON", () => zipped("{"), "c is damaged: its content is not valid JSON"],
    [
      "a bomb",
      () => zipped(`{"format":"amp-case/1","x":"${" ".repeat(65 * 2 ** 20)}"}`),
      "c is damaged: it is larger than 64 MB",
    ],
    [
      "deep levels",
      () =>
        zipped(
          JSON.stringify(file).replace('"body":[', `"body":[${"[".repeat(300)}${"]".repeat(300)},`),
        ),
      "c is damaged: it is nested too deeply",
    ],
    [
      "a newer format",
      () => zipped({ ...file, format: "amp-case/2" }),
      "c was saved by a newer version of amp (format amp-case/2)",
    ],
    ["a missing part", () => zipped({ ...file, answers: undefined }), /^c is damaged: answers: /u],
    [
      "another header",
      () => zipped(withHeader("set-cookie\r\nx")),
      /^c is damaged: answers\.0\.headers/u,
    ],
    [
      "a path that leads out",
      () => zipped(withPath("//evil.example/x y")),
      /^c is damaged: answers\.0\.path/u,
    ],
    [
      "a project that is not a variable",
      () => zipped({ ...file, project: "a\0b" }),
      /damaged: project/u,
    ],
    [
      "a status of another kind",
      () => zipped(withStatus(101)),
      /^c is damaged: answers\.0\.status/u,
    ],
  ])("is refused if it is %s", (_, bytes, message) => {
    expect(problem(bytes())).toMatch(
      message instanceof RegExp
        ? message
        : new RegExp(`^${message.replaceAll(/[.()/]/gu, "\\$&")}$`, "u"),
    );
  });

  it("shows its texts without what a terminal interprets", async () => {
    const hostile = "\u001b]8;;https://evil.example\u0007click\u001b[2J \u202egnp.exe\n::error::x";
    const verdict = { ...file.verdict, headline: hostile, advice: hostile, evidence: [hostile] };
    writeFileSync(
      join(cwd, "h.ampcase"),
      packCase({ ...file, verdict, who: hostile, by: hostile }),
    );
    for (const part of [[], ["--rules"], ["-o", "markdown"], ["--json"]]) {
      const { stdout, code } = await run(["case", "show", "h.ampcase", ...part], {
        cwd,
        tty: part.length === 0,
      });
      expect(code).toBe(0);
      // Colours are amp's own.
      const own = stdout.split("\u001b").map((text) => text.replace(/^\[[\d;]*m/u, ""));
      expect(stdout.split("\u001b[").length, "only colours").toBe(own.length);
      expect(own.filter((text) => text.startsWith("["))).toEqual([]);
      for (const sign of ["\u0007", "\u202e"]) expect(stdout).not.toContain(sign);
      expect(stdout).not.toMatch(/^::error/mu);
    }
  });
});

function withHeader(value: string) {
  return changed({ headers: { "content-type": value } });
}

function withPath(value: string) {
  return changed({ path: value });
}

function withStatus(value: number) {
  return changed({ status: value });
}

function changed(part: object) {
  const [answer, ...answers] = file.answers;
  return { ...file, answers: [{ ...answer, ...part }, ...answers] };
}
