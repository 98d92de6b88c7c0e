import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { answering, BARE, CRM, TERMINAL } from "./installations-at.ts";

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
      installations: [
        {
          id: WELL,
          conditions: [{ condition: "health=healthy", met: true, value: "healthy" }],
          failOn: [],
        },
      ],
    });
    const page = await wait([WELL, "--for", "health=healthy"], TERMINAL);
    expect(page.stdout).toContain("meets the conditions");
    expect(page.stdout).toMatch(/health=healthy +yes +healthy/u);
  });

  it("exits 8 if a condition of --fail-on is met", async () => {
    const failOn = ["--for", "health=healthy", "--fail-on", "connection=bad_credentials"];
    const { code, json, error } = await wait([SICK, ...failOn, "--json"]);
    expect(code).toBe(8);
    expect(json()).toMatchObject({
      outcome: "failed",
      installations: [{ failOn: [{ met: true }] }],
    });
    expect(error()).toMatchObject({ code: "check", message: "a condition of --fail-on is met" });
  });

  it("waits for several by name, and rings the bell of a terminal at the end", async () => {
    const { code, json } = await wait([
      "initech crm-sync",
      "hooli crm-sync",
      "--for",
      "health=healthy",
      "--json",
    ]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      outcome: "met",
      installations: [{ id: WELL }, { group: "Hooli" }],
    });
    const shown = await wait([WELL, SICK, "--for", "health=healthy", "--within", "20ms"], TERMINAL);
    expect(shown.code).toBe(124);
    expect(shown.stdout).toMatch(/^1 of 2 installations does not meet the conditions yet/u);
    expect(shown.stderr).toContain("\u0007");
  });

  it("waits for those that meet a filter when it begins", async () => {
    const unhealthy = [
      "--filter",
      "health=unhealthy",
      "--for",
      "health=healthy",
      "--within",
      "20ms",
    ];
    const { code, json } = await wait([...unhealthy, "--json"]);
    expect(code).toBe(124);
    const { installations } = json() as { installations: unknown[] };
    expect(installations).toHaveLength(7);
    const failing = [...unhealthy, "--fail-on", "connection=bad_credentials", "--json"];
    expect((await wait(failing)).code).toBe(8);
    const none = await wait(["--filter", "group=nobody", "--for", "health=healthy"]);
    expect({ code: none.code, stderr: none.stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining("No installation meets group=nobody"),
    });
    expect((await wait(["--for", "health=healthy"])).code).toBe(2);
    expect((await wait([WELL, ...unhealthy])).code).toBe(2);
    const many = Array.from({ length: 60 }, (_, at) => ({ ...BARE, id: `ins_${at}` }));
    const args = ["--integration", CRM, "--filter", "health=healthy", "--for", "health=unhealthy"];
    expect((await wait(args, answering(...many))).stderr).toContain(
      "60 installations meet the filters, at most 50 can be waited for",
    );
  });

  it("says what each was at last, and how to go on, where Ctrl-C ends it", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort("SIGINT"), 300);
    const args = [WELL, SICK, "--for", "health=healthy", "--within", "1h"];
    const { code, stderr } = await wait(args, { ...TERMINAL, signal: controller.signal });
    expect(code).toBe(130);
    const [, said = ""] = stderr.split("✗ ");
    expect(said).toMatch(/^Interrupted\n/u);
    expect(said).toMatch(new RegExp(`${WELL}\\)?: health is healthy\\n`, "u"));
    expect(said).toMatch(new RegExp(`${SICK}\\)?: health is unhealthy\\n`, "u"));
    const again = `Try: amp installations wait ${SICK} --for health=healthy --within 3600s`;
    expect(said.replaceAll(/[\\\s]+/gu, " ")).toContain(again);
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
    [[], /Missing option --for/u],
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
