import { describe, expect, it } from "vitest";
import { placeWith, ROUTING } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes";

/** A place whose destination exists with another type than the file names. */
async function blockedPlace() {
  const place = placeWith();
  await place.notify(APPLY);
  place.write("routing.yaml", ROUTING.replace("type: webhook", "type: pigeon"));
  return place;
}

describe("a plan that cannot be applied", () => {
  it.each([
    "plan -f routing.yaml",
    "plan -f routing.yaml --exit-code",
    `${APPLY} --dry-run`,
    APPLY,
  ])("ends with 5: %s", async (words) => {
    const { notify } = await blockedPlace();
    const text = await notify(words);
    expect(text.code).toBe(5);
    expect(text.stderr).toContain("Conflict: destination/ops");
    const json = await notify(`${words} --json`);
    expect(json.code).toBe(5);
    expect(json.error()).toMatchObject({
      code: "conflict",
      conflicts: [{ address: "destination/ops" }],
    });
    if (words !== APPLY) expect(json.json()).toMatchObject({ pending: true });
  });
});

it("a plan is saved only where it can be applied, and the command for a new one makes it", async () => {
  const place = await blockedPlace();
  const blocked = await place.notify("plan -f routing.yaml --out p.json");
  expect(blocked.stderr).toContain("The plan was not saved as p.json.\n");
  const json = await place.notify("plan -f routing.yaml --json");
  expect(json.error().done).toBe("Nothing was sent.");
  expect(place.has("p.json")).toBe(false);
  expect(blocked.stderr).not.toContain("To apply it");
  place.write("routing.yaml", ROUTING);
  const { stderr } = await place.notify("apply -f routing.yaml --plan p.json");
  const again = /amp notify (plan .*)/u.exec(stderr)?.[1] ?? "";
  const replaced = await place.notify(again);
  expect([replaced.code, replaced.stderr]).toEqual([0, expect.stringContaining("To apply it")]);
});

describe("the reason of exit code 8", () => {
  it("names what a plan found, and how many", async () => {
    const place = placeWith();
    const planned = await place.notify("plan -f routing.yaml --exit-code --json");
    expect(planned.error()).toMatchObject({
      message: expect.stringMatching(/^\d differences: create destination\/ops, /u),
    });
    await place.notify(APPLY);
    place.write("routing.yaml", ROUTING.replace("https://hooks", "https://others"));
    const again = await place.notify("plan -f routing.yaml --exit-code --json");
    expect(again.error()).toMatchObject({ message: "1 difference: update destination/ops" });
  });
});

describe("the suggestion beside exit code 8", () => {
  const suggested = async (place: ReturnType<typeof placeWith>, words: string) => {
    const { code, error } = await place.notify(`${words} --exit-code --json`);
    return [code, (error() as { readonly suggestion?: string }).suggestion];
  };

  it("is the command that brings everything in place, with the choices of the plan", async () => {
    const place = placeWith();
    const apply = "amp notify apply -f routing.yaml";
    expect(await suggested(place, "plan -f routing.yaml --prune")).toEqual([8, `${apply} --prune`]);
    const saved = await suggested(place, "plan -f routing.yaml --out p.json");
    expect(saved).toEqual([8, `${apply} --plan p.json`]);
    expect((await place.notify(`${String(saved[1]).slice(11)} --yes`)).code).toBe(0);
  });
});
