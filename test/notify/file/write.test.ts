import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { MISTAKE_WORDS } from "../../../src/api/catalogue/mistakes.ts";
import { readRoutingFile } from "../../../src/notify/file/read.ts";
import { routingFileTexts } from "../../../src/notify/file/write.ts";
import { eventProblem, expandEvents } from "../../../src/notify/model/names.ts";
import { canonicalRouting, type RoutingModel } from "../../../src/notify/model/routing.ts";
import { Secret } from "../../../src/secrets/secret.ts";
import { lifecycle, routings } from "../model/routings.ts";
import { TRUSTING } from "./reading.ts";

describe("routingFileTexts", () => {
  it("writes the sample file", async () => {
    expect((await routingFileTexts(lifecycle, { project: "acme" })).text).toMatchInlineSnapshot(`
      "# The notification routing that should exist, by name. Order does not matter.
      # Secrets are references: env:NAME or file:PATH.

      version: 1
      project: acme
      destinations:
        ops-webhook:
          type: webhook
          metadata:
            url: https://hooks.acme.com/amp
      topics:
        customer-lifecycle:
          events:
            - installation.created
            - installation.deleted
            - connection.error
          destinations:
            - ops-webhook
      "
    `);
  });

  it("writes secrets as references only", async () => {
    const model: RoutingModel = {
      destinations: new Map([
        [
          "ops-stream",
          {
            kind: "new",
            type: "kinesis",
            metadata: { streamName: "amp", region: "eu-central-1" },
            secrets: {
              awsKeyId: new Secret("AKIA-hush", { from: "env", name: "KEY_ID" }),
              awsSecretKey: new Secret("hush"),
              awsSessionToken: new Secret("hush", { from: "file", path: "/run/token" }),
            },
          },
        ],
      ]),
      topics: new Map([["t", { id: "t_1", events: ["a", "a"], destinations: ["ops-stream"] }]]),
    };
    const text = (await routingFileTexts(model)).text;
    expect(text).not.toContain("hush");
    expect(text).toContain("# OPS_STREAM_AWS_SECRET_KEY must be set.");
    expect(parse(text)).toEqual({
      version: 1,
      destinations: {
        "ops-stream": {
          type: "kinesis",
          metadata: { streamName: "amp", region: "eu-central-1" },
          secrets: {
            awsKeyId: "env:KEY_ID",
            awsSecretKey: "env:OPS_STREAM_AWS_SECRET_KEY",
            awsSessionToken: "file:/run/token",
          },
        },
      },
      topics: { t: { id: "t_1", events: ["a"], destinations: ["ops-stream"] } },
    });
  });

  it("preserves names with any characters", async () => {
    await fc.assert(
      fc.asyncProperty(routings, async (model) => {
        const read = parse((await routingFileTexts(model)).text, { mapAsMap: true }) as Map<
          string,
          Map<string, unknown>
        >;
        expect([...(read.get("destinations")?.keys() ?? [])]).toEqual([
          ...model.destinations.keys(),
        ]);
        expect([...(read.get("topics")?.keys() ?? [])]).toEqual([...model.topics.keys()]);
      }),
      { numRuns: 60 },
    );
  });
});

/** What a file can say: no name that is refused, and no id twice. */
function isSayable({ destinations, topics }: RoutingModel): boolean {
  const texts = [
    ...destinations.keys(),
    ...topics.keys(),
    ...[...topics.values()].flatMap(({ events }) => events),
  ];
  const ids = [...destinations.values()].flatMap((part) =>
    part.kind === "existing" ? [part.id] : [],
  );
  const all = JSON.stringify([[...destinations], [...topics]]);
  return (
    texts.every((text) => text.trim() !== "") &&
    [...topics.values()].every(({ events }) => events.every(isEvent)) &&
    new Set(ids).size === ids.length &&
    !all.includes("__proto__") &&
    !all.includes("\uFFFD")
  );
}

/** The model without what a file does not hold: the values of secrets, the types of what exists. */
function said(model: RoutingModel) {
  const { destinations, topics } = canonicalRouting(model);
  return {
    topics: [...topics],
    destinations: [...destinations].map(([name, part]) => [
      name,
      part.kind === "existing"
        ? { id: part.id }
        : { ...part, secrets: Object.keys(part.secrets).sort() },
    ]),
  };
}

/** Whether a file may hold a text as an event type, and means only this one. */
function isEvent(text: string): boolean {
  return eventProblem(text) === undefined && expandEvents([text])[0] === text;
}

describe("a written routing file", () => {
  it("is read as the same routing", async () => {
    await fc.assert(
      fc.asyncProperty(routings.filter(isSayable), async (model) => {
        const text = (await routingFileTexts(model, { project: "acme" })).text;
        const read = await readRoutingFile(text, "routing.yaml", {
          policy: TRUSTING,
          allow: MISTAKE_WORDS,
          variable: () => "value",
          read: async () => "value",
        });
        expect(read.project).toBe("acme");
        expect(said(read.model)).toEqual(said(model));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    "<<",
    "123",
    "1e3",
    "null",
    "~",
    "yes",
    "true",
    "0x1F",
    ".inf",
    "- a",
    "a: b",
    "# a",
    "*a",
    "&a",
    "!a",
    "---",
    "...",
    "%YAML",
    "a\nb\n",
    " a ",
    "\ta",
    "'",
    '"',
    "a\u2028b",
    "a\u0085b",
    "\u0000",
    "\uFEFFa",
    "a\rb",
    "x".repeat(2_000),
  ])("keeps %j in every place", async (text) => {
    const model: RoutingModel = {
      name: text,
      destinations: new Map([
        [text, { kind: "new", type: text, metadata: { [text]: text, list: [text] }, secrets: {} }],
        [`${text}2`, { kind: "existing", id: text }],
      ]),
      topics: new Map([
        [text, { id: text, events: isEvent(text) ? [text] : [], destinations: [text] }],
      ]),
    };
    const file = (await routingFileTexts(model, { project: text })).text;
    const read = await readRoutingFile(file, "routing.yaml", {
      policy: TRUSTING,
      allow: MISTAKE_WORDS,
      variable: () => "value",
      read: async () => "value",
    });
    expect(read.project).toBe(text);
    expect(read.model).toEqual(model);
  });
});
