import { describe, expect, it } from "vitest";
import { run } from "../harness.ts";

/** The lines below the message of a refusal with this body, and the JSON error. */
async function refused(body: unknown): Promise<{ lines: string[]; json: unknown }> {
  const reply = { status: 400, body: JSON.stringify(body) };
  const shown = await run(["apps", "list", "--debug"], { replies: [reply] });
  const { code, error } = await run(["apps", "list", "--json"], { replies: [reply] });
  expect([shown.code, code]).toEqual([6, 6]);
  const lines = shown.stderr
    .slice(shown.stderr.indexOf("✗"))
    .split("\n")
    .slice(1, -1)
    .map((line) => line.trim())
    .filter((line) => !/^(?:Client request ID|Error name)/u.test(line));
  return { lines, json: error() };
}

describe("a problem document that is not as specified", () => {
  it.each<[object, string[]]>([
    [{ detail: 42 }, ["42"]],
    [{ detail: { reason: "quota" } }, ['{"reason":"quota"}']],
    [{ title: ["Bad", "input"] }, ['["Bad","input"]']],
    [{ detail: "d", supportPhone: 5551234 }, ["d", "Support: 5551234"]],
    [{ detail: "d", causes: "disk full" }, ["d", "Cause: disk full"]],
    [{ detail: "d", causes: [{ a: 1 }, null, "", 5] }, ["d", 'Cause: {"a":1}', "Cause: 5"]],
    [{ detail: "d", remedy: ["wait"] }, ["d", '["wait"]']],
    [{ detail: "d", requestId: 77 }, ["d", "Request ID: 77"]],
    [{ detail: "d", instance: 5, context: "ctx" }, ["d", "Context: ctx", "Instance: 5"]],
    [{ detail: "d", context: ["a", 1] }, ["d", "Context: a, 1"]],
    [{ issues: { name: "groupRef", detail: "bad" } }, ["groupRef: bad"]],
    [{ issues: ["groupRef is bad", null, 5] }, ["groupRef is bad", "5"]],
    [{ issues: [{ in: 3, name: 5, detail: 7 }] }, ["5 (3): 7"]],
    [{ detail: "d", retryable: "no", retryAfter: 5, status: "400" }, ["d"]],
  ])("is shown with what it says: %j", async (body, lines) => {
    expect((await refused(body)).lines).toEqual(lines);
  });

  it("has what is free-form in JSON as it came", async () => {
    for (const context of ["ctx", ["a", 1], { a: { b: null } }]) {
      const { json } = await refused({ detail: "d", context, more: [null] });
      expect(json).toMatchObject({ detail: "d", problem: { context, more: [null] } });
    }
  });

  it.each<[object, string[]]>([
    [{ type: "https://x.example/quota" }, ["Problem type: https://x.example/quota"]],
    [{ instance: "urn:i:5", status: 400 }, ["Instance: urn:i:5"]],
    [{ supportEmail: "a@b.example" }, ["Support: a@b.example"]],
    [{ remedy: "Wait." }, ["Wait."]],
    [{ causes: ["disk full"] }, ["Cause: disk full"]],
    // What amp does not know may be all that it says.
    [{ type: "about:blank", status: 400 }, ['{"type":"about:blank","status":400}']],
    [{ remedy: "Wait.", message: "quota" }, ['{"remedy":"Wait.","message":"quota"}', "Wait."]],
  ])("says each thing once: %j", async (body, lines) => {
    expect((await refused(body)).lines).toEqual(lines);
  });
});
