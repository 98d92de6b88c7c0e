import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";
import { CHROMIUM, launch, openPage, seriousFindings } from "./browser.ts";

const SITE = join(ROOT, "site/dist");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Serves the files of the site, as any web server does. */
function serveSite(): Server {
  return createServer(({ url = "" }, response) => {
    const path = join(SITE, new URL(url, "http://localhost").pathname);
    const file = path.endsWith("/") ? join(path, "index.html") : path;
    if (!existsSync(file) || statSync(file).isDirectory()) return response.writeHead(404).end();
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    return response.writeHead(200, { "content-type": type }).end(readFileSync(file));
  }).listen(0, "127.0.0.1");
}

const isAsked = process.env.AMP_TEST_SITE !== undefined;
const why = isAsked && CHROMIUM ? "" : " (skipped: .ci/nightly runs it, where there is chromium)";

describe.skipIf(!isAsked || CHROMIUM === undefined)(`the site${why}`, () => {
  let browser: Browser;
  let server: Server;
  let base: string;

  beforeAll(async () => {
    [browser, server] = [await launch(), serveSite()];
    if (!server.listening) await once(server, "listening");
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it.each([1280, 390])(
    "loads nothing from elsewhere and fits %d pixels",
    {
      timeout: 600_000,
    },
    async (width) => {
      const { page, problems } = await openPage(browser, `${base}/`, {
        viewport: { width, height: 900 },
      });
      const elsewhere: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(base)) elsewhere.push(request.url());
      });
      const pages = readdirSync(SITE, { recursive: true, encoding: "utf8" });
      for (const path of pages.filter((name) => name.endsWith("index.html"))) {
        await page.goto(`${base}/${path.replace("index.html", "")}`);
        const shown = await page.evaluate<number>("document.documentElement.scrollWidth");
        expect.soft(shown, path).toBe(width);
      }
      expect(elsewhere.filter((url) => !url.startsWith("data:"))).toEqual([]);
      expect(problems).toEqual([]);
    },
  );

  it.each([1280, 390])("has no serious finding of axe at %d pixels", async (width) => {
    const viewport = { width, height: 900 };
    for (const path of ["", "tickets/", "cookbook-github/", "sandbox/"]) {
      const { page } = await openPage(browser, `${base}/${path}`, { viewport });
      expect.soft(await seriousFindings(page), path).toEqual([]);
      await page.close();
    }
  });

  it.each([
    ["customer's sync stopped", "/tickets/"],
    ["route an event from CI", "/cookbook-git"],
  ])("finds a page with words of a reader, without another server: %s", async (words, path) => {
    const { page } = await openPage(browser, `${base}/`);
    await page.locator("site-search button").first().click();
    await page.locator("site-search input").fill(words);
    await page.locator(`site-search a[href*='${path}']`).first().waitFor();
  });
});
