import { describe, expect, it } from "vitest";
import { readTraceContext } from "../../src/values/trace-context.ts";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

async function sent(env: NonNullable<RunInput["env"]>, ...more: readonly string[]) {
  const cwd = temporaryFolder();
  const argv = ["notify", "topics", "create", "lifecycle", ...more];
  const { code, requests, stderr } = await run(argv, { sandbox: sandboxAt(), cwd, env });
  const headers = requests.map(({ headers: all }) => [
    all.get("traceparent"),
    all.get("tracestate"),
  ]);
  return { code, stderr, headers: headers.at(-1), all: headers };
}

describe("TRACEPARENT", () => {
  it("is the header of every request, with TRACESTATE", async () => {
    const { all } = await sent(
      { TRACEPARENT: TRACE, TRACESTATE: "a=1,t@b=x y" },
      "--expect-project",
      "acme",
    );
    expect(all).toEqual(all.map(() => [TRACE, "a=1,t@b=x y"]));
    expect(all.length).toBeGreaterThan(1);
    expect((await sent({ TRACESTATE: "a=1" })).headers).toEqual([null, null]);
  });

  it("is ignored if it is not valid, which --debug says without the value", async () => {
    const env = { TRACEPARENT: "00-secret-value\r\nx-api-key: other" };
    const { code, headers, stderr } = await sent(env, "--debug");
    expect({ code, headers }).toEqual({ code: 0, headers: [null, null] });
    expect(stderr).toContain("debug: TRACEPARENT is ignored: not a W3C trace context\n");
    expect(stderr).not.toContain("secret-value");
    expect((await sent(env)).stderr).not.toContain("TRACEPARENT");
    const state = await sent({ TRACEPARENT: TRACE, TRACESTATE: "a=1,a=2" }, "--debug");
    expect(state.headers).toEqual([TRACE, null]);
    expect(state.stderr).toContain("TRACESTATE is ignored");
  });

  it("has the form of the specification", () => {
    const ignored: string[] = [];
    const read = (traceparent: string, tracestate = "") =>
      readTraceContext({ TRACEPARENT: traceparent, TRACESTATE: tracestate }, (name) => {
        ignored.push(name);
      });
    const wrong = [
      TRACE.toUpperCase(),
      `ff${TRACE.slice(2)}`,
      TRACE.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0".repeat(32)),
      TRACE.replace("00f067aa0ba902b7", "0".repeat(16)),
      `${TRACE}-00`,
      ` ${TRACE}`,
      `${TRACE}\n`,
    ];
    for (const text of wrong) expect(read(text), text).toBeUndefined();
    expect(ignored).toHaveLength(wrong.length);
    for (const state of ["A=1", "a", "a=1\n", "a=é", `a=${"x".repeat(600)}`, "=1"]) {
      expect(read(TRACE, state), state).toEqual({ traceparent: TRACE });
    }
    const many = Array.from({ length: 33 }, (_, at) => `k${at}=1`);
    expect(read(TRACE, many.join(","))).toEqual({ traceparent: TRACE });
    const most = many.slice(1).join(",");
    expect(read(TRACE, most)).toEqual({ traceparent: TRACE, tracestate: most });
  });
});
