import { describe, expect, it } from "vitest";
import { ResultError } from "../../../src/errors.ts";
import { assertFileRules, checkRouting } from "../../../src/notify/checks/check.ts";
import { type NamedReads, RULE_IDS, type RuleId } from "../../../src/notify/checks/rules.ts";
import { graphOf } from "../../../src/notify/graph/graph.ts";
import { partsOfModel } from "../../../src/notify/graph/load.ts";
import { errorsIn, reading } from "../file/reading.ts";

interface World {
  /** The lines below `version: 1`. */
  readonly file: string;
  readonly require?: readonly string[];
  readonly reads?: ReadonlyMap<string, NamedReads> | string;
}

function thrownBy(run: () => void): ResultError {
  try {
    run();
  } catch (error) {
    if (error instanceof ResultError) return error;
  }
  throw new Error("no usage error was thrown");
}

async function check({ file, require = [], reads }: World, rules: readonly RuleId[] = []) {
  const content = await reading(`version: 1\n${file}`);
  const graph = graphOf(partsOfModel(content.model));
  const loaded = {
    graph,
    source: { file: "routing.yaml" },
    content: { ...content, file: "routing.yaml", unavailableSecrets: [] },
  };
  const input = { rule: rules, skip: [], require, ...(reads === undefined ? {} : { reads }) };
  return checkRouting(loaded, input);
}

const WEBHOOK = "{ type: webhook, metadata: { url: https://a.example } }";
const OPS = `destinations: { ops: ${WEBHOOK} }\n`;
const BOTH = `destinations: { ops: ${WEBHOOK}, chat: { id: dst_1 } }\n`;
const topics = (...lines: readonly string[]) =>
  `topics:\n${lines.map((one) => `  ${one}\n`).join("")}`;
const READS = new Map([["crm", { installations: 2, objects: 3 }]]);

/** Each rule with facts that break it, what is said of them, and the same without the fact. */
const CASES: readonly {
  readonly rule: RuleId;
  readonly breaks: World;
  readonly says: readonly string[];
  readonly keeps: readonly World[];
}[] = [
  {
    rule: "required-event",
    breaks: {
      file: `require: [connection.error, read.triggered.*]\n${OPS}${topics(
        "a: { events: [connection.error] }",
        "b: { events: [read.triggered.done], destinations: [ops] }",
      )}`,
    },
    says: [
      "2:11 The required event type connection.error reaches no destination.",
      "2:29 The required event type read.triggered.error reaches no destination.",
    ],
    keeps: [
      {
        file: `require: [connection.error, read.triggered.*]\n${OPS}${topics(
          "a: { events: [connection.error, read.triggered.*], destinations: [ops] }",
        )}`,
      },
      { file: `${OPS}${topics("a: { events: [connection.error] }")}` },
    ],
  },
  {
    rule: "required-event",
    breaks: { file: OPS, require: ["conection.error"] },
    says: [
      "-:- The required event type conection.error reaches no destination. Did you mean connection.error?",
    ],
    keeps: [
      {
        file: `${OPS}${topics("a: { events: [my.event], destinations: [ops] }")}`,
        require: ["my.event"],
      },
    ],
  },
  {
    rule: "forbidden-route",
    breaks: {
      file: `forbid: [{ event: read.*, destination: ch* }]\n${BOTH}${topics(
        "a: { events: [read.triggered.done, connection.error], destinations: [ops, chat] }",
      )}`,
    },
    says: [
      "5:17 read.triggered.done reaches chat by topic a, which is forbidden by event read.* and destination ch*.",
    ],
    keeps: [
      {
        file: `forbid: [{ event: read.*, destination: chat }]\n${BOTH}${topics(
          "a: { events: [read.triggered.done], destinations: [ops] }",
          "b: { events: [connection.error], destinations: [chat] }",
        )}`,
      },
    ],
  },
  {
    rule: "forbidden-route",
    breaks: {
      file: `forbid: [{ event: all, topic: int* }, { topic: int*, destination: chat }]\n${BOTH}${topics(
        "internal: { events: [my.event], destinations: [ops, chat] }",
      )}`,
    },
    says: [
      "5:24 Topic internal receives my.event, which is forbidden by event all and topic int*.",
      "5:55 Topic internal has the destination chat, which is forbidden by topic int* and destination chat.",
    ],
    keeps: [
      {
        file: `forbid: [{ event: all, topic: int* }, { topic: int*, destination: chat }]\n${BOTH}${topics(
          "public: { events: [my.event], destinations: [ops, chat] }",
          "internal: { destinations: [ops] }",
        )}`,
      },
    ],
  },
  {
    rule: "missing-read-destination",
    breaks: { file: OPS, reads: READS },
    says: [
      "-:- 3 reads of 2 installations name the destination crm, which does not exist: the records are not delivered.",
    ],
    keeps: [
      { file: `destinations: { crm: ${WEBHOOK} }\n`, reads: READS },
      { file: OPS, reads: new Map() },
      { file: OPS, reads: "The service cannot list installations" },
      { file: OPS },
    ],
  },
  {
    rule: "missing-read-destination",
    breaks: { file: OPS, reads: new Map([["crm", { installations: 1, objects: 1 }]]) },
    says: [
      "-:- 1 read of 1 installation names the destination crm, which does not exist: the records are not delivered.",
    ],
    keeps: [],
  },
  {
    rule: "duplicate-delivery",
    breaks: {
      file: `${BOTH}${topics(
        "a: { events: [connection.error, my.event], destinations: [ops] }",
        "b: { events: [connection.error, my.event], destinations: [chat, ops] }",
      )}`,
    },
    says: ["5:67 ops receives connection.error, my.event 2 times: from topics a, b."],
    keeps: [
      {
        file: `${BOTH}${topics(
          "a: { events: [connection.error, connection.*], destinations: [ops, ops] }",
          "b: { events: [connection.error], destinations: [chat] }",
          "c: { events: [my.event], destinations: [ops] }",
        )}`,
      },
    ],
  },
  {
    rule: "topic-without-events",
    breaks: { file: `${OPS}${topics("a: { destinations: [ops] }")}` },
    says: ["4:3 Topic a receives no event type."],
    keeps: [{ file: `${OPS}${topics("a: { events: [my.event] }")}` }],
  },
  {
    rule: "topic-without-destination",
    breaks: { file: `${OPS}${topics("a: { events: [my.event] }")}` },
    says: ["4:3 Topic a has no destination."],
    keeps: [{ file: `${OPS}${topics("a: { destinations: [ops] }")}` }],
  },
  {
    rule: "destination-without-topic",
    breaks: { file: OPS },
    says: ["2:17 No topic is routed to destination ops."],
    keeps: [
      { file: `${OPS}${topics("a: { destinations: [ops] }")}` },
      { file: OPS, reads: new Map([["ops", { installations: 1, objects: 1 }]]) },
    ],
  },
  {
    rule: "unknown-event",
    breaks: {
      file: topics("a: { events: [xconnektion.eror, connection.error] }", "b: { events: [zzz] }"),
    },
    says: [
      "3:17 Topic a receives the unknown event type xconnektion.eror. Did you mean connection.error?",
      "4:17 Topic b receives the unknown event type zzz.",
    ],
    keeps: [{ file: topics("a: { events: [all] }") }],
  },
  {
    rule: "disabled-webhook-alone",
    breaks: {
      file: `${BOTH}${topics(
        "a: { events: [my.event, destination.webhook.disabled], destinations: [ops] }",
        "b: { events: [my.event], destinations: [chat] }",
      )}`,
    },
    says: [
      "4:27 destination.webhook.disabled reaches only the webhook ops: if that one is disabled, no destination is notified.",
    ],
    keeps: [
      {
        file: `${BOTH}${topics("a: { events: [destination.webhook.disabled], destinations: [ops, chat] }")}`,
      },
      {
        file: `destinations: { a: ${WEBHOOK}, b: ${WEBHOOK} }\n${topics("t: { events: [destination.webhook.disabled], destinations: [a, b] }")}`,
      },
      // Its type is not known: it may be any.
      { file: `${BOTH}${topics("a: { events: [all], destinations: [chat] }")}` },
      { file: `${BOTH}${topics("a: { events: [my.event], destinations: [ops] }")}` },
      { file: topics("a: { events: [destination.webhook.disabled] }") },
    ],
  },
];

describe("each rule", () => {
  it.each(CASES)("$rule says what breaks it, and where", async ({ rule, breaks, says }) => {
    const { findings } = await check(breaks, [rule]);
    expect(
      findings.map(({ line = "-", column = "-", message }) => `${line}:${column} ${message}`),
    ).toEqual(says);
    for (const finding of findings) expect(finding).toMatchObject({ rule });
  });

  it.each(CASES.flatMap(({ rule, keeps }) => keeps.map((world) => ({ rule, ...world }))))(
    "$rule says nothing of $file",
    async ({ rule, ...world }) => {
      expect((await check(world, [rule])).findings).toEqual([]);
    },
  );

  it("every rule has a case", () => {
    expect(new Set(CASES.map(({ rule }) => rule))).toEqual(new Set(RULE_IDS));
  });
});

describe("the result", () => {
  const FILE = `require: [my.event]\n${OPS}${topics("a: { events: [zzz] }")}`;

  it("counts errors and warnings, in the order of the file", async () => {
    const { errors, warnings, findings } = await check({ file: FILE });
    expect({ errors, warnings }).toEqual({ errors: 1, warnings: 3 });
    expect(findings.map(({ line, rule }) => [line, rule])).toEqual([
      [2, "required-event"],
      [3, "destination-without-topic"],
      [5, "topic-without-destination"],
      [5, "unknown-event"],
    ]);
  });

  it("names the rules that could not be checked, and why", async () => {
    const { rules, unchecked } = await check({ file: FILE });
    expect(rules.map(({ id }) => id)).toEqual(
      RULE_IDS.filter((id) => id !== "missing-read-destination"),
    );
    expect(unchecked).toEqual([
      {
        rule: "missing-read-destination",
        reason: "a file does not contain the reads of customers",
      },
    ]);
    const live = await check({ file: FILE, reads: "No installations." });
    expect(live.unchecked[0]?.reason).toBe("No installations.");
    expect((await check({ file: FILE, reads: new Map() })).unchecked).toEqual([]);
  });
});

describe("the rules that a file has for itself", () => {
  const BROKEN = `require: [connection.error]\nforbid: [{ topic: a, destination: ops }]\n${OPS}${topics("a: { destinations: [ops] }")}`;

  it("refuse the file, each breach with its place", async () => {
    const routing = await reading(`version: 1\n${BROKEN}`);
    const error = thrownBy(() => assertFileRules(routing, "routing.yaml"));
    expect(error.message).toBe("routing.yaml breaks 2 of its own rules");
    expect(error.facts).toMatchObject({
      detail:
        "routing.yaml:2:11: The required event type connection.error reaches no destination. (required-event)\nrouting.yaml:6:23: Topic a has the destination ops, which is forbidden by topic a and destination ops. (forbidden-route)",
      done: "Nothing was sent.",
    });
  });

  it("let a file pass that keeps them, or has none", async () => {
    const kept = `require: [my.event]\n${OPS}${topics("a: { events: [my.event], destinations: [ops] }")}`;
    for (const file of [kept, OPS]) {
      const routing = await reading(`version: 1\n${file}`);
      expect(() => assertFileRules(routing, "routing.yaml")).not.toThrow();
    }
  });

  it.each([
    ["require: [foo.*]", 'require: "foo.*" matches no known event type'],
    ['require: ["a b"]', 'require: "a b" is not a valid event type'],
    ["require: connection.error", "require must be a list, not a single value"],
    ["forbid: [{ event: a }]", "forbid: needs two of event, topic and destination"],
    ["forbid: [{ event: a, evnt: b }]", 'forbid: unknown key "evnt": did you mean event?'],
    ["forbid: [ops]", "forbid: must be a mapping, not a single value"],
    ['forbid: [{ event: "", topic: b }]', "forbid: event must not be empty"],
  ])("%s is refused", async (line, message) => {
    expect(await errorsIn(`version: 1\n${line}\n`)).toContain(message);
  });
});
