import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { learnSecret, REDACTED, Secret, withoutSecrets } from "../src/secret.ts";
import { learnAddress } from "../src/secret-address.ts";

describe("Secret", () => {
  const secret = new Secret("s3cr3t", { from: "env", name: "KEY" });

  it("gives itself only when asked", () => {
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

  it("says that it is hidden", () => {
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
    expect(withoutSecrets(`key ${form}!`)).toBe("key [redacted]!");
    expect(withoutSecrets({ [`k${form}`]: [{ deep: form }] })).toEqual({
      [`k${REDACTED}`]: [{ deep: REDACTED }],
    });
  });

  it("finds any secret in any text, in each form", () => {
    const secrets = fc.string({ unit: "grapheme-ascii", minLength: 8 });
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (text, before, after) => {
        learnSecret(text);
        for (const form of [text, Buffer.from(text).toString("base64"), encodeURIComponent(text)]) {
          expect(withoutSecrets(before + form + after).length > 0).toBe(true);
          if (!REDACTED.includes(form)) {
            expect(withoutSecrets(before + form + after)).not.toContain(form);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it("takes the longer of two secrets whole", () => {
    learnSecret("short-one");
    learnSecret("short-one-and-more");
    expect(withoutSecrets("short-one-and-more")).toBe(REDACTED);
  });

  it("leaves alone what is no secret: a short word, what was published, other values", () => {
    learnSecret("of");
    Secret.published("public-key");
    new Secret("public-key");
    expect(withoutSecrets("key of public-key")).toBe("key of public-key");
    const when = new Date(0);
    expect(withoutSecrets({ n: 1, no: null, yes: true, when })).toEqual({
      n: 1,
      no: null,
      yes: true,
      when,
    });
  });
});

describe("learnAddress", () => {
  it("knows what may open something", () => {
    learnAddress(
      "https://user1:pass%40word@hooks.example/services/T0AB12CD/words?token=abcdefgh&v=2",
    );
    const said = "user1 pass%40word T0AB12CD abcdefgh hooks.example services words v=2";
    expect(withoutSecrets(said)).toBe(
      `${`${REDACTED} `.repeat(4)}hooks.example services words v=2`,
    );
    const basic = Buffer.from("user1:pass@word").toString("base64");
    expect(withoutSecrets(basic)).not.toContain(basic.slice(0, 10));
  });

  it("takes what is no address for nothing", () => {
    learnAddress("no address");
    expect(withoutSecrets("no address")).toBe("no address");
  });
});
