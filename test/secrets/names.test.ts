import { describe, expect, it } from "vitest";
import { redactAnswer, redactQuoted } from "../../src/secrets/answer.ts";
import { REDACTED } from "../../src/secrets/secret.ts";
import { HARMLESS_NAMES, SECRET_NAMES } from "./secret-names.ts";

const VALUE = "q7Zx9canary";

/** Each way in which a text has a name with its value. */
const TEXTS: Readonly<Record<string, (name: string, value: string) => string>> = {
  pair: (name, value) => `failed with ${name}=${value}; next`,
  "query of a URL": (name, value) => `GET https://a.example/x?a=1&${name}=${value}&b=2 403`,
  "encoded query": (name, value) => `next=https%3A%2F%2Fa.example%3F${name}%3D${value}%26b%3D2`,
  JSON: (name, value) => `sent {"a": 1, "${name}": "${value}", "b": 2}`,
  "JSON with a quote inside": (name, value) => `{"${name}":"a\\"${value}"}`,
  "JSON with a list": (name, value) => `{"${name}": ["${value}", "${value}"], "b": 2}`,
  "JSON in JSON": (name, value) => JSON.stringify({ body: JSON.stringify({ [name]: value }) }),
  "JSON in JSON in JSON": (name, value) =>
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [name]: `"${value}"` }) }) }),
  Python: (name, value) => `{'${name}': '${value}'}`,
  Ruby: (name, value) => `{"${name}" => "${value}"}`,
  "header line": (name, value) => `> ${name}: ${value}\n> Accept: */*`,
  "argument of a program": (name, value) => `curl --${name} ${value} https://a.example`,
  XML: (name, value) => `<a><${name}>${value}</${name}></a>`,
  YAML: (name, value) => `a: 1\n${name}: "${value}"\n`,
};

/** Each spelling of a name of several words. */
function spellings(name: string): string[] {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[ _.-]/u);
  const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
  const [first = "", ...rest] = words;
  return [
    first + rest.map(capital).join(""),
    words.map(capital).join(""),
    ...["_", "-", "."].flatMap((sign) => [words.join(sign), words.join(sign).toUpperCase()]),
  ];
}

describe("a field of an answer", () => {
  it("has at least 80 secret names and 40 harmless ones to be tested with", () => {
    expect(new Set(SECRET_NAMES).size).toBeGreaterThanOrEqual(80);
    expect(new Set(HARMLESS_NAMES).size).toBeGreaterThanOrEqual(40);
  });

  it.each(SECRET_NAMES)("is redacted by the name %s, in any spelling", (name) => {
    for (const key of [name, ...spellings(name)]) {
      const record = { a: [{ [key]: VALUE }], [key]: 12345.5, pair: { name: key, value: VALUE } };
      const shown = JSON.stringify(redactAnswer(record));
      if (key.endsWith("s") || key.endsWith("S")) expect(shown).not.toContain(VALUE);
      else expect(shown, key).not.toMatch(/canary|12345/u);
    }
  });

  it.each(SECRET_NAMES)("keeps what is neither text nor number: %s", (name) => {
    const record = { [name]: true, a: { [name]: null, b: [{ [name]: false }] } };
    expect(redactAnswer(record)).toBe(record);
  });

  it.each(HARMLESS_NAMES)("is kept by the name %s, in any spelling", (name) => {
    for (const key of [name, ...spellings(name)]) {
      const record = { a: [{ [key]: VALUE }], [key]: 12345.5, pair: { name: key, value: VALUE } };
      expect(redactAnswer(record), key).toBe(record);
    }
  });

  it("keeps a page token of any shape, which the next request needs", () => {
    const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlLW9mLWl0";
    const page = { pagination: { nextPageToken: jwt } };
    expect(redactAnswer(page)).toBe(page);
  });

  it("does not count as secret by a name that a builder chose", () => {
    const objects = { apiKey: { objectName: "apiKey", destination: "secret" } };
    const record = {
      read: { objects },
      write: { objects: { password: { selectedFieldsAuto: "all" } } },
      selectedFieldMappings: { token: "token_field", password: "pw" },
      selectedValueMappings: { secret: { a: "b" } },
      fields: { clientSecret: { label: "Client" } },
    };
    expect(redactAnswer(record)).toBe(record);
  });

  it("counts tokens and keys", () => {
    const record = { tokens: 12, keys: ["id", "name"], cookies: 3, pass: 4 };
    expect(redactAnswer(record)).toBe(record);
    expect(redactAnswer({ tokens: ["s1"], apiKeys: "s1" })).toEqual({
      tokens: [REDACTED],
      apiKeys: REDACTED,
    });
  });
});

describe("a text with a name and its value", () => {
  /** The ways that a name can be written in: an argument has no dot. */
  const waysOf = (name: string) =>
    Object.entries(TEXTS).filter(([way]) => way !== "argument of a program" || !name.includes("."));

  it.each(SECRET_NAMES)("loses the value of %s, however it is written", (name) => {
    for (const [way, text] of waysOf(name)) {
      const shown = redactQuoted(text(name, VALUE));
      expect(shown, way).not.toContain("canary");
      expect(shown, way).toContain(REDACTED);
      expect(redactQuoted(shown), way).toBe(shown);
    }
  });

  it.each(HARMLESS_NAMES)("keeps the value of %s, however it is written", (name) => {
    for (const [way, text] of waysOf(name)) {
      expect(redactQuoted(text(name, VALUE)), way).toBe(text(name, VALUE));
    }
  });

  it.each([
    "password: must have 8 characters",
    "401 invalid token: expired",
    "credentials: rejected by the provider",
    "the api key is missing; token=null, secret={{.secret}}, password=%s",
    "Authorization: required",
    "Unknown key: field deal_stage is not known",
    "a primary key: id, the page token: 12, max tokens: 4096",
    "template https://{{.workspace}}.example/x?api_key={{.apiKey}}",
  ])("keeps the words of: %s", (text) => {
    expect(redactQuoted(text)).toBe(text);
  });
});
