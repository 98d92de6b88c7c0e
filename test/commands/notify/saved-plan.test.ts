import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { run } from "../../harness.ts";
import { UNROUTED } from "../../unrouted.ts";
import { named, type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

/** A webhook with a header from a variable, and a stream with secrets of both kinds. */
const SECRETS = ROUTING.replace(
  "amp } }",
  "amp, headers: { X-Token: env:OPS_TOKEN } } }\n  s: { type: kinesis, metadata: { region: eu-west-1, streamName: s }, secrets: { awsKeyId: env:OPS_ID, awsSecretKey: file:keys/ops } }",
);
const ENV = { OPS_ID: "AKIAHUSHHUSHHUSHHUSH", OPS_TOKEN: "hush-token" };
const APPLY = "apply -f routing.yaml --plan p.json";

async function planned(file = ROUTING, words = "", place = placeWith()): Promise<Place> {
  place.write("routing.yaml", file);
  mkdirSync(join(place.cwd, "keys"));
  place.write("keys/ops", "hush-key\n");
  const saved = await place.notify(`plan -f routing.yaml --out p.json${words}`, { env: ENV });
  expect([saved.code, saved.stderr]).toEqual([0, expect.stringContaining("To apply it")]);
  return place;
}

/** Applies the plan, which must be refused before anything is sent. */
async function refused(place: Place, words = APPLY) {
  const outcome = await place.notify(`${words} --json`, { env: ENV });
  expect([outcome.code, writesOf(outcome)]).toEqual([5, []]);
  const { message, suggestion } = outcome.error();
  const said = /^The plan of [-\d]+ [:\d]+ UTC cannot be applied: (.*)$/u.exec(String(message));
  return { why: said?.[1] ?? message, suggestion };
}

describe("a saved plan", () => {
  it("has digests and addresses, and reads headers and secrets again when it is applied", async () => {
    const place = await planned(SECRETS);
    const text = place.read("p.json");
    expect(text).not.toMatch(/hush|OPS_|keys|hooks|metadata|acme/iu);
    expect(statSync(join(place.cwd, "p.json")).mode & 0o777).toBe(0o600);
    const unset = await place.notify(APPLY, { env: {} });
    expect([unset.code, writesOf(unset)]).toEqual([2, []]);
    expect(unset.stderr).toContain("Set these variables first: OPS_TOKEN, OPS_ID.");
    place.write("keys/ops", "hush-rotated\n");
    const later = { ...ENV, OPS_TOKEN: "hush-later" };
    const applied = await place.notify(`${APPLY} --json`, { env: later });
    expect([applied.code, applied.stderr]).toEqual([0, ""]);
    expect(writesOf(applied)).toHaveLength(6);
    const sent = JSON.stringify(applied.requests);
    expect([sent.includes("hush-later"), sent.includes("hush-rotated")]).toEqual([true, true]);
    expect((await refused(place)).why).toBe("the state has changed since");
    await place.notify("plan -f routing.yaml --out p.json --overwrite", { env: later });
    const other = await place.notify(APPLY, { env: ENV });
    expect([other.code, other.stderr.replaceAll(/\s+/gu, " ")]).toEqual([
      5,
      expect.stringContaining("or referenced values have changed since: destination/ops"),
    ]);
  });

  it("is refused where a variable leads to another host than it showed", async () => {
    const place = await planned(ROUTING, "", placeWith());
    place.write("routing.yaml", ROUTING.replace(/url: \S+/u, "url: env:HOOK"));
    const at = (host: string) => ({ env: { HOOK: `https://${host}/amp` } });
    const plan = "plan -f routing.yaml --out p.json --overwrite";
    expect(await place.notify(plan, at("hooks.acme.com"))).toMatchObject({ code: 0 });
    const elsewhere = await place.notify(APPLY, at("hooks.other.com"));
    expect([elsewhere.code, writesOf(elsewhere)]).toEqual([5, []]);
    expect(elsewhere.stderr).toContain("destination/ops");
    expect(await place.notify(APPLY, at("hooks.acme.com"))).toMatchObject({ code: 0 });
  });

  it("holds whatever the order and the layout of the file", async () => {
    const place = await planned(SECRETS);
    const same = SECRETS.replace(/\[inst.*\]/u, "[connection.error, installation.created]")
      .replace(/(awsKeyId.*), (awsSecretKey.*?) \}/u, "$2, $1 }")
      .replace(/( *ops:.*\n)( *s:.*\n)/u, "# the same\n$2$1");
    expect(same).toMatch(/awsSecretKey: \S+, awsKeyId[^#]*\n *ops/u);
    place.write("routing.yaml", same);
    expect(await place.notify(APPLY, { env: ENV })).toMatchObject({ code: 0 });
  });

  it("does not contain a literal secret, but notices that it has changed", async () => {
    const literal = SECRETS.replace("env:OPS_ID", "hush-literal");
    const allow = " --allow literal-secrets";
    const place = await planned(literal, allow);
    expect(place.read("p.json")).not.toContain("hush");
    place.write("routing.yaml", literal.replace("hush-literal", "hush-other"));
    expect((await refused(place, APPLY + allow)).why).toBe("the routing file has changed since");
    place.write("routing.yaml", literal);
    expect(await place.notify(APPLY + allow, { env: ENV })).toMatchObject({ code: 0 });
  });

  it("is applied by the command that plan prints, with its file and its choices", async () => {
    const place = await planned();
    await place.notify(APPLY);
    place.write("routing.yaml", ROUTING.replace(", connection.error", ""));
    const words = "--prune --accept recreate,references --allow env:OPS_*";
    const { stderr } = await place.notify(`plan -f routing.yaml ${words} --out q.json`);
    const command = /amp notify (apply .*)/u.exec(stderr)?.[1] ?? "";
    expect(command).toBe(
      "apply -f routing.yaml --prune --accept recreate,references --allow 'env:OPS_*' --plan q.json",
    );
    const applied = await place.notify(command.replaceAll("'", ""));
    expect([applied.code, writesOf(applied).length]).toEqual([0, 1]);
  });
});

it.each(["-", "-r.yaml"])("the printed command applies a plan of -f %s", async (file) => {
  const place = placeWith();
  place.write("-r.yaml", ROUTING);
  const stdin = { stdin: ROUTING };
  const { stderr } = await place.notify(`plan --file=${file} --out p.json`, stdin);
  const command = /amp notify (apply .*)/u.exec(stderr)?.[1] ?? "";
  expect(await place.notify(command, stdin)).toMatchObject({ code: 0 });
});

describe("a saved plan is refused", () => {
  it("where it would take another resource than it created, beside the one that it deletes", async () => {
    const place = placeWith();
    await place.notify("apply -f routing.yaml --yes");
    const request = (method: string, path: string, ...more: readonly string[]) =>
      run(["api", method, `/projects/{project}/${path}`, ...more, "--yes"], place);
    await request("DELETE", `topics/${place.sandbox.world.topics.at(-1)?.id}`);
    const words = "--prune --accept recreate,adopt AMP_COMMIT_HORIZON=10ms";
    await place.notify(`plan -f routing.yaml ${words} --out p.json`);
    await request("POST", "topics", "--field", "name=lifecycle");
    expect((await refused(place, `${APPLY} ${words}`)).why).toBe(
      "existing resources or referenced values have changed since: topic/lifecycle",
    );
  });

  it.each<readonly [why: string, move: (place: Place) => unknown]>([
    [
      "the routing file has changed since",
      (place) => place.write("routing.yaml", ROUTING.replace("amp }", "amp2 }")),
    ],
    ["the routing file has changed since", (place) => place.write("routing.yaml", named("other"))],
    [
      "the state has changed since",
      (place) => place.notify("topics create x --json").then(importTopic(place)),
    ],
    [
      "existing resources or referenced values have changed since: topic/lifecycle",
      ({ cwd, sandbox }) =>
        run(["api", "POST", "/projects/{project}/topics", "--field", "name=lifecycle", "--yes"], {
          cwd,
          sandbox,
        }),
    ],
  ])("because %s", async (why, move) => {
    const place = await planned();
    await move(place);
    expect(await refused(place)).toEqual({
      why,
      suggestion: "amp notify plan -f routing.yaml --out p.json --overwrite",
    });
  });

  it("for another project, without a word about its state", async () => {
    const place = await planned();
    const { why } = await refused(place, `${APPLY} --project globex`);
    expect(why).toMatch(/^it is not for project \S+ of http:\S+$/u);
  });

  it.each([
    ["", " --prune", "it was made without --prune", ""],
    [" --prune", "", "it was made with --prune", " --prune"],
    [
      " --accept adopt,references",
      " --accept adopt,shared",
      "it was made without --accept shared; it was made with --accept references",
      " --accept adopt,references",
    ],
  ])("with other choices: %s, then %s", async (made, typed, why, right) => {
    const place = await planned(ROUTING, made);
    expect(await refused(place, APPLY + typed)).toEqual({
      why,
      suggestion: `amp notify apply -f routing.yaml${right} --plan p.json`,
    });
    expect(await place.notify(APPLY + right)).toMatchObject({ code: 0 });
  });

  it.each([
    ["a choice", '"options": []', '"options": ["prune"]'],
    ["an action", '"action": "create"', '"action": "adopt"'],
    ["the time", /"made": "\d+/u, '"made": "2001'],
    ["the salt", /"salt": "./u, '"salt": "-'],
  ])("where %s was edited", async (_, from, to) => {
    const place = await planned();
    place.write("p.json", place.read("p.json").replace(from, to));
    expect((await refused(place)).why).toBe("it was edited");
  });

  it("with another state, and no plan against an empty one is suggested", async () => {
    const place = placeWith();
    await place.notify("apply -f routing.yaml --yes --state ./mine");
    place.write("routing.yaml", ROUTING.replace(", connection.error", ""));
    await place.notify("plan -f routing.yaml --out p.json --state ./mine");
    expect(await refused(place, `${APPLY} --state ./other`)).toEqual({
      why: `there is no state at ${join(place.cwd, "other")}`,
    });
  });

  it("after a stop half way, which says to make a new one", async () => {
    const place = placeWith(
      createFaultySandbox({
        script: { faults: [{ on: "POST topics", do: "status", status: 422, commit: false }] },
        state: UNROUTED,
      }),
    );
    await place.notify("plan -f routing.yaml --out p.json");
    const stopped = await place.notify(`${APPLY} --json`);
    expect(stopped.code).toBe(9);
    expect(stopped.error()).toMatchObject({
      remedy: "This plan is now out of date. Make a new one to see what remains to be done.",
      suggestion: "amp notify plan -f routing.yaml --out p.json --overwrite",
    });
  });
});

describe("a saved plan without -f", () => {
  it("is applied with ./routing.yaml, which is said", async () => {
    const applied = await (await planned()).notify("apply --plan p.json");
    expect([applied.code, writesOf(applied).length]).toEqual([0, 5]);
    expect(applied.stderr).toContain("Reading ./routing.yaml.");
  });

  it.each([
    [
      "apply --plan q.json",
      "apply --plan needs the routing file, and ./routing.yaml does not",
      "--plan q.json --json -f <file>",
    ],
    [
      "apply --plan q.json --prune --yes",
      "apply --yes needs -f without a terminal",
      "--plan q.json --prune --yes --json -f routing.yaml",
    ],
    ["apply --yes", "apply --yes needs -f without a terminal", "--yes --json -f routing.yaml"],
  ])("is a usage error that repeats the command with the file: %s", async (words, says, typed) => {
    const place = placeWith();
    await place.notify("plan -f routing.yaml --out q.json");
    mkdirSync(join(place.cwd, "job"));
    place.write("job/q.json", place.read("q.json"));
    const missing = await place.notify(`${words} --json`, { cwd: join(place.cwd, "job") });
    expect([missing.code, missing.requests]).toEqual([2, []]);
    expect(missing.error().message).toContain(says);
    expect(missing.error().suggestion).toBe(`amp notify apply ${typed}`);
  });
});

describe("a file that is not a saved plan", () => {
  it("is left alone where it is a routing file, and the error says to apply it with -f", async () => {
    const place = placeWith();
    const refused = await place.notify("apply --plan routing.yaml --json");
    expect([refused.code, refused.requests]).toEqual([2, []]);
    expect(refused.error()).toMatchObject({
      message: "routing.yaml is not a saved plan",
      suggestion: "amp notify apply -f routing.yaml",
      done: "Nothing was sent.",
    });
  });

  it.each([
    ["", "is empty", "Get the plan again, or make a new one."],
    ['{"format":"amp-routing-plan","version":2}', "is not a plan that this", "Make a new plan."],
    ['{"format":"amp-routing-plan"', "is not a plan that this", "Make a new plan."],
    ["[]", "is not a saved plan", "Apply a routing file with -f."],
  ])("is refused: %j", async (text, says, remedy) => {
    const place = placeWith();
    place.write("p.json", text);
    const { code, error } = await place.notify(`${APPLY} --json`);
    expect([code, error().message, error().remedy]).toEqual([
      2,
      expect.stringContaining(`p.json ${says}`),
      remedy,
    ]);
    const piped = await place.notify("apply -f routing.yaml --plan - --json", { stdin: text });
    expect([piped.code, piped.error().message]).toEqual([
      2,
      expect.stringContaining(`standard input ${says}`),
    ]);
  });
});

it.each(["", " --overwrite"])("a plan is not saved over its routing file%s", async (words) => {
  const place = placeWith();
  symlinkSync(".", join(place.cwd, "here"));
  for (const out of ["routing.yaml", "here/routing.yaml"]) {
    const refused = await place.notify(`plan -f ./routing.yaml --out ${out}${words}`);
    expect([refused.code, refused.requests]).toEqual([2, []]);
    expect(refused.stderr).toContain(`--out ${out} is the routing file`);
    expect(place.read("routing.yaml")).toBe(ROUTING);
  }
});

/** Takes a topic that was created into the state. */
const importTopic = (place: Place) => (made: { json(): unknown }) =>
  place.notify(`state import topic/x ${(made.json() as { id: string }).id}`);
