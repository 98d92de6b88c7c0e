import * as z from "zod/mini";
import { EVENT_TYPES, EVENTS } from "../../api/catalogue/events.ts";
import { DATA_MESSAGES } from "../../events/message/payloads.ts";
import { described, knownOr, mustBe, textSchema } from "../file/schema-parts.ts";

const NAMES_EXAMPLE = "reaches: ops-webhook";

const names = (key: string, description: string) =>
  z.optional(
    described(
      z.union(
        [z.string().check(z.regex(/\S/)), z.array(z.string().check(z.regex(/\S/)))],
        mustBe("a name or a list of names", [key, NAMES_EXAMPLE]),
      ),
      description,
    ),
  );

const wholeNumber = (key: string, least: number, most: number, description: string) =>
  z.optional(
    described(
      z
        .int({ error: `${key} must be a whole number` })
        .check(
          z.minimum(least, `${key} must be at least ${least}`),
          z.maximum(most, `${key} must be at most ${most}`),
        ),
      description,
    ),
  );

const EVENTS_KNOWN = [
  ...EVENT_TYPES.map((name) => [name, EVENTS[name].fires] as const),
  ...Object.entries(DATA_MESSAGES),
];

const eventName = (key: string, description: string) =>
  knownOr(EVENTS_KNOWN, [key, `${key}: connection.error`], description);

/** An entry of `then`; it has exactly one of these keys. */
const SUBJECTS = ["reaches", "misses", "disabled"] as const;

const expectation = described(
  z
    .strictObject(
      {
        reaches: names("reaches", "Destinations that must receive the event."),
        misses: names("misses", "Destinations that must not receive the event."),
        disabled: names("disabled", "Webhooks that must be disabled at the end."),
        event: z.optional(
          eventName(
            "event",
            "Another event that this expectation applies to, for example one that follows.",
          ),
        ),
        within: z.optional(
          textSchema(
            ["within", "within: 5s"],
            "How long the delivery may take, in simulated time.",
          ),
        ),
        signed: z.optional(
          described(
            z.boolean({ error: "signed must be true or false" }),
            "Whether the message must have a valid signature.",
          ),
        ),
        times: wholeNumber("times", 1, 100, "Number of messages of the event that must arrive."),
      },
      mustBe("a mapping", ["then", `[{ ${NAMES_EXAMPLE} }]`]),
    )
    .check(
      z.refine((one) => SUBJECTS.filter((key) => one[key] !== undefined).length === 1, {
        error: `needs exactly one of ${SUBJECTS.join(", ")}; for example: { ${NAMES_EXAMPLE} }`,
      }),
      z.refine(
        ({ reaches, within, signed, times }) =>
          reaches !== undefined || [within, signed, times].every((one) => one === undefined),
        { error: "within, signed and times apply only to reaches" },
      ),
    ),
  "What must be true after the event was delivered.",
);

const behaviour = described(
  z.strictObject(
    {
      status: wholeNumber("status", 200, 599, "HTTP status that the receiver returns."),
      times: wholeNumber(
        "times",
        1,
        1000,
        "Number of messages that get this status; after that, 204.",
      ),
      "webhook-delivery": z.optional(
        described(
          z.enum(["disable", "abort-message"], {
            error: "webhook-delivery must be disable or abort-message",
          }),
          "The header with which a receiver controls the platform's deliveries.",
        ),
      ),
    },
    mustBe("a mapping", ["receiver", "{ ops-webhook: { status: 500, times: 3 } }"]),
  ),
  "Status that the receiver of a webhook returns (default 204).",
);

const testCase = described(
  z.strictObject(
    {
      name: z.optional(
        textSchema(["name", "name: errors page ops"], "Name of the case, for reports."),
      ),
      when: eventName("when", "The event to trigger."),
      with: z.optional(
        described(
          z.record(
            z.string(),
            z.unknown(),
            mustBe("a mapping", ["with", "with: { provider: salesforce }"]),
          ),
          "Fields of the event; the others come from a sample installation.",
        ),
      ),
      receiver: z.optional(
        described(
          z.record(
            z.string(),
            behaviour,
            mustBe("a mapping", ["receiver", "{ ops-webhook: { status: 500 } }"]),
          ),
          "Responses of the receivers, by destination.",
        ),
      ),
      // biome-ignore lint/suspicious/noThenProperty: the word of the file; a schema is never awaited
      then: described(
        z
          .array(expectation, mustBe("a list", ["then", `[{ ${NAMES_EXAMPLE} }]`]))
          .check(z.minLength(1, `then must not be empty; for example: - ${NAMES_EXAMPLE}`)),
        "What must be true afterwards.",
      ),
    },
    mustBe("a mapping", ["a case", "{ when: connection.error, then: [{ reaches: ops }] }"]),
  ),
  "An event to trigger, and where it must arrive.",
);

const TO_EXAMPLE = "{ url: http://localhost:3000/amp, secret: env:WEBHOOK_SECRET }";

const localReceiver = z.union(
  [
    textSchema(["to", "to: { ops-webhook: http://localhost:3000/amp }"], "URL on this machine."),
    described(
      z.strictObject({
        url: textSchema(["url", TO_EXAMPLE], "URL on this machine."),
        secret: textSchema(
          ["secret", TO_EXAMPLE],
          "Signing secret of the receiver, as env:VARIABLE: messages are signed again with it.",
        ),
      }),
      "A receiver that verifies signatures.",
    ),
  ],
  { error: `must be a URL, or a URL with a secret: ${TO_EXAMPLE}` },
);

/** The schema of a file of test cases: the one description of its form, for reader and editors. */
export const casesFileSchema = described(
  z.strictObject(
    {
      version: z.optional(
        described(
          z.literal(1, {
            error: "version must be 1, the only one that this version of amp supports",
          }),
          "Version of the format.",
        ),
      ),
      cases: described(
        z
          .array(testCase, mustBe("a list", ["cases", "cases: [{ when: …, then: […] }]"]))
          .check(z.minLength(1, "cases must not be empty")),
        "The cases. Each starts with a fresh routing.",
      ),
      to: z.optional(
        described(
          z.record(
            z.string(),
            localReceiver,
            mustBe("a mapping", ["to", "to: { ops-webhook: http://localhost:3000/amp }"]),
          ),
          "Your own receivers, by destination: messages are forwarded to them.",
        ),
      ),
      $schema: z.optional(textSchema(["$schema", "$schema: cases.schema.json"], "For editors.")),
    },
    mustBe("a mapping", ["a file of test cases", "cases: [{ when: …, then: […] }]"]),
  ),
  "Test cases for a routing: events, and the destinations that must receive them.",
  { title: "Cases of amp notify test" },
);

/** A file of cases after the check of its form. */
export type CasesFile = z.output<typeof casesFileSchema>;

/** The keys that each mapping of the file may have, by the key above it. */
export const CASE_KEYS: Readonly<Record<string, readonly string[]>> = {
  file: Object.keys(casesFileSchema.shape),
  cases: Object.keys(testCase.def.shape),
  // biome-ignore lint/suspicious/noThenProperty: as above
  then: Object.keys(expectation.def.shape),
  receiver: Object.keys(behaviour.def.shape),
};

/**
 * The JSON Schema (2020-12) of a file of test cases, for editors; the reader checks more than that.
 */
export function casesJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(casesFileSchema, { io: "input" });
}
