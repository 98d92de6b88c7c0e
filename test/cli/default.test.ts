import { expect, it } from "vitest";
import { choice, defineCommand, duration, lines, withDefault } from "../../src/cli/define.ts";
import { run } from "../harness.ts";
import { only } from "./throwaway-routes.ts";

const routes = only(
  defineCommand({
    examples: ["amp probe"],
    options: {
      by: withDefault(choice("what to count", ["red", "blue"], { placeholder: "colour" }), "red"),
      within: withDefault(duration("how long to count"), "5m"),
    },
    run: ({ options: { by, within } }) => ({ id: `${by.toUpperCase()} ${within / 1000}` }),
    view: lines<{ id: string }>(({ id }) => id),
  }),
);

const probe = async (...argv: string[]) => (await run(["probe", ...argv], { routes })).stdout;

it("is the value of an option that was not typed, read as if it had been", async () => {
  expect(await probe()).toBe("RED 300\n");
  expect(await probe("--by", "blue", "--within", "2s")).toBe("BLUE 2\n");
  expect((await run(["probe", "--by", "green"], { routes })).code).toBe(2);
});

it("is named in help", async () => {
  const help = await probe("--help");
  expect(help).toContain("--by <colour>");
  expect(help).toContain("what to count (default red; one of red, blue)");
  expect(help).toContain("how long to count (default 5m)");
});
