import { expect, test } from "vitest";
import { isLoopback } from "../../src/runtime/loopback.ts";

test.each([
  ["http://localhost:1/v1", true],
  ["http://127.0.0.1/", true],
  ["http://127.9.9.9:80/", true],
  // As URL writes them.
  ["http://0x7f.1/", true],
  ["http://2130706433/", true],
  ["http://[::1]:8080/", true],
  ["http://[0:0:0:0:0:0:0:1]/", true],
  ["http://LOCALHOST/", true],
  ["http://localhost.evil.example/", false],
  ["http://evil.example/127.0.0.1", false],
  ["http://127.0.0.1.evil.example/", false],
  ["http://128.0.0.1/", false],
  ["http://[::2]/", false],
  ["http://0.0.0.0/", false],
  ["http://10.0.0.1/", false],
])("%s is this machine: %j", (url, expected) => {
  expect(isLoopback(new URL(url).hostname)).toBe(expected);
});
