import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { examineSignature } from "../../src/events/examine.ts";
import {
  SIGNING_MISTAKES,
  type SigningMistake,
} from "../../src/events/message/signing-mistakes.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const KEY = Buffer.from(SECRET.slice("whsec_".length), "base64");
const NOW = new Date("2026-09-02T08:30:00Z");
const ID = "msg_2xY";
const STAMP = "1788337800";
/** Spaces, characters beyond ASCII and a slash: what serialising again would change. */
const BODY = '{"notificationType": "connection.error","data":{"b":"Café 🧪 <a/b>","a":[1, 2]}}';
const PARSED: unknown = JSON.parse(BODY);

/** An HMAC that openssl makes, not amp. */
function openssl(key: Uint8Array, ...parts: readonly (string | Uint8Array)[]): Buffer {
  return opensslHash("sha256", key, ...parts);
}

function opensslHash(
  hash: string,
  key: Uint8Array,
  ...parts: readonly (string | Uint8Array)[]
): Buffer {
  const hex = `hexkey:${Buffer.from(key).toString("hex")}`;
  return execFileSync("openssl", ["dgst", `-${hash}`, "-mac", "HMAC", "-macopt", hex, "-binary"], {
    input: Buffer.concat(parts.map((part) => Buffer.from(part as string))),
  });
}

const v1 = (mac: Buffer) => `v1,${mac.toString("base64")}`;
const overBody = (body: string | Uint8Array, key: Uint8Array = KEY) =>
  v1(openssl(key, `${ID}.${STAMP}.`, body));

interface Row {
  readonly name: string;
  readonly signature: string;
  readonly mistakes: readonly SigningMistake[];
  readonly body?: string | Uint8Array;
  readonly more?: readonly (readonly [string, string])[];
}

const PYTHON =
  '{"notificationType": "connection.error", "data": {"b": "Caf\\u00e9 \\ud83e\\uddea <a/b>", "a": [1, 2]}}';
const GO =
  '{"notificationType":"connection.error","data":{"b":"Café 🧪 \\u003ca/b\\u003e","a":[1,2]}}';
const PHP =
  '{"notificationType":"connection.error","data":{"b":"Caf\\u00e9 \\ud83e\\uddea <a\\/b>","a":[1,2]}}';
const SORTED = '{"data":{"a":[1,2],"b":"Café 🧪 <a/b>"},"notificationType":"connection.error"}';
const again = ["body-serialised-again"] as const;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const withBom = Buffer.concat([BOM, Buffer.from(BODY)]);
const mojibake = Buffer.from(Buffer.from(BODY).toString("latin1"), "utf8");
const LATIN = '{"name":"Café"}';

const ROWS: readonly Row[] = [
  { name: "JSON.stringify", signature: overBody(JSON.stringify(PARSED)), mistakes: again },
  { name: "json.dumps of Python", signature: overBody(PYTHON), mistakes: again },
  { name: "json.Marshal of Go", signature: overBody(GO), mistakes: again },
  { name: "json_encode of PHP", signature: overBody(PHP), mistakes: again },
  { name: "sorted keys", signature: overBody(SORTED), mistakes: again },
  { name: "indented", signature: overBody(JSON.stringify(PARSED, undefined, 2)), mistakes: again },
  {
    name: "an object as text",
    signature: overBody("[object Object]"),
    mistakes: ["body-as-object"],
  },
  { name: "a consumed body", signature: overBody(""), mistakes: ["body-empty"] },
  {
    name: "a line end that echo added",
    body: `${BODY}\n`,
    signature: overBody(BODY),
    mistakes: ["body-newline-added"],
  },
  {
    name: "a line end that was trimmed",
    signature: overBody(`${BODY}\r\n`),
    mistakes: ["body-newline-removed"],
  },
  {
    name: "line ends that were converted",
    body: "one\ntwo\n",
    signature: overBody("one\r\ntwo\r\n"),
    mistakes: ["body-line-ends"],
  },
  { name: "an added BOM", body: withBom, signature: overBody(BODY), mistakes: ["body-bom-added"] },
  { name: "a removed BOM", signature: overBody(withBom), mistakes: ["body-bom-removed"] },
  { name: "UTF-8 read as Latin-1", signature: overBody(mojibake), mistakes: ["body-latin1"] },
  {
    name: "Latin-1 in place of UTF-8",
    body: LATIN,
    signature: overBody(Buffer.from(LATIN, "latin1")),
    mistakes: ["body-not-latin1"],
  },
  {
    name: "a secret that was not decoded",
    signature: overBody(BODY, Buffer.from(SECRET.slice("whsec_".length))),
    mistakes: ["secret-not-decoded"],
  },
  {
    name: "a secret with its prefix",
    signature: overBody(BODY, Buffer.from(SECRET)),
    mistakes: ["secret-with-prefix"],
  },
  {
    name: "a prefix that was decoded too",
    signature: overBody(BODY, Buffer.from(SECRET, "base64")),
    mistakes: ["secret-prefix-decoded"],
  },
  {
    name: "a secret with a line end",
    signature: overBody(BODY, Buffer.from(`${SECRET}\n`)),
    mistakes: ["secret-line-end"],
  },
  {
    name: "the body alone",
    signature: v1(openssl(KEY, BODY)),
    mistakes: ["content-body-only"],
  },
  ...(
    [
      ["content-without-id", `${STAMP}.`],
      ["content-without-time", `${ID}.`],
      ["content-order", `${STAMP}.${ID}.`],
      ["content-no-dots", `${ID}${STAMP}`],
    ] as const
  ).map(
    ([mistake, before]): Row => ({
      name: `what is signed: ${mistake}`,
      signature: v1(openssl(KEY, before, BODY)),
      mistakes: [mistake],
    }),
  ),
  ...(["sha1", "sha512"] as const).map(
    (hash): Row => ({
      name: `the hash ${hash}`,
      signature: v1(opensslHash(hash, KEY, `${ID}.${STAMP}.`, BODY)),
      mistakes: [`hash-${hash}`],
    }),
  ),
  {
    name: "hexadecimal",
    signature: `v1,${openssl(KEY, `${ID}.${STAMP}.${BODY}`).toString("hex")}`,
    mistakes: ["signature-format"],
  },
  {
    name: "no version",
    signature: openssl(KEY, `${ID}.${STAMP}.${BODY}`).toString("base64"),
    mistakes: ["signature-format"],
  },
  ...[
    ["two headers joined by a comma", (own: string) => `v1,${"A".repeat(43)}=,v1,${own}`],
    ["quotes", (own: string) => `"v1,${own}"`],
  ].map(
    ([name, write]): Row => ({
      name: name as string,
      signature: (write as (own: string) => string)(
        openssl(KEY, `${ID}.${STAMP}.${BODY}`).toString("base64"),
      ),
      mistakes: ["signature-format"],
    }),
  ),
  {
    name: "the form of GitHub",
    signature: `sha256=${openssl(KEY, `${ID}.${STAMP}.${BODY}`).toString("hex")}`,
    mistakes: ["signature-format"],
  },
  {
    name: "two mistakes at once",
    signature: overBody(JSON.stringify(PARSED), Buffer.from(SECRET)),
    mistakes: ["secret-with-prefix", "body-serialised-again"],
  },
];

function examine(
  row: Pick<Row, "signature"> & Partial<Row>,
  { now = NOW, receivedAt: time }: { now?: Date; receivedAt?: Date } = {},
) {
  const headers = [
    ["Svix-Id", ID],
    ["svix-timestamp", STAMP],
    ["svix-signature", row.signature],
    ...(row.more ?? []),
  ] as [string, string][];
  const body = Buffer.from((row.body ?? BODY) as string);
  return examineSignature({ headers, body, time }, { secrets: [SECRET], now });
}

describe("a signature that does not hold", () => {
  it.each(ROWS)("is explained: $name", (row) => {
    const found = examine(row);
    expect(found).toMatchObject({ valid: false, mistakes: row.mistakes });
    for (const way of row.mistakes) {
      expect(found.reason).toContain(SIGNING_MISTAKES[way].text);
      expect(found.advice).toContain(SIGNING_MISTAKES[way].advice);
    }
  });

  it("has a row here for each way that amp knows", () => {
    const tried = new Set(ROWS.flatMap(({ mistakes }) => mistakes));
    expect(
      Object.keys(SIGNING_MISTAKES).filter((way) => !tried.has(way as SigningMistake)),
    ).toEqual([]);
  });

  it("is not explained by a guess where nothing matches", () => {
    const found = examine({ signature: overBody(BODY, Buffer.from("another key")) });
    expect(found).toMatchObject({ valid: false, problem: "no-match", mistakes: [] });
    expect(found.advice?.join(" ")).toContain("another destination");
  });

  it("says of an object as text that it was logged, not that its end is missing", () => {
    const found = examine({
      ...{ body: "[object Object]", signature: overBody(BODY) },
      more: [["content-length", "291"]],
    });
    expect(found.reason).toContain("the body is an object as text: the parsed object was logged");
  });

  it("says that a body is empty", () => {
    expect(examine({ body: "", signature: overBody(BODY) }).reason).toBe("the body is empty");
  });

  it("names a time in milliseconds, and not the form of a signature that matches", () => {
    const stamp = `${STAMP}000`;
    const signature = v1(openssl(KEY, `${ID}.${stamp}.`, BODY));
    const headers = [
      ["svix-id", ID],
      ["svix-timestamp", stamp],
      ["svix-signature", signature],
    ] as [string, string][];
    const found = examineSignature(
      { headers, body: Buffer.from(BODY) },
      { secrets: [SECRET], now: NOW },
    );
    expect(found).toMatchObject({ valid: false, problem: "invalid-timestamp", mistakes: [] });
    expect(found.advice?.join()).toContain("seconds since 1970");
  });

  it("names the headers that are missing", () => {
    const options = { secrets: [SECRET], now: NOW };
    const none = examineSignature({ headers: [], body: Buffer.from(BODY) }, options);
    expect(none).toMatchObject({ valid: false, problem: "missing-header" });
    expect(none.reason).toContain("svix-id, svix-timestamp, svix-signature");
  });

  it("names the headers webhook-*", () => {
    const headers = [
      ["Webhook-Id", ID],
      ["webhook-timestamp", STAMP],
      ["webhook-signature", overBody(BODY)],
    ] as [string, string][];
    const found = examineSignature(
      { headers, body: Buffer.from(BODY) },
      { secrets: [SECRET], now: NOW },
    );
    expect(found).toMatchObject({ valid: false, problem: "header-names" });
    expect(found.reason).toContain("webhook-signature");
  });
});

describe("the time of a message", () => {
  const later = new Date(NOW.getTime() + 3_600_000);
  const earlier = new Date(NOW.getTime() - 3_600_000);
  const signature = overBody(BODY);

  it("is not a problem where it was right when the message arrived", () => {
    expect(examine({ signature }, { now: later, receivedAt: NOW })).toMatchObject({
      valid: true,
      signedAt: NOW.toISOString(),
    });
  });

  it("is not a problem for a capture that does not say when it was made", () => {
    expect(examine({ signature }, { now: later })).toMatchObject({ valid: true });
  });

  it.each([
    ["stale", later],
    ["future", earlier],
  ])("is %s by the clock of the receiver", (problem, receivedAt) => {
    expect(examine({ signature }, { now: later, receivedAt })).toMatchObject({
      valid: false,
      problem,
    });
  });

  it("is never after now", () => {
    expect(examine({ signature }, { now: earlier })).toMatchObject({ problem: "future" });
  });
});

it("holds by the second of two signatures, and by the second of two secrets", () => {
  const other = "whsec_b3RoZXIga2V5IG9mIHNvbWUgYnl0ZXM=";
  const headers = [
    ["svix-id", ID],
    ["svix-timestamp", STAMP],
    [
      "svix-signature",
      `${overBody(BODY, Buffer.from("other key of some bytes"))} ${overBody(BODY)}`,
    ],
  ] as [string, string][];
  const message = { headers, body: Buffer.from(BODY) };
  expect(examineSignature(message, { secrets: [SECRET], now: NOW }).valid).toBe(true);
  expect(examineSignature(message, { secrets: ["whsec_AAAA", other], now: NOW }).valid).toBe(true);
});
