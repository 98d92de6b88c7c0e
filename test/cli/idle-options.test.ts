import { describe, expect, it } from "vitest";
import { actingSettings, nodesOf, readTree } from "../../src/cli/tree.ts";
import { routes } from "../../src/commands/routes.ts";
import { kebabCase, SETTINGS, type Setting } from "../../src/settings.ts";
import { targetOptions } from "../../src/values/command-paths.ts";
import { leaves, runBad, runGood } from "../commands/leaves.ts";
import { run } from "../harness.ts";
import { sampleFor } from "../sample.ts";

/** A valid value of each global option that takes one. */
const VALUES: Readonly<Record<string, string>> = {
  output: "json",
  auth: "api-key",
  retries: "1",
  maxBody: "1MB",
  baseUrl: "https://api.example.com/v1",
};
const TIMES = new Set(["timeout", "deadline", "maxWait"]);
const NODES = new Map(nodesOf(await readTree(routes)).map((node) => [node.path.join(" "), node]));

function wordsOf(name: string, { flags = "" }: Setting): string[] {
  const option = /--[\w-]+/u.exec(flags)?.[0] ?? "";
  if (!flags.includes("<")) return [option];
  return [option, VALUES[name] ?? (TIMES.has(name) ? "5s" : "x")];
}

describe.each(leaves)("amp $path", ({ path, command }) => {
  it("refuses each global option that has no effect on it, and sends nothing", async () => {
    const acting = actingSettings(path, command);
    const idle = Object.entries<Setting>(SETTINGS).filter(
      ([name, { flags }]) => flags !== undefined && !acting.has(name),
    );
    for (const [name, setting] of idle) {
      const outcome = await runBad(path, wordsOf(name, setting));
      expect({ name, ...outcome }).toMatchObject({ name, code: 2, stdout: "", requests: [] });
      if (name === "csvRaw") continue;
      expect(outcome.stderr).toContain(`--${kebabCase(name)} has no effect on amp ${path}`);
    }
  });
});

describe.each(leaves.map((leaf, nth) => ({ ...leaf, nth })))("amp $path", ({ path, nth }) => {
  it("accepts the global options that help and completion offer", async () => {
    const node = NODES.get(path);
    const offered = Object.entries<Setting>(SETTINGS).filter(([, { flags = "" }]) =>
      node?.globalOptions.includes(/--[\w-]+/u.exec(flags)?.[0] ?? ""),
    );
    expect(offered).toHaveLength(node?.globalOptions.length ?? -1);
    for (const [name, setting] of sampleFor(nth, 3, offered)) {
      const words = wordsOf(name, setting);
      const { stderr } = await runGood(path, words, { signal: AbortSignal.abort("SIGINT") });
      expect({ words, stderr }).not.toMatchObject({
        stderr: expect.stringMatching(/has no effect on amp|has no option/u),
      });
    }
  });
});

describe("an option without effect", () => {
  it.each(["forget topic/x", "import topic/x t_1", "resolve topic/x --not-created"])(
    "is taken as --yes by a command that changes the saved state: amp notify state %s",
    async (words) => {
      const argv = ["notify", "state", ...words.split(" ")];
      const [plain, sure] = [await run(argv), await run([...argv, "--yes"])];
      expect(sure.code).toBe(plain.code);
      expect(sure.stderr).not.toContain("no effect");
    },
  );

  it.each([
    ["completion", ["--json", "--yes"], "--json, --yes have no effect on amp completion"],
    ["notify plan", ["--yes"], "--yes has no effect on amp notify plan"],
    ["notify plan", ["--confirm", "x"], "--confirm has no effect on amp notify plan"],
    [
      "notify plan",
      ["--expect-project", "x"],
      "It guards commands that write, such as amp notify apply.",
    ],
    ["version", ["--timeout", "5s"], "--timeout has no effect on amp version"],
    ["version", ["--profile", "sandbox"], "--profile has no effect on amp version"],
    ["auth list", ["--profile", "sandbox"], "--profile has no effect on amp auth list"],
    ["projects list", ["--project", "acme"], "--project has no effect on amp projects list"],
  ])("is refused: amp %s %j", async (path, words, message) => {
    const { code, stderr } = await runBad(path, words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

it("guards are options of exactly the commands that write at the service", () => {
  for (const { path, command } of leaves) {
    const writes = command.effect === "write" && targetOptions(path).includes("baseUrl");
    const guards = targetOptions(path).filter((name) => /^(?:confirm|expectProject)$/u.test(name));
    expect({ path, guards }).toEqual({ path, guards: writes ? ["confirm", "expectProject"] : [] });
  }
});

describe("the profile of a command about logins", () => {
  it.each(["token", "logout", "protect"])(
    "is an argument or --profile, not two: %s",
    async (verb) => {
      const both = await run(["auth", verb, "mine", "--profile", "other"]);
      expect(both).toMatchObject({ code: 2, requests: [] });
      expect(both.stderr).toContain("The argument mine and --profile other conflict");
    },
  );

  it("is that of --profile without an argument", async () => {
    const argv = ["auth", "token", "--profile", "sandbox"];
    expect(await run(argv)).toMatchObject({ code: 0, stdout: "sandbox-api-key\n" });
  });
});
