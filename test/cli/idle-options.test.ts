import { describe, expect, it } from "vitest";
import { actingSettings, nodesOf, readTree } from "../../src/cli/tree.ts";
import { routes } from "../../src/commands/routes.ts";
import { kebabCase, SETTINGS, type Setting } from "../../src/settings.ts";
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
      ([name, { flags }]) =>
        flags !== undefined &&
        !acting.has(name) &&
        (name !== "profile" || path.startsWith("auth ")),
    );
    for (const [name, setting] of idle) {
      const outcome = await runBad(path, wordsOf(name, setting));
      expect({ name, ...outcome }).toMatchObject({ name, code: 2, stdout: "", requests: [] });
      if (name === "csvRaw") continue;
      expect(outcome.stderr).toContain(`--${kebabCase(name)} has no effect on amp ${path}`);
      expect(outcome.stderr).toMatch(
        /Leave it out: only .* accept it\.|Pass the profile as an argument\./u,
      );
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
  it.each(["forget topic/x", "import topic/x t_1", "resolve topic/x --not-created", "resume"])(
    "is taken as --yes by a command that changes the saved state: amp notify %s",
    async (words) => {
      const argv = ["notify", ...words.split(" ")];
      const [plain, sure] = [await run(argv), await run([...argv, "--yes"])];
      expect(sure.code).toBe(plain.code);
      expect(sure.stderr).not.toContain("no effect");
    },
  );

  it.each([
    ["completion", ["--json"], "only commands that print a result accept it"],
    ["completion", ["--json", "--yes"], "Leave them out: only"],
    ["notify plan", ["--yes"], "only commands that ask for confirmation accept it"],
    ["version", ["--timeout", "5s"], "only commands that call the service accept it"],
    ["auth list", ["--profile", "sandbox"], "only commands that call the service accept it"],
    ["projects list", ["--project", "acme"], "only commands of one project accept it"],
  ])("is refused: amp %s %j", async (path, words, remedy) => {
    const { code, stderr } = await runBad(path, words);
    expect(code).toBe(2);
    expect(stderr).toContain(remedy);
  });
});

it.each(["notify events", "explain installation", "version", "commands"])(
  "--profile, which many type before every command, does no harm: amp %s",
  async (line) => {
    const outcome = await run(["--profile", "sandbox", ...line.split(" ")]);
    const alone = await run(line.split(" "));
    expect(outcome).toMatchObject({ code: 0, stderr: alone.stderr, requests: [] });
    expect(outcome.stdout).toBe(alone.stdout);
  },
);

it.each(["logout", "token", "switch", "protect"])(
  "amp auth %s leads from the option of the profile to its argument",
  async (verb) => {
    const { code, stderr, requests } = await run(["auth", verb, "--profile", "other"]);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("Pass the profile as an argument.");
    expect(stderr).toContain(`Try: amp auth ${verb} other\n`);
    const both = await run(["auth", verb, "mine", "--profile", "other"]);
    expect(both.stderr).toContain("Leave it out");
  },
);
