import { describe, expect, it } from "vitest";
import { placeWith, ROUTING } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes";

/** A place whose destination exists with another type than the file names. */
async function blockedPlace() {
  const place = placeWith();
  await place.notify(APPLY);
  place.write("routing.yaml", ROUTING.replace("type: webhook", "type: kinesis"));
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
      obstacles: [{ address: "destination/ops" }],
    });
    if (words !== APPLY) expect(json.json()).toMatchObject({ pending: true });
  });
});

describe("status --exit-code", () => {
  it("ends with 8 where a resource drifted, and with 0 where none did", async () => {
    const place = placeWith();
    const status = "status -f routing.yaml --exit-code";
    expect((await place.notify(status)).code).toBe(8);
    await place.notify(APPLY);
    // What nobody manages is no drift.
    expect((await place.notify("topics create --name other")).code).toBe(0);
    expect((await place.notify(status)).code).toBe(0);
    const { code, stderr } = await (await blockedPlace()).notify(`${status} --json`);
    expect([code, JSON.parse(stderr).error.code]).toEqual([8, "check"]);
    expect((await (await blockedPlace()).notify("status -f routing.yaml")).code).toBe(0);
  });
});
