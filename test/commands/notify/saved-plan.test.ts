import { mkdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFaultySandbox } from "../../../src/sandbox/faults/faulty-sandbox.ts";
import { UNROUTED } from "../../unrouted.ts";
import { type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

const STREAM = ROUTING.replace(
  /ops: .*/u,
  "ops: { type: kinesis, metadata: { region: eu-west-1, streamName: s }, secrets: { awsKeyId: env:OPS_ID, awsSecretKey: file:keys/ops } }",
);
const PLAN_CHOICES = ["prune", "recreate", "adoptChanges", "changeShared"];
const ENV = { OPS_ID: "AKIAHUSHHUSHHUSHHUSH" };

/** A plan whose routing file is gone, as on another runner. */
async function planned(file: string, words = "", place = placeWith()): Promise<Place> {
  place.write("routing.yaml", file);
  mkdirSync(join(place.cwd, "keys"));
  place.write("keys/ops", "hush-hush-hush\n");
  const saved = await place.notify(`plan -f routing.yaml --out p.json${words}`, { env: ENV });
  expect([saved.code, saved.stderr]).toEqual([0, expect.stringContaining("To apply it")]);
  rmSync(join(place.cwd, "routing.yaml"));
  return place;
}

/** Changes the text of the plan. */
const edit = (place: Place, from: string | RegExp, to: string) =>
  place.write("p.json", place.read("p.json").replace(from, to));

it("a saved plan is applied without its file, its secrets read again, and is not applied twice", async () => {
  const place = await planned(STREAM);
  expect(place.read("p.json")).not.toMatch(/hush/iu);
  expect(statSync(join(place.cwd, "p.json")).mode & 0o777).toBe(0o600);
  const unset = await place.notify("apply --plan p.json", { env: {} });
  expect(unset.code).toBe(2);
  expect(unset.stderr).toContain("variable OPS_ID is not set");
  expect(unset.stderr).toContain(
    "Set this variable first: OPS_ID. In a CI job, pass it to the step that runs amp.",
  );
  expect(unset.stderr).not.toMatch(/:1:\d/u);
  const applied = await place.notify("apply --plan p.json --json", { env: ENV });
  expect([applied.code, applied.stderr]).toEqual([0, ""]);
  expect(writesOf(applied)).toHaveLength(5);
  expect(JSON.stringify(applied.requests)).toContain("hush-hush-hush");
  const twice = await place.notify("apply --plan p.json", { env: ENV });
  expect([twice.code, writesOf(twice)]).toEqual([5, []]);
  expect(twice.stderr).toContain("the state has changed since");
  expect(twice.stderr).toContain("amp notify plan -f <file> --out p.json --overwrite");
});

it("a saved plan that was moved names no routing file that is not there", async () => {
  const place = await planned(ROUTING);
  mkdirSync(join(place.cwd, "artifact"));
  place.write("artifact/p.json", place.read("p.json"));
  await place.notify("apply --plan p.json --json");
  const moved = await place.notify("apply --plan artifact/p.json");
  expect(moved.code).toBe(5);
  expect(moved.stderr).toContain("amp notify plan -f <file> --out artifact/p.json --overwrite");
  // Where the file is beside the plan, or in the working folder, it is named.
  place.write("routing.yaml", ROUTING);
  const here = await place.notify("apply --plan artifact/p.json");
  expect(here.stderr).toContain("amp notify plan -f routing.yaml --out artifact/p.json");
});

it("a saved plan that was moved is of the file that it was made from", async () => {
  const place = await planned(ROUTING);
  for (const folder of ["repo", "job"]) mkdirSync(join(place.cwd, folder));
  place.write("repo/routing.yaml", ROUTING);
  await place.notify("plan -f repo/routing.yaml --out repo/p.json");
  place.write("job/p.json", place.read("repo/p.json"));
  expect(await place.notify("apply --plan job/p.json")).toMatchObject({ code: 0 });
  place.write("repo/routing.yaml", ROUTING.replace(", connection.error", ""));
  const pruned = await place.notify("apply -f repo/routing.yaml --prune --yes");
  expect([pruned.code, writesOf(pruned).length]).toEqual([0, 1]);
  expect(pruned.stderr).not.toContain("Another file");
});

it("a saved plan keeps its name and its choices: it prunes and renames without its file", async () => {
  const place = placeWith();
  await place.notify("apply -f routing.yaml --yes");
  const file = ROUTING.replace(", connection.error", "")
    .replace("lifecycle:\n", "life:\n    renamed-from: lifecycle\n")
    .replace("amp }", "amp }, renamed-from: gone");
  await planned(file, " --prune", place);
  const applied = await place.notify("apply --plan p.json --json", { env: ENV });
  expect([applied.code, applied.stderr]).toEqual([0, ""]);
  expect(writesOf(applied).map((one) => one.split(" ")[0])).toEqual(
    expect.arrayContaining(["PATCH", "DELETE"]),
  );
});

it.each<
  readonly [why: string, code: number, says: string, words: string, move: (p: Place) => void]
>([
  ["a typed choice", 5, "it was made without --accept recreate", " --accept recreate", () => {}],
  [
    "another routing in it",
    5,
    "The plan cannot be applied: it was edited",
    "",
    (p) => edit(p, "connection.error", "installation.deleted"),
  ],
  ...(
    [
      ["the guard of customers' reads", '"breakReferences": false', '"breakReferences": true'],
      ["another name", '"name": "routing"', '"name": "other"'],
      ["a choice", '"prune": false', '"prune": true'],
      ["an action", '"action": "create"', '"action": "adopt"'],
      ["another file", '"file": "routing.yaml"', '"file": "other.yaml"'],
    ] as const
  ).map(([why, from, to]): [string, number, string, string, (p: Place) => void] => [
    `${why}, edited`,
    5,
    "The plan cannot be applied: it was edited",
    "",
    (p) => edit(p, from, to),
  ]),
  [
    "a form that is none",
    2,
    "The routing in p.json cannot be used",
    "",
    (p) => edit(p, '"topics"', '"topic"'),
  ],
  [
    "a variable of this machine",
    2,
    "AWS_SECRET_ACCESS_KEY belongs to the AWS login",
    "",
    (p) => edit(p, "env:OPS_ID", "env:AWS_SECRET_ACCESS_KEY"),
  ],
  [
    "a file elsewhere",
    2,
    "is not in the folder",
    "",
    (p) => edit(p, "file:keys/ops", "file:/etc/hosts"),
  ],
  [
    "a folder that it chose",
    2,
    "is not in the folder",
    "",
    (p) => {
      edit(p, '"routing.yaml"', '"/etc/routing.yaml"');
      edit(p, "file:keys/ops", "file:/etc/hosts");
    },
  ],
  [
    "no routing in it",
    2,
    "p.json does not contain its routing, so it also needs -f",
    "",
    (p) => edit(p, '"routing": {', '"other": {'),
  ],
  [
    "a routing of another form",
    2,
    "p.json is not a plan that this version",
    "",
    (p) => edit(p, '"breakReferences": false,', ""),
  ],
])("a saved plan alone is refused for %s", async (_, code, says, words, move) => {
  const place = await planned(STREAM);
  move(place);
  const env = { ...ENV, AWS_SECRET_ACCESS_KEY: "hush-hush-hush" };
  const refused = await place.notify(`apply --plan p.json${words}`, { env });
  expect([refused.code, refused.stderr.replaceAll(/\s+/gu, " "), writesOf(refused)]).toEqual([
    code,
    expect.stringContaining(says),
    [],
  ]);
});

it("a saved plan that was edited suggests a new plan with none of its choices", async () => {
  const place = await planned(ROUTING);
  for (const name of [...PLAN_CHOICES, "breakReferences"])
    edit(place, `"${name}": false`, `"${name}": true`);
  edit(place, '"file": "routing.yaml"', '"file": "other.yaml"');
  place.write("other.yaml", ROUTING);
  const refused = await place.notify("apply --plan p.json --json");
  expect([refused.code, refused.error().suggestion]).toEqual([
    5,
    "amp notify plan -f <file> --out p.json --overwrite",
  ]);
});

it("a plan does not keep literal secrets, and says that it is applied with its file", async () => {
  const place = placeWith();
  place.write("routing.yaml", ROUTING.replace("hooks.acme.com/amp", "u:hush-hush@hooks.acme.com"));
  const saved = await place.notify("plan -f routing.yaml --out p.json");
  expect(saved.stderr).toContain("apply it with -f.");
  expect(saved.stderr).toContain("amp notify apply -f routing.yaml --plan p.json");
  expect(place.read("p.json")).not.toContain("hush");
  expect((await place.notify("apply --plan p.json")).code).toBe(2);
  expect((await place.notify("apply -f routing.yaml --plan p.json")).code).toBe(0);
});

it("apply needs a routing file or a saved plan", async () => {
  const refused = await placeWith().notify("apply --yes");
  expect([refused.code, refused.requests]).toEqual([2, []]);
  expect(refused.stderr).toContain("Pass a routing file with --file, or a saved plan with --plan.");
});

it("a saved plan that was stopped half way says to make a new one", async () => {
  const place = placeWith(
    createFaultySandbox({
      script: { faults: [{ on: "POST topics", do: "status", status: 422, commit: false }] },
      state: UNROUTED,
    }),
  );
  await place.notify("plan -f routing.yaml --out p.json");
  const stopped = await place.notify("apply --plan p.json --json");
  expect(stopped.code).toBe(9);
  expect(stopped.error()).toMatchObject({
    remedy: "This plan is now out of date. Make a new one to see what remains to be done.",
    suggestion: "amp notify plan -f routing.yaml --out p.json --overwrite",
  });
});

it("a routing file passed as a plan is left alone, and the error says to apply it with -f", async () => {
  const place = placeWith();
  const refused = await place.notify("apply --plan routing.yaml --json");
  expect([refused.code, refused.requests]).toEqual([2, []]);
  expect(refused.error()).toMatchObject({
    message: "routing.yaml is not a saved plan",
    suggestion: "amp notify apply -f routing.yaml",
    done: "Nothing was sent.",
  });
  const both = await place.notify("apply -f routing.yaml --plan routing.yaml");
  expect(both.stderr).not.toContain("--overwrite");
});

it("an empty plan, as of a download that failed, leads to the plan and not to a routing file", async () => {
  const place = placeWith();
  place.write("p.json", "");
  const refused = await place.notify("apply --plan p.json --json");
  expect([refused.code, refused.error()]).toMatchObject([
    2,
    {
      message: "p.json is empty",
      remedy: "Get the plan again, or make a new one.",
      suggestion: "amp notify plan -f routing.yaml --out p.json --overwrite",
    },
  ]);
  const piped = await place.notify("apply --plan - --yes --json", { stdin: "" });
  expect([piped.code, piped.error()]).toMatchObject([
    2,
    {
      message: "standard input is empty",
      suggestion: "amp notify plan -f routing.yaml --out <plan> --overwrite",
    },
  ]);
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

it("a saved plan with another state names the missing state, and no plan against an empty one", async () => {
  const place = placeWith();
  await place.notify("apply -f routing.yaml --yes --state ./mine");
  place.write("routing.yaml", ROUTING.replace(", connection.error", ""));
  await place.notify("plan -f routing.yaml --out p.json --state ./mine");
  const absent = await place.notify("apply --plan p.json --state ./other --json");
  expect([absent.code, writesOf(absent)]).toEqual([5, []]);
  expect(absent.error()).toMatchObject({
    message: `The plan cannot be applied: it was made with another state, and there is none at ${join(place.cwd, "other")}`,
    remedy: "Pass the state that the plan was made with, with --state.",
  });
  expect(absent.error()).not.toHaveProperty("suggestion");
});
