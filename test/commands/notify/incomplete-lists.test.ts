import { describe, expect, test } from "vitest";
import type { RunInput } from "../../harness.ts";
import { placeWith } from "./notify-fixture.ts";

/** A project whose list of destinations is cut: it lacks all of them. */
async function cutPlace() {
  const place = placeWith();
  expect((await place.notify("apply -f routing.yaml --yes")).code).toBe(0);
  const id = place.sandbox.world.destinations.at(-1)?.id ?? "";
  const fetch: RunInput["fetch"] = async (request) =>
    request.method === "GET" && new URL(request.url).pathname.endsWith("/destinations")
      ? Response.json([])
      : place.sandbox.fetch(request);
  return { id, notify: (words: string) => place.notify(words, { fetch }) };
}

describe("a list that lacks the destination of a route", () => {
  test("is not exported", async () => {
    const { id, notify } = await cutPlace();
    const { code, stdout, stderr } = await notify("export");
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toContain(`The lists are incomplete: destination ${id} of destination route`);
  });

  test("is said by check", async () => {
    const { id, notify } = await cutPlace();
    const { findings } = (await notify("check --json")).json() as { findings: object[] };
    expect(findings).toContainEqual(
      expect.objectContaining({
        rule: "topic-without-destination",
        message: `Topic lifecycle reaches no destination: its destination ${id} is not listed.`,
        remedy:
          "Run the command again. If the destination was deleted, delete the destination route.",
      }),
    );
  });

  test("is said by trace and graph", async () => {
    const { id, notify } = await cutPlace();
    const traced = await notify("graph installation.created --json");
    expect(traced.json()).toMatchObject({
      reason: "no-destination",
      topics: [{ name: "lifecycle", destinations: [], unlisted: [id] }],
    });
    expect((await notify("graph --json")).json()).toMatchObject({
      topics: [{ name: "lifecycle", unlisted: [id], reachesNoDestination: true }],
    });
    const shown = await notify("graph installation.created");
    expect(shown.stderr + shown.stdout).toContain(
      `Topic lifecycle has no destination: its destination ${id} is not listed.`,
    );
  });
});
