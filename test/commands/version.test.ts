import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { isNewer } from "../../src/commands/version.ts";
import { version } from "../../src/runtime/version.ts";
import { run } from "../harness.ts";
import { closedPort } from "../hosts.ts";

describe("amp version", () => {
  it("prints the version in one line", async () => {
    const { code, stdout, stderr, requests } = await run(["version"]);
    expect({ code, stderr, requests }).toEqual({ code: 0, stderr: "", requests: [] });
    const { versions, platform, arch } = process;
    expect(stdout).toBe(`amp ${version} (source), node ${versions.node}, ${platform} ${arch}\n`);
  });

  it("says the same as JSON", async () => {
    const { stdout } = await run(["version", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      version,
      runtime: { name: "node", version: process.versions.node },
      platform: process.platform,
      arch: process.arch,
      build: "source",
    });
  });

  it("knows no licences where nothing is embedded, and says so", async () => {
    const { code, stdout } = await run(["version", "--licences", "--json"]);
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({ code: 0, stdout: [] });
    const { stderr } = await run(["version", "--licences"]);
    expect(stderr).toContain("No packages are embedded");
  });
});

/** A registry on this machine, asked as the network does it. */
async function registry(answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const naming = (newest: string) =>
  registry(({ url }, answer) => {
    answer.statusCode = url === "/npm/amp-admin/latest" ? 200 : 404;
    answer.end(JSON.stringify({ name: "amp-admin", version: newest }));
  });

/** Nobody is logged in. */
const check = (env: Record<string, string>, ...words: string[]) =>
  run(["version", "--check", ...words], {
    fetch: (request) => fetch(request),
    env: { AMP_BASE_URL: undefined, AMP_API_KEY: undefined, AMP_PROJECT: undefined, ...env },
  });

it("takes a release for newer than its previews, and those in their order", () => {
  const ordered = ["0.1.9", "0.2.0-rc.1", "0.2.0-rc.2", "0.2.0-rc.10", "0.2.0", "0.10.0-rc.1"];
  const pairs = ordered.flatMap((one, at) =>
    ordered.map((other, place) => [one, other, at > place]),
  );
  for (const [one, other, isLater] of pairs)
    expect([one, other, isNewer(String(one), String(other))]).toEqual([one, other, isLater]);
});

describe("amp version --check", () => {
  it.each(["0.0.9", version])(
    "says that it is the newest where the registry has %s",
    async (has) => {
      const { code, stdout, stderr } = await check({
        AMP_REGISTRY: `http://${await naming(has)}/npm/`,
      });
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: `amp ${version} is the newest version.\n`,
        stderr: "",
      });
    },
  );

  it.each(["0.1.1", "0.10.0", "1.0.0", "0.2.0-rc.1"])(
    "says how to upgrade to %s",
    async (newest) => {
      const env = { npm_config_registry: `http://${await naming(newest)}/npm` };
      const { code, stdout, requests } = await check(env);
      const text = `amp ${newest} is available (you have ${version}): git pull && npm ci\n`;
      expect({ code, stdout }).toEqual({ code: 0, stdout: text });
      // Nothing but the name of amp goes there.
      expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        "GET /npm/amp-admin/latest",
      ]);
      expect([...(requests[0]?.headers.keys() ?? [])].sort()).toEqual([
        "accept",
        "connection",
        "user-agent",
        "x-request-id",
      ]);
      const json = await check(env, "--json");
      expect([json.code, json.json()]).toEqual([
        0,
        expect.objectContaining({ version, newest, upgrade: "git pull && npm ci" }),
      ]);
    },
  );

  it.each<[string, number, string, RequestListener]>([
    ["without amp", 3, "registry_without_amp", (_, answer) => answer.writeHead(404).end("{}")],
    ["of no versions", 7, "registry_answer_invalid", (_, answer) => answer.end('{"version":"1"}')],
    ["that fails", 7, "service_failed", (_, answer) => answer.writeHead(500).end()],
    ["that is silent", 124, "answer_late", () => {}],
  ])("ends with its error at a registry %s", async (_, exit, name, answer) => {
    const { code, stdout, error } = await check(
      { AMP_REGISTRY: `http://${await registry(answer)}` },
      "--json",
    );
    expect({ code, stdout, name: error().name }).toEqual({ code: exit, stdout: "", name });
    expect(JSON.stringify(error())).not.toContain("--timeout");
  });

  it("ends with exit code 7 where no registry answers", async () => {
    const { code, stderr } = await check({ AMP_REGISTRY: `http://${await closedPort()}` });
    expect([code, stderr]).toEqual([7, expect.stringContaining("connection refused")]);
  });

  it.each(["", "nonsense", "file:///tmp", "https://me:hidden@127.0.0.1"])(
    "refuses a registry that is %j",
    async (AMP_REGISTRY) => {
      const { code, stderr, requests } = await check({ AMP_REGISTRY });
      expect({ code, requests }).toEqual({ code: 2, requests: [] });
      expect(stderr).toContain("No npm registry is set that amp can use");
      expect(stderr).not.toContain("hidden");
    },
  );

  it("is not combined with --licences", async () => {
    const { code, stderr } = await check({}, "--licences");
    expect([code, stderr]).toEqual([2, expect.stringContaining("cannot be combined")]);
  });
});
