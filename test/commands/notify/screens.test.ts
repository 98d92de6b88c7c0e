import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { named, type Place, placeWith, ROUTING } from "./notify-fixture.ts";

const STATE = "--state state.json";
/** One more topic, another URL, an event fewer. */
const CHANGED = ROUTING.replace("acme.com/amp", "acme.com/notifications")
  .replace("installation.created, ", "")
  .concat("  incidents-of-the-night: { events: [connection.error], destinations: [ops] }\n");

/** Another file with a destination of the first, which has another URL there. */
const SHARED = ROUTING.replace("acme.com/amp", "acme.com/incidents").replaceAll(
  "lifecycle",
  "incidents",
);

/** A place whose routing is applied, and whose file has changed since. */
async function changedPlace(): Promise<Place> {
  const place = placeWith();
  await place.notify(`apply -f routing.yaml --yes AMP_PARALLEL=1 ${STATE}`);
  place.write("routing.yaml", CHANGED);
  place.write("incidents.yaml", named("incidents", SHARED));
  return place;
}

describe.each([60, 80, 140])("on a terminal of %d columns and 24 rows", (columns) => {
  it.each([
    ["plan", `plan -f routing.yaml --prune ${STATE}`],
    ["plan-shared", `plan -f incidents.yaml ${STATE}`],
    ["plan-change-shared", `plan -f incidents.yaml --accept shared ${STATE}`],
    ["apply", `apply -f routing.yaml --prune --yes AMP_PARALLEL=1 ${STATE}`],
    ["state-list", `state list ${STATE}`],
  ])("%s fits", async (name, words) => {
    const place = await changedPlace();
    const terminal = { tty: { out: true, err: true }, columns, env: { NO_COLOR: "1" } };
    const { stdout, stderr } = await place.notify(words, terminal);
    // What an apply changes is in its progress, with the IDs, and is not repeated below.
    const told = name === "plan-shared" ? stderr : "";
    const screen = name === "apply" ? stderr.slice(stderr.indexOf("  ✓ ")) + stdout : stdout + told;
    const lines = screen.split("\n");
    // A narrow terminal shows the list as cards.
    if (name !== "state-list") expect(lines.length).toBeLessThanOrEqual(24);
    expect(screen, "a cut ID").not.toMatch(/\b[a-z]{2,4}_\w*…/u);
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    await expect(screen).toMatchFileSnapshot(`../golden/notify-${name}-${columns}.txt`);
  });
});
