import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { TERMINAL } from "./installations-at.ts";

/** An installation of the sandbox that is healthy, and one that is not. */
const WELL = "ins_d3873320";
const SICK = "ins_80c1cca5";
/** Long enough that a busy machine has looked once before it is over. */
const TWO_LOOKS = "1500ms";

const wait = (argv: readonly string[], world = {}) =>
  run(["installations", "wait", ...argv], { sandbox: sandboxAt(), ...world });

describe("amp installations wait", () => {
  it("exits 0 with what it saw, in JSON and as a page", async () => {
    const { code, stderr, json } = await wait([WELL, "--for", "health=healthy", "--json"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(json()).toMatchObject({
      outcome: "met",
      id: WELL,
      conditions: [{ condition: "health=healthy", met: true, value: "healthy" }],
      failOn: [],
    });
    const page = await wait([WELL, "--for", "health=healthy"], TERMINAL);
    expect(page.stdout).toMatch(/^Polls +1$/mu);
    expect(page.stdout).toContain("meets the conditions");
    expect(page.stdout).toMatch(/health=healthy +yes +healthy/u);
  });

  it("exits 8 if a condition of --fail-on is met", async () => {
    const failOn = ["--for", "health=healthy", "--fail-on", "connection=bad_credentials"];
    const { code, json, error } = await wait([SICK, ...failOn, "--json"]);
    expect(code).toBe(8);
    expect(json()).toMatchObject({ outcome: "failed", failOn: [{ met: true }] });
    expect(error()).toMatchObject({ code: "check", message: "a condition of --fail-on is met" });
  });

  it("exits 124 when the time is over, with the state seen last", async () => {
    const { code, stdout, stderr } = await wait(
      [SICK, "--for", "health=healthy", "--within", TWO_LOOKS],
      TERMINAL,
    );
    expect(code).toBe(124);
    expect(stderr).toContain(`${SICK} of project acme: health is unhealthy`);
    expect(stdout).toContain("does not meet the conditions yet");
    expect(stdout).toContain(`amp installations get ${SICK}`);
  });

  it("says once that the service is away, without a line for each retry", async () => {
    const fetch = async () => Response.json({ status: 503 }, { status: 503 });
    const argv = [SICK, "--for", "health=healthy", "--within", TWO_LOOKS];
    const { code, stderr } = await wait(argv, { sandbox: undefined, fetch });
    expect(code).toBe(124);
    expect(stderr.match(/\. Retrying\./gu)).toHaveLength(1);
    expect(stderr).not.toContain("attempt");
  });

  it("says that --timeout limits each request, and how long it waits", async () => {
    const argv = [WELL, "--for", "health=healthy"];
    expect((await wait(argv)).stderr).not.toContain("--timeout");
    const typed = await wait([...argv, "--timeout", "2s"]);
    const said = "--timeout limits each request; the wait lasts up to 5 min (--within).";
    expect(typed.stderr).toContain(said);
  });

  it("suggests the next command on stderr where its result is data in a pipe", async () => {
    const argv = [SICK, "--for", "health=healthy", "--within", "20ms"];
    const { stdout, stderr } = await wait(argv);
    expect(stdout).not.toContain("amp ");
    expect(stderr).toContain(`Next:  amp installations get ${SICK}`);
    expect((await wait([...argv, "--quiet"])).stderr).not.toContain("Next:");
  });

  it.each([
    [["--for", "updated<3x"], /"3x" is not a time/u],
    [["--for", "health=helthy"], /"helthy" is not a known value of health/u],
    [["--for", "health~x"], /"x" is not a known value of health/u],
    [["--for", "health>healthy"], /health cannot be compared/u],
    [
      ["--for", "connection.authScheme=oauth"],
      /"oauth" is not a known value of connection.authScheme/u,
    ],
    [["--for", "updated=2h"], /no time is exactly 2h ago.+'updated>2h' is in the last 2h/su],
    [["--for", "config.createTime!=blue"], /"blue" is not a time/u],
    [["--for", "group.groupName>3d"], /group.groupName is not a time/u],
    [["--for", "config.content.read.objects.x.disabled=1"], /is true or false, not "1"/u],
    [["--for", "config.content>1"], /config.content cannot be compared/u],
    [["--for", "health=healthy", "--for", "healthStatus=unhealthy"], /cannot both be true/u],
    [["--for", "health=healthy", "--for", "health!=healthy"], /cannot both be true/u],
    [["--for", "health=healthy", "--fail-on", "healthStatus=healthy"], /also a condition of/u],
    [["--for", "helth=x"], /"helth" is not a field or column/u],
    [["--for", "health=healthy", "--fail-on", "x"], /"x" is not a valid filter/u],
    [[], /missing option --for/u],
  ])("refuses %j before anything is sent", async (argv, message) => {
    const { code, stderr, requests } = await wait([WELL, ...argv]);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toMatch(message);
  });

  it.each([
    'health="helthy"',
    '"connection.statsu"=x',
    "connection=bad credentials",
    "connection~CRED",
    "updated>5m",
    "updated=2026-09-01",
    "createTime~2031",
    "group=",
    "lastOperationStatus=null",
    "config.content.read.objects.x.disabled=yes",
  ])("waits for %s", async (condition) => {
    const { code } = await wait([WELL, "--for", condition, "--within", "1ms"]);
    expect([0, 124]).toContain(code);
  });
});
