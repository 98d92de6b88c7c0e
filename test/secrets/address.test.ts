import { describe, expect, it } from "vitest";
import { redactAddress, registerAddressSecrets } from "../../src/secrets/address.ts";
import {
  forgetSecrets,
  publishNames,
  redactSecrets,
  registerGuess,
  registerSecret,
} from "../../src/secrets/secret.ts";

/** URLs with a secret that its parser writes otherwise than the person who typed it. */
const TYPED = [
  ["http://user:pa^ss|1@proxy:3128", "http://[redacted]:[redacted]@proxy:3128"],
  ["http://user:päss1234@proxy:3128", "http://[redacted]:[redacted]@proxy:3128"],
  ["https://user:p@ss1234@proxy:1", "https://[redacted]:[redacted]@proxy:1"],
  ["https:\\\\user:pa^ss1234@host/x", "https:\\\\[redacted]:[redacted]@host/x"],
  ["https://host/x?sig=ab%2fcdefgh%3d&v=2", "https://host/x?sig=[redacted]&v=2"],
  ["https://host/x?token=abc+defghij", "https://host/x?token=[redacted]"],
  ["https://host/x?token=%61bcdefgh#end", "https://host/x?token=[redacted]#end"],
  ["https://host/x?a=b&token=abcd=efghij", "https://host/x?a=b&token=[redacted]"],
] as const;

describe("the secrets of a URL", () => {
  it.each(TYPED)("are redacted as they were typed: %s", (address, shown) => {
    expect(redactAddress(address)).toBe(shown);
  });

  it.each(TYPED)("are redacted in later output as they were typed: %s", (address) => {
    registerAddressSecrets(address);
    const [password = ""] = /(?<=user:).*(?=@)|(?<=(?:sig|token)=)[^&#]+/u.exec(address) ?? [];
    expect(redactSecrets(`refused ${password} at once`)).toBe("refused [redacted] at once");
  });

  it("leave the rest of it", () => {
    for (const address of ["https://host/a/b?page=2&x=1", "no address", "host:80", "a@b.example"])
      expect(redactAddress(address)).toBe(address);
  });
});

it("redacts a secret that was taken for a guess before, and that a name contains", () => {
  forgetSecrets();
  registerGuess("abcdefgh1234");
  publishNames(["ops-abcdefgh1234"]);
  expect(redactSecrets("see abcdefgh1234")).toBe("see abcdefgh1234");
  registerSecret("abcdefgh1234");
  expect(redactSecrets("see abcdefgh1234")).toBe("see [redacted]");
});
