import { describe, expect, it } from "vitest";
import { placeWith, writesOf } from "./notify-fixture.ts";

/** An unknown event type, an unknown destination type, and a URL that is not https. */
const WORDS = {
  event: 'Unknown event type "instalation.created": did you mean installation.created?',
  type: 'Unknown destination type "webhok": did you mean webhook?',
  url: "metadata.url of a webhook destination must begin with https://",
};

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: http://hooks.acme.com/amp } }
  odd: { type: webhok, metadata: { url: https://hooks.acme.com/amp } }
topics:
  lifecycle: { events: [instalation.created], destinations: [ops, odd] }
`;

const SETUP = "setup --destination-name ops --topic lifecycle --event connection.error --yes";

describe("a new name that an existing one resembles", () => {
  const NAMES = `version: 1
destinations: { Ops: { type: webhook, metadata: { url: "https://a.test" } } }
topics: { Alerts: { events: [] } }
`;

  it("is warned of by plan and apply, and created all the same", async () => {
    const place = placeWith();
    place.write("first.yaml", NAMES);
    expect((await place.notify("apply -f first.yaml --yes")).code).toBe(0);
    place.write("second.yaml", NAMES.toLowerCase());
    const plan = await place.notify("plan -f second.yaml");
    expect(plan.stderr).toMatch(
      /topic\/alerts: another topic is named "Alerts" \(\S+\); names are compared exactly/u,
    );
    expect(plan.stderr).toContain('another destination is named "Ops"');
    const json = await place.notify("plan -f second.yaml --json");
    expect(json.stderr).toBe("");
    expect((json.json() as { warnings: string[] }).warnings.join("\n")).toContain(
      'another topic is named "Alerts"',
    );
    const applied = await place.notify("apply -f second.yaml --yes");
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stderr).toContain('another topic is named "Alerts"');
    // What the file itself names twice is meant.
    const both = await place.notify("plan -f first.yaml");
    expect(both.stderr).not.toContain("another topic");
  });
});

it("an earlier name that nothing has is said by the plan", async () => {
  const place = placeWith();
  place.write("routing.yaml", "version: 1\ntopics: { life: { renamed-from: live } }\n");
  const plan = await place.notify("plan -f routing.yaml");
  expect(plan.stderr).toContain('topic/life: nothing is named "live", its renamed-from');
  expect((await place.notify("apply -f routing.yaml --yes")).code).toBe(0);
  const again = await place.notify("plan -f routing.yaml");
  expect(again.stderr).not.toContain("nothing is named");
});

const ALLOW = " --allow unknown --allow http";

describe("a mistake", () => {
  it.each([
    ["routes create --topic top_1 --event instalation.created", [WORDS.event], "unknown"],
    [
      "destinations create --name a --type webhok --url https://a.example.com",
      [WORDS.type],
      "unknown",
    ],
    ["destinations create --name a --type webhook --url http://a.example.com", [WORDS.url], "http"],
    [
      "destinations create --name a --type webhook",
      ["A webhook destination needs metadata.url"],
      "incomplete",
    ],
    [`${SETUP} --destination-type webhok --url https://a.example.com`, [WORDS.type], "unknown"],
    [
      `${SETUP.replace("connection.error", "instalation.created")} --destination-type webhook --url https://a.example.com`,
      [WORDS.event],
      "unknown",
    ],
    ["plan -f routing.yaml", Object.values(WORDS), "http"],
    ["apply -f routing.yaml --yes", Object.values(WORDS), "http"],
    ["check -f routing.yaml", Object.values(WORDS), "unknown"],
  ])("is refused in the same words before anything is sent: %s", async (words, said, allow) => {
    const place = placeWith();
    place.write("routing.yaml", ROUTING);
    const outcome = await place.notify(words);
    expect([outcome.code, writesOf(outcome)]).toEqual([2, []]);
    for (const text of [...said, `(or pass --allow ${allow})`]) {
      expect(outcome.stderr).toContain(text);
    }
  });

  it("that is allowed is warned of, in the JSON of plan and receipt, too", async () => {
    const place = placeWith();
    place.write("routing.yaml", ROUTING);
    const page = await place.notify(`plan -f routing.yaml -o table${ALLOW}`);
    expect(page.stdout).toMatch(/6 to create +project acme of /u);
    const warnings = Object.values(WORDS).map((words) => expect.stringContaining(words));
    for (const words of ["plan -f routing.yaml", "apply -f routing.yaml --dry-run"]) {
      const { warnings: found } = (await place.notify(`${words} --json${ALLOW}`)).json() as {
        warnings: string[];
      };
      expect(found).toHaveLength(3);
      expect(found).toEqual(expect.arrayContaining(warnings));
    }
    const setup = await placeWith().notify(
      `${SETUP} --destination-type webhook --url http://hooks.acme.com/amp --json --dry-run --allow http`,
    );
    expect(setup.json()).toMatchObject({ warnings: [WORDS.url] });
  });

  it("is none where a word is near nothing that amp knows", async () => {
    const place = placeWith();
    place.write(
      "routing.yaml",
      ROUTING.replace("webhok", "pigeon").replace("instalation.created", "billing.paid"),
    );
    const outcome = await place.notify("plan -f routing.yaml --allow http");
    expect(outcome).toMatchObject({ code: 0 });
    expect(outcome.stderr).toContain(
      'Unknown event type "billing.paid". The service may refuse it.',
    );
    expect(outcome.stderr).toContain(
      'Unknown destination type "pigeon". The service may refuse it.',
    );
  });
});
