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
  "a topic that a file declares by name and by ID is one conflict, with both lines: %s",
  async (words) => {
    const { place, id } = await declaredTwice();
    const refused = await place.notify(words);
    expect([refused.code, refused.stdout, writesOf(refused)]).toEqual([5, "", []]);
    expect(refused.stderr).toContain(
      `topic/again (routing.yaml:9) and topic/lifecycle (routing.yaml:6) are one topic: ${id}`,
    );
    expect(refused.stderr).toContain("Keep one of them, with the routes of both.");
    expect(refused.stderr).not.toContain("conflicts");
  },
);
