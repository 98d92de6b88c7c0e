import { describe, expect, test } from "vitest";
import { isExempt } from "../../src/api/no-proxy.ts";

const ask = (url: string, noProxy: string) => isExempt(new URL(url), noProxy);

describe("NO_PROXY", () => {
  test.each([
    ["https://api.example.com", "api.example.com"],
    ["https://api.example.com", "API.Example.com"],
    ["https://api.example.com", "example.com"],
    ["https://api.example.com", ".example.com"],
    ["https://api.example.com", "*.example.com"],
    ["https://api.example.com", "a.test, example.com"],
    ["https://api.example.com", "a.test example.com"],
    ["https://api.example.com", "*"],
    ["https://api.example.com", "example.com:443"],
    ["http://api.example.com", "example.com:80"],
    ["https://api.example.com.", "example.com"],
    ["http://localhost:4010", "localhost:4010"],
    ["http://127.0.0.1:4010", "127.0.0.1"],
    ["http://127.0.0.1:4010", "127.0.0.0/8"],
    ["http://10.20.30.40", "10.20.0.0/16"],
    ["http://[::1]:4010", "::1"],
    ["http://[::1]:4010", "[::1]:4010"],
    ["http://[fd00::7]", "fd00::/8"],
  ])("excepts %s by %j", (url, noProxy) => {
    expect(ask(url, noProxy)).toBe(true);
  });

  test.each([
    ["https://api.example.com", ""],
    ["https://api.example.com", ", ,"],
    ["https://notexample.com", "example.com"],
    ["https://example.com.evil.test", "example.com"],
    ["https://api.example.com", "example.com:8443"],
    ["https://api.example.com:8443", "example.com:443"],
    ["http://10.21.0.1", "10.20.0.0/16"],
    ["http://10.21.0.1", "0.0.0.0/33"],
    ["http://10.21.0.1", "fd00::/8"],
    ["http://[::1]:4010", "[::1]:4011"],
    ["https://example.com", "."],
  ])("does not except %s by %j", (url, noProxy) => {
    expect(ask(url, noProxy)).toBe(false);
  });
});
