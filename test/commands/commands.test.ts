import { describe, expect, it } from "vitest";
import { routes } from "../../src/commands/routes.ts";
import { run } from "../harness.ts";

interface Listed {
  readonly command: string;
  readonly options: readonly { readonly name: string }[];
  readonly examples: readonly { readonly run: string }[];
}

describe("amp commands", () => {
  it("lists every group and command with its summary", async () => {
    const { code, stdout } = await run(["commands"]);
    const lines = Object.entries(routes).map(([path, { summary }]) => `amp ${path}\t${summary}`);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n").slice(1).sort()).toEqual(lines.sort());
  });

  it("tells all of each as JSON, the options that work everywhere with amp itself", async () => {
    const all = (await run(["commands", "--json"])).json() as Listed[];
    const find = (command: string) => all.find((each) => each.command === command);
    expect(find("amp")?.options.map(({ name }) => name)).toContain("--project");
    const create = find("amp notify topics create");
    expect(create?.options.map(({ name }) => name)).toEqual(["--state", "--dry-run"]);
    expect(create?.examples[0]?.run).toMatch(/^amp notify topics create /u);
    expect(all).toHaveLength(Object.keys(routes).length + 1);
  });

  it("prints what can be typed with --output id", async () => {
    const { stdout } = await run(["commands", "--output", "id"]);
    expect(stdout.split("\n")).toContain("amp installations list");
  });
});
