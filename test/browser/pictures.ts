/** Makes the pictures of README.md: `npm run pictures`. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../built.ts";
import { removeTemporaryFolders } from "../temporary-folder.ts";
import { control, end, launch, openPage, receiver, route, serve } from "./browser.ts";

const folder = process.argv[2] ?? join(ROOT, "docs/images");
mkdirSync(folder, { recursive: true });
const [browser, served, hook] = await Promise.all([launch(), serve(), receiver()]);
for (const [event, topic, destination] of [
  ["read.triggered.error", "ops", "ops-alerts"],
  ["installation.updated", "customers", "crm-sync"],
] as const)
  await route(served, { event, topic, destination, url: hook.url });
for (const type of ["installation.updated", "read.triggered.done", "read.triggered.error"])
  await control(served, "trigger", { type, repeat: 2 });
const viewport = { width: 1080, height: 720 };
try {
  const { page } = await openPage(browser, served.page, { viewport, colorScheme: "light" });
  await page.locator(".row:visible").first().waitFor();
  await control(served, "trigger", { type: "installation.updated" });
  await page.getByTestId("moving").first().waitFor();
  await page.waitForTimeout(900);
  await page.screenshot({ path: join(folder, "page.png") });
  await page.emulateMedia({ colorScheme: "dark" });
  hook.status = 503;
  await control(served, "trigger", { type: "read.triggered.error" });
  await page.waitForTimeout(1500);
  await page.locator(".row:visible").first().click();
  await page.getByTestId("message").waitFor();
  await page.screenshot({ path: join(folder, "event.png") });
} finally {
  await browser.close();
  await end(served);
  hook.close();
  removeTemporaryFolders();
}
