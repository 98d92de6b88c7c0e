import { describe, expect, test } from "vitest";
import { isExcludedByNoProxy } from "../../../src/api/network/no-proxy.ts";
import { namesProxy, type ProxyVariables, proxyFor } from "../../../src/api/network/proxy.ts";
import { UsageError } from "../../../src/errors.ts";

const HTTPS = new URL("https://api.example.com/v1");
const HTTP = new URL("http://127.0.0.1:4010/v1");

const find = (url: URL, env: ProxyVariables) => proxyFor(url, env, isExcludedByNoProxy);

function thrown(env: Record<string, string>): UsageError {
  try {
    find(HTTPS, env);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  return expect.unreachable("it was taken");
}

describe("the proxy of an address", () => {
  test.each([
    [HTTPS, { HTTPS_PROXY: "http://p.test:3128" }, "p.test:3128", "HTTPS_PROXY"],
    [
      HTTPS,
      { https_proxy: "http://p.test:3128", HTTPS_PROXY: "http://q.test" },
      "p.test:3128",
      "https_proxy",
    ],
    [HTTPS, { https_proxy: "", HTTPS_PROXY: "http://q.test" }, "q.test:80", "HTTPS_PROXY"],
    [HTTPS, { HTTPS_PROXY: "p.test:3128" }, "p.test:3128", "HTTPS_PROXY"],
    [HTTPS, { HTTPS_PROXY: "https://p.test" }, "p.test:443", "HTTPS_PROXY"],
    [HTTPS, { HTTPS_PROXY: "http://u:p%40ss@p.test:8080/" }, "p.test:8080", "HTTPS_PROXY"],
    [HTTP, { HTTP_PROXY: "http://p.test:3128" }, "p.test:3128", "HTTP_PROXY"],
    [HTTP, { http_proxy: "http://[::1]:3128" }, "[::1]:3128", "http_proxy"],
  ])("%s with %j is %s", (url, env, host, variable) => {
    expect(find(url, env)).toMatchObject({ host, variable });
    expect(namesProxy(env)).toBe(true);
  });

  test.each([
    [HTTPS, {}],
    [HTTPS, { HTTP_PROXY: "http://p.test:3128" }],
    [HTTP, { HTTPS_PROXY: "http://p.test:3128" }],
    [HTTPS, { HTTPS_PROXY: "http://p.test:3128", NO_PROXY: "example.com" }],
    [HTTPS, { HTTPS_PROXY: "http://p.test:3128", no_proxy: "*", NO_PROXY: "other.test" }],
    // Not even read: it is not gone through.
    [HTTPS, { HTTPS_PROXY: "socks5://p.test", NO_PROXY: "example.com" }],
  ])("%s with %j is none", (url, env) => {
    expect(find(url, env)).toBeUndefined();
  });

  test.each([
    "socks5://u:s3cret@p.test:1080",
    "socks4://p.test",
    "ftp://p.test",
    "pac+https://p.test",
  ])("%s is refused", (text) => {
    const { message, facts } = thrown({ HTTPS_PROXY: text });
    expect(message).toBe(
      `HTTPS_PROXY is set to a ${text.split(":")[0]} proxy; only HTTP proxies are supported`,
    );
    expect(facts).toMatchObject({ done: "Nothing was sent." });
    expect(facts.remedy).toContain("NO_PROXY=api.example.com");
  });

  test.each([
    ["http://u:s3cret@:3128", '"http://***@:3128"'],
    ["http://u:s3cret@p.test:notaport", '"http://***@p.test:notaport"'],
    ["u:s3 cret@p.test:3128", '"***@p.test:3128"'],
    ["http://u:s3@cret@p test", '"http://***@p test"'],
    ["http://", '"http://"'],
  ])("%s is refused, its login masked", (text, shown) => {
    const { message, facts } = thrown({ https_proxy: text });
    expect(message).toBe("https_proxy is not a valid proxy URL");
    expect(facts.detail).toBe(shown);
  });

  test("a login that is not percent-encoded is refused, and not shown", () => {
    const { message, facts } = thrown({ HTTPS_PROXY: "http://u:100%s3cret@p.test" });
    expect(message).toContain("HTTPS_PROXY contains a user name or password");
    expect(facts.remedy).toContain("%25");
    expect(JSON.stringify(facts)).not.toContain("s3cret");
  });
});

const ask = (url: string, noProxy: string) => isExcludedByNoProxy(new URL(url), noProxy);

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
