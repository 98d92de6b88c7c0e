import { describe, expect, it } from "vitest";
import { routes } from "../../src/commands/routes.ts";
import { Secret } from "../../src/secrets/secret.ts";
import { COMMANDS, type CommandPath } from "../../src/values/command-paths.ts";
import {
  atTarget,
  suggest,
  suggestedLines,
  suggestHelp,
} from "../../src/values/suggested-command.ts";

const TARGET = { profile: "staging", project: "acme", state: "my state.json" };

describe("a suggested command", () => {
  it("quotes its arguments and the values of its options for the shell", () => {
    expect(suggest("notify state resolve", ["topic/a b"], { id: "it's" }).line()).toBe(
      "amp notify state resolve 'topic/a b' --id 'it'\\''s'",
    );
  });

  it("writes flags, lists, short options, variables and what the reader fills in", () => {
    const setup = suggest("notify setup", [], {
      destinationId: { placeholder: "id" },
      event: ["a", "b"],
      yes: true,
      resume: false,
      topic: undefined,
      metadata: { text: "headers.X=", variable: "KEY" },
    });
    expect(setup.line()).toBe(
      'amp notify setup --destination-id <id> --event a --event b --yes --metadata headers.X="$KEY"',
    );
    const limited = suggest("invites list", [], { limit: 4 });
    expect(limited.line()).toBe("amp invites list --limit 4");
  });

  it("keeps an argument that begins with a dash from being read as an option", () => {
    expect(suggest("invites revoke", ["-a", "b"], { org: "o" }).line()).toBe(
      "amp invites revoke --org o -- -a b",
    );
  });

  it("hides a secret in every form of quoting", () => {
    const secret = new Secret("it's a secret").reveal();
    expect(suggest("notify state forget", [secret]).line()).toBe(
      "amp notify state forget '[redacted]'",
    );
  });

  it("serialises to its command line in JSON", () => {
    expect(JSON.stringify({ next: suggest("auth list") })).toBe('{"next":"amp auth list"}');
  });

  it("repeats the typed target, as far as the command takes it", () => {
    const lineOf = (path: CommandPath) => suggest(path).at(TARGET).line();
    expect(lineOf("notify plan")).toBe(
      "amp notify plan --profile staging --project acme --state 'my state.json'",
    );
    expect(lineOf("installations list")).toBe(
      "amp installations list --profile staging --project acme",
    );
    expect(lineOf("auth status")).toBe("amp auth status --profile staging");
    expect(lineOf("auth list")).toBe("amp auth list");
    expect(suggestHelp("notify apply").at(TARGET).line()).toBe("amp notify apply --help");
  });

  it("keeps a target that its own options name", () => {
    const options = { profile: "q", project: "p", state: "s" };
    expect(suggest("notify plan", [], options).at(TARGET).line()).toBe(
      "amp notify plan --profile q --project p --state s",
    );
  });
});

describe("atTarget", () => {
  it("finds suggested commands in lists and plain objects, and leaves all else alone", () => {
    const time = new Date(0);
    const given = { time, text: "amp notify plan", next: [suggest("auth status")] };
    const moved = atTarget(given, { baseUrl: "https://api.example.com/v1" });
    expect(moved).toMatchObject({ time, text: "amp notify plan" });
    expect(suggestedLines(moved.next)).toEqual([
      "amp auth status --base-url https://api.example.com/v1",
    ]);
    expect(suggestedLines(given.next)).toEqual(["amp auth status"]);
  });
});

describe("the table of targets", () => {
  /** Their project may be left out: only some paths name it, or a file is read in its place. */
  const OPTIONAL_PROJECT = new Set<string>([
    "api",
    "apps lint",
    "invites list",
    "invites revoke",
    "listen",
    "notify check",
    "notify graph",
    "trigger",
  ]);

  it.each(Object.entries(COMMANDS))("says which target amp %s takes", async (path, [takes]) => {
    const route = routes[path];
    if (!route || !("load" in route)) throw new Error(`no command ${path}`);
    const { needs = [], options = {} } = (await route.load()).default;
    const names: readonly string[] = takes;
    expect(names.includes("project")).toBe(needs.includes("project") || OPTIONAL_PROJECT.has(path));
    expect(names.includes("state")).toBe("state" in options && names.includes("project"));
  });
});
