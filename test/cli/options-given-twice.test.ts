import { describe, expect, it } from "vitest";
import { globalOptions } from "../../src/cli/tree.ts";
import { leaves, runBad } from "../commands/leaves.ts";
import { run, sandboxAt } from "../harness.ts";
import { sampleFor } from "../sample.ts";

const takesOne = ({ takesValue, repeats }: { takesValue: boolean; repeats: boolean }) =>
  takesValue && !repeats;
const globals = globalOptions().filter(takesOne);

describe.each(leaves.map((leaf, nth) => ({ ...leaf, nth })))(
  "amp $path",
  ({ path, nth, ...leaf }) => {
    it("refuses an option of one value that is given twice, and sends nothing", async () => {
      for (const { name } of [...leaf.options.filter(takesOne), ...sampleFor(nth, 2, globals)]) {
        const outcome = await runBad(path, [name, "one", name, "other"]);
        expect({ name, ...outcome }).toMatchObject({ name, code: 2, stdout: "", requests: [] });
        expect(outcome.stderr).toContain("given twice");
      }
    });
  },
);

it.each([
  ["notify plan -f a.yaml --file b.yaml", "--file"],
  ["-p acme notify topics list --project globex-staging", "--project"],
  ["-p acme notify plan -f a.yaml -f b.yaml -p acme", "--project, --file"],
])("an error says which option was given twice: amp %s", async (line, name) => {
  const outcome = await run(line.split(" "), { sandbox: sandboxAt() });
  expect(outcome).toMatchObject({ code: 2, requests: [] });
  expect(outcome.stderr).toContain(name);
  const words = [...line.split(" "), "--json"];
  const { stderr } = await run(words, { sandbox: sandboxAt() });
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: "usage", message: expect.stringContaining(name) },
  });
});

it("accepts the first and the second of an option that repeats", async () => {
  const words = ["notify", "setup", "--event", "read.backfill.done", "--event", "connection.error"];
  const { stderr } = await run(words, { sandbox: sandboxAt() });
  expect(stderr).not.toContain("given twice");
});
