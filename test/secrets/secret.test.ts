import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { registerAddressSecrets } from "../../src/secrets/address.ts";
import {
  forgetSecrets,
  REDACTED,
  redactedCommandLine,
  redactSecrets,
  registerSecret,
  Secret,
} from "../../src/secrets/secret.ts";
import { ROOT } from "../built.ts";

describe("Secret", () => {
  const secret = new Secret("s3cr3t", { from: "env", name: "KEY" });

  it("returns its value from reveal()", () => {
    expect(secret.reveal()).toBe("s3cr3t");
    expect(secret.reference).toEqual({ from: "env", name: "KEY" });
  });

  it.each([
    ["as text", `${secret}`],
    ["added to text", `key: ${String(secret)}`],
    ["in JSON", JSON.stringify({ secret })],
    ["inspected", inspect({ deep: { secret } }, { depth: 9, showHidden: true })],
    ["spread", inspect({ ...secret })],
    ["cloned", inspect(structuredClone(secret))],
    ["listed", Object.entries(secret).join()],
    ["as the property of an error", inspect(Object.assign(new Error("no"), { secret }))],
  ])("is hidden %s", (_, shown) => expect(shown).not.toContain("s3cr3t"));

  it("is printed as a hidden value", () => {
    expect(JSON.stringify({ secret })).toBe('{"secret":"[redacted]"}');
    expect(inspect(secret)).toBe("[redacted]");
  });
});

describe("withoutSecrets", () => {
  const value = 'a+b/c="d ü\\e';
  new Secret(value);

  it.each([
    ["as it is", value],
    ["in base64", Buffer.from(value).toString("base64")],
    ["in base64url", Buffer.from(value).toString("base64url")],
    ["encoded for a path", encodeURIComponent(value)],
    ["encoded for a query", new URLSearchParams({ x: value }).toString().slice(2)],
    ["escaped for JSON", JSON.stringify(value).slice(1, -1)],
  ])("finds a secret %s", (_, form) => {
    expect(redactSecrets(`key ${form}!`)).toBe("key [redacted]!");
    expect(redactSecrets({ [`k${form}`]: [{ deep: form }] })).toEqual({
      [`k${REDACTED}`]: [{ deep: REDACTED }],
    });
  });

  it("finds any secret in any text, in each form", () => {
    const secrets = fc.string({ unit: "grapheme-ascii", minLength: 8 });
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (text, before, after) => {
        registerSecret(text);
        for (const form of [text, Buffer.from(text).toString("base64"), encodeURIComponent(text)]) {
          expect(redactSecrets(before + form + after).length > 0).toBe(true);
          if (!REDACTED.includes(form)) {
            expect(redactSecrets(before + form + after)).not.toContain(form);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it("takes the longer of two secrets whole", () => {
    registerSecret("short-one");
    registerSecret("short-one-and-more");
    expect(redactSecrets("short-one-and-more")).toBe(REDACTED);
  });

  describe("of several lines", () => {
    const lines = [
      "-----BEGIN TEST KEY-----",
      "MIIEvQIBADANBgkqhkiG9w0B",
      "AQEFAASCBKcwggSj",
      "Zm9v",
    ];
    const whole = `${lines.join("\n")}\n`;
    registerSecret(whole);
    registerSecret(["a key kept in one variable", "AgEAAoIBAQC7VJTUt9Us8cKj", ""].join("\\n"));

    it.each([
      ["the whole", whole, REDACTED],
      [
        "the whole with the line ends of Windows",
        whole.replaceAll("\n", "\r\n"),
        `${REDACTED}\r\n`,
      ],
      ["the whole without its last line end", whole.trimEnd(), REDACTED],
      ["the whole on one line", lines.join(" "), REDACTED],
      ["one line of it", `got ${lines[1]}!`, `got ${REDACTED}!`],
      ["a line of 16 characters", lines[2] ?? "", REDACTED],
      ["a line in base64", Buffer.from(lines[1] ?? "").toString("base64"), REDACTED],
      ["a line whose break was written as two characters", "AgEAAoIBAQC7VJTUt9Us8cKj", REDACTED],
    ])("hides %s", (_, text, shown) => expect(redactSecrets(text)).toBe(shown));

    it("does not hide a word because a line of the secret is that word", () =>
      expect(redactSecrets("Zm9v")).toBe("Zm9v"));
  });

  it.each([
    ["a zero-width space", "\u200b"],
    ["a soft hyphen", "\u00ad"],
    ["a word joiner", "\u2060"],
    ["a right-to-left override", "\u202e"],
    ["a tag character", "\u{e0041}"],
    ["a variation selector", "\ufe0f"],
    ["a Hangul filler", "\u3164"],
    ["an escape", "\u001b"],
    ["a line end", "\n"],
  ])("finds a secret with %s inside", (_, hidden) => {
    registerSecret("spread-out/secret");
    const spread = [..."spread-out/secret"].join(hidden);
    expect(redactSecrets(`a ${spread}b`)).toBe(`a ${REDACTED}b`);
    const once = `spread-out${hidden}${hidden}/secret`;
    expect(redactSecrets(`é${hidden}${once}${hidden}é`)).toBe(`é${hidden}${REDACTED}${hidden}é`);
  });

  it("leaves alone what is not a secret: a short word, what was published, other values", () => {
    registerSecret("of");
    Secret.published("public-key");
    new Secret("public-key");
    expect(redactSecrets("key of public-key")).toBe("key of public-key");
    const when = new Date(0);
    expect(redactSecrets({ n: 1, no: null, yes: true, when })).toEqual({
      n: 1,
      no: null,
      yes: true,
      when,
    });
  });
});

describe("learnAddress", () => {
  it("knows what may open something", () => {
    registerAddressSecrets(
      "https://user1:pass%40word@hooks.example/services/T0AB12CD/words?token=abcdefgh&v=2",
    );
    const said = "user1 pass%40word T0AB12CD abcdefgh hooks.example services words v=2";
    expect(redactSecrets(said)).toBe(`${`${REDACTED} `.repeat(4)}hooks.example services words v=2`);
    const basic = Buffer.from("user1:pass@word").toString("base64");
    expect(redactSecrets(basic)).not.toContain(basic.slice(0, 10));
  });

  it("ignores a value that is not an address", () => {
    registerAddressSecrets("no address");
    expect(redactSecrets("no address")).toBe("no address");
  });
});

it.each([
  [["notify", "apply", "-f", "routing.yaml"], "amp notify apply -f routing.yaml"],
  [["--url", "https://hooks.slack.com/services/T/B/x"], "amp --url https://…"],
  [["--url=https://hooks.slack.com/services/T/B/x", "--yes"], "amp --url=… --yes"],
  [["--metadata", "headers.X-Key=abc"], "amp --metadata headers.X-Key=…"],
  [["--state=https://me:pw@s.example/a"], "amp --state=…"],
])("tells %j as %j", (argv, told) => {
  expect(redactedCommandLine(argv)).toBe(told);
});

it("a redacted command line contains no registered secret", () => {
  registerSecret("pasted-by-mistake");
  expect(redactedCommandLine(["auth", "login", "pasted-by-mistake"])).toBe(
    "amp auth login [redacted]",
  );
});

describe("forgetting the secrets", () => {
  it("ends the redaction", () => {
    registerSecret("of-one-test-file");
    forgetSecrets();
    expect(redactSecrets("of-one-test-file")).toBe("of-one-test-file");
  });

  it("is done between test files, and nowhere in amp", () => {
    const callers = globSync("src/**/*.ts", { cwd: ROOT }).filter((file) =>
      readFileSync(join(ROOT, file), "utf8").includes("forgetSecrets"),
    );
    expect(callers).toEqual([join("src", "secrets", "secret.ts")]);
  });
});
