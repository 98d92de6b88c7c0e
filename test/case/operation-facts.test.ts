import { describe, expect, it } from "vitest";
import { logFacts } from "../../src/case/log-facts.ts";
import { operationFacts, reachesSuccess } from "../../src/case/operation-facts.ts";

/** Operations, the newest first: one letter each, an hour apart. */
function operations(letters: string, actionType = "read") {
  const status = { s: "success", f: "failure", p: "in_progress" } as const;
  return [...letters].map((letter, at) => ({
    id: `op_${letters.length - at}`,
    actionType: letter === letter.toUpperCase() ? "write" : actionType,
    status: status[letter.toLowerCase() as keyof typeof status],
    createTime: `2026-09-01T${String(23 - at).padStart(2, "0")}:00:00Z`,
  }));
}

describe("the facts of operations", () => {
  it.each([
    ["fffss", { failed: 3, since: "2026-09-01T21:00:00Z", lastSuccess: "2026-09-01T20:00:00Z" }],
    ["ssff", { failed: 0, since: undefined, recovered: { failed: 2 } }],
    ["sss", { failed: 0, recovered: undefined }],
    ["sffs", { failed: 0, recovered: { failed: 2 } }],
    ["pffs", { failed: 2, isRetrying: true }],
    ["fpfs", { failed: 2, isRetrying: false }],
    ["p", { failed: 0, read: 1, isRetrying: false }],
    ["", { failed: 0, read: 0 }],
    // A write that succeeds does not mean that reads do.
    ["fSfs", { failed: 2, action: "read" }],
    ["Sffs", { failed: 2, action: "read", recovered: undefined }],
  ] as const)("judges %s", (letters, facts) => {
    expect(operationFacts(operations(letters), true)).toMatchObject(facts);
  });

  it("says that earlier failures may exist only where the list was not read to its end", () => {
    expect(operationFacts(operations("ff"), true).isCut).toBe(false);
    expect(operationFacts(operations("ff"), false).isCut).toBe(true);
    expect(operationFacts(operations("ffs"), false).isCut).toBe(false);
  });

  it("knows since when where the object that has failed for longest has a success", () => {
    const of = (letters: string, object: string) =>
      operations(letters).map((one) => ({ ...one, result: `[${object}]` }));
    const [first, ...others] = of("fffs", "tickets");
    const users = of("f", "users");
    const all = [first, ...users, ...others].filter((one) => one !== undefined);
    const { isCut, since } = operationFacts(all, false);
    expect({ isCut, since }).toEqual({ isCut: false, since: "2026-09-01T21:00:00Z" });
    // The other may have failed for longer still.
    expect(reachesSuccess(all)).toBe(false);
  });

  it("needs no more operations once the last success of the same kind is known", () => {
    expect(reachesSuccess(operations("ffS"))).toBe(false);
    expect(reachesSuccess(operations("ffSs"))).toBe(true);
  });

  it("counts attempts beyond the first as retries", () => {
    const [newest, ...others] = operations("ffs");
    const tried = { ...newest, id: "op_9", metadata: { retry: { attempts: 3 } } };
    expect(operationFacts([tried, ...others], true)).toMatchObject({
      isRetrying: true,
      attempts: 3,
    });
  });
});

describe("the facts of logs", () => {
  const line = (msg: string, severity = "ERROR", more = {}) => ({
    timestamp: "2026-09-01T12:00:00Z",
    severity,
    message: { msg, ...more },
  });
  const judged = (provider: string, ...lines: unknown[]) =>
    logFacts([{ operation: "op_1", lines }], provider);

  it.each([
    [
      "salesforce",
      "INVALID_FIELD: No such column 'Stage__x' on entity 'Deal'",
      "field",
      "Stage__x",
    ],
    ["hubspot", 'Property "deal_stage_x" does not exist', "field", "deal_stage_x"],
    ["hubspot", "MISSING_SCOPES: crm.objects.deals.read", "permission", "crm.objects.deals.read"],
    ["salesforce", "INVALID_SESSION_ID", "credentials", undefined],
    ["stripe", "HTTP 429 from the provider", "rate", undefined],
    ["unknown-provider", "Too many requests", "rate", undefined],
    ["unknown-provider", "the refresh token has been revoked", "credentials", undefined],
    ["zendesk", "request failed: status code 403", "permission", undefined],
  ])("%s: %s is %s", (provider, text, kind, subject) => {
    expect(judged(provider, line(text)).match).toMatchObject({ kind, subject, text });
  });

  it("uses the patterns of other providers for none", () => {
    expect(judged("stripe", line("INVALID_SESSION_ID")).match).toBeUndefined();
    expect(judged("__proto__", line("nothing known")).match).toBeUndefined();
  });

  it("prefers errors, counts what says the same, and keeps the worst line otherwise", () => {
    const lines = [
      line("429 records were read", "INFO"),
      line("Too many requests", "INFO"),
      line("access denied"),
      line("it failed", "ERROR", { error: "forbidden" }),
    ];
    expect(judged("hubspot", ...lines)).toMatchObject({
      lines: 4,
      matching: 2,
      match: { kind: "permission", text: "it failed: forbidden" },
    });
    expect(judged("hubspot", line("403 records were read"), "text", 7, null)).toMatchObject({
      lines: 2,
      matching: 0,
      worst: { text: "403 records were read" },
    });
  });
});
