import { describe, expect, it } from "vitest";
import { NOW, type Outcome, run, sandboxAt } from "../../harness.ts";
import { sampleFor } from "../../sample.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { NEW, setup } from "./setups.ts";

const PATH = "T01ABCDEF/B01ABCDEF/abcdefghijklmnopqrstuvwx";
const HEADER = "value-of-the-header";
const SLACK = `https://hooks.slack.com/services/${PATH}`;
const BEGIN = ["notify", "setup", "--destination-name", "ops", "--topic", "t"];
const END = ["--event", "installation.created", "--yes"];

const DESTINATIONS = {
  "a Slack destination": ["--destination-type", "slack", "--url", SLACK],
  "a webhook of Slack": ["--destination-type", "webhook", "--url", SLACK],
  "a type that is not known": ["--destination-type", "new-one", "--metadata", `target=${SLACK}`],
  "a nested address": ["--destination-type", "new-one", "--metadata", `to.address=${SLACK}`],
  "a header": [
    ...["--destination-type", "webhook", "--url", "https://hooks.acme.com/amp"],
    ...["--metadata", `headers.X-Key=${HEADER}`],
  ],
};
const FORMATS = [
  [],
  ["--json"],
  ["-o", "ndjson"],
  ["-o", "yaml"],
  ["-o", "csv"],
  ["-o", "tsv"],
  ["--json", "--fields", 'command,"items",settled,variables'],
  ["--debug", "--json"],
];
const MODES: Readonly<Record<string, readonly string[]>> = {
  "as it is": [],
  "--dry-run": ["--dry-run"],
  "--save": ["--save", "routing.yaml"],
  "--save --dry-run": ["--save", "routing.yaml", "--dry-run"],
};

function assertHidden({ stdout, stderr }: Outcome): void {
  for (const secret of [...PATH.split("/"), HEADER]) {
    expect(stdout).not.toContain(secret);
    expect(stderr).not.toContain(secret);
  }
}

describe.each(Object.entries(DESTINATIONS))("a setup of %s", (title, destination) => {
  it.each(Object.entries(MODES))("shows nothing of it, in any format: %s", async (name, mode) => {
    const place = Object.keys(DESTINATIONS).indexOf(title) + Object.keys(MODES).indexOf(name);
    for (const format of sampleFor(place, 3, FORMATS)) {
      for (const tty of format.length === 0 ? [false, true] : [false]) {
        const sandbox = sandboxAt(NOW, { specOnly: true });
        const argv = [...BEGIN, ...destination, ...END, ...mode, ...format];
        const outcome = await run(argv, { sandbox, tty, cwd: temporaryFolder() });
        expect(outcome).toMatchObject({ code: 0 });
        assertHidden(outcome);
      }
    }
  });
});

it.each(["list", "create"])("destinations %s shows no Slack URL of a webhook", async (command) => {
  const sandbox = sandboxAt();
  const create = ["notify", "destinations", "create", "--name", "ops", "--type", "webhook"];
  const created = await run([...create, "--url", SLACK, "--json"], { sandbox });
  const listed = await run(["notify", "destinations", "list", "--json"], { sandbox });
  const outcome = command === "create" ? created : listed;
  expect(outcome.code).toBe(0);
  expect(outcome.stdout).toContain("hooks.slack.com");
  assertHidden(outcome);
});

it("leads to the signing secret of a webhook that it created, not of one that existed", async () => {
  const world = { cwd: temporaryFolder(), sandbox: sandboxAt() };
  const first = await setup([...NEW, "--yes", "--json"], world);
  expect(first.json()).toHaveProperty("secretCommand");
  const again = await setup([...NEW, "--yes", "--json"], world);
  expect(again.json()).not.toHaveProperty("secretCommand");
  expect((await setup([...NEW, "--yes"], world)).stdout).not.toContain("Signing secret");
});
