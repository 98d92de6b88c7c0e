import { createHash } from "node:crypto";
import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import type { Installation } from "../../api/schemas/installation.ts";
import {
  DATA_MESSAGES,
  dataMessage,
  type EventData,
  type EventSubject,
  eventData,
} from "../message/payloads.ts";
import { SIGNATURE_HEADERS } from "../message/signature.ts";
import { type SigningWay, signatureBy } from "../message/signing-mistakes.ts";

/** The group that all messages of a test are about, so that a receiver can leave them out. */
const TEST_GROUP = "amp-webhook-test";

/** One request to the receiver. */
export interface TestMessage {
  readonly id: string;
  /** The check that it is made for, or another name where it is of none. */
  readonly check: string;
  /** The event type, or the kind of data message. */
  readonly event: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The special part of the message, after "for": "a body in UTF-8". */
  readonly what: string;
  readonly expect: "take" | "refuse";
  /** The name for a failure of this message where it differs from the check's. */
  readonly symptom?: string | undefined;
  /** What the answer must not have: the valid signature of a forged message, and the secret. */
  readonly hidden?: readonly string[] | undefined;
  /** Whether it is the message before it, sent a second time. */
  readonly again?: true;
}

/** A message that others are made from. */
export interface BaseMessage {
  readonly event: string;
  readonly body: string;
}

/** The options of the messages of a test. */
export interface MessageOptions {
  /** Hexadecimal digits: one seed makes the same messages. */
  readonly seed: string;
  readonly secret: string;
  /** The event types to send; default: all that amp knows. */
  readonly events: readonly string[];
  readonly base?: BaseMessage | undefined;
  readonly now: () => Date;
  /** How messages are signed; default: as the platform does. */
  readonly signing?: SigningWay | undefined;
}

/** How a message differs from the plain one that checks vary. */
interface Variation {
  readonly body?: string;
  readonly event?: string;
  /** Seconds before now; negative: after. */
  readonly age?: number;
  /** The ID of an earlier message. */
  readonly id?: string;
  /** The name for a failure of this message where it differs from the check's. */
  readonly symptom?: string | undefined;
  /**
   * The headers that differ from those that were signed.
   * @param foreign a signature by a secret that the receiver does not have
   */
  readonly changed?: (
    signed: TestMessage["headers"],
    foreign: string,
  ) => Readonly<Record<string, string>>;
  /** Replaces what was signed: all headers, or the body. */
  readonly spoil?: (
    signed: Pick<TestMessage, "headers" | "body">,
  ) => Partial<Pick<TestMessage, "headers" | "body">>;
}

/** Makes the messages of one check. */
export type MessageMaker = ReturnType<typeof messageMaker>;

/** Makes the maker of a check's messages. */
export function messageMaker(options: MessageOptions, check: string) {
  const { seed, secret, now, signing = {} } = options;
  const subject = subjectOf(seed, now());
  const bodyOf = (event: string, change: (data: EventData) => object = (data) => data) =>
    JSON.stringify({ notificationType: event, data: change(eventData(event, subject)) });
  const events = options.events.length > 0 ? options.events : EVENT_TYPES;
  const [first = "installation.created"] = options.events;
  const base = options.base ?? { event: first, body: bodyOf(first) };
  const other = `whsec_${digestOf(`${seed}/other`).toString("base64")}`;
  let made = 0;
  // Two messages have one body only where a check says so: a receiver may look for duplicates by it.
  const plainBody = () =>
    base.body.replaceAll(`amptest-${seed}`, `amptest-${seed}-${check}${made}`);
  const message = (
    expect: TestMessage["expect"],
    what: string,
    { body: given, event = base.event, age = 0, id, changed, spoil, symptom }: Variation,
  ): TestMessage => {
    made += 1;
    const body = given ?? plainBody();
    const ownId = id ?? `msg_amptest_${seed}_${check.replaceAll("-", "")}_${made}`;
    const signed = signedHeaders(ownId, now().getTime() / 1000 - age, body, secret, signing);
    const foreign = () => signatureOf({ headers: signed, body }, other, signing);
    const headers = { ...signed, ...changed?.(signed, foreign()) };
    const sent = { headers, body, ...spoil?.({ headers, body }) };
    const valid = signatureOf(sent, secret, signing);
    return {
      id: ownId,
      check,
      event,
      ...sent,
      headers: namedHeaders(sent.headers, signing),
      what,
      expect,
      symptom,
      // One that is refused for its time alone has the valid signature itself.
      hidden:
        expect === "refuse" && sent.headers[SIGNATURE_HEADERS.signature] !== valid
          ? [valid, secret].map((one) => one.replace(/^(?:v1,|whsec_)/u, ""))
          : undefined,
    };
  };
  return {
    /** The event types of the test. */
    events,
    /** The plain message that checks vary. */
    base,
    /** The body of an event, as the platform writes it. */
    bodyOf,
    dataBody: () => JSON.stringify(dataMessage("read.message", subject)),
    /** A message that the receiver must take. */
    taken: (what: string, variation: Variation = {}) => message("take", what, variation),
    /** A message that the receiver must refuse. */
    refused: (what: string, variation: Variation = {}) => message("refuse", what, variation),
    /** A whole number below a limit, the same for the same seed and check. */
    below: (limit: number) => digestOf(`${seed}/${check}`).readUInt32BE() % limit,
  };
}

/** Bytes that look random, the same for the same text. */
function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function signedHeaders(
  id: string,
  seconds: number,
  body: string,
  secret: string,
  signing: SigningWay,
): TestMessage["headers"] {
  const { stamp = (time) => time } = signing;
  const timestamp = String(stamp(Math.floor(seconds)));
  const headers = { [SIGNATURE_HEADERS.id]: id, [SIGNATURE_HEADERS.timestamp]: timestamp };
  const signature = signatureOf({ headers, body }, secret, signing);
  return { ...headers, [SIGNATURE_HEADERS.signature]: signature };
}

/** The headers under the names that the receiver reads. */
function namedHeaders(headers: TestMessage["headers"], { header }: SigningWay) {
  if (header === undefined) return headers;
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [header(name), value]));
}

/** The signature that a message with these headers has by a secret, in the form of the header. */
function signatureOf(
  { headers, body }: Pick<TestMessage, "headers" | "body">,
  secret: string,
  signing: SigningWay,
): string {
  const { [SIGNATURE_HEADERS.id]: id = "", [SIGNATURE_HEADERS.timestamp]: timestamp = "" } =
    headers;
  return signatureBy({ id, timestamp, body }, secret, signing);
}

/** An installation that no project has: a receiver may look for it and must not fail. */
function subjectOf(seed: string, time: Date): EventSubject {
  const at = time.toISOString();
  const projectId = "amp-webhook-test-project";
  const group = { groupRef: TEST_GROUP, groupName: "amp webhook test", projectId, createTime: at };
  const consumer = {
    consumerRef: `${TEST_GROUP}-user`,
    consumerName: "amp webhook test",
    projectId,
    createTime: at,
  };
  const installation: Installation = {
    id: `amptest-${seed}-installation`,
    projectId,
    integrationId: "00000000-0000-4000-8000-000000000000",
    healthStatus: "healthy",
    createTime: at,
    createdBy: `consumer:${TEST_GROUP}-user`,
    group,
    connection: {
      id: `amptest-${seed}-connection`,
      projectId,
      provider: "salesforce",
      group,
      consumer,
      createTime: at,
      authScheme: "oauth2/authorizationCode",
      status: "working",
    },
    config: {
      id: `amptest-${seed}-config`,
      revisionId: `amptest-${seed}-revision`,
      createTime: at,
      createdBy: `consumer:${TEST_GROUP}-user`,
      content: {
        provider: "salesforce",
        read: {
          objects: {
            contact: {
              objectName: "contact",
              schedule: "*/10 * * * *",
              destination: "amp-webhook-test",
              selectedFields: { email: true, name: true },
            },
          },
        },
      },
    },
  };
  return { installation, integrationName: "amp-webhook-test", time };
}

const FORGED = "a signature made with another secret";

/** The message that tells a receiver that refuses the signature from one that refuses the event. */
export const FORGED_ALONE = "forged";

/** A message that a receiver refuses for its signature alone. */
export function forgedMessage(make: MessageMaker): TestMessage {
  return make.refused(FORGED, FOREIGN);
}

const FOREIGN: Variation = {
  changed: (_signed, foreign) => ({ [SIGNATURE_HEADERS.signature]: foreign }),
};

/** One forged message of each kind: a receiver may verify some of them only. */
export function forgedKinds(make: MessageMaker): TestMessage[] {
  const areaOf = (event: string) => event.split(".", 1)[0];
  const events = new Map(make.events.map((event) => [areaOf(event), event]));
  events.delete(areaOf(make.base.event));
  const [data = ""] = Object.keys(DATA_MESSAGES);
  return [...events.values(), data].map((event) =>
    make.refused(`${FORGED}, of ${event}`, {
      ...FOREIGN,
      event,
      body: event === data ? make.dataBody() : make.bodyOf(event),
      symptom: "other-kinds",
    }),
  );
}

/** Messages whose signature is valid in part, for a receiver that compares no more. */
export function halfSigned(make: MessageMaker): TestMessage[] {
  const half = (what: string, end: (foreign: string) => string) =>
    make.refused(what, {
      changed: ({ [SIGNATURE_HEADERS.signature]: own = "" }, foreign) => ({
        [SIGNATURE_HEADERS.signature]: own.slice(0, own.length / 2) + end(foreign),
      }),
      symptom: "part-of-signature",
    });
  return [
    half("half of the valid signature", () => ""),
    half("a signature of which the first half is valid", (foreign) =>
      foreign.slice(foreign.length / 2),
    ),
  ];
}
