import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { localBackend } from "../../../src/notify/state/local/local-backend.ts";
import { NOW, sandboxAt } from "../../harness.ts";
import { UNROUTED } from "../../unrouted.ts";
import { placeWith } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes";
const LINE =
  /^The sandbox was reset or restarted: the state of its earlier data is now .*\.earlier-world$/mu;
const sandboxOf = (id: string, specOnly = false) =>
  sandboxAt(NOW, { state: { ...UNROUTED, id }, specOnly });

it.each([
  ["", false],
  ["--state state.json", false],
  ["--state state.json", true],
])(
  "sets the state of an earlier world aside, with one line (%s, spec only: %s)",
  async (state, specOnly) => {
    const place = placeWith(sandboxOf("one", specOnly));
    const notify = (words: string, sandbox = place.sandbox) =>
      place.notify(`${words} ${state}`.trim(), { sandbox });
    expect((await notify(APPLY)).code).toBe(0);
    const again = await notify(APPLY);
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).not.toMatch(LINE);

    const anew = sandboxOf("two", specOnly);
    const applied = await notify(APPLY, anew);
    expect(applied.code).toBe(0);
    expect(applied.stderr).toMatch(LINE);
    expect(anew.world.topics).toHaveLength(UNROUTED.topics.length + 1);
    expect(anew.world.eventRoutes).toHaveLength(UNROUTED.eventRoutes.length + 2);
    if (state !== "") expect(place.read("state.json.earlier-world")).toContain('"world": "one"');
    const last = await notify(APPLY, anew);
    expect(last.code).toBe(0);
    expect(last.stderr).not.toMatch(LINE);
  },
);

it("sets it aside for a look, too, and keeps a state without a world", async () => {
  const place = placeWith(sandboxOf("one"));
  expect((await place.notify(`${APPLY} --state state.json`)).code).toBe(0);
  const sandbox = sandboxOf("two");
  const status = await place.notify("state list --state state.json", {
    sandbox,
  });
  expect([status.code, status.stdout]).toEqual([0, ""]);
  expect(status.stderr).toMatch(LINE);

  const old = placeWith();
  expect((await old.notify(`${APPLY} --state state.json`)).code).toBe(0);
  const kept = await old.notify("state list --state state.json", { sandbox });
  expect(kept.stderr).not.toMatch(LINE);
  expect(old.has("state.json.earlier-world")).toBe(false);
});

it.each(["state history", APPLY])(
  "suggests AMP_LOCK_WAIT at the lock of an earlier world: %s",
  async (words) => {
    const place = placeWith(sandboxOf("one"));
    expect((await place.notify(`${APPLY} --state state.json`)).code).toBe(0);
    const backend = localBackend(join(place.cwd, "state.json"));
    const request = { command: "amp notify apply", wait: 0, signal: new AbortController().signal };
    const locked = await backend.withLock(request, () =>
      place.notify(`${words} --state state.json`, { sandbox: sandboxOf("two") }),
    );
    expect(locked).toMatchObject({ code: 5, stdout: "" });
    expect(locked.stderr).toContain("Set AMP_LOCK_WAIT=5m to wait for it to finish.");
  },
);

describe("a command that edits the state of an earlier world", () => {
  /** A place whose state is that of sandbox `one`, with its text as it was pulled. */
  async function placeOfOne() {
    const place = placeWith(sandboxOf("one"));
    expect((await place.notify(`${APPLY} --state state.json`)).code).toBe(0);
    const before = place.read("state.json");
    place.write("pulled.json", before);
    return { place, before, anew: sandboxOf("two") };
  }

  it.each([
    ["state pull", 3],
    ["state forget topic/lifecycle", 3],
    ["state resolve topic/lifecycle --not-created", 3],
    ["state push pulled.json", 5],
    ["state import topic/lifecycle TOPIC", 0],
  ])("sets it aside, with one line: %s", async (words, code) => {
    const { place, before, anew } = await placeOfOne();
    const topic = (await place.notify("topics create own --json", { sandbox: anew })).json();
    const line = `${words} --state state.json`.replace("TOPIC", (topic as { id: string }).id);
    const outcome = await place.notify(line, { sandbox: anew });
    expect({ code: outcome.code, stderr: outcome.stderr }).toMatchObject({ code });
    expect(outcome.stderr.match(new RegExp(LINE, "gmu"))).toHaveLength(1);
    expect(place.read("state.json.earlier-world")).toBe(before);
    if (code === 0) expect(place.read("state.json")).toContain('"world": "two"');
    else expect(place.has("state.json")).toBe(false);
  });

  it("goes on without a sandbox, which it does not need", async () => {
    const { place } = await placeOfOne();
    const fetch = () => Promise.reject(new TypeError("fetch failed"));
    for (const words of [
      "state pull",
      "state forget topic/lifecycle",
      "state push pulled.json --force",
    ]) {
      const outcome = await place.notify(`${words} --state state.json`, {
        fetch,
        env: { AMP_RETRIES: "0" },
      });
      expect(outcome.code, outcome.stderr).toBe(0);
      expect(outcome.stderr).not.toMatch(LINE);
    }
    expect(place.has("state.json.earlier-world")).toBe(false);
  });

  it("sends no request to unlock", async () => {
    const { place, anew } = await placeOfOne();
    const outcome = await place.notify("state unlock x --yes --state state.json", {
      sandbox: anew,
    });
    expect(outcome).toMatchObject({ code: 3, requests: [] });
    expect(place.has("state.json.earlier-world")).toBe(false);
  });
});

it("leaves the state of a sandbox at another address where it is", async () => {
  const place = placeWith(sandboxOf("one"));
  expect((await place.notify(`${APPLY} --state state.json`)).code).toBe(0);
  const before = place.read("state.json");
  const other = { sandbox: sandboxOf("two"), env: { AMP_BASE_URL: "http://127.0.0.1:4791/v1" } };
  for (const words of ["plan -f routing.yaml", "state list"]) {
    const { code, stderr } = await place.notify(`${words} --state state.json`, other);
    expect(code, stderr).toBe(5);
    expect(stderr).not.toMatch(LINE);
  }
  expect(place.read("state.json")).toBe(before);
  expect(place.has("state.json.earlier-world")).toBe(false);
});

it("believes no other service that it is a new world", async () => {
  const place = placeWith();
  const at = (id: string) => ({
    sandbox: sandboxOf(id),
    env: {
      AMP_BASE_URL: "https://api.example.test/v1",
      AMP_API_KEY: "sandbox-api-key",
      AMP_PROJECT: "acme",
    },
  });
  expect((await place.notify(`${APPLY} --state state.json`, at("one"))).code).toBe(0);
  expect(place.read("state.json")).not.toContain("world");
});
