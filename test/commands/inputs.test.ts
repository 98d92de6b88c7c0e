import { describe, expect, it } from "vitest";
import { run } from "../harness.ts";

const NOBODY = { AMP_BASE_URL: undefined, AMP_API_KEY: undefined, AMP_PROJECT: undefined };

describe("a file that is not there", () => {
  it.each([
    "notify plan -f missing.yaml",
    "notify apply -f missing.yaml",
    "notify apply --plan missing.json",
    "notify plan -f missing.yaml",
    "notify check -f missing.yaml",
    "notify state push missing.json",
    "installations diff ins_1 --since missing.json",
    "api POST /topics --input missing.json",
    "trigger connection.error --from missing.json",
  ])("is named before a missing login: %s", async (line) => {
    const { code, error, requests } = await run([...line.split(" "), "--json"], { env: NOBODY });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(error().message).toMatch(/^Cannot read missing\.\w+: /u);
  });

  it("leaves the missing login where the file is there", async () => {
    const { code, error } = await run(["notify", "apply", "-f", "/dev/null", "--json"], {
      env: NOBODY,
    });
    expect([code, error().message]).toEqual([4, "Not logged in"]);
  });
});

describe("standard input", () => {
  it.each([
    ["installations diff - --since -", "<installation> and --since"],
    ["notify plan -f - --api-key-file -", "--file and --api-key-file"],
    ["api POST /topics --input - --access-token-file -", "--input and --access-token-file"],
  ])("is read only once: %s", async (line, names) => {
    const { code, error, requests } = await run([...line.split(" "), "--json"], { stdin: "ins_1" });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(error().message).toBe(`Standard input can be read only once: ${names} are both -`);
  });
});
