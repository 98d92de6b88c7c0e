import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  SIGNATURE_HEADERS,
  secretProblem,
  signatureHeaders,
  verifySignature,
} from "../../src/events/message/signature.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = `whsec_${Buffer.from("another key of some bytes").toString("base64")}`;
const NOW = new Date("2026-09-02T08:30:00.000Z");
const BODY = '{"notificationType":"connection.error","data":{"groupName":"Café 株式会社 🧪"}}';

/** The signature as openssl makes it, from the bytes of the key and of the content. */
function opensslSignature(secret: string, id: string, time: Date, body: string): string {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64").toString("hex");
  const digest = execFileSync(
    "openssl",
    ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${key}`, "-binary"],
    { input: `${id}.${Math.floor(time.getTime() / 1000)}.${body}` },
  );
  return `v1,${digest.toString("base64")}`;
}

const signed = (secrets = [SECRET], time = NOW) =>
  signatureHeaders({ id: "msg_1", time, body: BODY }, secrets);

describe("signatures", () => {
  it("are those of openssl, one for each secret", () => {
    expect(signed([SECRET, OTHER])).toEqual({
      "svix-id": "msg_1",
      "svix-timestamp": "1788337800",
      "svix-signature": [SECRET, OTHER]
        .map((secret) => opensslSignature(secret, "msg_1", NOW, BODY))
        .join(" "),
    });
  });

  it("hold for every ID, body and secret, as text and as bytes", () => {
    const key = fc.uint8Array({ minLength: 1, maxLength: 64 });
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.stringMatching(/^\w+$/u), text, key, (id, body, bytes) => {
        const secret = `whsec_${Buffer.from(bytes).toString("base64")}`;
        const headers = signatureHeaders({ id, time: NOW, body }, [secret]);
        for (const received of [body, Buffer.from(body)]) {
          const verified = verifySignature({ headers, body: received }, [secret], NOW);
          expect(verified).toEqual({ valid: true, id, time: NOW });
        }
      }),
      { numRuns: 50 },
    );
  });

  it("hold by any of the secrets that either side has", () => {
    const verify = (sent: string[], known: string[]) =>
      verifySignature({ headers: signed(sent), body: BODY }, known, NOW).valid;
    expect(verify([OTHER, SECRET], [SECRET])).toBe(true);
    expect(verify([SECRET], [OTHER, SECRET])).toBe(true);
    expect(verify([OTHER], [SECRET])).toBe(false);
  });

  it("hold with names in any case, of several values by the first", () => {
    const headers = Object.fromEntries(
      Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value, "x"]]),
    );
    expect(verifySignature({ headers, body: BODY }, [SECRET], NOW).valid).toBe(true);
  });
});

/** A change of a valid message, and why its signature does not hold then. */
const BROKEN: readonly {
  readonly problem: string;
  readonly change: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
}[] = [
  { problem: "missing-header", change: { "svix-id": undefined } },
  { problem: "missing-header", change: { "svix-timestamp": "" } },
  { problem: "missing-header", change: { "svix-signature": undefined } },
  { problem: "invalid-timestamp", change: { "svix-timestamp": "yesterday" } },
  { problem: "invalid-timestamp", change: { "svix-timestamp": "1788337800.5" } },
  { problem: "invalid-timestamp", change: { "svix-timestamp": "9".repeat(400) } },
  { problem: "no-v1", change: { "svix-signature": "v2,abcd" } },
  {
    problem: "no-v1",
    change: { "svix-signature": signed()["svix-signature"]?.replace("v1,", "") },
  },
  { problem: "not-base64", change: { "svix-signature": "v1,%%%%" } },
  { problem: "not-base64", change: { "svix-signature": "v1" } },
  { problem: "no-match", change: { "svix-signature": "v1,AAAA" } },
  { problem: "no-match", change: { "svix-id": "msg_2" } },
  { problem: "no-match", change: { "svix-timestamp": "1788337801" } },
  { problem: "no-match", change: signed([OTHER]) },
  { problem: "no-match", change: {}, body: `${BODY}\n` },
  { problem: "no-match", change: {}, body: `\u{feff}${BODY}` },
  {
    problem: "no-match",
    change: {},
    body: new Uint8Array([0xef, 0xbb, 0xbf, ...Buffer.from(BODY)]),
  },
  { problem: "not-utf8", change: {}, body: Buffer.from(BODY, "latin1") },
  { problem: "stale", change: signed([SECRET], new Date(NOW.getTime() - 301_000)) },
  { problem: "future", change: signed([SECRET], new Date(NOW.getTime() + 301_000)) },
  // Wrong in both: the secret has precedence.
  { problem: "no-match", change: signed([OTHER], new Date(NOW.getTime() - 301_000)) },
];

describe("a signature that does not hold", () => {
  it.each(BROKEN)("is $problem: $change", ({ problem, change, body = BODY }) => {
    const headers = { ...signed(), ...change };
    const verified = verifySignature({ headers, body }, [SECRET], NOW);
    expect(verified).toEqual({ valid: false, problem, reason: expect.stringMatching(/^\w/u) });
    expect(JSON.stringify(verified)).not.toContain(SECRET.slice(6));
  });

  it("names the headers that are missing", () => {
    expect(verifySignature({ headers: {}, body: "" }, [SECRET], NOW)).toMatchObject({
      reason: `missing header: ${Object.values(SIGNATURE_HEADERS).join(", ")}`,
    });
  });

  it("is not for five minutes of difference", () => {
    for (const seconds of [-300, 300]) {
      const headers = signed([SECRET], new Date(NOW.getTime() + seconds * 1000));
      expect(verifySignature({ headers, body: BODY }, [SECRET], NOW).valid, `${seconds}`).toBe(
        true,
      );
    }
  });
});

it("a secret that cannot be used is described, not repeated", () => {
  expect(secretProblem(SECRET)).toBeUndefined();
  expect(secretProblem(SECRET.slice(6))).toBeUndefined();
  for (const secret of ["", "whsec_", "whsec_***", "whsec_ab_c"]) {
    expect(secretProblem(secret), secret).toMatch(/^the signing secret is /u);
  }
  expect(secretProblem("abc")).toBe("the signing secret is not valid base64");
  expect(secretProblem("whsec_abc")).toBe("the signing secret is not valid base64 after whsec_");
  expect(secretProblem("whsec_***")).not.toContain("*");
});
