import { describe, expect, test } from "vitest";
import { redactAnswer } from "../../src/secrets/answer.ts";
import { REDACTED } from "../../src/secrets/secret.ts";
import { SAMPLES } from "../api/schemas/spec-samples.ts";
import { catalogueText } from "../provider-catalogue.ts";

describe("an answer", () => {
  test("is cut where it is nested beyond all reason", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    expect(JSON.stringify(redactAnswer(deep))).toMatch(
      /^(?:\{"a":){201}"\[nested too deeply\]"\}+$/u,
    );
    const usual = JSON.parse(`${"[".repeat(150)}"x"${"]".repeat(150)}`);
    expect(redactAnswer(usual)).toBe(usual);
  });

  test("loses the credentials of a connection and nothing else", () => {
    const answer = [
      {
        id: "in1",
        unknown: { keep: [1, null, true] },
        connection: {
          id: "co1",
          apiKey: "s1",
          basic: { username: "jo", password: "s2" },
          oauth2AuthorizationCode: {
            accessToken: { token: "s3", issuedAt: "2026-01-01", expiresIn: 3600 },
            refreshToken: { token: "s4", expiresAt: "2026-02-01" },
            scopes: ["contacts"],
          },
          tokens: { access_token: "s5", id_token: "s6", token_type: "Bearer", any: "s7" },
          clientSecret: "s8",
          refresh_token: "s9",
        },
        destination: { secrets: { privateKey: "s10", pin: 1234, list: ["s11"], awsKeyId: "s12" } },
      },
    ];
    const before = structuredClone(answer);
    const shown = redactAnswer(answer);
    expect(answer).toEqual(before);
    expect(JSON.stringify(shown)).not.toMatch(/"s\d+"|1234/u);
    expect(shown).toMatchObject([
      {
        id: "in1",
        unknown: { keep: [1, null, true] },
        connection: {
          id: "co1",
          apiKey: REDACTED,
          basic: { username: "jo", password: REDACTED },
          oauth2AuthorizationCode: {
            accessToken: { token: REDACTED, issuedAt: "2026-01-01", expiresIn: 3600 },
            refreshToken: { token: REDACTED, expiresAt: "2026-02-01" },
            scopes: ["contacts"],
          },
          clientSecret: REDACTED,
        },
        destination: { secrets: { pin: REDACTED, list: [REDACTED] } },
      },
    ]);
  });

  test.each([
    ...["secret", "secretKey", "api_secret", "secretAccessKey", "awsSecretKey", "bearerToken"],
    ...["jwt", "credentials", "APIKey", "webhookSigningKey", "apiKey", "X-API-KEY", "PASSWORD"],
    ...["access_token", "Client-Secret", "awsSessionToken", "aws_secret_access_key"],
  ])("loses %s in any case, whether text, number, list or object", (name) => {
    for (const key of [name, name.toUpperCase(), name.toLowerCase()]) {
      const shown = redactAnswer([
        { [key]: "s1" },
        { [key]: 1234 },
        { [key]: ["s1", { a: 1234 }] },
        { metadata: { [key]: { a: "s1", b: { c: 1234 } } } },
      ]);
      expect(JSON.stringify(shown)).not.toMatch(/s1|1234/u);
      const harmless = [{ [key]: null }, { [key]: true }];
      expect(redactAnswer(harmless)).toBe(harmless);
    }
  });

  test.each([
    `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.${"c".repeat(20)}`,
    `-----BEGIN RSA PRIVATE KEY-----\nMIIE${"a".repeat(40)}\n-----END RSA PRIVATE KEY-----`,
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  ])("loses what has the shape of a secret, whatever its name: %s", (secret) => {
    expect(redactAnswer({ note: secret, list: [secret] })).toEqual({
      note: REDACTED,
      list: [REDACTED],
    });
  });

  test("keeps texts that only begin like a secret", () => {
    const value = { a: "whsec_ is the prefix of a secret", b: "eyJhbGciOiJ is how a JWT begins" };
    expect(redactAnswer(value)).toBe(value);
  });

  test("without a secret is the same object, and its parts are shared otherwise", () => {
    const value = SAMPLES.installation.value;
    expect(redactAnswer(value)).toBe(value);
    const both = { clean: value, connection: { apiKey: "x" } };
    expect(redactAnswer(both).clean).toBe(value);
  });

  test("keeps names that only look like secrets, and nothing given for a secret", () => {
    const value = {
      tokenURL: "https://t",
      apiKeyOpts: { header: { name: "K" } },
      apiKeyAsBasic: true,
      tokenMetadataFields: { scopesField: "s" },
      inputs: [{ name: "apiKey", displayName: "API key" }],
      password: null,
      apiKey: false,
      secrets: null,
      tokens: 12,
    };
    expect(redactAnswer(value)).toBe(value);
  });

  test("does not take the name of an object, a field or a provider for that of a secret", () => {
    const installation = {
      objects: {
        secret: { objectName: "secret", schedule: "* * * * *" },
        jwt: { backfill: { n: 1 } },
      },
      selectedFieldMappings: { secret: "secret_field", password: "pw" },
      objectRecordLimits: { credentials: 5 },
      modules: { token: { baseURL: "https://x" } },
    };
    expect(redactAnswer(installation)).toBe(installation);
    const providers = { jwt: { name: "jwt", baseURL: "https://x" } };
    expect(redactAnswer(providers, { isMap: true })).toBe(providers);
  });

  test("loses secrets below such names", () => {
    const shown = redactAnswer({
      objects: { jwt: { apiKey: "s1" }, apiKey: "s1" },
      modules: [{ password: "s1", deep: { token: "s1" } }],
      selectedFieldMappings: [{ secret: "s1" }],
    });
    expect(JSON.stringify(shown)).not.toContain("s1");
    const providers = { jwt: { secret: "s1" }, password: "s1" };
    expect(JSON.stringify(redactAnswer(providers, { isMap: true }))).not.toContain("s1");
  });

  test.each([
    [{ inputs: [{ label: "API key", value: "s1" }] }],
    [{ inputs: [{ label: "Access", type: "password", value: "s1" }] }],
    [{ customFields: [{ name: "secret", currentValue: "s1" }] }],
    [{ op: "replace", path: "/password", value: "s1" }],
    [{ field: "password", before: "s1", after: "s1" }],
    [{ cmd: ["cli", "--token", "s1"] }],
    [{ cmd: ["curl", "-u", "jo:s1"] }],
    [{ headers: [["X-Api-Key", "s1zq7RtL9mKx2WvB4n"]] }],
    [{ code: "s1zq7RtL9mKx2WvB4n", session: "s1zq7RtL9mKx2WvB4n" }],
    [{ tokens: { s1zq7RtL9mKx2WvB4nP8: { user: "s1" } } }],
    [{ cache: { "token=s1-hunter2-hunter2": 1, "https://jo:s1pw@a.example/": 2 } }],
    [{ contraseña: "s1", пароль: "s1", mfaCode: "s1", recoveryCodes: ["s1"] }],
    [{ body: JSON.stringify({ a: JSON.stringify({ name: "apiKey", value: "s1" }) }) }],
  ])("loses what another field, the item before, or a key says: %j", (record) => {
    expect(JSON.stringify(redactAnswer(record))).not.toContain("s1");
  });

  test("keeps each of the fields whose names are secrets", () => {
    const shown = redactAnswer({ a: { "token=hunter2-hunter2": 1, "token=hunter3-hunter3": 2 } });
    expect(Object.values(shown.a)).toEqual([1, 2]);
  });

  test.each([
    [
      {
        key: "deal_stage",
        code: "INVALID_FIELD",
        session: "morning",
        ticketId: "0015g00000XyZabAAF",
      },
    ],
    [{ passwordPolicy: "strong", secretName: "prod", passwordChangedAt: "2026-11-18" }],
    [{ fields: ["password", "custom_field_name_long", "token", "name"] }],
    [{ name: "email", value: "s1", default: "s1", path: "/email" }],
    [{ publicKey: "pk_live_51abcDEF0123456789" }],
  ])("keeps what only looks like that: %j", (record) => {
    expect(redactAnswer(record)).toBe(record);
  });

  test("may have a field named __proto__", () => {
    const value = JSON.parse('{"__proto__":{"password":"s1"},"apiKey":"s2"}');
    expect(JSON.stringify(redactAnswer(value))).toBe(
      `{"__proto__":{"password":"${REDACTED}"},"apiKey":"${REDACTED}"}`,
    );
  });

  test.each([null, undefined, 1, "text", true])("may be %j", (value) => {
    expect(redactAnswer(value)).toBe(value);
  });

  test.skipIf(catalogueText === undefined)(
    "with the real catalogue loses nothing (where AMP_TEST_CATALOGUE names it)",
    () => {
      const { catalog } = JSON.parse(catalogueText ?? "");
      expect(redactAnswer(catalog, { isMap: true })).toBe(catalog);
    },
  );
});
