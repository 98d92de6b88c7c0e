import { createHash } from "node:crypto";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { CATALOGUE_FILE, catalogueText } from "../provider-catalogue.ts";
import { createHome, runAmp, startAmp } from "./program.ts";
import { ask, homeAt, NO_ROUTING, routingAt, startSandbox } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000 });

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends it, a client still connected",
  async (signal) => {
    const { url, process } = await startSandbox();
    await routingAt(url);
    process.child.kill(signal);
    expect(await process.ended).toMatchObject({ code: 0, signal: null, stderr: "" });
  },
);

test("refuses a port that is taken, and names another", async () => {
  const { url } = await startSandbox();
  const port = Number(new URL(url).port);
  const { code, stderr } = await runAmp(["sandbox", "start", "--port", `${port}`]);
  expect(code).toBe(5);
  expect(stderr).toMatch(new RegExp(`^✗ Port ${port} on 127\\.0\\.0\\.1 is already in use`, "u"));
  expect(stderr).toMatch(/Try: amp sandbox start --port 0\n/u);
});

test("logs each request on stderr", async () => {
  const sandbox = startAmp(["sandbox", "start", "--port", "0"]);
  const AMP_BASE_URL = await sandbox.firstLine();
  const env = { AMP_BASE_URL, AMP_API_KEY: "sandbox-api-key" };
  expect(await runAmp(["apps", "list", "-p", "acme"], { env })).toMatchObject({ code: 0 });
  sandbox.child.kill("SIGTERM");
  const { stderr } = await sandbox.ended;
  expect(stderr).toMatch(/^GET \/v1\/projects\/acme\/provider-apps 200 \d+ ms$/mu);
});

test("serves its page, whose script is the one that its policy allows", async () => {
  const { url } = await startSandbox();
  const answer = await fetch(new URL("/_sandbox/", url));
  const [, script = ""] = /<script>([\s\S]*)<\/script>/u.exec(await answer.text()) ?? [];
  const hash = createHash("sha256").update(script).digest("base64");
  expect(script.length).toBeGreaterThan(10_000);
  expect(answer.headers.get("content-security-policy")).toContain(`script-src 'sha256-${hash}';`);
});

test("prints the facts that a client needs, also as JSON", async () => {
  const sandbox = startAmp(["sandbox", "start", "--port", "0", "--json"]);
  const facts = JSON.parse(await sandbox.firstLine()) as Record<string, string>;
  expect(facts).toMatchObject({ apiKey: "sandbox-api-key", project: "acme" });
  const env = { AMP_BASE_URL: `${facts.url}`, AMP_API_KEY: `${facts.apiKey}` };
  expect(await runAmp(["apps", "list", "-p", "acme"], { env })).toMatchObject({ code: 0 });
  sandbox.child.kill("SIGTERM");
  // With --json stderr is for an error alone.
  expect(await sandbox.ended).toMatchObject({ stderr: "" });
});

test("keeps its state across a restart", async () => {
  const state = join(createHome().folder, "state.json");
  const before = await startSandbox("--state", state);
  await ask(before.url, "topics", { name: "incidents" });
  before.process.child.kill("SIGTERM");
  await before.process.ended;

  const after = await startSandbox("--state", state);
  expect(await routingAt(after.url)).toEqual({ ...NO_ROUTING, topics: ["incidents"] });
});

test("--spec-only knows no lists, and a routing can be set up all the same", async () => {
  const { url } = await startSandbox("--spec-only");
  await expect(ask(url, "topics")).rejects.toThrow("404");
  const words =
    "notify setup --destination-name ops --destination-type webhook --url https://a.test/ " +
    "--topic incidents --event connection.error --yes --json";
  const { code, stdout } = await runAmp(words.split(" "), { home: homeAt(url) });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    lists: false,
    settled: [
      { address: "destination/ops", outcome: "created" },
      { address: "topic/incidents", outcome: "created" },
      { address: "event-route/incidents/connection.error", outcome: "created" },
      { address: "destination-route/incidents/ops", outcome: "created" },
    ],
  });
});

test.skipIf(catalogueText === undefined)("serves a real catalogue, to be shown", async () => {
  const { catalog } = JSON.parse(catalogueText ?? "") as {
    catalog: Record<string, { displayName?: string }>;
  };
  const names = Object.keys(catalog).sort();
  const { url } = await startSandbox("--providers", CATALOGUE_FILE ?? "");
  const home = homeAt(url);
  const list = await runAmp(["providers", "list", "-o", "id"], { home });
  expect(list).toMatchObject({ code: 0, stderr: "" });
  expect(list.stdout.trimEnd().split("\n").sort()).toEqual(names);

  const SAMPLE = 12;
  const every = Math.ceil(names.length / SAMPLE);
  for (const name of names.filter((_, at) => at % every === 0)) {
    const page = await runAmp(["providers", "get", name, "-o", "table"], { home });
    expect(page).toMatchObject({ code: 0, stderr: "" });
    expect(page.stdout).toContain(`(${name})`);
  }
});
