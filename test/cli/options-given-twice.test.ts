import { expect, it } from "vitest";
import { leaves, runBad } from "../commands/leaves.ts";
import { run, sandboxAt } from "../harness.ts";

const fileOptions = leaves.flatMap(({ path, options }) =>
  options
    .filter(({ complete, repeats }) => complete === "file" && !repeats)
    .map(({ name }) => ({ path, name })),
);

it.each(fileOptions)(
  "amp $path refuses $name if it is given twice, and sends nothing",
  async ({ path, name }) => {
    const outcome = await runBad(path, [name, "one", name, "other"]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("given twice");
  },
);

it.each([
  ["notify apply -f a.yaml --file b.yaml", "--file"],
  ["-p acme notify apply -f a.yaml -f b.yaml -p acme", "--file"],
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

it("takes the last value of another option, which may follow that of an alias", async () => {
  const words = ["-p", "nope", "apps", "list", "--project", "acme", "--json", "--limit", "1"];
  words.push("--limit", "2");
  expect(await run(words, { sandbox: sandboxAt() })).toMatchObject({ code: 0, stderr: "" });
});
