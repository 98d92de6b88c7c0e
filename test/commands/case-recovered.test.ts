import { describe, expect, it } from "vitest";
import type { CaseFile } from "../../src/case/case-file.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { NOW, run, sandboxAt } from "../harness.ts";

const sandbox = sandboxAt(NOW, { state: largeWorld(200) });
const create = (customer: string, ...more: string[]) =>
  run(["case", "create", customer, ...more], { sandbox });

interface Operation {
  readonly id: string;
  readonly status: string;
  readonly createTime: string;
  readonly result: string;
}

async function operationsOf(customer: string) {
  const { json } = await run(["installations", "operations", customer, "--json"], { sandbox });
  return json() as Operation[];
}

describe("the case of what works again", () => {
  it("says when the failures began and ended, and why they did", async () => {
    const all = await operationsOf("Black Mesa");
    const failures = all.filter(({ status }) => status === "failure");
    const last = failures[0];
    const success = all.slice(0, all.indexOf(last as Operation)).at(-1);
    const { json, stderr, code } = await create("Black Mesa", "--json");
    const { rule, since, evidence } = json() as CaseFile["verdict"];
    expect({ code, stderr, rule }).toEqual({ code: 0, stderr: "", rule: "recovering" });
    expect(since).toMatchObject({
      failed: 0,
      lastFailed: last?.id,
      recovered: {
        failed: failures.length,
        firstFailure: failures.at(-1)?.createTime,
        lastFailure: last?.createTime,
        firstSuccess: success?.createTime,
        // The failure before the last success of what is read once a day is on the next page.
        atLeast: true,
      },
    });
    expect(evidence[0]).toMatch(
      new RegExp(`^${last?.id} ".+" \\(in \\d of its \\d log lines\\)$`, "u"),
    );
    const page = await create("Black Mesa");
    expect(page.stdout).toContain("Operations are succeeding again, after at least 1");
    expect(page.stdout).toMatch(
      /^Since when\tat least \d+ operations failed from \w+ \d+ \w+ [\d:]+ UTC to \w+ \d+ \w+ [\d:]+ UTC · succeeding since \w+ \d+ \w+ [\d:]+ UTC$/mu,
    );
  });

  it("leads to the log of the last failure", async () => {
    const [last] = (await operationsOf("Black Mesa")).filter(({ status }) => status === "failure");
    const { stdout } = await run(["case", "create", "Black Mesa"], { sandbox, tty: { out: true } });
    expect(stdout).toContain(`amp installations logs ${last?.id}`);
  });
});

describe("the case of what works", () => {
  it("quotes what the last reads said, and leads to the others", async () => {
    const [newest] = await operationsOf("Soylent Corp");
    const { stdout } = await run(["case", "create", "Soylent Corp"], {
      sandbox,
      tty: { out: true },
      columns: 200,
    });
    expect(stdout).toContain(`${newest?.id} "${newest?.result}"`);
    expect(stdout).toMatch(/amp installations operations ins_\w+/u);
  });
});

describe("the case of what works although others fail", () => {
  it("counts the others of its integration and provider", async () => {
    const { stdout } = await create("Kramerica");
    expect(stdout).toMatch(/^Others\t\d+ of \d+ on \S+ fail; \d+ of \d+ on datadog fail$/mu);
  });
});
