import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkIntegrity, lockedRuntime, TARGETS, type Target } from "../../build/runtimes.ts";
import { ROOT } from "../built.ts";

const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  devDependencies: Readonly<Record<string, string>>;
};

describe("the runtime of another machine", () => {
  it.each(Object.keys(TARGETS) as Target[])("for %s is pinned, hash and all", (target) => {
    const { version, integrity } = lockedRuntime(target);
    // One version for all: bytecode is of one runtime.
    expect(version).toBe(devDependencies.bun);
    expect(integrity).toMatch(/^sha512-[0-9A-Za-z+/]{86}==$/u);
  });

  it("is taken where its hash is that of the lockfile, and refused elsewhere", () => {
    const locked = {
      name: "@oven/bun-linux-x64",
      version: "1.0.0",
      integrity:
        "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==",
    };
    expect(() => checkIntegrity(Buffer.from("abc"), locked)).not.toThrow();
    expect(() => checkIntegrity(Buffer.from("abd"), locked)).toThrow(
      /^@oven\/bun-linux-x64@1\.0\.0 is not what package-lock\.json names/u,
    );
  });
});
