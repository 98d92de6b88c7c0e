import { beforeEach, describe, expect, it } from "vitest";
import { sandboxAt } from "../../harness.ts";
import { ADDRESSES, type Place, placeWith, writesOf } from "./notify-fixture.ts";

let place: Place;
/** The IDs at the service of what the routing file says. */
let made: ReadonlyMap<string, string>;

beforeEach(async () => {
  place = placeWith();
  const applied = await place.notify("apply -f routing.yaml --yes --json");
  const { settled } = applied.json() as { settled: { address: string; id: string }[] };
  made = new Map(settled.map(({ address, id }) => [address, id]));
  expect([...made.keys()].sort()).toEqual([...ADDRESSES].sort());
});

const importAs = (address: string, id: string, state = "fresh.json") =>
  place.notify(`state import ${address} ${id} --state ${state} --json`);

describe("an import where the service has lists", () => {
  it("adds what is listed, one by one, and asks for one list each", async () => {
    for (const [address, id] of made) {
      const imported = await importAs(address, id);
      expect(imported.json()).toEqual({ address, id, checked: true });
      expect(imported.stderr).toBe("");
      expect(writesOf(imported)).toEqual([]);
      const lists = imported.requests.filter(({ path }) => path !== "/projects");
      expect(lists).toHaveLength(1);
    }
    const plan = await place.notify("plan -f routing.yaml --state fresh.json --exit-code");
    expect(plan.code).toBe(0);
  });

  it.each(ADDRESSES)("refuses an ID that is not listed, and saves nothing: %s", async (address) => {
    const refused = await importAs(address, "nothing-like-it");
    expect(refused.code).toBe(3);
    expect(refused.error()).toMatchObject({
      message: expect.stringMatching(/^The service does not list .* nothing-like-it$/u),
      done: "Nothing was saved.",
    });
    expect(place.has("fresh.json")).toBe(false);
  });

  it("names the record that has the name, or else the ID that is spelled like it", async () => {
    const topic = made.get("topic/lifecycle") ?? "";
    const byName = (await importAs("topic/lifecycle", "top_wrong")).error();
    expect(byName).toMatchObject({
      remedy: `Did you mean ${topic}?`,
      candidates: [{ id: topic }],
      suggestion: `amp notify state import topic/lifecycle ${topic} --state fresh.json`,
    });
    const typo = `${topic.slice(0, -1)}z`;
    const bySpelling = (await importAs("topic/unheard-of", typo)).error();
    expect(bySpelling).toMatchObject({
      suggestion: `amp notify state import topic/unheard-of ${topic} --state fresh.json`,
    });
    expect((await importAs("topic/unheard-of", "zzzzzzzzzzzzzzzz")).error()).toMatchObject({
      suggestion: "amp notify topics list",
    });
  });

  it("finds a route by the topic and destination that the state has", async () => {
    const address = "destination-route/lifecycle/ops";
    for (const known of ["topic/lifecycle", "destination/ops"]) {
      expect((await importAs(known, made.get(known) ?? "")).code).toBe(0);
    }
    expect((await importAs(address, "wrong")).error()).toMatchObject({
      remedy: `Did you mean ${made.get(address)}?`,
    });
  });

  it("refuses the ID of another kind", async () => {
    const refused = await importAs("topic/lifecycle", made.get("destination/ops") ?? "");
    expect(refused.code).toBe(3);
  });

  it("saves nothing where the list fails", async () => {
    const fetch = async () => Response.json({ status: 500 }, { status: 500 });
    const words = "state import topic/lifecycle top_1 --state fresh.json";
    expect((await place.notify(words, { fetch, env: { AMP_RETRIES: "0" } })).code).toBe(7);
    expect(place.has("fresh.json")).toBe(false);
  });
});

it.each([
  ["lists nothing", sandboxAt(undefined, { specOnly: true })],
  ["forbids the list", undefined],
])("says that an ID was not checked where the service %s", async (_, sandbox) => {
  const fetch = async () => Response.json({ status: 403 }, { status: 403 });
  const world = sandbox ? { sandbox } : { fetch };
  const said = await place.notify("state import topic/t top_1 --state fresh.json", world);
  expect(said).toMatchObject({ code: 0, stdout: "Added topic t to the state with ID top_1\n" });
  expect(said.stderr).toContain("does not list topics, so the ID top_1 was not checked");
  const again = await place.notify("state import topic/t top_1 --state fresh.json --json", world);
  expect(again.json()).toMatchObject({ checked: false });
});
