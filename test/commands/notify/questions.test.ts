import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../../harness.ts";
import type { Script } from "../../scripted-prompter.ts";
import { atSandbox } from "./setups.ts";

const ask = (words: readonly string[], script: Script, world = { sandbox: sandboxAt() }) =>
  run(["notify", ...words], atSandbox(script, world));

describe("a single resource on a terminal", () => {
  it("asks for what is missing, and creates it", async () => {
    const world = { sandbox: sandboxAt() };
    // A name that the service would refuse is asked for again.
    const names = [
      ["Topic name", "my alerts"],
      ["Topic name", "alerts"],
    ] as const;
    const topic = await ask(["topics", "create"], names, world);
    expect(topic).toMatchObject({ code: 0, stdout: expect.stringContaining("alerts") });
    const destination = await ask(
      ["destinations", "create", "--url", "https://hooks.acme.com/amp"],
      [
        ["Destination name", "bad name"],
        ["Destination name", "ops"],
        ["Destination type", "webhook"],
      ],
      world,
    );
    expect(destination).toMatchObject({ code: 0, stdout: expect.stringContaining("ops") });
    const asked = await ask(
      ["destinations", "create", "--name", "two", "--type", "webhook"],
      [
        ["URL", "https://hooks.acme.com/two"],
        ["Add headers, such as Authorization?", false],
      ],
      world,
    );
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining("two") });
    const event = await ask(
      ["routes", "create"],
      [
        ["Topic, by name or ID", "alerts"],
        ["Route", "Event"],
        ["Event type", "connection.error"],
      ],
      world,
    );
    expect(event).toMatchObject({ code: 0, stdout: expect.stringContaining("connection.error") });
    const route = await ask(
      ["routes", "create", "--topic", "alerts"],
      [
        ["Route", "Destination"],
        ["Destination, by name or ID", "ops"],
      ],
      world,
    );
    expect(route).toMatchObject({ code: 0 });
    const list = await run(["notify", "routes", "list", "-o", "count"], world);
    expect(list.stdout).toBe("2\n");
  });

  it.each([
    [["topics", "create"], "Missing argument <name>"],
    [["destinations", "create"], "Missing options --name, --type"],
    [["routes", "create", "--topic", "t"], "--event or --destination is required"],
  ])("is an error elsewhere that names all that is missing: %j", async (words, said) => {
    const outcome = await run(["notify", ...words], { sandbox: sandboxAt() });
    expect([outcome.code, outcome.requests]).toEqual([2, []]);
    expect(outcome.stderr).toContain(said);
  });

  it("leads from --name to the argument", async () => {
    const { code, stderr } = await run(["notify", "topics", "create", "--name", "a"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Give it as an argument: amp notify topics create <name>");
  });
});
