import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  CHROMIUM,
  control,
  end,
  launch,
  openPage,
  receiver,
  route,
  type Served,
  seriousFindings,
  serve,
} from "./browser.ts";

const HOSTILE = `<img src=x onerror="document.title='hacked'">`;

/** One event of a trace of the browser. */
interface Traced {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * The milliseconds that each task of a page's main thread took of the processor: on a busy machine
 * the time that passes says nothing.
 */
function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: Traced[] };
  const mains = traceEvents.filter((one) => one.args?.name === "CrRendererMain");
  const threads = new Set(mains.map(({ pid, tid }) => `${pid} ${tid}`));
  return traceEvents
    .filter(({ name, pid, tid }) => name.endsWith("RunTask") && threads.has(`${pid} ${tid}`))
    .map(({ tdur = 0 }) => tdur / 1000);
}

const needed = process.env.AMP_TEST_BROWSER !== undefined;
const why =
  CHROMIUM === undefined ? " (skipped: chromium is not installed; apt-get install chromium)" : "";

describe.skipIf(CHROMIUM === undefined && !needed)(`the page${why}`, () => {
  let browser: Browser;
  let served: Served;
  let hook: Awaited<ReturnType<typeof receiver>>;

  beforeAll(async () => {
    [browser, served, hook] = await Promise.all([launch(), serve(), receiver()]);
  });
  afterAll(async () => {
    await browser.close();
    await end(served);
    hook.close();
  });
  beforeEach(async () => {
    hook.status = 200;
    await control(served, "reset", {});
    const names = { topic: "ops", destination: "ops-alerts" };
    await route(served, { ...names, event: "read.triggered.error", url: hook.url });
  });

  /** Triggers the routed event by the form. */
  async function trigger(page: Page, fields: Readonly<Record<string, string>> = {}): Promise<void> {
    await page.getByTestId("trigger").click();
    await page.getByTestId("trigger-type").selectOption("read.triggered.error");
    for (const [name, value] of Object.entries(fields))
      await page.getByTestId(`field-${name}`).fill(value);
    await page.getByTestId("do").click();
    await page.getByTestId("trigger-dialog").waitFor({ state: "detached" });
  }

  const rows = (page: Page) => page.locator(".row:visible");
  const results = (page: Page) => rows(page).first().getByTestId("results");
  const live = (page: Page) => page.getByText("Live", { exact: true }).waitFor();

  it("shows an event move to its destination, its attempt, and the verdict of its signature", async () => {
    const { page, problems } = await openPage(browser, served.page);
    await live(page);
    expect(await page.title()).toBe("Sandbox · acme");
    expect(page.url()).not.toContain(served.page.split("#")[1]);
    const moving = page.getByTestId("moving").first().waitFor();
    await trigger(page, { groupName: "Acme" });
    await moving;
    await expect.poll(() => results(page).textContent()).toContain("delivered");
    const box = page.getByTestId("destination-node").nth(1);
    await expect.poll(() => box.textContent()).toContain("delivered (200)");
    await rows(page).first().click();
    const message = page.getByTestId("message");
    await message.waitFor();
    expect(await page.getByTestId("signature").textContent()).toBe("✓ The signature is valid");
    expect(await message.locator("pre").first().textContent()).toContain('"groupName": "Acme"');
    expect(await message.textContent()).toContain("svix-signature");
    expect(problems).toEqual([]);
  });

  it("shows the command that does the same, for this sandbox", async () => {
    const { page } = await openPage(browser, served.page);
    await live(page);
    await page.getByTestId("trigger").click();
    await page.getByTestId("trigger-type").selectOption("read.triggered.error");
    await page.getByTestId("field-groupName").fill("O'Neil & Co");
    expect(await page.getByTestId("command").textContent()).toBe(
      `amp trigger read.triggered.error --set 'groupName=O'\\''Neil & Co' --profile sandbox --base-url ${served.url}`,
    );
    await page.getByTestId("field-groupName").fill("12");
    expect(await page.getByTestId("command").textContent()).toContain(`--set 'groupName="12"'`);
  });

  it("repeats failed deliveries when the clock is forwarded", async () => {
    const { page } = await openPage(browser, served.page);
    await live(page);
    await page.getByTestId("fail").click();
    await page.getByTestId("fail-destination").selectOption("ops-alerts");
    await page.getByTestId("do").click();
    await expect
      .poll(() => page.getByTestId("fault").textContent())
      .toContain("next 2 to ops-alerts: 503");
    await trigger(page);
    await expect.poll(() => results(page).textContent()).toMatch(/retrying in [345] s/u);
    const box = page.getByTestId("destination-node").nth(1);
    await expect.poll(() => box.textContent()).toContain("retrying: failed by the sandbox: 503");
    await expect.poll(() => box.locator(".mark").allTextContents()).toEqual(["failing"]);
    await rows(page).first().click();
    await expect
      .poll(() => page.getByTestId("result").textContent())
      .toMatch(/attempt 2 of 8 in \d s, at \d\d:\d\d:\d\d/u);
    await control(served, "pause", { destination: "ops-alerts", paused: true });
    await expect
      .poll(() => page.getByTestId("result").textContent())
      .toContain("attempt 2 of 8 when the destination is resumed");
    await expect.poll(() => results(page).textContent()).toContain("retrying when resumed");
    await control(served, "pause", { destination: "ops-alerts", paused: false });
    await expect.poll(() => results(page).textContent()).toMatch(/retrying (in|now)/u);
    await page.keyboard.press("Escape");
    for (const by of ["5s", "5m"]) {
      await page.getByTestId("forward").click();
      await page.getByTestId("forward-by").fill(by);
      await page.getByTestId("do").click();
      await page.getByTestId("forward-dialog").waitFor({ state: "detached" });
    }
    await expect.poll(() => results(page).textContent()).toContain("delivered");
    await expect.poll(() => box.locator(".mark").count()).toBe(0);
    await rows(page).first().click();
    const attempts = page.getByTestId("message").locator("> details > summary");
    await expect
      .poll(() => attempts.allTextContents())
      .toEqual([
        expect.stringMatching(/^Attempt 3 delivered/u),
        expect.stringMatching(/^Attempt 2 failed by the sandbox: 503\d/u),
        expect.stringMatching(/^Attempt 1 failed by the sandbox: 503\d/u),
      ]);
    expect(await page.getByTestId("fault").count()).toBe(0);
  });

  it("finds the installations of one health", async () => {
    const { page } = await openPage(browser, served.page);
    await live(page);
    await page.getByRole("link", { name: "Installations" }).click();
    const shown = () => page.getByTestId("row").filter({ visible: true }).allTextContents();
    await page.getByTestId("search-installations").fill("failing");
    await expect.poll(async () => (await shown()).length).toBeGreaterThan(0);
    await expect
      .poll(async () => (await shown()).filter((one) => one.includes("healthy")))
      .toEqual([]);
  });

  it("delivers again, pauses and resets", async () => {
    const { page } = await openPage(browser, served.page);
    await live(page);
    await trigger(page);
    await expect.poll(() => results(page).textContent()).toContain("delivered");
    const { received } = hook;
    await rows(page).first().click();
    await page.getByTestId("redeliver").click();
    await expect.poll(() => page.getByTestId("message").textContent()).toContain("Attempt 2");
    expect(hook.received).toBe(received + 1);
    await page.getByRole("button", { name: "ops-alerts" }).click();
    await page.getByTestId("do").click();
    await page.getByText("paused", { exact: true }).waitFor();
    await page.getByTestId("reset").click();
    await page.getByTestId("do").click();
    await expect.poll(() => rows(page).count()).toBe(0);
    await page.getByTestId("message").waitFor({ state: "hidden" });
    await expect
      .poll(async () => (await page.locator(".last").allTextContents()).join(""))
      .toBe("");
  });

  it("says why nothing was sent to another machine, and how to receive events on this one", async () => {
    const names = { topic: "far", destination: "far", event: "read.triggered.error" };
    await route(served, { ...names, url: "https://hooks.example/" });
    const { page } = await openPage(browser, served.page);
    await live(page);
    await trigger(page);
    await rows(page).first().click();
    const message = page.getByTestId("message").first();
    await expect
      .poll(() => message.textContent())
      .toMatch(/the URL is not on this machine.*To receive the next events/u);
    const [listen, start] = await message.getByTestId("command").allTextContents();
    expect(listen).toBe(`amp listen --profile sandbox --base-url ${served.url}`);
    expect(start).toBe("amp sandbox start --deliver-to-any-host");
  });

  it("filters and searches", async () => {
    const { page } = await openPage(browser, served.page);
    await live(page);
    await trigger(page, { groupName: "Needle" });
    await control(served, "trigger", { type: "read.triggered.done", repeat: 3 });
    await expect.poll(() => rows(page).count()).toBe(4);
    await page.getByTestId("filter-result").selectOption("nobody");
    await expect.poll(() => rows(page).count()).toBe(3);
    expect(await results(page).textContent()).toBe("reached no destination");
    await page.getByTestId("filter-result").selectOption("");
    await page.getByTestId("search").fill("needle");
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByTestId("clear").click();
    await expect.poll(() => rows(page).count()).toBe(4);
    expect(await page.getByTestId("clear").isVisible()).toBe(false);
  });

  it("shows the delivery that failed first, and that only a webhook gets one", async () => {
    const names = { topic: "more", event: "read.triggered.error" };
    await route(served, { ...names, destination: "broken", url: "http://127.0.0.1:9/" });
    await route(served, { topic: "archive", event: names.event, destination: "archive" });
    const { page } = await openPage(browser, served.page);
    await live(page);
    await trigger(page);
    await rows(page).first().click();
    const states = page.getByTestId("result").locator(".result");
    await expect
      .poll(() => states.allTextContents())
      .toEqual(["↻ retrying", "○ simulated", "✓ delivered"]);
    expect(await results(page).textContent()).toMatch(/^↻ retrying .*○ simulated✓ delivered$/u);
  });

  it("shows hostile names as text", async () => {
    const names = { event: "connection.error", topic: HOSTILE, destination: HOSTILE };
    await route(served, { ...names, url: hook.url }).catch(() => {});
    const { page, problems } = await openPage(browser, served.page);
    await live(page);
    await trigger(page, { groupName: HOSTILE });
    await rows(page).first().click();
    await page.getByTestId("message").waitFor();
    expect(await page.getByTestId("event-title").count()).toBe(1);
    expect(await page.locator(".panel .facts").first().textContent()).toContain(HOSTILE);
    expect(await page.locator("img, iframe, object").count()).toBe(0);
    expect(await page.title()).toBe("Sandbox · acme");
    expect(problems).toEqual([]);
  });

  it("is of no use without the token, to another origin and in a frame", async () => {
    const [address = "", token] = served.page.split("#");
    const { page } = await openPage(browser, address);
    await expect.poll(() => page.getByTestId("failure").textContent()).toContain("it has a token");
    const context = await browser.newContext();
    const foreign = await context.newPage();
    const body = `<title>elsewhere</title><iframe src="${address}"></iframe>`;
    await context.route("http://evil.example/", (one) =>
      one.fulfill({ body, contentType: "text/html" }),
    );
    await foreign.goto("http://evil.example/");
    const headers = { authorization: `Bearer ${token}` };
    const read = await foreign.evaluate(([url, init]) => fetch(url, init).then(String, String), [
      `${address}state`,
      { headers },
    ] as const);
    expect(read).toContain("TypeError");
    const post = { method: "POST", mode: "no-cors", body: "{}", headers } as const;
    await foreign.evaluate(([url, init]) => fetch(url, init).then(String, String), [
      `${address}reset`,
      post,
    ] as const);
    expect(await foreign.frames()[1]?.locator("#app").count()).toBe(0);
    const state = await fetch(`${address}state`, { headers }).then((one) => one.text());
    expect(state).toContain("ops-alerts");
    await context.close();
  });

  it("is used by keyboard alone", async () => {
    const { page } = await openPage(browser, served.page);
    await live(page);
    const focused = () => page.locator(":focus").textContent();
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    // The picture is one stop; arrows move in it.
    await page.keyboard.press("Tab");
    const first = await focused();
    await page.keyboard.press("ArrowDown");
    expect(await focused()).not.toBe(first);
    await page.keyboard.press("Tab");
    expect(await focused()).toContain("not routed");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Trigger event…");
    await page.keyboard.press("Enter");
    await page.getByTestId("trigger-type").focus();
    await page.keyboard.type("read.triggered.e");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await focused()).toBe("Trigger event…");
    for (let stop = 0; stop < 5; stop += 1) await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByTestId("message").waitFor();
    expect(await focused()).toBe("read.triggered.error");
    await page.keyboard.press("Escape");
    await page.getByTestId("message").waitFor({ state: "hidden" });
    expect(await page.locator(":focus").getAttribute("role")).toBe("listbox");
  });

  const views = [
    { colorScheme: "light" },
    { colorScheme: "dark" },
    { viewport: { width: 360, height: 740 } },
  ] as const;

  it.each(views)("has no serious finding of axe: %j", async (options) => {
    const { page } = await openPage(browser, served.page, { ...options, bypassCSP: true });
    await live(page);
    await trigger(page);
    await expect.poll(() => results(page).textContent()).toContain("delivered");
    await page.getByTestId("toast").waitFor({ state: "detached" });
    // Colours are all that differs in the dark.
    const rules = "colorScheme" in options && options.colorScheme === "dark";
    const findings = () => seriousFindings(page, rules ? ["color-contrast"] : undefined);
    expect(await findings()).toEqual([]);
    await rows(page).first().click();
    await page.getByTestId("message").waitFor();
    expect(await findings()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByTestId("trigger").click();
    expect(await findings()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Installations" }).click();
    await rows(page).first().click();
    expect(await findings()).toEqual([]);
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  });

  it("does not move what should not move", async () => {
    const { page } = await openPage(browser, served.page, { reducedMotion: "reduce" });
    await live(page);
    const lit = page.locator("path.lit").first().waitFor({ state: "attached" });
    await control(served, "trigger", { type: "read.triggered.error" });
    await lit;
    expect(await page.getByTestId("moving").count()).toBe(0);
  });

  it("scrolls through 10,000 events without a long task", async () => {
    const { page } = await openPage(browser, served.page);
    await live(page);
    await browser.startTracing(page, {
      categories: ["__metadata", "devtools.timeline", "toplevel"],
    });
    await control(served, "trigger", { type: "connection.error", repeat: 9_999 });
    await control(served, "trigger", { type: "read.triggered.error" });
    await expect.poll(() => results(page).textContent()).toContain("delivered");
    const list = page.getByRole("listbox", { name: "Events" });
    await expect
      .poll(async () => {
        await list.evaluate((one) => one.scrollTo(0, one.scrollHeight));
        return page.getByTestId("count").textContent();
      })
      .toBe("10,000");
    await list.focus();
    for (const key of ["Home", "End", "PageUp", "PageUp"]) await page.keyboard.press(key);
    for (let wheel = 0; wheel < 50; wheel += 1) await page.mouse.wheel(0, -800);
    expect(await rows(page).count()).toBeLessThan(60);
    const tasks = tasksOf(await browser.stopTracing());
    expect(tasks.length).toBeGreaterThan(100);
    // A slow machine takes longer: npm run test:browser is for a quiet one.
    if (needed) expect(Math.max(...tasks)).toBeLessThan(100);
  });
});

describe.skipIf(CHROMIUM === undefined && !needed)("the page of a scaled sandbox", () => {
  it("counts down and retries on the scaled clock", async () => {
    const [browser, served, hook] = await Promise.all([
      launch(),
      serve("--time-scale", "5"),
      receiver(),
    ]);
    try {
      const names = { topic: "ops", destination: "ops-alerts", event: "read.triggered.error" };
      await route(served, { ...names, url: hook.url });
      const { page } = await openPage(browser, served.page);
      await page.getByText("waits 5× shorter").waitFor();
      hook.status = 503;
      await control(served, "trigger", { type: "read.triggered.error" });
      const results = page.locator(".row:visible").first().getByTestId("results");
      await expect.poll(() => results.textContent()).toMatch(/retrying in [3-5]\d s/u);
      hook.status = 200;
      await control(served, "clock", { forward: "5m" });
      await expect.poll(() => results.textContent()).toContain("delivered");
      expect(hook.received).toBe(3);
    } finally {
      await browser.close();
      await end(served);
      hook.close();
    }
  });
});
