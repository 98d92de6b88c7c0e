import { describe, expect, it } from "vitest";
import { NOW, sandboxAt } from "../../harness.ts";
import { ADDRESSES, placeWith, ROUTING } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes";
const CI = { AMP_PROFILE: "sandbox", CI: "1" };

describe("in CI", () => {
  it("tells each intent and result as a line of JSON", async () => {
    const outcome = await placeWith().notify(APPLY, { env: CI });
    expect(outcome.code).toBe(0);
    const events = outcome.stderr
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    for (const address of ADDRESSES) {
      const key = expect.any(String);
      const time = NOW.toISOString();
      expect(events).toContainEqual({ amp: "intent", address, key, time });
      expect(events).toContainEqual(
        expect.objectContaining({ amp: "result", address, outcome: "created", id: key, time }),
      );
    }
    expect(events).toHaveLength(10);
  });

  it("warns of a state on this disk alone where the service has no lists", async () => {
    const specOnly = () => placeWith(sandboxAt(NOW, { specOnly: true }));
    const warning = "The state is stored only on this machine";
    expect((await specOnly().notify(APPLY, { env: CI })).stderr).toContain(warning);
    for (const env of [{ AMP_PROFILE: "sandbox" }, { ...CI, CI: "false" }]) {
      expect((await specOnly().notify(APPLY, { env })).stderr).not.toContain(warning);
    }
    expect((await placeWith().notify(APPLY, { env: CI })).stderr).not.toContain(warning);
  });
});

describe("secrets", () => {
  const withSecret = (secret: string) => ROUTING.replace("/amp }", `/amp }, secrets: ${secret}`);

  it("are refused in the file itself, and never echoed", async () => {
    const place = placeWith();
    place.write("routing.yaml", withSecret("{ signingSecret: hunter2-in-the-file }"));
    for (const command of ["plan", "apply --yes"]) {
      const refused = await place.notify(`${command} -f routing.yaml`);
      expect(refused).toMatchObject({ code: 2, requests: [] });
      expect(refused.stderr.replaceAll(/\s+/gu, " ")).toContain(
        'destination "ops": secret "signingSecret": must be env:NAME or file:PATH',
      );
      expect(refused.stdout + refused.stderr).not.toContain("hunter2");
    }
  });

  it("from a variable reach the service, and neither state nor log", async () => {
    const place = placeWith();
    place.write("routing.yaml", withSecret("{ signingSecret: env:SIGNING }"));
    const env = { AMP_PROFILE: "sandbox", SIGNING: "hunter2-from-outside", CI: "1" };
    const outcome = await place.notify(`${APPLY} --state state.json`, { env });
    expect(outcome.code).toBe(0);
    expect(JSON.stringify(outcome.requests.map(({ body }) => body))).toContain("hunter2");
    expect(outcome.stdout + outcome.stderr + place.read("state.json")).not.toContain("hunter2");
  });
});
