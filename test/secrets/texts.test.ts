import { describe, expect, it } from "vitest";
import "../../src/secrets/answer.ts";
import { redactQuoted } from "../../src/secrets/answer.ts";
import { growthOf } from "../growth.ts";

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
    ["postgres://app:p@ss@word1@db.example/x", "postgres://[redacted]@db.example/x"],
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
    ['{"a":[["X-Api-Key","Zq7RtL9mKx2WvB4nP8sY"]]}', '{"a":[["X-Api-Key","[redacted]"]]}'],
    ['{"name":"apiKey","value":"s3cr3t"}', '{"name":"apiKey","value":"[redacted]"}'],
    [
      'sent {"credentials":{"user":"x","value":"s3cr3t"}}',
      'sent {"credentials":{"user":"[redacted]","value":"[redacted]"}}',
    ],
    ['{\n  "pin": 1234\n}', '{\n  "pin": "[redacted]"\n}'],
    ["('X-Api-Key', 'Zq7RtL9mKx2WvB4nP8sY')", "('X-Api-Key', '[redacted]')"],
    [
      '<wsse:Password Type="a#Text">hunter2</wsse:Password>',
      '<wsse:Password Type="a#Text">[redacted]</wsse:Password>',
    ],
    ["&lt;password&gt;hunter2&lt;/password&gt;", "&lt;password&gt;[redacted]&lt;/password&gt;"],
    ["<password><![CDATA[hunter2]]></password>", "<password><![CDATA[[redacted]]]></password>"],
    ['<add key="ApiKey" value="hunter2" />', '<add key="ApiKey" value="[redacted]" />'],
    [
      "<name>password</name><value><string>hunter2</string>",
      "<name>password</name><value><string>[redacted]</string>",
    ],
    ['name="password"\r\n\r\nhunter2\r\n--b', 'name="password"\r\n\r\n[redacted]\r\n--b'],
    ["a=1\\u0026access_token\\u003dZq7RtL9mKx2WvB4n", "a=1\\u0026access_token\\u003d[redacted]"],
    ["next=%253Faccess_token%253DZq7RtL9mKx2W%2526x", "next=%253Faccess_token%253D[redacted]"],
    ["secret: >-\n  hunter2hunter2", "secret: >-\n  [redacted]"],
    ["GET /cb?state=x&code=Zq7RtL9mKx2WvB4nP8sY", "GET /cb?state=x&code=[redacted]"],
    ["https://a.example/token/d995c120440da4989de97b1f/x", "https://a.example/token/[redacted]/x"],
    ["Authorization: SSWS Zq7RtL9mKx2WvB4nP8sY", "Authorization: SSWS [redacted]"],
    ['Authorization: Digest username="a", response="f3b6"', "Authorization: Digest [redacted]"],
    ["curl --user 'svc:hunter2' https://a.example", "curl --user '[redacted]' https://a.example"],
    ["docker login -u svc -p hunter2 ghcr.io", "docker login -u svc -p [redacted] ghcr.io"],
    ["Invalid API Key provided: Zq7RtL9mKx2WvB4nP8sY", "Invalid API Key provided: [redacted]"],
    [
      "API key 'b3a7cd19c5acce8844eb780be1085e56' is not valid",
      "API key '[redacted]' is not valid",
    ],
    ['password "dragon" was rejected', 'password "[redacted]" was rejected'],
    ["482913 is your verification code", "[redacted] is your verification code"],
    ["Zq7RtL9mKx2WvB4nP8sY is not a valid API key", "[redacted] is not a valid API key"],
    ["contraseña: dragon", "contraseña: [redacted]"],
    ["пароль: dragon", "пароль: [redacted]"],
    ["pass\u200bword=dragon", "password=[redacted]"],
    ["ｐａｓｓｗｏｒｄ=dragon", "password=[redacted]"],
    ["\u001b[1mtoken\u001b[0m=hunter2", "token=[redacted]"],
    ["payload eyJwYXNzd29yZCI6Imh1bnRlcjJodW50ZXIyIn0=", "payload [redacted]"],
    [
      "key 1000.80719260aa8a4cf0b43a716164848646.c6895a4e03d1b6eeaf1b9e556cfeea61",
      "key 1000.[redacted].[redacted]",
    ],
    ["used glrt-GucqN3GotdMhjHgkOp8O", "used [redacted]"],
    ["used access-production-f91200a2-a3d2-490d-a0c5-5942c0516aa7", "used [redacted]"],
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
    "key: deal_stage, code: ECONNRESET, session: morning, ticket=ACME-1234",
    '{"code":"INVALID_SESSION_ID","message":"Session expired or invalid"}',
    "auth: oauth2",
    "key 113e9685-9a51-42cc-8662-9d9725b14f14 of the map is unknown",
    '{"selectedFieldMappings":{"token":"device_token__c"},"tests":{"pass":3}}',
    "image registry.example/x@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "password 90 days old, PIN 3 attempts left",
    "arn:aws:secretsmanager:eu-west-1",
  ])("are none in: %s", (text) => {
    expect(redactQuoted(text)).toBe(text);
  });

  it.each([
    ...["[", '{"a" ', "eyJ/", "/key/", "live_", " -u a", "://a", "token ", "token: ", "&lt;a&gt;"],
    ...["<key name=", "1.a", "abcd is a ", "\\", "\u200ba", "'a','", '{\\"a'],
  ])("takes no time over a long text of %j", (part) => {
    const redact = (size: number) =>
      redactQuoted(`${part.repeat(size / part.length)} password=abcd`);
    expect(growthOf(redact, 15_000)).toBeLessThan(10);
  });

  it("takes no time over a long text", () => {
    const text = `${"eyJaaaaaaaa.".repeat(20_000)} password=abcd`;
    expect(redactQuoted(text).length).toBeLessThanOrEqual(200_000);
  });
});
