import { describe, expect, it } from "vitest";
import { doing } from "../cli/throwaway-routes.ts";
import { type Outcome, run } from "../harness.ts";
import { CTRL_C, scriptedPrompter } from "../scripted-prompter.ts";
import { leaves, runBad, runGood } from "./leaves.ts";
import { placeWith, ROUTING } from "./notify/notify-fixture.ts";

/** What a program relies on: nothing where amp ends with 0, otherwise one JSON document. */
function expectOneDocument({ code, stderr }: Outcome): void {
  if (code === 0) expect(stderr).toBe("");
  else expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: code } });
}

const refused = async () => Response.json({ title: "Unauthorized", status: 401 }, { status: 401 });
const linesOf = ({ stderr }: Outcome) =>
  stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe.each(leaves)("amp $path --json", ({ path }) => {
  it("has exactly one document on stderr where it fails, and none where it succeeds", async () => {
    expectOneDocument(await runGood(path, ["--json"]));
    expectOneDocument(
      await runGood(path, ["--json"], { env: { AMP_PROFILE: "sandbox", CI: "1" } }),
    );
    expectOneDocument(await runGood(path, ["--json"], { fetch: refused }));
    expectOneDocument(await runBad(path, ["--json", "--nosuch"]));
  });
});

describe("a warning of a command with --json", () => {
  const warning = doing(({ report }) => {
    report.notice("a notice");
    report.warn("a warning");
  });
  const failing = doing(({ report }) => {
    report.warn("a warning");
    throw new Error("a defect");
  });

  it("is not on stderr, but in the error document", async () => {
    expect((await run(["probe", "--json"], { routes: warning })).stderr).toBe("");
    const { notify } = placeWith();
    const outcome = await notify('state list --json --fields address,"nosuch"');
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect((await run(["probe", "--json"], { routes: failing })).error()).toMatchObject({
      code: "unexpected",
    });
    const place = placeWith();
    place.write("routing.yaml", ROUTING.replace("type: webhook", "type: pigeon"));
    const blocked = await place.notify("apply -f routing.yaml --json");
    expect(blocked.error()).toMatchObject({
      code: "usage",
      warnings: [expect.stringContaining("Unknown destination type")],
    });
  });
});

describe("--progress json", () => {
  it("writes intents, results and warnings as ndjson, without CI too", async () => {
    const outcome = await placeWith().notify("apply -f routing.yaml --yes --json --progress json");
    expect(outcome.code).toBe(0);
    const types = linesOf(outcome).map(({ amp }) => amp);
    expect(types.filter((type) => type === "intent")).toHaveLength(5);
    expect(types.filter((type) => type === "result")).toHaveLength(5);
    expect(types).toHaveLength(10);
  });

  it("ends with the error in one line", async () => {
    const place = placeWith();
    place.write("routing.yaml", ROUTING.replace("type: webhook", "type: pigeon"));
    for (const format of [" --json", ""]) {
      const outcome = await place.notify(`apply -f routing.yaml --progress json${format}`);
      const lines = linesOf(outcome);
      expect(lines[0]).toMatchObject({ amp: "warning" });
      expect(lines.at(-1)).toMatchObject({ error: { exitCode: 2 } });
      expect(lines).toHaveLength(2);
    }
  });
});

describe.each(["--json", "--jq .counts", "--quiet"])("on a terminal with %s", (format) => {
  it("shows what a question is about before it, and nothing where none is asked", async () => {
    const place = placeWith();
    place.write("routing.yaml", ROUTING.replace("type: webhook", "type: pigeon"));
    const prompter = scriptedPrompter([["Create these?", CTRL_C]]);
    const line = `apply -f routing.yaml ${format}`;
    const { stderr } = await place.notify(line, { tty: true, prompter });
    const [beforeError] = stderr.split(/^(?:\{|✗)/mu);
    const expected = ["Acting as sandbox · project acme", '"pigeon"', " to create"];
    for (const text of expected) expect(beforeError).toContain(text);
    const agreed = await placeWith().notify(`${line} --yes`, { tty: true });
    expect(agreed).toMatchObject({ code: 0, stderr: "" });
  });
});

it("is quiet with --quiet, in CI too", async () => {
  const env = { AMP_PROFILE: "sandbox", CI: "1" };
  const outcome = await placeWith().notify("apply -f routing.yaml --yes --quiet", { env });
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
});
