import fc from "fast-check";
import { anyText } from "../ui/hostile.ts";

/** How an answer is made worse. */
export type Spoil = (answer: Response) => Promise<Response>;

const JSON_TYPE = "application/json";

const TYPES = [
  ...[
    JSON_TYPE,
    "application/problem+json",
    "text/html",
    "text/plain",
    "",
    "nonsense",
    "a/b/c; ;=",
  ],
  ...["application/json; charset=utf-16", "application/json; charset=latin1", "image/png"],
];

/** Statuses that a Response can have; the wire has others. */
const status = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(200, 201, 202, 204, 206, 299) },
  { weight: 2, arbitrary: fc.integer({ min: 200, max: 599 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(301, 304, 400, 401, 403, 404, 408, 409, 422, 429, 500, 502, 503),
  },
);

/** Values that no schema foresees, among some that it does. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    ...[
      null,
      true,
      false,
      0,
      -1,
      1.5,
      Number.MAX_VALUE,
      2 ** 53,
      "",
      " ",
      "0",
      [],
      {},
      [[]],
      [null],
    ],
    ...["not-a-date", "2026-13-45T99:99:99Z", "+275760-09-13T00:00:00.001Z", "0000-00-00", "99999"],
    ...["x".repeat(100_000), { id: {} }, { length: 3 }, { toString: 1 }, ["a", 1, null, {}]],
  ),
  anyText,
  fc.jsonValue({ maxDepth: 4 }),
);

/** Raw texts that are JSON in parts, or not at all. */
const anyBody: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  anyText,
  anyValue.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    ...["", " ", "null", "[", "{", "[]]", "[1e400]", '{"id":1e400}', "nul", '"', "\uFEFF[]"],
    ...[
      '{"a":1,"a":2}',
      '[{"id":"a","id":"b"}]',
      '{"__proto__":{"id":"x"}}',
      '[{"__proto__":null}]',
    ],
    ...["<!doctype html><title>Sign in</title><p>Hello", "<html>", "<?xml version='1.0'?><a/>"],
    `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
    `{"type":"x","title":"t","issues":[{"name":"n","value":${"[".repeat(20_000)}${"]".repeat(20_000)}}]}`,
    `{"id":"x","name":"n","unforeseen":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`,
    JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id }))),
  ),
);

/** Something of the service's own answer replaced, left out, doubled or named otherwise. */
export const nearRecord: fc.Arbitrary<(value: unknown) => unknown> = fc
  .array(fc.tuple(fc.nat(), fc.constantFrom("replace", "drop", "add", "double"), anyValue), {
    minLength: 1,
    maxLength: 4,
  })
  .map(
    (changes) => (value) =>
      changes.reduce((now, [at, how, put]) => changed(now, at, how, put), value),
  );

/** A changed copy; `at` picks the place among all. */
function changed(value: unknown, at: number, how: string, put: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 || at % 5 === 0) return how === "drop" ? [] : [...value, put];
    const index = at % value.length;
    const below = changed(value[index], Math.floor(at / value.length), how, put);
    return value.with(index, below);
  }
  if (typeof value !== "object" || value === null) return put;
  const entries = Object.entries(value);
  const index = at % (entries.length + 1);
  const [key, below] = entries[index] ?? ["unforeseen", undefined];
  if (index === entries.length || how === "add") return { ...value, [`${key}X`]: put };
  if (how === "drop") return Object.fromEntries(entries.filter(([name]) => name !== key));
  const inside = typeof below === "object" && below !== null && at % 3 !== 0;
  const next = inside ? changed(below, Math.floor(at / 2), how, put) : put;
  return Object.fromEntries(entries.with(index, [key, next]));
}

/** Headers that say what is not so; the real transport never hands out a wrong length. */
const headers = fc.dictionary(
  fc.constantFrom("x-request-id", "retry-after", "location", "link", "date", "content-language"),
  fc.constantFrom(
    ...[
      "",
      "0",
      "-1",
      "99999999999",
      "soon",
      "Thu, 99 Foo 2026",
      "//evil.test/",
      "%%",
      "a".repeat(9_000),
    ],
    ...["http://127.0.0.1:1/v1", "https://api.example.test/v1/x", "::warning::x"],
  ),
  { maxKeys: 3 },
);

/** What a broken service may do with an answer. */
export const spoils: fc.Arbitrary<Spoil> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(nearRecord, headers).map(([change, more]) => async (answer: Response) => {
      const text = await answer.text();
      const body = text === "" ? "" : JSON.stringify(change(JSON.parse(text)));
      return response(body, answer.status, { "content-type": JSON_TYPE, ...more });
    }),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(anyBody, status, fc.constantFrom(...TYPES), headers).map(
      ([body, code, type, more]) =>
        async () =>
          response(body, code, { "content-type": type, ...more }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(status, anyValue, headers).map(([code, value, more]) => async () => {
      const body = JSON.stringify({
        type: value,
        title: value,
        status: value,
        detail: value,
        issues: value,
      });
      return response(body, code, { "content-type": "application/problem+json", ...more });
    }),
  },
  {
    weight: 1,
    arbitrary: fc.nat(400).map((length) => async (answer: Response) => {
      const text = await answer.text();
      return response(text.slice(0, length % Math.max(1, text.length)), answer.status, {
        "content-type": JSON_TYPE,
      });
    }),
  },
);

function response(
  body: string | Uint8Array,
  code: number,
  headersOfIt: Record<string, string>,
): Response {
  const bare = [204, 205, 304].includes(code);
  return new Response(bare ? null : Buffer.from(body), { status: code, headers: headersOfIt });
}
