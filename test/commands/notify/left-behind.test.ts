import { describe, expect, it } from "vitest";
import { placeWith, writesOf } from "./notify-fixture.ts";

const FILE = (destination: string, events: string, name = "nn") => `version: 1
name: ${name}
destinations:
  ${destination}: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  n: { events: [${events}], destinations: [${destination}] }
`;
const BOTH = "installation.created, connection.error";

async function applied(text: string) {
  const place = placeWith();
  place.write("nn.yaml", text);
  expect(await place.notify("apply -f nn.yaml --yes")).toMatchObject({ code: 0 });
  return place;
}

interface Left {
  readonly removedFromFile?: readonly { address: string; made: string }[];
  readonly others?: readonly unknown[];
}

describe("resources that a file no longer contains", () => {
  it("are named by plan, review, receipt and JSON after a destination got another name", async () => {
    const place = await applied(FILE("n1", BOTH));
    place.write("nn.yaml", FILE("n2", BOTH));
    const says =
      "2 resources are no longer in this file, but still exist (--all lists them). Add --prune to delete them.";
    const plan = await place.notify("plan -f nn.yaml");
    expect(plan.stderr.replaceAll(/\s+/gu, " ")).toContain(
      `${says} If one of them was renamed, add renamed-from instead.`,
    );
    expect(plan.stderr).not.toContain("other resource");
    const done = await place.notify("apply -f nn.yaml --yes");
    expect(done.code).toBe(0);
    // Once: nobody was asked.
    expect(done.stderr.replaceAll(/\s+/gu, " ").split(says)).toHaveLength(2);
    const again = await place.notify("plan -f nn.yaml");
    expect(again.stderr.replaceAll(/\s+/gu, " ")).toMatch(
      /In sync: .*, 2 no longer in this file .*2 resources are no longer in this file/u,
    );
    expect(again.stderr).not.toContain("renamed-from");
    const receipt = await place.notify("apply -f nn.yaml --yes");
    expect(receipt.stderr.replaceAll(/\s+/gu, " ")).toContain(says);
    for (const line of ["plan -f nn.yaml --json", "apply -f nn.yaml --yes --json"]) {
      const json = (await place.notify(line)).json() as Left;
      expect(json.removedFromFile).toMatchObject([
        { address: "destination-route/n/n1", made: "amp" },
        { address: "destination/n1", made: "amp" },
      ]);
      expect(json.others ?? []).toEqual([]);
    }
    const pruned = await place.notify("apply -f nn.yaml --prune --yes");
    expect(writesOf(pruned).filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
    const clean = await place.notify("plan -f nn.yaml --json");
    expect(clean.json()).toMatchObject({ removedFromFile: [] });
  });

  it("are named where one event type was removed", async () => {
    const place = await applied(FILE("n1", BOTH));
    place.write("nn.yaml", FILE("n1", "installation.created"));
    const plan = await place.notify("plan -f nn.yaml");
    expect(plan.stderr.replaceAll(/\s+/gu, " ")).toContain(
      "1 resource is no longer in this file, but still exists (--all lists it). Add --prune to delete it.",
    );
    expect(plan.stderr).not.toContain("renamed-from");
  });

  it("are not promised to --prune where another file declares them: it hands them over", async () => {
    const place = await applied(FILE("n1", BOTH));
    place.write("other.yaml", FILE("n1", BOTH, "other"));
    await place.notify("apply -f other.yaml --yes");
    place.write("nn.yaml", FILE("n1", "installation.created"));
    const plan = await place.notify("plan -f nn.yaml");
    expect(plan.stderr.replaceAll(/\s+/gu, " ")).toContain(
      "still exists (--all lists it). --prune keeps it: another file declares it.",
    );
    expect((await place.notify("plan -f nn.yaml --json")).json()).toMatchObject({
      removedFromFile: [{ address: "event-route/n/connection.error", alsoIn: ["other"] }],
    });
    const pruned = await place.notify("apply -f nn.yaml --prune --yes");
    expect([pruned.code, writesOf(pruned)]).toEqual([0, []]);
    expect((await place.notify("plan -f other.yaml --json")).json()).toMatchObject({
      pending: false,
    });
    const listed = await place.notify("plan -f nn.yaml --all");
    expect(listed.stderr).not.toContain("no longer in this file");
    expect(listed.stderr).toMatch(/event-route\/n\/connection\.error +other +evr_/u);
  });

  it("are not promised to --prune where amp did not create them", async () => {
    const place = placeWith();
    place.write("first.yaml", FILE("n1", BOTH, "first"));
    place.write("nn.yaml", FILE("n1", BOTH));
    await place.notify("apply -f first.yaml --yes --state first.json");
    await place.notify("apply -f nn.yaml --yes");
    place.write("nn.yaml", FILE("n1", "installation.created"));
    const plan = await place.notify("plan -f nn.yaml");
    expect(plan.stderr.replaceAll(/\s+/gu, " ")).toContain(
      "still exists (--all lists it). --prune keeps it: amp did not create it.",
    );
    expect((await place.notify("plan -f nn.yaml --prune --json")).json()).toMatchObject({
      counts: { delete: 0 },
    });
  });

  it("are not those that no longer exist, nor any of a file without a name", async () => {
    const place = await applied(FILE("n1", BOTH));
    await place.notify("routes delete --topic n --event connection.error --yes --state other.json");
    place.write("nn.yaml", FILE("n1", "installation.created"));
    const plan = await place.notify("plan -f nn.yaml AMP_COMMIT_HORIZON=50ms");
    expect(plan.stderr).not.toContain("no longer in this file");
    place.write("nn.yaml", FILE("n2", "installation.created").replace("name: nn\n", ""));
    const nameless = await place.notify("plan -f nn.yaml");
    expect(nameless.stderr).not.toContain("no longer in this file");
  });
});
