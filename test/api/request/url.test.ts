import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fillPath, resolveUrl } from "../../../src/api/request/url.ts";
import { UsageError } from "../../../src/errors.ts";

const TEMPLATE = "/projects/{projectIdOrName}/topics";

function segments(value: string): string[] {
  const url = resolveUrl(
    "https://api.example.com/v1",
    fillPath(TEMPLATE, { projectIdOrName: value }),
  );
  expect(url.search + url.hash).toBe("");
  return url.pathname.split("/").map(decodeURIComponent);
}

describe("a path parameter", () => {
  test("travels as one segment, whatever it holds", () => {
    const value = fc
      .string({ unit: "binary", minLength: 1 })
      .filter((text) => text.trim() !== "" && text !== "." && text !== "..");
    fc.assert(
      fc.property(value, (text) => {
        expect(segments(text)).toEqual(["", "v1", "projects", text, "topics"]);
      }),
    );
  });

  test.each(["a b", "a/b", "ä/ö 🙂", "#", "?x=1", "%2e%2e", "%", "...", ".a", "a\\..\\b", "\n"])(
    "%j is encoded, or refused where it is empty",
    (text) => {
      if (text.trim() === "") expect(() => segments(text)).toThrow(UsageError);
      else expect(segments(text)[3]).toBe(text);
    },
  );

  test.each(["", " ", ".", "..", "\ud800", "a\udc00b"])("%j is refused", (text) => {
    expect(() => segments(text)).toThrow(UsageError);
  });

  test("that is missing is refused, as is one that only the prototype has", () => {
    expect(() => fillPath(TEMPLATE, {})).toThrow("The project is empty");
    expect(() => fillPath("/x/{constructor}", {})).toThrow(UsageError);
  });

  test("is named in the error, so that its option can be", () => {
    let facts: unknown;
    try {
      fillPath(TEMPLATE, { projectIdOrName: ".." });
    } catch (error) {
      facts = (error as UsageError).facts;
    }
    expect(facts).toMatchObject({ issues: [{ in: "path", name: "projectIdOrName", value: ".." }] });
  });
});

describe("the base URL", () => {
  test.each(["https://h.example/v1", "https://h.example/v1/", "https://h.example/v1//"])(
    "%s keeps its path",
    (base) => {
      expect(resolveUrl(base, "/topics").href).toBe("https://h.example/v1/topics");
      expect(resolveUrl(base, "topics?a=b").href).toBe("https://h.example/v1/topics?a=b");
    },
  );

  test("may have no path, or a long one", () => {
    expect(resolveUrl("http://127.0.0.1:8080", "/topics").href).toBe(
      "http://127.0.0.1:8080/topics",
    );
    expect(resolveUrl("https://h.example/a/b/v1", "/t").href).toBe("https://h.example/a/b/v1/t");
  });

  test.each([
    "https://evil.example/x",
    "../v2/topics",
    "a/../../v2",
    "%2e%2e/v2",
    "..\\v2",
    "/v1/../..",
  ])("is not left by %s", (path) => {
    expect(() => resolveUrl("https://h.example/v1", path)).toThrow(UsageError);
  });

  test.each(["//evil.example/x", "@evil.example/x", ":pw@evil.example", "\\\\evil.example"])(
    "keeps its host with %s",
    (path) => {
      expect(resolveUrl("https://h.example/v1", path).origin).toBe("https://h.example");
    },
  );

  test("that is not valid is a usage error", () => {
    expect(() => resolveUrl("api.example.com", "/topics")).toThrow(UsageError);
  });
});

test("a query leaves out what is not given and encodes the rest", () => {
  const url = resolveUrl("https://h.example/v1", "/i", {
    groupRef: "a&b=c ü",
    eventType: undefined,
  });
  expect([...url.searchParams]).toEqual([["groupRef", "a&b=c ü"]]);
  expect(() => resolveUrl("https://h.example/v1", "/i", { groupRef: "\ud800" })).toThrow(
    UsageError,
  );
});
