import { describe, expect, it } from "vitest";
import { placeWith, ROUTING } from "./notify-fixture.ts";

const NO_LOGIN = { env: { AMP_PROFILE: undefined }, sandbox: undefined, fetch: undefined };
const SECRETS = "/amp }, secrets: { signingSecret: env:SIGNING, other: file:not-here }";

describe("amp notify check -f", () => {
  it("needs no login, no network and none of the secrets", async () => {
    const place = placeWith();
    place.write("routing.yaml", ROUTING.replace("/amp }", SECRETS));
    const outcome = await place.notify("check -f routing.yaml --json", NO_LOGIN);
    expect(outcome).toMatchObject({ code: 0, stderr: "", requests: [] });
    expect(outcome.json()).toMatchObject({
      file: "routing.yaml",
      unavailableSecrets: ["env:SIGNING", expect.stringContaining("not-here")],
    });
  });

  it("names every mistake of the file in one run", async () => {
    const place = placeWith();
    const events = Array.from(
      { length: 15 },
      (_, nth) => `  t${nth}: { evnts: [], destinations: [no${nth}] }`,
    );
    const topics = `version: 1\ndestinations:\n  a: { type: webhook, secrets: { s: literal } }\n  b: { id: x }\n  c: { id: x }\ntopics:\n${events.join("\n")}\n`;
    place.write("routing.yaml", topics);
    const outcome = await place.notify("check -f routing.yaml --json", NO_LOGIN);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    const found = outcome.error().problems as {
      line: number;
      severity?: string;
      message: string;
    }[];
    const problems = found.filter(({ severity }) => severity === undefined);
    expect(problems).toHaveLength(33);
    expect(problems.filter(({ line }) => line === 3)).toMatchObject([
      { message: expect.stringContaining("metadata.url") },
      { message: expect.stringContaining('secret "s"') },
    ]);
    expect(new Set(problems.map(({ line }) => line))).toEqual(
      new Set([3, 5, ...events.map((_, nth) => 7 + nth)]),
    );
  });

  it("names a metadata field that the type does not list", async () => {
    const place = placeWith();
    place.write("routing.yaml", ROUTING.replace("/amp }", "/amp, colour: blue }"));
    const { code, json } = await place.notify("check -f routing.yaml --json", NO_LOGIN);
    expect([code, (json() as { fileWarnings: string[] }).fileWarnings]).toEqual([
      0,
      [
        'routing.yaml:4:78: warning: destination "ops": metadata.colour is not a field of a webhook destination that amp knows. The service may refuse it.',
      ],
    ]);
  });

  it("writes a key with line breaks on one line", async () => {
    const place = placeWith();
    const key = '"k\\n::error::boom\\nrouting.yaml is valid"';
    place.write("routing.yaml", ROUTING.replace("/amp }", `/amp, ${key}: 1 }`));
    const { code, json } = await place.notify("check -f routing.yaml --json", NO_LOGIN);
    expect([code, (json() as { fileWarnings: string[] }).fileWarnings]).toEqual([
      0,
      [
        'routing.yaml:4:113: warning: destination "ops": metadata.k\\u{a}::error::boom\\u{a}routing.yaml is valid is not a field of a webhook destination that amp knows. The service may refuse it.',
      ],
    ]);
  });

  it("writes such a key on one line in a conflict", async () => {
    const place = placeWith();
    const write = (value: number) =>
      place.write("routing.yaml", ROUTING.replace("/amp }", `/amp, "k\\nforged": ${value} }`));
    write(1);
    expect((await place.notify("apply -f routing.yaml --yes")).code).toBe(0);
    write(2);
    const { code, stderr } = await place.notify("apply -f routing.yaml --yes --state ./new");
    expect(code).toBe(5);
    expect(stderr).toContain("metadata.k\\u{a}forged: 1 → 2\n");
  });

  it("refuses what the file must not read, and what is nearly a known word", async () => {
    const place = placeWith();
    place.write(
      "routing.yaml",
      ROUTING.replace("/amp }", "/amp }, secrets: { s: env:AMP_API_KEY }"),
    );
    expect((await place.notify("check -f routing.yaml", NO_LOGIN)).stderr).toContain(
      "--allow env:AMP_API_KEY",
    );
    place.write("routing.yaml", ROUTING.replace("webhook", "webhok"));
    const odd = await place.notify("check -f routing.yaml", NO_LOGIN);
    expect([odd.code, odd.stderr]).toEqual([2, expect.stringContaining("did you mean webhook?")]);
    const allowed = await place.notify("check -f routing.yaml --allow unknown", NO_LOGIN);
    expect([allowed.code, allowed.stderr + allowed.stdout]).toEqual([
      0,
      expect.stringContaining("did you mean webhook?"),
    ]);
  });
});

describe("amp notify export", () => {
  it("is a routing file in JSON with --json, which apply accepts", async () => {
    const place = placeWith();
    await place.notify("apply -f routing.yaml --yes");
    const exported = await place.notify("export --json");
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    expect(exported.json()).toMatchObject({ version: 1, topics: { lifecycle: {} } });
    place.write("again.json", exported.stdout);
    const plan = await place.notify("plan -f again.json --exit-code");
    expect(plan.code).toBe(0);
  });

  it.each(["csv", "table", "id", "tsv"])("is refused as %s", async (format) => {
    const refused = await placeWith().notify(`export -o ${format}`);
    expect(refused).toMatchObject({ code: 2, stdout: "", requests: [] });
  });
});
