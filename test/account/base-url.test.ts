import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBaseUrl } from "../../src/account/base-url.ts";
import { UsageError } from "../../src/errors.ts";
import { isLoopback } from "../../src/runtime/loopback.ts";

const href = (text: string) => parseBaseUrl(text).href;

describe("parseBaseUrl", () => {
  it.each([
    ["https://api.example.com/v1", "https://api.example.com/v1"],
    ["https://api.example.com/v1/", "https://api.example.com/v1"],
    ["https://api.example.com/v1///", "https://api.example.com/v1"],
    [" https://API.Example.com:443/V1 ", "https://api.example.com/V1"],
    ["https://api.example.com", "https://api.example.com"],
    ["HTTPS://api.example.com/a/@b/v1", "https://api.example.com/a/@b/v1"],
    ["http://localhost:4747/v1", "http://localhost:4747/v1"],
    ["http://127.0.0.1:4747/v1", "http://127.0.0.1:4747/v1"],
    ["http://127.1/v1", "http://127.0.0.1/v1"],
    ["http://[::1]:80/v1", "http://[::1]/v1"],
    ["https://münchen.example/v1", "https://xn--mnchen-3ya.example/v1"],
  ])("reads %s", (text, wanted) => expect(href(text)).toBe(wanted));

  it("returns the origin that a credential is bound to", () => {
    expect(parseBaseUrl("https://API.example.com:443/eu/v1/").origin).toBe(
      "https://api.example.com",
    );
    expect(parseBaseUrl("https://api.example.com:8443/v1").origin).toBe(
      "https://api.example.com:8443",
    );
  });

  it.each([
    ["http://api.example.com/v1", /not encrypted/u],
    ["http://127.0.0.1.example.com/v1", /not encrypted/u],
    ["http://localhost.example.com/v1", /not encrypted/u],
    ["http://0.0.0.0/v1", /not encrypted/u],
    ["http://128.0.0.1/v1", /not encrypted/u],
    ["https://api.x@evil.example/v1", /user name or password/u],
    ["https://ada:hidden@api.example.com/v1", /user name or password/u],
    ["https://@api.example.com/v1", /user name or password/u],
    ["https:ada:hidden@api.example.com", /user name or password/u],
    ["https:\\\\ada:hidden@api.example.com", /user name or password/u],
    ["https://api.example.com/v1?", /query or fragment/u],
    ["https://api.example.com/v1?key=x", /query or fragment/u],
    ["https://api.example.com/v1#", /query or fragment/u],
    ["https:api.example.com", /not a full URL/u],
    ["https:///api.example.com", /not a full URL/u],
    ["https:\\\\api.example.com", /not a full URL/u],
    ["https://api.exa\tmple.com", /not a full URL/u],
    ["https://api example.com", /not a full URL/u],
    ["api.example.com/v1", /not a full URL/u],
    ["ftp://api.example.com", /not a full URL/u],
    ["ada:hidden@api.example.com", /not a full URL/u],
    ["https://", /not a full URL/u],
    ["", /not a full URL/u],
  ])("refuses %s", (text, message) => {
    const error = thrownBy(() => parseBaseUrl(text));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toMatch(message);
    expect(JSON.stringify([error.message, error.facts])).not.toContain("hidden");
  });

  it.each([
    ["127.0.0.1:4747/v1", "Did you mean http://127.0.0.1:4747/v1?"],
    ["localhost:4747", "Did you mean http://localhost:4747?"],
    ["api.example.com/v1", "Did you mean https://api.example.com/v1?"],
    ["no", "Enter a full URL, for example https://api.example.com/v1"],
    ["ftp://api.example.com", "Enter a full URL, for example https://api.example.com/v1"],
  ])("names the scheme that %s lacks", (typed, remedy) => {
    expect(thrownBy(() => parseBaseUrl(typed)).facts.remedy).toBe(remedy);
  });

  it("names the option that allows http elsewhere, and heeds it", () => {
    const insecure = "http://10.0.0.7:8080/v1/";
    expect(thrownBy(() => parseBaseUrl(insecure)).facts.remedy).toContain("--allow-insecure-http");
    expect(parseBaseUrl(insecure, { allowInsecureHttp: true }).href).toBe(
      "http://10.0.0.7:8080/v1",
    );
  });

  it("names the source in its errors", () => {
    const error = thrownBy(() => parseBaseUrl("no", { source: "AMP_BASE_URL" }));
    expect(error.message).toMatch(/^AMP_BASE_URL /u);
  });

  it("is settled after one reading, and indifferent to trailing slashes", () => {
    fc.assert(
      fc.property(fc.webUrl({ validSchemes: ["https"] }), fc.nat(3), (url, slashes) => {
        const once = parseBaseUrl(url);
        expect(parseBaseUrl(once.href)).toEqual(once);
        expect(parseBaseUrl(`${once.href}${"/".repeat(slashes)}`)).toEqual(once);
        expect(once.href.startsWith(once.origin)).toBe(true);
        expect(once.href.endsWith("/")).toBe(false);
      }),
    );
  });

  it("lets nothing pass but https and this machine, whatever is typed", () => {
    const piece = fc.constantFrom(
      "http",
      "https",
      ":",
      "/",
      "//",
      "\\",
      "@",
      "?",
      "#",
      "a.b",
      "127.0.0.1",
      "localhost",
      "[::1]",
      " ",
      "\t",
      "%",
      "..",
    );
    const typed = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 9 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(typed, (text) => {
        const parsed = tryParse(text);
        if (parsed === undefined) return;
        const url = new URL(parsed.href);
        expect(url.protocol === "https:" || isLoopback(url.hostname)).toBe(true);
        expect([url.username, url.password, url.search, url.hash]).toEqual(["", "", "", ""]);
        expect(url.origin).toBe(parsed.origin);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a version in the path", () => {
  it.each(["https://a.b/v1", "https://a.b/v1/", "https://a.b/api/v2", "https://a.b/v1/eu"])(
    "finds it in %s",
    (url) => expect(parseBaseUrl(url).versioned).toBe(true),
  );
  it.each([
    "https://a.b",
    "https://v1.a.b/",
    "https://a.b/v",
    "https://a.b/dev1",
    "https://a.b/v1x",
  ])("finds no version in %s", (url) => expect(parseBaseUrl(url).versioned).toBe(false));
});

function tryParse(text: string) {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

function thrownBy(run: () => unknown): UsageError {
  try {
    run();
  } catch (error) {
    return error as UsageError;
  }
  throw new Error("nothing was thrown");
}
