import { describe, expect, it } from "vitest";
import { named, type Place, placeWith, ROUTING } from "./notify-fixture.ts";

const DATA = `version: 1
name: data
destinations:
  lake: { type: webhook, metadata: { url: https://lake.acme.com/amp } }
`;
const BROKEN = `version: 1
name: broken
require: [connection.error]
`;
const FILES = "-f routing.yaml -f data.yaml -f gone.yaml";

/** A place whose `routing.yaml` is applied, and whose `data.yaml` is not. */
async function applied(): Promise<Place> {
  const place = placeWith();
  place.write("data.yaml", DATA);
  place.write("broken.yaml", BROKEN);
  expect((await place.notify("apply -f routing.yaml --yes")).code).toBe(0);
  return place;
}

interface Several {
  readonly files: readonly {
    readonly file: string;
    readonly exit: number;
    readonly plan?: { readonly pending: boolean };
    readonly check?: { readonly errors: number };
    readonly error?: { readonly message: string };
  }[];
}

const exitsOf = (json: unknown) => (json as Several).files.map(({ file, exit }) => [file, exit]);

describe("amp notify plan with several files", () => {
  it("shows one table, then the details of those that differ or failed", async () => {
    const place = await applied();
    const { code, stdout } = await place.notify(`plan ${FILES}`, { tty: true, columns: 80 });
    expect(code).toBe(2);
    expect(stdout).toMatchInlineSnapshot(`
      "[1m3 files: 1 in sync, 1 to change, 1 failed[22m

      [1mFILE[22m          [1mPROJECT[22m  [1m+[22m  [1m~[22m  [1m-[22m  [1mCONFLICTS[22m  [1mEXIT[22m
      routing.yaml  acme     0  0  0          0     0
      data.yaml     acme     1  0  0          0     0
      gone.yaml                                     2

      [1mdata.yaml: 1 to create[22m

      [32m+[39m  destination  lake  webhook lake.acme.com

      [2m5 other resources in this state (--all lists them)[22m

      [1mgone.yaml: Cannot read gone.yaml: file not found[22m

      Check the path, or write a new routing file.
      "
    `);
  });

  it("has a row for each file in a pipe, and the details on stderr", async () => {
    const place = await applied();
    const { stdout, stderr } = await place.notify(`plan ${FILES}`);
    expect(stdout).toBe(
      "routing.yaml\tacme\t0\t0\t0\t0\t0\ndata.yaml\tacme\t1\t0\t0\t0\t0\ngone.yaml\t\t\t\t\t\t2\n",
    );
    expect(stderr).toContain("data.yaml: 1 to create");
    expect(stderr).toContain("lake");
    expect((await place.notify(`plan ${FILES} -o id`)).stdout).toBe("data.yaml\ngone.yaml\n");
  });

  it("has an entry for each file in JSON, and ends with the worst exit code", async () => {
    const place = await applied();
    const fine = await place.notify("plan -f routing.yaml -f routing.yaml --exit-code --json");
    expect(fine.code).toBe(0);
    const drift = await place.notify("plan -f data.yaml -f routing.yaml --exit-code --json");
    expect([drift.code, exitsOf(drift.json())]).toEqual([
      8,
      [
        ["data.yaml", 8],
        ["routing.yaml", 0],
      ],
    ]);
    expect(drift.error()).toMatchObject({ message: "2 files: 1 to change, 1 in sync" });
    const failed = await place.notify(`plan -f broken.yaml ${FILES} --exit-code --json`);
    expect([failed.code, exitsOf(failed.json()).map(([, exit]) => exit)]).toEqual([
      2,
      [8, 0, 8, 2],
    ]);
    const [broken, , data, gone] = (failed.json() as Several).files;
    expect(broken?.error?.message).toContain("reaches no destination");
    expect(data?.plan?.pending).toBe(true);
    expect(gone).toEqual({
      file: "gone.yaml",
      exit: 2,
      error: expect.objectContaining({
        code: "usage",
        message: expect.stringContaining("gone.yaml"),
      }),
    });
  });

  it("names the conflict of one file, and plans the others", async () => {
    const place = await applied();
    place.write("other.yaml", named("other", ROUTING.replace("hooks.acme", "other.acme")));
    const { code, stdout } = await place.notify("plan -f other.yaml -f data.yaml -o markdown");
    expect(code).toBe(5);
    expect(stdout).toContain("1 in conflict, 1 to change");
    expect(stdout).toContain("--accept shared");
  });

  it("refuses --out, and stops when it is interrupted", async () => {
    const place = await applied();
    const refused = await place.notify("plan -f data.yaml -f routing.yaml --out plan.json");
    expect([refused.code, refused.requests]).toEqual([2, []]);
    expect(refused.stderr).toContain("--out saves the plan of one file");
    const stopped = await place.notify(`plan ${FILES}`, { signal: AbortSignal.abort("SIGINT") });
    expect([stopped.code, stopped.stdout]).toEqual([130, ""]);
    const twice = await place.notify("plan -f - -f -", { stdin: ROUTING });
    expect(twice.stderr).toContain("--file and --file are both -");
  });
});

describe("amp notify check with several files", () => {
  it("shows one table, then the problems of each, and ends with the worst exit code", async () => {
    const place = await applied();
    const argv = "check -f routing.yaml -f broken.yaml";
    const { code, stdout } = await place.notify(argv, { tty: true, columns: 80 });
    expect(code).toBe(8);
    expect(stdout).toMatchInlineSnapshot(`
      "[1m2 files: 1 without problems, 1 with problems[22m

      [1mFILE[22m          [1mPROJECT[22m  [1mERRORS[22m  [1mWARNINGS[22m  [1mEXIT[22m
      routing.yaml                0         0     0
      broken.yaml                 1         0     8

      [1mbroken.yaml: 1 error: required-event[22m

      [2merror[22m  [31mThe required event type connection.error reaches no destination.[39m
             Add the event type to a topic that has a destination.
             [2mbroken.yaml:3:11  required-event[22m
      "
    `);
    const json = await place.notify(`check -f broken.yaml ${FILES} --json`);
    expect([json.code, exitsOf(json.json()).map(([, exit]) => exit)]).toEqual([2, [8, 0, 0, 2]]);
    expect(json.requests).toEqual([]);
  });

  it("writes one report about all of them", async () => {
    const place = await applied();
    const reports = "--report junit=check.xml --report sarif=check.sarif";
    await place.notify(`check -f broken.yaml ${FILES} ${reports}`);
    const suites = [...place.read("check.xml").matchAll(/<testsuite name="([^"]*)"/gu)];
    expect(suites.map(([, name]) => name)).toEqual(
      ["broken", "routing", "data", "gone"].map((name) => `amp notify check of ${name}.yaml`),
    );
    const uris = [...place.read("check.sarif").matchAll(/"uri": "(\w+\.yaml)"/gu)];
    expect(new Set(uris.map(([, uri]) => uri))).toEqual(
      new Set(["broken.yaml", "data.yaml", "gone.yaml"]),
    );
  });
});

describe("the reports of amp notify plan", () => {
  const REPORTS =
    "--report junit=plan.xml --report codequality=plan.json --report sarif=plan.sarif";

  it("are about what differs in all files, in the formats of check", async () => {
    const place = await applied();
    expect((await place.notify(`plan ${FILES} ${REPORTS}`)).code).toBe(2);
    const suites = [
      ...place.read("plan.xml").matchAll(/<testsuite name="([^"]*)".*failures="(\d)"/gu),
    ];
    expect(suites.map(([, ...found]) => found)).toEqual([
      ["amp notify plan of routing.yaml", "0"],
      ["amp notify plan of data.yaml", "0"],
      ["amp notify plan of gone.yaml", "1"],
    ]);
    expect(place.read("plan.sarif")).toContain("create destination/lake");
    expect(JSON.parse(place.read("plan.json"))).toEqual([
      {
        description: "create destination/lake Apply the file.",
        check_name: "pending-change",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/u),
        severity: "minor",
        location: { path: "data.yaml", lines: { begin: 1 } },
      },
      expect.objectContaining({ check_name: "planned", severity: "major" }),
    ]);
  });

  it("count as a failure what the exit code does", async () => {
    const place = await applied();
    const failures = async (words: string) => {
      const run = await place.notify(`plan ${words} --report junit=plan.xml --overwrite`);
      const [, count] = /failures="(\d+)"/u.exec(place.read("plan.xml")) ?? [];
      return [run.code, Number(count)];
    };
    expect(await failures("-f data.yaml")).toEqual([0, 0]);
    expect(await failures("-f data.yaml --exit-code")).toEqual([8, 1]);
    await place.notify(
      "routes create --topic lifecycle --event read.backfill.done --yes --state s.json",
    );
    expect(await failures("-f routing.yaml --exit-code")).toEqual([0, 0]);
    expect(await failures("-f routing.yaml --exit-code --strict")).toEqual([8, 1]);
    expect(await failures("-f gone.yaml")).toEqual([2, 1]);
    place.write("other.yaml", named("other", ROUTING.replace("hooks.acme", "other.acme")));
    // The route to it follows.
    expect(await failures("-f other.yaml")).toEqual([5, 2]);
  });
});

it("amp notify check has the lines of its findings in a Code Quality report", async () => {
  const place = await applied();
  await place.notify("check -f broken.yaml --report codequality=check.json");
  expect(JSON.parse(place.read("check.json"))).toMatchObject([
    { check_name: "required-event", severity: "major", location: { lines: { begin: 3 } } },
  ]);
});
