/**
 * `npm run site`: builds the site into `site/dist`, from the pages of `docs`, README and the command
 * tree, and checks its links. It needs the packages of `site/`, which amp itself does not.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readTree } from "../src/cli/tree.ts";
import { routes } from "../src/commands/routes.ts";
import { checkSite } from "./site-links.ts";
import { asMarkdown, llmsIndex, sidebarOf, sitePages, WRITTEN } from "./site-pages.ts";

const CONTENT = "site/src/content";
const PUBLIC = "site/public";
const OUT = "site/dist";

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function npm(...words: readonly string[]): void {
  execFileSync("npm", [...words, "--prefix", "site"], {
    stdio: "inherit",
    shell: process.platform === "win32",
    // Astro would report each build to its makers.
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1" },
  });
}

const root = await readTree(routes);
const texts = Object.fromEntries(WRITTEN.map((path) => [path, readFileSync(path, "utf8")]));
const pages = sitePages(root, texts);
for (const folder of [CONTENT, PUBLIC, OUT]) rmSync(folder, { recursive: true, force: true });
for (const page of pages) {
  const { slug, title, description, body, isSearched } = page;
  const head = Object.entries({ title, description, pagefind: isSearched }).map(
    ([k, v]) => `${k}: ${JSON.stringify(v)}`,
  );
  const name = `${slug || "index"}.md`;
  write(join(CONTENT, "docs", name), ["---", ...head, "---", "", body, ""].join("\n"));
  write(join(PUBLIC, name), asMarkdown(page));
}
write(join(CONTENT, "sidebar.json"), JSON.stringify(sidebarOf(root)));
write(join(PUBLIC, "llms.txt"), llmsIndex(pages));
write(join(PUBLIC, "llms-full.txt"), pages.map(asMarkdown).join("\n"));
cpSync("site/src/favicon.svg", join(PUBLIC, "favicon.svg"));
cpSync("docs/images", join(PUBLIC, "images"), { recursive: true });
for (const name of readdirSync("docs").filter((one) => one.endsWith(".json")))
  cpSync(join("docs", name), join(PUBLIC, name));

npm("ci", "--silent");
npm("run", "--silent", "build");
const checked = checkSite(OUT);
process.stdout.write(
  [...checked.problems, `${OUT}: ${checked.pages} pages, ${checked.links} links checked`, ""].join(
    "\n",
  ),
);
process.exitCode = checked.problems.length > 0 ? 1 : 0;
