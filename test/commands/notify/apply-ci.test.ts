import { describe, expect, it } from "vitest";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { NOW, sandboxAt } from "../../harness.ts";
import { UNROUTED } from "../../unrouted.ts";
import { ADDRESSES, placeWith, ROUTING } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes";
const CI = { AMP_PROFILE: "sandbox", CI: "1" };

describe("in CI", () => {
  it("has the whole receipt on stdout, the counts first, and nothing of it on stderr", async () => {
    const { code, stdout, stderr } = await placeWith().notify(APPLY, { env: CI });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Acting as .*\n$/u);
    const [first, , , ...rows] = stdout.trimEnd().split("\n");
    expect(first).toMatch(/^Apply complete(?: in [\d.]+ s)?: 5 created$/u);
    const cells = rows.map((row) => row.split(/ +/u));
    expect(cells.map(([address]) => address).toSorted()).toEqual(ADDRESSES.toSorted());
    expect(cells.every(([, id, result]) => id && result === "created")).toBe(true);
  });

  it("shows on stderr only what an update changes, and a deletion on stdout alone", async () => {
    const place = placeWith();
    await place.notify(APPLY, { env: CI });
    place.write("routing.yaml", ROUTING.replace("/amp }", "/other }"));
    const updated = await place.notify(APPLY, { env: CI });
    expect(updated.stderr).toMatch(/^Acting as .*\n\n~ destination ops\n {2}metadata\.url .*\n$/u);
    expect(updated.stdout).toMatch(/^Apply complete.*: 1 updated, 4 unchanged\n/u);
    place.write("routing.yaml", place.read("routing.yaml").replace(", connection.error", ""));
    const pruned = await place.notify(`${APPLY} --prune`, { env: CI });
    expect(pruned.stderr).toMatch(/^Acting as .*\n$/u);
    expect(pruned.stdout).toMatch(/^Apply complete.*: 4 unchanged, 1 deleted\n/u);
  });

  it("says a failure in the receipt, and once on stderr why and what to do", async () => {
    const script = {
      faults: [{ on: "POST topics", do: "status" as const, status: 422, commit: false }],
    };
    const sandbox = createFaultySandbox({ now: () => NOW, state: UNROUTED, script });
    const place = placeWith(sandbox);
    const { stdout, stderr } = await place.notify(APPLY, { env: CI });
    expect(stdout).toMatch(/^Apply incomplete(?: in [\d.]+ s)?: 1 failed, 1 created\n/u);
    expect(stdout).toMatch(/^topic\/lifecycle +failed$/mu);
    expect(stdout).toContain("Not tried\n");
    expect(stderr.match(/refused the topic|topic\/lifecycle|Not tried/gu)).toEqual([
      "refused the topic",
    ]);
    const remedy = "Correct what the service refused, then run the command again";
    expect(stderr).toContain(remedy);
    // The second run creates nothing at all.
    const again = await place.notify(APPLY, { env: CI });
    expect(again.stdout).toMatch(/^Apply incomplete(?: in [\d.]+ s)?: 1 failed, 1 unchanged\n/u);
    expect(again.stderr).toContain(remedy);
  });

  it("shows a plan and a check whole on stdout, but rows with -o tsv", async () => {
    const place = placeWith();
    const planned = await place.notify("plan -f routing.yaml --out plan.json", { env: CI });
    expect(planned).toMatchObject({ stderr: "" });
    expect(planned.stdout).toMatch(/^5 to create +project acme of /u);
    const inFile = await place.notify("plan -f routing.yaml", { env: CI, toFiles: true });
    expect([inFile.stderr, inFile.stdout.split("\n")[0]]).toEqual([
      ...["", planned.stdout.split("\n")[0]],
    ]);
    expect(planned.stdout).toMatch(
      /\n\nSaved as plan\.json\. To apply it:\n {2}amp notify apply /u,
    );
    const checked = await place.notify("check -f routing.yaml", { env: CI });
    expect(checked).toMatchObject({ stderr: "" });
    expect(checked.stdout).toMatch(/^No problems in routing\.yaml/u);
    const rows = await place.notify("plan -f routing.yaml -o tsv", { env: CI });
    expect(rows.stdout).toMatch(/^destination\/ops\tcreate\t/u);
  });

  it("tells each intent and result as a line of JSON with --progress json", async () => {
    const outcome = await placeWith().notify(`${APPLY} --progress json`, { env: CI });
    expect(outcome.code).toBe(0);
    const events = outcome.stderr
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    for (const address of ADDRESSES) {
      const key = expect.any(String);
      const time = NOW.toISOString();
      expect(events).toContainEqual({ amp: "intent", address, key, time });
      expect(events).toContainEqual(
        expect.objectContaining({ amp: "result", address, outcome: "created", id: key, time }),
      );
    }
    expect(events).toHaveLength(10);
  });

  it("marks on GitHub what a plan finds, and fails with --strict for unmanaged routes", async () => {
    const place = placeWith();
    const github = { ...CI, GITHUB_ACTIONS: "true" };
    const planned = await place.notify("plan -f routing.yaml", { env: github });
    const mark = "::warning file=routing.yaml,line=1,title=notify plan::";
    expect(planned.stderr.split("\n").slice(1)).toEqual([`${mark}5 to create`, ""]);
    await place.notify(APPLY, { env: CI });
    await place.notify(
      "routes create --topic lifecycle --event installation.deleted --state other.json",
      { env: CI },
    );
    const drift = "plan -f routing.yaml --exit-code";
    expect((await place.notify(drift, { env: github })).code).toBe(0);
    const strict = await place.notify(`${drift} --strict`, { env: github });
    expect(strict.code).toBe(8);
    expect(strict.stderr).toContain(`\n${mark}In sync: 5 resources, 1 unmanaged\n`);
    expect(strict.stdout).toContain("event-route/lifecycle/installation.deleted");
    // It would change nothing.
    expect(strict.stdout).not.toContain("amp notify apply");
  });

  it("names in the history the job's URL, or the user and the host, and no process", async () => {
    const place = placeWith();
    const job = {
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "acme/ops",
      GITHUB_RUN_ID: "12",
    };
    const states: string[] = [];
    for (const env of [
      { ...CI, ...job },
      { AMP_PROFILE: "sandbox", USER: "ann" },
    ]) {
      await place.notify(`topics create t${states.length}`, { env });
      states.push("");
    }
    const history = (await place.notify("state history --json")).json() as { who: string }[];
    expect(history.map(({ who }) => who)).toEqual([
      expect.stringMatching(/^ann on \S+$/u),
      "https://github.com/acme/ops/actions/runs/12",
    ]);
  });

  it("warns of a state on this disk alone where the service has no lists", async () => {
    const specOnly = () => placeWith(sandboxAt(NOW, { specOnly: true }));
    const warning = "The state is stored only on this machine";
    expect((await specOnly().notify(APPLY, { env: CI })).stderr).toContain(warning);
    for (const env of [{ AMP_PROFILE: "sandbox" }, { ...CI, CI: "false" }]) {
      expect((await specOnly().notify(APPLY, { env })).stderr).not.toContain(warning);
    }
    expect((await placeWith().notify(APPLY, { env: CI })).stderr).not.toContain(warning);
  });
});

describe("secrets", () => {
  const withSecret = (secret: string) => ROUTING.replace("/amp }", `/amp }, secrets: ${secret}`);

  it("are refused in the file itself, and never echoed", async () => {
    const place = placeWith();
    place.write("routing.yaml", withSecret("{ signingSecret: hunter2-in-the-file }"));
    for (const command of ["plan", "apply --yes"]) {
      const refused = await place.notify(`${command} -f routing.yaml`);
      expect(refused).toMatchObject({ code: 2, requests: [] });
      expect(refused.stderr.replaceAll(/\s+/gu, " ")).toContain(
        'destination "ops": secret "signingSecret": must be env:NAME or file:PATH',
      );
      expect(refused.stdout + refused.stderr).not.toContain("hunter2");
    }
  });

  it("from a variable reach the service, and neither state nor log", async () => {
    const place = placeWith();
    place.write("routing.yaml", withSecret("{ signingSecret: env:SIGNING }"));
    const env = { AMP_PROFILE: "sandbox", SIGNING: "hunter2-from-outside", CI: "1" };
    const outcome = await place.notify(`${APPLY} --state state.json`, { env });
    expect(outcome.code).toBe(0);
    expect(JSON.stringify(outcome.requests.map(({ body }) => body))).toContain("hunter2");
    expect(outcome.stdout + outcome.stderr + place.read("state.json")).not.toContain("hunter2");
  });
});
