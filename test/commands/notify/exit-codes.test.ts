import { describe, expect, it } from "vitest";
import { run } from "../../harness.ts";
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

it("a status on 80 columns shows addresses that differ by their ends as different", async () => {
  const place = placeWith();
  const events = "[installation.created, installation.deleted, installation.updated]";
  const file = ROUTING.replace(
    "lifecycle",
    "customers-of-the-first-day-of-the-trial-period",
  ).replace(/\[inst.*\]/u, events);
  place.write("routing.yaml", file);
  await place.notify(APPLY);
  await place.notify("forget topic/customers-of-the-first-day-of-the-trial-period");
  const { stdout } = await place.notify("status", {
    tty: true,
    columns: 80,
    env: { NO_COLOR: "1" },
  });
  const addresses = stdout.match(/event-route\S+/gu) ?? [];
  expect(addresses[0]).toContain("…");
  expect(new Set(addresses)).toHaveLength(3);
});

describe("the reason of exit code 8", () => {
  it("names what a status and a plan found, and how many", async () => {
    const place = placeWith();
    const planned = await place.notify("plan -f routing.yaml --exit-code --json");
    expect(planned.error()).toMatchObject({
      message: expect.stringMatching(/^\d changes pending: create destination\/ops, /u),
    });
    await place.notify(APPLY);
    place.write("routing.yaml", ROUTING.replace("https://hooks", "https://others"));
    const status = "status -f routing.yaml --exit-code";
    const reason = expect.stringMatching(/^1 of \d changed: destination\/ops$/u);
    expect((await place.notify(`${status} --json`)).error()).toMatchObject({ message: reason });
    const text = await place.notify(status);
    expect([text.code, text.stderr.trimEnd()]).toEqual([8, reason]);
    expect((await place.notify(status, { tty: true })).stderr).not.toContain("1 of");
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
    expect(await suggested(place, "status -f routing.yaml")).toEqual([8, apply]);
    expect((await place.notify(`${String(saved[1]).slice(11)} --yes`)).code).toBe(0);
    const { id } = (await place.notify("topics get lifecycle --json")).json() as {
      readonly id: string;
    };
    const { cwd, sandbox } = place;
    await run(["api", "DELETE", `projects/acme/topics/${id}`, "--yes"], { cwd, sandbox });
    expect(await suggested(place, "status -f routing.yaml")).toEqual([8, `${apply} --recreate`]);
    expect(await suggested(place, "status")).toEqual([8, undefined]);
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
