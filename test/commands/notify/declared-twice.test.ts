import { expect, it } from "vitest";
import { placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

/** A file in which the topic of {@link ROUTING} is declared again, by its ID. */
async function declaredTwice() {
  const place = placeWith();
  await place.notify("apply -f routing.yaml --yes");
  const { items } = (await place.notify("plan -f routing.yaml --json")).json() as {
    items: { address: string; id: string }[];
  };
  const id = items.find(({ address }) => address === "topic/lifecycle")?.id;
  const again = `  again:\n    id: ${id}\n    events: [connection.error]\n    destinations: [ops]\n`;
  place.write("routing.yaml", ROUTING + again);
  return { place, id };
}

it.each(["plan -f routing.yaml", "apply -f routing.yaml --yes", "apply -f routing.yaml --dry-run"])(
  "a topic that a file declares by name and by ID is one conflict, with both addresses: %s",
  async (words) => {
    const { place, id } = await declaredTwice();
    const refused = await place.notify(`${words} --json`);
    expect([refused.code, writesOf(refused)]).toEqual([5, []]);
    expect(refused.error()).toMatchObject({
      message: "Conflict: topic/again",
      remedy: "Keep one of the two in the file, with the routes of both.",
      conflicts: [{ address: "topic/again", reason: "same_id", id, elsewhere: "topic/lifecycle" }],
    });
    // Without an entry, both would still be one topic.
    expect(refused.error()).not.toHaveProperty("suggestion");
  },
);

it("a topic that a file declares by name and by ID is said to be one", async () => {
  const { place, id } = await declaredTwice();
  const refused = await place.notify("apply -f routing.yaml --yes");
  expect(refused.stderr).toContain(`topic/again is the same resource as topic/lifecycle: ${id}\n`);
});
