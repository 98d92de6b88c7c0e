import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openCasePage } from "../../src/case/web.ts";
import type { CasePage } from "../../src/page/model.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { CHROMIUM, launch, openPage, seriousFindings } from "../browser/browser.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const cwd = temporaryFolder();
const end = new AbortController();
let page: string;
let served: Promise<void>;

beforeAll(async () => {
  const sandbox = sandboxAt(NOW, { state: largeWorld(64) });
  await run(["case", "create", "cyberdyne", "--save", "c.ampcase"], { sandbox, cwd });
  const bytes = readFileSync(join(cwd, "c.ampcase"));
  page = await new Promise<string>((resolve) => {
    const context = {
      files: { readBytes: async () => bytes },
      report: { notice: () => {} },
      signal: end.signal,
      write: async (text: string) => resolve(text.trim()),
    };
    served = openCasePage(context as never, "c.ampcase");
  });
});
afterAll(async () => {
  end.abort();
  await served;
});

it("is refused with another command, which would run in it", async () => {
  const { code, stderr } = await run(["case", "open", "c.ampcase", "--web", "--", "ls"], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain("--web and a command");
});

it("has the verdict, evidence, operations with their logs, and redactions of the file", async () => {
  const [address = "", token] = page.split("#");
  const headers = { authorization: `Bearer ${token}` };
  const state = (await (await fetch(`${address}state`, { headers })).json()) as CasePage;
  expect(state.headline).toContain("the provider refuses a field");
  expect(state.evidence.join()).toContain("No such column 'deal_stage_x'");
  expect(state.verdict.map(({ label }) => label)).toContain("Who must act");
  const logged = state.operations.filter(({ logs }) => logs.length > 0);
  expect(logged.flatMap(({ logs }) => logs).join("\n")).toContain("No such column");
  expect(state.redacted.length).toBeGreaterThan(0);
});

it("is served to its link alone", async () => {
  const [address = ""] = page.split("#");
  const html = await fetch(address);
  expect(html.headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; script-src 'sha256-/u,
  );
  expect(await html.text()).toContain("<!doctype html>");
  expect((await fetch(`${address}state`)).status).toBe(401);
  const status = await new Promise((resolve) => {
    const headers = { host: "rebound.example" };
    request(address, { headers }, (answer) => resolve(answer.resume().statusCode)).end();
  });
  expect(status).toBe(403);
});

it.skipIf(CHROMIUM === undefined)("is shown by a browser, without a serious finding", async () => {
  const browser = await launch();
  try {
    const shown = await openPage(browser, page, { bypassCSP: true });
    await shown.page.getByTestId("headline").waitFor();
    expect(await shown.page.title()).toBe("Case · Cyberdyne Systems");
    expect(await shown.page.getByTestId("operations").textContent()).toContain("No such column");
    expect(await seriousFindings(shown.page)).toEqual([]);
    expect(shown.problems).toEqual([]);
  } finally {
    await browser.close();
  }
});
