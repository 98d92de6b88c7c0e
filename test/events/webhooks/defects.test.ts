import { afterEach, describe, expect, it } from "vitest";
import type { CheckOutcome } from "../../../src/documents/events.ts";
import { isAccepted } from "../../../src/events/message/payloads.ts";
import { CHECK_NAMES } from "../../../src/events/webhooks/checks.ts";
import { receiverTestPage } from "../../../src/events/webhooks/page.ts";
import { examine } from "./examine.ts";
import { GOOD, type ReceiverParts, SECRET, startReceiver } from "./receivers.ts";

const OPEN: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of OPEN.splice(0)) await close();
});

async function examineWith(defects: Partial<ReceiverParts> = {}, limitMs?: number) {
  const receiver = await startReceiver(defects);
  OPEN.push(receiver.close);
  return { ...(await examine(new URL(receiver.url), { limitMs })), receiver };
}

const SIGNATURES = ["tampered", "wrong-key", "swapped-id"];
const seen = new Set<string>();
const bodies = new Set<string>();
const kept: Buffer[] = [];

/** Receivers of one defect each: the checks that fail, those that warn, and a word of the diagnosis. */
const DEFECTS: Readonly<
  Record<string, [parts: Partial<ReceiverParts>, fails: string[], says: RegExp, warns?: string[]]>
> = {
  "signs the parsed body again": [
    { verified: (raw) => JSON.stringify(JSON.parse(raw.toString("utf8"))) },
    ["raw-body"],
    /parsed and serialised again\. Sign and verify/u,
  ],
  "reads the body as Latin-1": [
    { verified: (raw) => raw.toString("latin1") },
    ["utf-8"],
    /another encoding/u,
  ],
  "signs the parsed body again, in ASCII with escapes": [
    {
      verified: (raw) =>
        JSON.stringify(JSON.parse(raw.toString("utf8"))).replace(
          /[^\0-\x7f]/gu,
          (one) => `\\u${one.charCodeAt(0).toString(16)}`,
        ),
    },
    ["utf-8", "raw-body"],
    /not in UTF-8/u,
  ],
  "has a clock that is ahead": [
    { checkAge: (age) => (Math.abs(age + 600) > 300 ? 401 : undefined) },
    ["known-events"],
    /signed 10 minutes later: its clock is ahead\. Synchronise/u,
  ],
  "looks for headers in another case": [
    { checkHeaders: () => 401, refusal: () => "Missing required headers" },
    ["known-events"],
    /misses the signature headers/u,
  ],
  "removes the line end of the body": [
    { verified: (raw) => raw.toString("utf8").trim() },
    ["raw-body"],
    /removes the end of the body/u,
  ],
  "reads the first signature only": [
    {
      checkSignature: (given, expected) =>
        given.split(" ")[0] === `v1,${expected}` ? undefined : 401,
    },
    ["rotation", "other-version"],
    /only the first signature/u,
  ],
  "compares the whole header": [
    { checkSignature: (given, expected) => (given === `v1,${expected}` ? undefined : 401) },
    ["rotation", "other-version"],
    /only a header with one signature/u,
  ],
  "compares the beginning of a signature": [
    {
      checkSignature: (given, expected) =>
        given.split(" ").some((part) => part.slice(0, 13) === `v1,${expected.slice(0, 10)}`)
          ? undefined
          : 401,
    },
    ["wrong-key"],
    /only a part of the signature/u,
  ],
  "verifies notifications only": [
    {
      checkSignature: (given, expected, body) =>
        body.includes("notificationType") ? GOOD.checkSignature(given, expected, body) : undefined,
    },
    ["wrong-key"],
    /verifies only some kinds of messages/u,
  ],
  "says which signature is valid": [
    { refusal: (expected) => `expected v1,${expected}` },
    ["tampered", "wrong-key", "unsigned", "swapped-id"],
    /Return 401 without them/u,
  ],
  "refuses any message of the future": [
    { checkAge: (age) => (age < -1 || age > 300 ? 401 : undefined) },
    ["future"],
    /30 s ahead of its clock: clocks differ/u,
  ],
  "allows some seconds only": [
    { checkAge: (age) => (Math.abs(age) > 10 ? 401 : undefined) },
    ["stale", "future"],
    /tolerance is too small\. Allow 5 minutes in both/u,
  ],
  "looks for duplicates by the body": [
    {
      handle: (message) => {
        const body = JSON.stringify(message);
        if (bodies.has(body)) return 409;
        bodies.add(body);
        return 200;
      },
    },
    ["raw-body", "twice"],
    /had the same body\. Find duplicates by svix-id/u,
  ],
  "keeps the body of an earlier message": [
    {
      verified: (raw) => {
        kept.push(raw);
        return Buffer.concat(kept);
      },
    },
    [
      ...["known-events", "utf-8", "config-url", "unknown-event", "read-message", "twice"],
      ...["300-kb", "raw-body", "rotation", "charset", "other-version", "stale", "future"],
      "swapped-id",
    ],
    /keeps something of one message for the next/u,
  ],
  "decodes the parts of a body": [
    { verified: (raw) => raw.subarray(0, 65_535).toString() + raw.subarray(65_535).toString() },
    ["utf-8"],
    /part by part, which damages a character/u,
  ],
  "reads the beginning of a body": [
    { verified: (raw) => raw.subarray(0, 65_536) },
    ["300-kb", "utf-8"],
    /reads only the beginning/u,
  ],
  "refuses fields that it does not know": [
    { handle: ({ data = {} }) => ("ampTestField" in (data as object) ? 422 : undefined) },
    ["unknown-event"],
    /with fields that it does not know/u,
  ],
  "requires the config of a new installation": [
    {
      handle: ({ notificationType, data }) =>
        notificationType === "installation.created" && !(data as { config?: unknown }).config
          ? 422
          : undefined,
    },
    ["config-url"],
    /sent as data\.configURL: read it from that URL/u,
  ],
  "reads the last signature only": [
    {
      checkSignature: (given, expected) =>
        given.split(" ").at(-1) === `v1,${expected}` ? undefined : 401,
    },
    ["rotation"],
    /only one signature/u,
  ],
  "fails for a signature of another version": [
    {
      checkSignature: (given, expected) =>
        /(?:^| )v[2-9],/u.test(given) ? 400 : GOOD.checkSignature(given, expected, ""),
    },
    ["other-version"],
    /unknown signature version/u,
  ],
  "does not look at the clock": [
    { checkAge: () => undefined },
    ["stale", "future"],
    /does not check the time/u,
  ],
  "takes old messages": [
    { checkAge: (age) => (age < -300 ? 401 : undefined) },
    ["stale"],
    /accepts old messages/u,
  ],
  "takes messages of the future": [
    { checkAge: (age) => (age > 300 ? 401 : undefined) },
    ["future"],
    /messages from the future/u,
  ],
  "allows a minute only": [
    { checkAge: (age) => (Math.abs(age) > 60 ? 401 : undefined) },
    ["stale"],
    /tolerance is too small, or its clock/u,
  ],
  "verifies nothing": [
    { checkHeaders: () => 0, checkSignature: () => 0, checkAge: () => 0 },
    ["tampered", "wrong-key", "unsigned", "stale", "future", "swapped-id"],
    /does not verify signatures/u,
  ],
  "looks whether a signature is there": [
    {
      checkHeaders: (headers) => (/v1,./u.test(String(headers["svix-signature"])) ? 0 : 401),
      checkSignature: () => 0,
      checkAge: () => 0,
    },
    ["tampered", "wrong-key", "stale", "future", "swapped-id"],
    /only that a signature is present/u,
  ],
  "looks at headers and clock, not at the signature": [
    {
      checkSignature: (given) => (/v1,./u.test(given) ? undefined : 401),
    },
    SIGNATURES,
    /only the headers and the time/u,
  ],
  "looks at the clock only": [
    {
      checkHeaders: () => undefined,
      checkSignature: () => undefined,
    },
    ["tampered", "wrong-key", "unsigned", "swapped-id"],
    /only the time of a message/u,
  ],
  "takes a message without headers": [
    {
      checkHeaders: () => undefined,
      checkSignature: (given, expected) =>
        given === "" ? undefined : GOOD.checkSignature(given, expected, ""),
      checkAge: (age) => (Number.isNaN(age) ? undefined : GOOD.checkAge(age)),
    },
    ["unsigned"],
    /without a signature/u,
  ],
  "takes 100 KB at most": [{ limit: 102_400 }, ["300-kb"], /at least 307,200 bytes/u],
  "requires the config": [
    {
      handle: ({ notificationType, data }) =>
        notificationType === "installation.updated" && !(data as { config?: unknown }).config
          ? 422
          : undefined,
    },
    ["config-url"],
    /requires data\.config/u,
  ],
  "refuses unknown event types": [
    { handle: ({ notificationType }) => (notificationType === "amp.test.unknown" ? 400 : 200) },
    ["unknown-event"],
    /does not know/u,
  ],
  "requires notificationType": [
    { handle: ({ notificationType }) => (notificationType === undefined ? 400 : 200) },
    ["read-message"],
    /requires notificationType/u,
  ],
  "refuses a message that it has": [
    {
      handle: (_message, id) => {
        if (seen.has(id)) return 409;
        seen.add(id);
        return 200;
      },
    },
    ["twice"],
    /rejects a message that it has received/u,
  ],
  "fails for one event type": [
    { handle: ({ notificationType }) => (notificationType === "connection.error" ? 500 : 200) },
    ["known-events"],
    /for every event type/u,
  ],
  "has another secret": [
    { checkSignature: () => 401 },
    ["known-events"],
    /it has a different secret/u,
  ],
  "redirects everything": [
    { first: () => ({ status: 308, headers: { location: "/amp/" } }) },
    ["known-events"],
    /does not follow/u,
  ],
  "redirects to a login": [
    {
      checkHeaders: (headers) => (GOOD.checkHeaders(headers) ? 302 : undefined),
      checkSignature: (given, expected) =>
        GOOD.checkSignature(given, expected, "") ? 302 : undefined,
      checkAge: (age) => (Math.abs(age) > 300 ? 302 : undefined),
    },
    [...SIGNATURES, "unsigned", "stale", "future", "no-redirect"],
    /a login page/u,
  ],
  "is at another path": [
    { first: () => ({ status: 404 }) },
    ["known-events"],
    /returns 404 for this path/u,
  ],
  "is not for POST": [{ first: () => ({ status: 405 }) }, ["known-events"], /POST at this path/u],
  "fails for everything": [
    { first: () => ({ status: 500 }) },
    ["known-events"],
    /fails for every event/u,
  ],
  "answers too late": [{ delayMs: 400 }, ["known-events"], /before it responds/u],
  "disables its destination": [
    { headers: { "webhook-delivery": "disable" } },
    ["no-delivery-control"],
    /Remove the header/u,
  ],
  "crashes in place of refusing": [
    {
      checkHeaders: (headers) => (GOOD.checkHeaders(headers) ? 500 : undefined),
      checkSignature: (given, expected) =>
        GOOD.checkSignature(given, expected, "") ? 500 : undefined,
      checkAge: (age) => (GOOD.checkAge(age) ? 500 : undefined),
    },
    [],
    /instead of rejecting/u,
    [...SIGNATURES, "unsigned", "stale", "future"],
  ],
};

describe("a receiver of one defect", () => {
  it.each(Object.entries(DEFECTS))("%s", async (name, [parts, fails, says, warns = []]) => {
    const { result } = await examineWith(parts, name === "answers too late" ? 150 : undefined);
    const named = (outcome: CheckOutcome) =>
      result.checks.filter((check) => check.outcome === outcome).map((check) => check.name);
    expect({ fails: named("fail").sort(), warns: named("warn").sort() }).toEqual({
      fails: [...fails].sort(),
      warns: [...warns].sort(),
    });
    expect(result.failed).toBe(fails.length);
    // One defect has one meaning.
    expect(result.diagnosis.map((one) => one.says)).toEqual([expect.stringMatching(says)]);
    // Reports have one check after the other: each says what the diagnosis says of all.
    for (const { outcome, advice } of result.checks) {
      if (outcome === "fail" || outcome === "warn") expect(advice).toMatch(says);
    }
  });

  it("differs from every other defect in its failures", () => {
    const meanings = Object.entries(DEFECTS).map(
      ([, [, fails, says]]) => `${[...fails].sort()} ${says}`,
    );
    expect(new Set(meanings).size).toBe(meanings.length);
    expect(meanings.length).toBeGreaterThanOrEqual(18);
  });
});

/** Receivers that verify in a wrong way, with the checks that fail and the words for the way. */
const WAYS: Readonly<Record<string, [Partial<ReceiverParts>, string[], RegExp]>> = {
  "the secret as text": [
    { key: SECRET.slice("whsec_".length) },
    ["known-events"],
    /only if the secret after whsec_ is used as text\. Decode/u,
  ],
  "the body as Python writes it": [
    { verified: (raw) => asPython(JSON.parse(raw.toString("utf8"))) },
    ["known-events"],
    /parsed and serialised again\. .*Flask/u,
  ],
  "headers of other names": [
    { prefix: "webhook-" },
    ["known-events"],
    /webhook-id, webhook-timestamp and webhook-signature\. Read svix-id/u,
  ],
  "hexadecimal, and the secret as text": [
    { key: SECRET, encoding: "hex" },
    ["known-events"],
    /with whsec_ is used as text, and the signature is in hexadecimal/u,
  ],
  "hexadecimal, and a body that was read before": [
    { encoding: "hex", verified: () => "" },
    ["known-events", "tampered"],
    /only if the body is empty, and the signature is in hexadecimal\. Read the body before/u,
  ],
  "hexadecimal, and the body serialised again": [
    { encoding: "hex", verified: (raw) => asPython(JSON.parse(raw.toString())) },
    ["known-events"],
    /parsed and serialised again, and the signature is in hexadecimal\./u,
  ],
  "the whole header": [
    { checkSignature: (given, expected) => (given === expected ? undefined : 401) },
    ["known-events", "other-version", "rotation"],
    /no version/u,
  ],
  "the time and the body": [
    { beforeBody: (_id, timestamp) => `${timestamp}.` },
    ["known-events", "swapped-id"],
    /only if svix-id is not signed\. Sign ID/u,
  ],
  "the secret as text, and the time and the body": [
    { key: SECRET, beforeBody: (_id, timestamp) => `${timestamp}.` },
    ["known-events", "swapped-id"],
    /used as text, and svix-id is not signed/u,
  ],
  "SHA-512": [{ hash: "sha512" }, ["known-events"], /computed with SHA-512\. Compute it with/u],
  base64url: [{ encoding: "base64url" }, ["known-events"], /base64url\. Compare/u],
  "local time as UTC": [
    { checkAge: (age) => (Math.abs(age - 3 * 3600) > 300 ? 401 : undefined) },
    ["known-events"],
    /signed 3 h earlier\. svix-timestamp counts seconds since 1970 in UTC/u,
  ],
  "headers in another case": [
    {
      checkRawHeaders: (raw) => (raw.includes("Svix-Id") ? undefined : 401),
    },
    ["known-events"],
    /written Svix-Id, Svix-Timestamp and Svix-Signature\. Header names have no case/u,
  ],
  "only the body": [
    { beforeBody: () => "" },
    ["known-events", "swapped-id"],
    /only if only the body is signed/u,
  ],
};

function asPython(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(asPython).join(", ")}]`;
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${asPython(one)}`,
  );
  return `{${members.join(", ")}}`;
}

describe("a receiver that verifies", () => {
  it.each(Object.entries(WAYS))("%s", async (_name, [parts, fails, says]) => {
    const { result } = await examineWith(parts);
    const { checks, diagnosis } = result;
    const failing = checks.filter(({ outcome }) => outcome === "fail").map(({ name }) => name);
    expect(failing.sort()).toEqual(fails);
    expect(diagnosis[0]).toMatchObject({
      checks: ["known-events"],
      says: expect.stringMatching(says),
    });
    // The rest was run, but for what the mistake itself hides.
    const notRun = checks.filter(({ outcome }) => outcome === "not_run").map(({ name }) => name);
    const isOtherBody = /serialised|body is empty/u.test(diagnosis[0]?.says ?? "");
    expect(notRun).toEqual(isOtherBody ? ["utf-8", "raw-body"] : []);
  });
});

describe("a receiver without defect", () => {
  it("passes every check, with a connection for each message", async () => {
    const { result, receiver } = await examineWith();
    expect(result.checks.map(({ name, outcome }) => [name, outcome])).toEqual(
      CHECK_NAMES.map((name) => [name, "pass"]),
    );
    expect(result).toMatchObject({ passed: 20, failed: 0, diagnosis: [] });
    expect(receiver.connections()).toBe(receiver.ids.length);
    expect(receiver.ids.filter((id) => id !== "" && !id.startsWith("msg_amptest_7f3a_"))).toEqual(
      [],
    );
  });
});

it("takes a connection that is closed in the middle of a body for the answer", async () => {
  const { result } = await examineWith({ limit: 102_400, closes: true });
  expect(result.checks.find(({ outcome }) => outcome === "fail")).toMatchObject({
    name: "300-kb",
    message: expect.stringMatching(
      /^the connection was (?:reset|closed) for a body of 204,800 bytes$/u,
    ),
    messages: [
      { attempts: [{ status: 204 }] },
      { attempts: [{ error: expect.stringMatching(/^the connection was (?:reset|closed)$/u) }] },
      {},
    ],
  });
});

it("does not blame the config of an event type that is rejected anyway", async () => {
  const { result } = await examineWith({
    handle: ({ notificationType }) => (notificationType === "installation.created" ? 200 : 400),
  });
  const failed = result.checks.filter(({ outcome }) => outcome === "fail").map(({ name }) => name);
  expect(failed).toEqual(["known-events", "unknown-event", "read-message"]);
});

it("does not say of a rejected message that it was accepted", async () => {
  const { result } = await examineWith({ checkAge: (age) => (Math.abs(age) > 60 ? 401 : 0) });
  expect(receiverTestPage(result).title).toEqual(
    expect.objectContaining({ text: "1 of 20 checks failed" }),
  );
});

it("says which messages a receiver accepts that it must reject, by their status", async () => {
  const { result } = await examineWith({ checkAge: (age) => (age < -300 ? 401 : 0) });
  expect(result.checks.find(({ name }) => name === "stale")).toMatchObject({
    message: "204 for a message signed an hour ago",
    observed: { response: "204", status: 204, to: "a message signed an hour ago" },
  });
  const { title, blocks } = receiverTestPage(result);
  expect(JSON.stringify([title, blocks])).toMatch(
    /Accepts messages that it must reject: .*204 for a message signed an hour ago"/u,
  );
});

it("finds the valid signature in an answer, also of a receiver whose clock is ahead", async () => {
  const { result } = await examineWith({
    checkAge: (age) => (Math.abs(age + 600) > 300 ? 401 : undefined),
    refusal: (expected) => `expected ${expected}`,
  });
  expect(result.diagnosis.map(({ says }) => says)).toEqual([
    expect.stringMatching(/its clock is ahead/u),
    expect.stringMatching(/has its valid signature or the secret/u),
  ]);
});

it("takes every status of 2xx for taken, and nothing else", () => {
  const taken = [199, 200, 202, 204, 299, 300, 304].filter((status) => isAccepted({ status }));
  expect(taken).toEqual([200, 202, 204, 299]);
});
