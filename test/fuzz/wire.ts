import fc from "fast-check";

const BODIES = [
  "",
  "[]",
  "{}",
  '{"id":"a"}',
  '{"error":"x"}',
  "<html>",
  "\0\0",
  "x".repeat(70_000),
];

const statusLine = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 100, max: 999 }).map((code) => `HTTP/1.1 ${code} X`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...["HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.0 200 OK", "HTTP/2 200 OK", "HTTP/1.1 20 OK"],
      ...["HTTP/1.1 2000 OK", "HTTP/1.1 -1 OK", "HTTP/1.1  OK", "ICY 200 OK", "GET / HTTP/1.1", ""],
      ...[
        "HTTP/1.1 101 Switching Protocols",
        "HTTP/1.1 103 Early Hints",
        "HTTP/1.1 200 \u001b[31m",
      ],
    ),
  },
);

const header = fc.oneof(
  fc.constantFrom(
    ...[
      "Content-Type: application/json",
      "Content-Type: application/problem+json",
      "Content-Type:",
    ],
    ...["Content-Length: 0", "Content-Length: 5", "Content-Length: 99999999", "Content-Length: -1"],
    ...["Content-Length: 2\r\nContent-Length: 3", "Content-Length: abc", "Content-Length: 1e3"],
    ...["Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: x"],
    ...[
      "Content-Encoding: gzip",
      "Content-Encoding: br",
      "Content-Encoding: zstd",
      "Content-Encoding: q",
    ],
    ...["Connection: keep-alive", "Upgrade: websocket\r\nConnection: Upgrade", "Retry-After: -5"],
    ...[
      "Location: /v1/other",
      "Location: http://[::1",
      "Location: javascript:0",
      "Set-Cookie: a=b; Path",
    ],
    ...[
      "no colon here",
      ": no name",
      "Sp ace: x",
      "X-Bad: \u0001\u0002",
      "X-Request-Id: \u001b[2J",
    ],
    `X-Huge: ${"h".repeat(20_000)}`,
  ),
  fc
    .tuple(fc.stringMatching(/^[\w-]{1,20}$/u), fc.string())
    .map(([name, value]) => `${name}: ${value}`),
);

const body = fc.oneof(
  fc.constantFrom(...BODIES),
  fc.constantFrom(...BODIES).map((text) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`),
  fc.constantFrom("zz\r\n[]", "ffffffffff\r\n[]", "2\r\n[]\r\n", "-1\r\n"),
  fc.uint8Array({ maxLength: 300 }),
);

/** What comes over a connection in place of an answer, in the parts in which it comes. */
export const wireAnswers: fc.Arbitrary<readonly Uint8Array[]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(statusLine, fc.array(header, { maxLength: 6 }), body)
      .map(([line, headers, text]) => [
        Buffer.from([line, ...headers, "", ""].join("\r\n"), "latin1"),
        Buffer.from(text as string),
      ]),
  },
  { weight: 1, arbitrary: fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 3 }) },
);
