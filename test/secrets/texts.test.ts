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
    ['the password is "correct horse"', 'the password is "[redacted]"'],
    ["login with password hunter2 failed", "login with password [redacted] failed"],
    ["Kennwort: hunter2", "Kennwort: [redacted]"],
    ["OTP 482913 was used", "OTP [redacted] was used"],
    ["one-time code: 482913", "one-time code: [redacted]"],
    ["X-Auth-Token Zq7RtL9mKx2WvB4nP8sY", "X-Auth-Token [redacted]"],
    ["Authorization=Token hunter2hunter2 sent", "Authorization=Token [redacted] sent"],
    ["code_verifier=abc-def", "code_verifier=[redacted]"],
    ["session 00D5g000004ABCD!AQEAQFakeSessionId.abcdef", "session [redacted]"],
    [
      "POST https://hooks.zapier.com/hooks/catch/12/ab/",
      "POST https://hooks.zapier.com/[redacted]",
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
    "Unexpected token '<' in JSON",
    "duplicate key 12345 in table x",
    "the password was changed on 2026-11-18",
    "code 404: not found",
    "secret 'webhook' is required",
    "https://api.example/v2/query?page=1",
  ])("are none in: %s", (text) => {
    expect(redactQuoted(text)).toBe(text);
  });

  it("takes no time over a long text", () => {
    const text = `${"eyJaaaaaaaa.".repeat(20_000)} password=abcd`;
    expect(redactQuoted(text).length).toBeLessThanOrEqual(200_000);
  });
});
