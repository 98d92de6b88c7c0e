import { describe, expect, it } from "vitest";
import { redactQuoted } from "../../src/secrets/recognised.ts";

const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlLW9mLWl0";

describe("the secrets that a text quotes", () => {
  it.each([
    [`refused ${JWT} at once`, "refused [redacted] at once"],
    ["Authorization: Bearer abc123def456 sent", "Authorization: Bearer [redacted] sent"],
    ['"authorization":"Basic dXNlcjpwYXNz"', '"authorization":"Basic [redacted]"'],
    ["GET /v2?hapikey=0c5f-9a&page=2", "GET /v2?hapikey=[redacted]&page=2"],
    ["api_key=sandbox-no-key&page=1", "api_key=[redacted]&page=1"],
    [
      '{"access_token": "ya29.abc", "expires": 3600}',
      '{"access_token": "[redacted]", "expires": 3600}',
    ],
    ['{\\"refreshToken\\":\\"1//0gabc\\"}', '{\\"refreshToken\\":\\"[redacted]\\"}'],
    ["password: hunter2!", "password: [redacted]"],
    ["client_secret=s3cr3t;", "client_secret=[redacted];"],
    ["postgres://app:pa55word@db.example/x", "postgres://[redacted]@db.example/x"],
    ["key AKIAIOSFODNN7EXAMPLE was denied", "key [redacted] was denied"],
    ["signed by whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "signed by [redacted]"],
    [
      "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY----- found",
      "[redacted] found",
    ],
  ])("%s", (text, shown) => {
    expect(redactQuoted(text)).toBe(shown);
    expect(redactQuoted(shown)).toBe(shown);
  });

  it.each([
    "No such column 'deal_stage_x'",
    "429 Too Many Requests: retry after 600 s",
    "the refresh token was revoked",
    "page token is not valid",
    "https://api.example/v2/query?page=1",
  ])("are none in: %s", (text) => {
    expect(redactQuoted(text)).toBe(text);
  });

  it("takes no time over a long text", () => {
    const text = `${"eyJaaaaaaaa.".repeat(20_000)} password=abcd`;
    expect(redactQuoted(text).length).toBeLessThanOrEqual(200_000);
  });
});
