import { describe, expect, it } from "vitest";
import { type Place, placeWith } from "./notify-fixture.ts";

const setup = (name: string, event: string) =>
  `setup --destination-name ${name} --destination-type webhook --url https://hooks.acme.com/${name} ` +
  `--topic shared --event ${event}`;

/** A place where a setup has routed installation.created through topic shared to d1. */
async function withSetup(): Promise<Place> {
  const place = placeWith();
  const made = await place.notify(`${setup("d1", "installation.created")} --yes`);
  expect(made).toMatchObject({ code: 0 });
  return place;
}

const flat = (text: string) => text.replaceAll(/\s+/gu, " ");

describe("a setup on a topic of another setup", () => {
  it("draws the whole chain, and says who receives what without being asked for", async () => {
    const place = await withSetup();
    const second = await place.notify(`${setup("d2", "installation.deleted")} --yes`);
    expect(second.code).toBe(0);
    const said = flat(second.stderr);
    expect(said).toContain(
      "Already routed to shared, and still delivered: installation.created " +
        "Also receiving the new events: d1",
    );
    expect(said).toMatch(/\+ installation\.deleted.*installation\.created/u);
  });

  it("has a name of its own in its file, which a prune by the other does not touch", async () => {
    const place = await withSetup();
    await place.notify(`${setup("d1", "installation.created")} --yes --save first.yaml`);
    await place.notify(`${setup("d2", "installation.deleted")} --yes --save second.yaml`);
    expect(place.read("first.yaml")).toContain("name: shared\n");
    expect(place.read("second.yaml")).toContain("name: shared-d2\n");
    for (const file of ["first.yaml", "second.yaml"]) {
      const plan = await place.notify(`plan -f ${file} --prune --json`);
      expect(plan.json()).toMatchObject({ pending: false });
    }
    // The same setup again is the same routing.
    await place.notify(`${setup("d2", "installation.deleted")} --yes --save third.yaml`);
    expect(place.read("third.yaml")).toBe(place.read("second.yaml"));
  });

  it("says so in the receipt", async () => {
    const place = await withSetup();
    const words = `${setup("d2", "installation.deleted")} --json`;
    const dry = (await place.notify(`${words} --dry-run`)).json();
    const sharedTopics = [
      {
        topic: "shared",
        owners: ["shared"],
        alsoReceive: [
          { destinations: ["d2"], events: ["installation.created"] },
          { destinations: ["d1"], events: ["installation.deleted"] },
        ],
      },
    ];
    expect(dry).toMatchObject({ sharedTopics });
    expect((await place.notify(`${words} --yes`)).json()).toMatchObject({ sharedTopics });
    expect((await place.notify(`${words} --yes`)).json()).not.toHaveProperty("sharedTopics");
  });

  it("names the routes that nobody declared in the receipt, too", async () => {
    const place = await withSetup();
    await place.notify("state forget event-route/shared/installation.created");
    const second = await place.notify(`${setup("d2", "installation.deleted")} --yes --json`);
    const unmanaged = [{ address: "event-route/shared/installation.created" }];
    expect(second.json()).toMatchObject({ unmanaged });
  });

  it("says so in a dry run, too, and in its JSON", async () => {
    const place = await withSetup();
    const words = `${setup("d2", "installation.deleted")} --dry-run`;
    const shown = await place.notify(words);
    const said = flat(shown.stdout + shown.stderr);
    expect(said).toContain("d2 also receives installation.created");
    expect(said).toContain("d1 also receives installation.deleted");
    expect(said).not.toContain("--all");
    expect(said).not.toContain("no longer in this file");
  });
});

describe("a file on a topic of another file", () => {
  const file = (name: string, topic: string, destination: string, events: string) =>
    `version: 1\nname: ${name}\ndestinations:\n` +
    `  ${destination}: { type: webhook, metadata: { url: "https://hooks.acme.com/${destination}" } }\n` +
    `topics:\n  ${topic}: { events: [${events}], destinations: [${destination}] }\n`;

  it("is told who receives what besides", async () => {
    const place = placeWith();
    place.write("a.yaml", file("a", "ft", "fa", "installation.created, connection.error"));
    expect(await place.notify("apply -f a.yaml --yes")).toMatchObject({ code: 0 });
    place.write("k.yaml", file("k", "ft", "k1", "installation.updated"));
    const text =
      'Topic ft is also declared by "a": k1 also receives connection.error, installation.created; ' +
      "fa also receives installation.updated";
    const plan = await place.notify("plan -f k.yaml");
    expect(flat(plan.stdout + plan.stderr)).toContain(text);
    const applied = await place.notify("apply -f k.yaml --yes");
    expect(flat(applied.stderr)).toContain(text);
    const again = await place.notify("plan -f k.yaml");
    expect(again.stdout + again.stderr).not.toContain("also receives");
  });

  it("is told nothing where it has a topic of its own", async () => {
    const place = placeWith();
    place.write("a.yaml", file("a", "ft", "fa", "installation.created"));
    expect(await place.notify("apply -f a.yaml --yes")).toMatchObject({ code: 0 });
    place.write("k.yaml", file("k", "kt", "k1", "installation.updated"));
    const plan = await place.notify("plan -f k.yaml");
    expect(plan.stdout + plan.stderr).not.toContain("also receives");
  });
});
