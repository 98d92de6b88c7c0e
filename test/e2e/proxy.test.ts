import { expect, test, vi } from "vitest";
import { startProxy } from "../network/proxy-server.ts";
import { startService } from "../network/service.ts";
import { createTrust } from "../network/trust.ts";
import { isBundle, PROGRAM, runAmp, start } from "./program.ts";
import { homeAt } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000 });

const LIST = ["notify", "topics", "list", "-o", "id"];
const CREATE = ["api", "POST", "/projects/acme/topics", "--field", "name=incidents"];
const CREATED = `${JSON.stringify({ id: "t1", name: "incidents" })}\n`;
const PASSWORD = "s3:cret@x";
const ENCODED = encodeURIComponent(PASSWORD);
const LOGIN = { username: "bob", password: PASSWORD };

/** A service with a certificate that this machine trusts, and what it takes to reach it by name. */
async function trustedService(host = "service.test") {
  const { identity, env } = await createTrust([host, "localhost"]);
  const service = await startService({ as: identity });
  const home = homeAt(`https://${host}:${service.port}/v1`);
  return { service, home: { ...home, env: { ...home.env, ...env } } };
}

test.each(["HTTPS_PROXY", "https_proxy"])("%s is gone through, by a tunnel", async (variable) => {
  const proxy = await startProxy();
  const { service, home } = await trustedService();
  const env = { [variable]: proxy.url };
  const created = await runAmp([...CREATE, "--debug"], { home, env });
  expect(created).toMatchObject({ code: 0, stdout: CREATED });
  expect(created.stderr).toContain(` via proxy 127.0.0.1:${proxy.port}`);
  expect(await runAmp(LIST, { home, env })).toMatchObject({ code: 0 });
  expect(service.asked.map((line) => line.split(" ")[0])).toEqual(["POST", "GET"]);
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT service.test:${service.port}`]));
});

test("HTTP_PROXY is gone through, for http, and for nothing else", async () => {
  const proxy = await startProxy();
  const plain = await startService();
  const home = homeAt(`http://service.test:${plain.port}/v1`);
  const env = { HTTP_PROXY: proxy.url };
  const refused = await runAmp(CREATE, { home, env });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("--allow-insecure-http");
  expect(proxy.asked).toEqual([]);

  const created = await runAmp([...CREATE, "--allow-insecure-http"], { home, env });
  expect(created).toMatchObject({ code: 0, stdout: CREATED });
  expect(proxy.asked).toEqual([expect.stringMatching(/^POST http:\/\/service\.test:\d+\/v1\//u)]);

  const { home: direct } = await trustedService("localhost");
  expect(await runAmp(LIST, { home: direct, env })).toMatchObject({ code: 0 });
  expect(proxy.asked).toHaveLength(1);
});

test.each(["localhost", ".localhost", "*", "other.test, localhost"])(
  "NO_PROXY=%s bypasses the proxy",
  async (excepted) => {
    const proxy = await startProxy();
    const { service, home } = await trustedService("localhost");
    const env = { HTTPS_PROXY: proxy.url, NO_PROXY: excepted };
    expect(await runAmp(LIST, { home, env })).toMatchObject({ code: 0 });
    expect(service.asked).toHaveLength(1);
    expect(proxy.asked).toEqual([]);
  },
);

test("NO_PROXY takes blocks of addresses, and leaves in what it does not name", async () => {
  const proxy = await startProxy();
  const service = await startService();
  const home = homeAt(`http://127.0.0.1:${service.port}/v1`);
  const run = (NO_PROXY: string) =>
    runAmp(LIST, { home, env: { HTTP_PROXY: proxy.url, NO_PROXY } });
  expect(await run("127.0.0.0/8")).toMatchObject({ code: 0 });
  expect(proxy.asked).toHaveLength(0);
  expect(await run("10.0.0.0/8,localhost")).toMatchObject({ code: 0 });
  expect(proxy.asked).toHaveLength(1);
});

test("a proxy that is not there lets nothing out", async () => {
  const gone = await startProxy();
  await gone.die();
  const { service, home } = await trustedService("localhost");
  const env = { HTTPS_PROXY: gone.url, AMP_RETRIES: "0" };
  const { code, stderr } = await runAmp([...CREATE.slice(0, -2), "--json"], {
    home,
    env,
  });
  expect(code).toBe(7);
  const { error } = JSON.parse(stderr.slice(stderr.indexOf("{")));
  expect(error.message).toBe(
    `Could not reach the proxy 127.0.0.1:${gone.port} on the way to localhost:${service.port}: connection refused`,
  );
  expect(error).toMatchObject({ done: "Nothing was changed.", retryable: true });
  expect(error.remedy).toBe("Check HTTPS_PROXY. To bypass the proxy, set NO_PROXY=localhost.");
  expect(service.asked).toEqual([]);
});

test.each([
  { login: "", says: "requires a login", does: "Set HTTPS_PROXY=" },
  {
    login: `bob:not-${ENCODED}@`,
    says: "rejected the login",
    does: "Check user name and password",
  },
])("a proxy that wants a login, given “$login”, ends it at once", async ({ login, says, does }) => {
  const proxy = await startProxy({ login: LOGIN });
  const { service, home } = await trustedService();
  const env = { HTTPS_PROXY: `http://${login}127.0.0.1:${proxy.port}` };
  const { code, stderr } = await runAmp([...CREATE, "--debug"], { home, env });
  const words = stderr.replaceAll(/\s+/gu, " ");
  expect(code).toBe(7);
  expect(words).toContain(
    `Could not reach service.test:${service.port}: the proxy 127.0.0.1:${proxy.port} ${says}`,
  );
  expect(words).toContain(`${does}`);
  expect(words).toContain(`HTTPS_PROXY=http://USER:PASSWORD@127.0.0.1:${proxy.port}`);
  expect(words).toContain("Nothing was changed.");
  expect(stderr).not.toMatch(/s3(?::|%3A)cret/u);
  expect(proxy.asked).toHaveLength(1);
  expect(service.asked).toEqual([]);
});

test("a login is asked for in plain http, too", async () => {
  const proxy = await startProxy({ login: LOGIN });
  const service = await startService();
  const home = homeAt(`http://127.0.0.1:${service.port}/v1`);
  const at = `127.0.0.1:${proxy.port}`;
  const none = await runAmp(CREATE, { home, env: { HTTP_PROXY: `http://${at}` } });
  expect(none.code).toBe(7);
  expect(none.stderr).toContain("requires a login");
  expect(none.stderr).toContain("Nothing was changed.");
  const right = { HTTP_PROXY: `http://bob:${ENCODED}@${at}` };
  expect(await runAmp(CREATE, { home, env: right })).toMatchObject({ code: 0, stdout: CREATED });
});

test("the right login opens the way", async () => {
  const proxy = await startProxy({ login: LOGIN });
  const { home } = await trustedService();
  const env = { HTTPS_PROXY: `http://bob:${ENCODED}@127.0.0.1:${proxy.port}` };
  const { code, stdout, stderr } = await runAmp([...CREATE, "--debug"], { home, env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: CREATED });
  expect(stderr).not.toMatch(/bob|cret/u);
});

test("a proxy is spoken to by TLS where its address says so", async () => {
  const { identity, env } = await createTrust(["localhost", "service.test"]);
  const proxy = await startProxy({ as: identity });
  const service = await startService({ as: identity });
  const home = homeAt(`https://service.test:${service.port}/v1`);
  const HTTPS_PROXY = proxy.url;
  const run = (more: Record<string, string>) =>
    runAmp(CREATE, { home, env: { HTTPS_PROXY, ...more } });
  expect(await run(env)).toMatchObject({ code: 0, stdout: CREATED });
  expect(proxy.asked).toEqual([`CONNECT service.test:${service.port}`]);

  const distrusted = await run({});
  expect(distrusted.code).toBe(7);
  expect(distrusted.stderr.replaceAll(/\s+/gu, " ")).toContain(
    `through the proxy localhost:${proxy.port}: its TLS certificate, or that of the proxy, is`,
  );
  expect(proxy.asked).toHaveLength(1);
});

test("a proxy with TLS may have an address as its host", async () => {
  const { identity, env } = await createTrust(["127.0.0.1", "service.test"]);
  const proxy = await startProxy({ as: identity });
  const url = proxy.url.replace("localhost", "127.0.0.1");
  const secure = await startService({ as: identity });
  const home = homeAt(`https://service.test:${secure.port}/v1`);
  const created = await runAmp(CREATE, { home, env: { ...env, HTTPS_PROXY: url } });
  expect(created).toMatchObject({ code: 0, stdout: CREATED });

  const plain = await startService();
  const plainHome = homeAt(`http://service.test:${plain.port}/v1`);
  const words = [...CREATE, "--allow-insecure-http"];
  const passedOn = await runAmp(words, { home: plainHome, env: { ...env, HTTP_PROXY: url } });
  expect(passedOn).toMatchObject({ code: 0, stdout: CREATED });
  expect(proxy.asked).toEqual([
    `CONNECT service.test:${secure.port}`,
    `POST http://service.test:${plain.port}/v1/projects/acme/topics`,
  ]);
});

test("a user name alone is a login, too", async () => {
  const proxy = await startProxy({ login: { username: "token-1", password: "" } });
  const { home } = await trustedService();
  const env = { HTTPS_PROXY: `http://token-1@127.0.0.1:${proxy.port}` };
  expect(await runAmp(CREATE, { home, env })).toMatchObject({ code: 0, stdout: CREATED });
});

test("a proxy that dies in the middle of a create leaves it unknown", async () => {
  const proxy = await startProxy();
  const { identity, env } = await createTrust(["service.test"]);
  const service = await startService({ as: identity, instead: () => void proxy.die() });
  const home = homeAt(`https://service.test:${service.port}/v1`);
  const { code, stderr } = await runAmp(CREATE, {
    home,
    env: { ...env, HTTPS_PROXY: proxy.url },
  });
  expect(code).toBe(9);
  expect(stderr).toContain("The request may have taken effect");
  expect(stderr.replaceAll(/\s+/gu, " ")).toContain(`through the proxy 127.0.0.1:${proxy.port}`);
  expect(service.asked).toEqual([expect.stringMatching(/^POST /u)]);
});

test.each([
  ["socks5://bob:s3cret@127.0.0.1:1080", "HTTPS_PROXY is set to a socks5 proxy"],
  ["http://bob:s3cret@:80", "HTTPS_PROXY is not a valid proxy URL"],
])("%s is a usage error, the password not shown", async (HTTPS_PROXY, says) => {
  const { service, home } = await trustedService("localhost");
  const { code, stderr } = await runAmp(CREATE, { home, env: { HTTPS_PROXY } });
  expect(code).toBe(2);
  expect(stderr).toContain(says);
  expect(stderr).toContain("Nothing was sent.");
  expect(stderr).not.toContain("s3cret");
  expect(service.asked).toEqual([]);
});

test("a state server is reached through the proxy, too", async () => {
  const proxy = await startProxy();
  const { service, home } = await trustedService("state.test");
  const state = ["--state", `https://state.test:${service.port}/routing`];
  const pull = (...more: string[]) =>
    runAmp(["notify", "state", "pull", ...state, ...more], {
      home,
      env: { HTTPS_PROXY: proxy.url },
    });
  await pull();
  expect(service.asked).toEqual(["GET /routing"]);
  expect(proxy.asked).toEqual([`CONNECT state.test:${service.port}`]);
  await proxy.die();
  const gone = await pull();
  expect(gone.code).toBe(7);
  expect(gone.stderr.replaceAll(/\s+/gu, " ")).toContain(
    `Could not reach the proxy 127.0.0.1:${proxy.port}`,
  );
});

test.skipIf(!isBundle)("the modules for proxies are loaded only where there is one", async () => {
  const service = await startService();
  const home = homeAt(`http://127.0.0.1:${service.port}/v1`);
  const tell = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => {
      if (/undici/.test(url)) process.stderr.write("loaded undici\\n");
      return next(url, context);
    } });`;
  const run = (env: Record<string, string>) =>
    start(
      [
        process.execPath,
        "--import",
        `data:text/javascript,${encodeURIComponent(tell)}`,
        PROGRAM,
        ...LIST,
      ],
      { home, env },
    ).ended;
  expect((await run({ NO_PROXY: "*" })).stderr).not.toContain("loaded undici");
  expect((await run({ HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "*" })).stderr).toContain(
    "loaded undici",
  );
});
