import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { captureLine, parseCaptures, parseHeaders } from "../../src/events/capture.ts";
import type { Delivery } from "../../src/events/delivery.ts";

const parse = (text: string | Uint8Array) => parseCaptures(Buffer.from(text as string), "request");
const HEADERS = [
  ["Svix-Id", "msg_1"],
  ["x-empty", ""],
] as const;

describe("a captured request", () => {
  it("is read as amp wrote it, whatever its bytes", () => {
    const header = fc.tuple(fc.stringMatching(/^[\w-]+$/u), fc.string());
    const request = fc.record({
      headers: fc.array(header),
      body: fc.uint8Array({ maxLength: 50 }),
      time: fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }),
    });
    fc.assert(
      fc.property(fc.array(request, { minLength: 1 }), (requests) => {
        const read = parse(requests.map(captureLine).join(""));
        const plain = ({ headers, body, time }: (typeof requests)[number] | Delivery) => ({
          headers,
          body: [...body],
          time,
        });
        expect(read.map(plain)).toEqual(requests.map(plain));
      }),
      { numRuns: 100 },
    );
  });

  it("keeps a byte order mark", () => {
    const body = Buffer.from("\uFEFF{}");
    const [read] = parse(captureLine({ headers: HEADERS, body }));
    expect([...(read?.body ?? [])]).toEqual([...body]);
  });

  it.each(["\r\n", "\n"])("is read from HTTP with line ends %j, the body byte for byte", (end) => {
    const head = ["POST /hook HTTP/1.1", "Svix-Id: msg_1", "x-empty:"].join(end);
    const body = Buffer.from([0xef, 0xbb, 0xbf, 0xe9, 0x0a, 0x0a]);
    const [read] = parse(Buffer.concat([Buffer.from(head + end + end), body]));
    expect(read).toMatchObject({ id: "msg_1", headers: HEADERS });
    expect([...(read?.body ?? [])]).toEqual([...body]);
  });

  it.each([
    ["no request line", "Svix-Id: msg_1\n\nbody", "body"],
    [
      "comments, as HTTP clients have them",
      "### a\nPOST http://h/x\nSvix-Id: msg_1\n\nbody",
      "body",
    ],
    ["no body", "POST / HTTP/1.1\nSvix-Id: msg_1", ""],
  ])("may have %s", (_, text, body) => {
    const [read] = parse(text);
    expect(read?.headers).toEqual([["Svix-Id", "msg_1"]]);
    expect(Buffer.from(read?.body ?? []).toString()).toBe(body);
  });

  it.each([
    ["an object of headers", { headers: { "svix-id": "msg_1" }, body: "b" }],
    ["lists of values", { headers: { "svix-id": ["msg_1"] }, body: "b" }],
    [
      "the body in base64",
      { headers: { "svix-id": "msg_1" }, body: "Yg==", isBase64Encoded: true },
    ],
  ])("may be JSON with %s", (_, value) => {
    const [read] = parse(JSON.stringify(value, undefined, 2));
    expect(read?.headers).toEqual([["svix-id", "msg_1"]]);
    expect(Buffer.from(read?.body ?? []).toString()).toBe("b");
  });

  it.each([
    ["", "is empty"],
    ["{", "line 1 is not valid JSON"],
    ["[1]", "request 1: not a captured request"],
    ['{"headers":{"a":1},"body":"b"}', "request 1: not a captured request with headers"],
    ['{"headers":{},"body":{"parsed":true}}', "body must be a string"],
    ["not a header", '"not a header" is not a header'],
  ])("is refused: %j", (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});

it.each(["POST / HTTP/1.1\nSvix-Id: msg_1\r\nx-empty: \n", '{"Svix-Id": "msg_1", "x-empty": ""}'])(
  "headers are read without a body: %j",
  (text) => {
    expect(parseHeaders(text, "headers")).toEqual(HEADERS);
  },
);
