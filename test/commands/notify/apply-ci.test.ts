import { describe, expect, it } from "vitest";
import { NOW, sandboxAt } from "../../harness.ts";
import { ADDRESSES, placeWith, ROUTING } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes";
const CI = { AMP_PROFILE: "sandbox", CI: "1" };

describe("in CI", () => {
  it("has a line on stderr for each change, and the receipt on stdout", async () => {
    const { code, stdout, stderr } = await placeWith().notify(APPLY, { env: CI });
    expect(code).toBe(0);
    const names = ADDRESSES.map((address) => address.split("/").at(-1) ?? "");
    const lines = stderr.split("\n").filter((line) => line !== "");
    expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/^Acting as /u), "5 to create"]);
    expect(lines.slice(2, -1).map((line) => line.slice(0, 4))).toEqual(Array(5).fill("  ✓ "));
    expect(lines.at(-1)).toMatch(/^Apply complete(?: in [\d.]+ s)?: 5 created$/u);
    for (const name of names) expect(stderr).toContain(name);
    const receipt = stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t")[0]);
    expect(receipt.toSorted()).toEqual(ADDRESSES.toSorted());
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
    expect(planned.stderr).toContain(`${mark}create destination/ops\n`);
    expect(planned.stderr.split(mark)).toHaveLength(6);
    await place.notify(APPLY, { env: CI });
    await place.notify(
      "routes create --topic lifecycle --event installation.deleted --state other.json",
      { env: CI },
    );
    const drift = "plan -f routing.yaml --exit-code";
    expect((await place.notify(drift, { env: github })).code).toBe(0);
    const strict = await place.notify(`${drift} --strict`, { env: github });
    expect(strict.code).toBe(8);
    expect(strict.stderr).toContain(
      `${mark}unmanaged event-route/lifecycle/installation.deleted\n`,
    );
    expect(strict.stderr).toContain("In sync: 5 resources, 1 unmanaged");
    // It would change nothing.
    expect(strict.stderr).not.toContain("amp notify apply");
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
