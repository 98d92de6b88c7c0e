import { expect, test, vi } from "vitest";
import { certificateFor, createAuthority } from "../network/certificates.ts";
import { startService } from "../network/service.ts";
import { createTrust, writePem } from "../network/trust.ts";
import { isBundle, runAmp } from "./program.ts";
import { homeAt } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000 });

const CREATE = ["api", "POST", "/projects/acme/topics", "--field", "name=incidents"];
const CREATED = `${JSON.stringify({ id: "t1", name: "incidents" })}\n`;

/** Runs a create against a service; what it says has its lines joined. */
async function createAt(
  service: { readonly port: number },
  { host = "localhost", env = {}, args = [] as readonly string[] } = {},
) {
  const home = homeAt(`https://${host}:${service.port}/v1`);
  const ended = await runAmp([...CREATE, ...args], { home, env });
  return { ...ended, words: ended.stderr.replaceAll(/\s+/gu, " ") };
}

async function selfSigned() {
  const identity = await certificateFor({ hosts: ["localhost"] });
  return { identity, service: await startService({ as: identity }) };
}

test.each([
  { what: "self-signed", wish: {}, says: "is self-signed", does: "NODE_EXTRA_CA_CERTS=FILE.pem" },
  {
    what: "of an unknown authority",
    wish: { by: "another" },
    says: "is signed by an unknown authority",
    does: "NODE_EXTRA_CA_CERTS=FILE.pem",
  },
  {
    what: "expired",
    wish: { by: "trusted", from: "2020-01-01", to: "2021-01-01" },
    says: "has expired (CERT_HAS_EXPIRED)",
    does: "Check the clock of this machine",
  },
  {
    what: "of the future",
    wish: { by: "trusted", from: "2090-01-01", to: "2091-01-01" },
    says: "is not valid yet (CERT_NOT_YET_VALID)",
    does: "Check the clock of this machine",
  },
  {
    what: "of another host",
    wish: { by: "trusted", hosts: ["other.test"] },
    says: "is for another host",
    does: "Check the host in the URL",
  },
])("a certificate $what is named, and not tried again", async ({ wish, says, does }) => {
  const trusted = await createAuthority();
  const { by, ...rest } = { by: undefined, ...wish };
  const signer = by === "trusted" ? trusted : by && (await createAuthority());
  const identity = await certificateFor({
    hosts: ["localhost"],
    ...rest,
    ...(signer ? { by: signer } : {}),
  });
  const service = await startService({ as: identity });
  const env = { NODE_EXTRA_CA_CERTS: writePem(trusted) };
  const { code, stdout, words } = await createAt(service, { env, args: ["--debug"] });
  expect({ code, stdout }).toEqual({ code: 7, stdout: "" });
  expect(words).toContain(`Could not reach localhost:${service.port}: its TLS certificate ${says}`);
  expect(words).toContain(does);
  expect(words).toContain("Nothing was changed.");
  expect(words).not.toContain("Retrying in");
  expect(service.asked).toEqual([]);
});

test("the error for a server without TLS says so", async () => {
  const service = await startService();
  const { code, words } = await createAt(service);
  // Bun does not tell how far the handshake had come, so what is claimed is less.
  expect(code).toBe(isBundle ? 7 : 9);
  expect(words).toContain(
    isBundle ? "it does not speak TLS on this port" : "the TLS connection failed",
  );
  expect(service.asked).toEqual([]);
});

test("NODE_EXTRA_CA_CERTS has an authority of one's own trusted, or a certificate alone", async () => {
  const { identity, env } = await createTrust(["localhost"]);
  const signed = await startService({ as: identity });
  expect(await createAt(signed, { env })).toMatchObject({ code: 0, stdout: CREATED });
  const alone = await selfSigned();
  const own = { NODE_EXTRA_CA_CERTS: writePem(alone.identity) };
  expect(await createAt(alone.service, { env: own })).toMatchObject({ code: 0, stdout: CREATED });
});

test("SSL_CERT_FILE names the authorities of the system", async () => {
  const { identity, env } = await createTrust(["localhost"]);
  const service = await startService({ as: identity });
  const system = { SSL_CERT_FILE: env.NODE_EXTRA_CA_CERTS, NODE_USE_SYSTEM_CA: "1" };
  expect(await createAt(service, { env: system })).toMatchObject({ code: 0, stdout: CREATED });
});

test("NODE_TLS_REJECT_UNAUTHORIZED=0 is refused, and nothing is sent", async () => {
  const { service } = await selfSigned();
  const { code, words } = await createAt(service, { env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
  expect(code).toBe(2);
  expect(words).toContain("NODE_TLS_REJECT_UNAUTHORIZED=0");
  expect(words).toContain("Nothing was sent.");
  expect(words).toContain("--insecure-tls");
  expect(service.asked).toEqual([]);
});

test.each([
  { how: "--insecure-tls", args: ["--insecure-tls"], env: {} },
  { how: "AMP_INSECURE_TLS=1", args: [], env: { AMP_INSECURE_TLS: "1" } },
  {
    how: "both, quietly",
    args: ["--insecure-tls", "--quiet"],
    env: { NODE_TLS_REJECT_UNAUTHORIZED: "0" },
  },
])("$how takes any certificate, and says so", async ({ args, env }) => {
  const { service } = await selfSigned();
  const { code, stdout, words } = await createAt(service, { args, env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: CREATED });
  expect(words).toContain("TLS certificates are not verified (--insecure-tls)");
});

test("AMP_INSECURE_TLS=0 still verifies certificates", async () => {
  const { service } = await selfSigned();
  expect(await createAt(service, { env: { AMP_INSECURE_TLS: "0" } })).toMatchObject({ code: 7 });
});

test("a state server is held to the same", async () => {
  const { service } = await selfSigned();
  const home = homeAt("https://service.test/v1");
  const pull = (args: readonly string[] = [], env = {}) =>
    runAmp(["notify", "state", "pull", "--state", `https://localhost:${service.port}/s`, ...args], {
      home,
      env,
    });
  const refused = await pull();
  expect(refused.code).toBe(7);
  expect(refused.stderr.replaceAll(/\s+/gu, " ")).toContain("its TLS certificate is self-signed");
  const unchecked = await pull([], { NODE_TLS_REJECT_UNAUTHORIZED: "0" });
  expect(unchecked.code).toBe(2);
  expect(service.asked).toEqual([]);
  const taken = await pull(["--insecure-tls"]);
  expect(taken.stderr).toContain("TLS certificates are not verified");
  expect(service.asked).toEqual(["GET /s"]);
});
