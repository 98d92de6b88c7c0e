import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkSite } from "../../build/site-links.ts";
import { llmsIndex, sidebarOf, sitePages, WRITTEN } from "../../build/site-pages.ts";
import { commandEntries, commandTree } from "../command-tree.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const root = await commandTree();
const texts = Object.fromEntries(WRITTEN.map((path) => [path, readFileSync(path, "utf8")]));
const pages = sitePages(root, texts);
const bodyOf = (slug: string) => pages.find((page) => page.slug === slug)?.body ?? "";

describe("the pages of the site", () => {
  it("are those of docs and one for each command, all in llms.txt and the sidebar", async () => {
    const commands = (await commandEntries()).slice(1).map(({ command }) => command);
    expect(pages.map(({ title }) => title)).toEqual(expect.arrayContaining(commands));
    const sidebar = JSON.stringify(sidebarOf(root));
    const docs = readdirSync("docs").filter((name) => name.endsWith(".md"));
    expect(WRITTEN).toEqual(expect.arrayContaining(docs.map((name) => `docs/${name}`)));
    for (const { slug } of pages) {
      expect(sidebar).toContain(`"link":"/${slug}${slug === "" ? "" : "/"}"`);
      expect(llmsIndex(pages)).toContain(`](/${slug || "index"}.md): `);
    }
  });

  it("have a description, and links to addresses of the site alone", () => {
    for (const { slug, description, body } of pages) {
      expect(description, slug).toMatch(/^\S.*\.$/u);
      const prose = body.replace(/```[\s\S]*?```|`[^`\n]*`/gu, "");
      expect(prose.match(/\]\((?!https?:|#|\/)[^)]*\)/gu), slug).toBeNull();
    }
  });

  it("say of a command its usage, options, examples, JSON and exit codes", () => {
    const plan = bodyOf("commands/notify-plan");
    expect(plan.match(/^## .+$/gmu)).toEqual(
      ["Usage", "Options", "Global options", "Examples", "JSON", "Exit codes"].map(
        (heading) => `## ${heading}`,
      ),
    );
    expect(plan).toContain("`--json` prints: [plan](/json/#plan), or [plans](/json/#plans).");
    expect(bodyOf("commands/notify")).toContain("[amp notify plan](/commands/notify-plan/)");
  });

  it("name the page that a link leads to instead of its file", () => {
    expect(bodyOf("")).toContain("[Glossary](/glossary/)");
    expect(bodyOf("routing")).toContain("[Overview](/#route-events)");
  });
});

describe("the check of a built site", () => {
  function site(files: Readonly<Record<string, string>>): string {
    const folder = temporaryFolder();
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }

  it("accepts pages, anchors, files and links to other sites", () => {
    const folder = site({
      "index.html": `<link rel=stylesheet href="/a.css"><a href="/b/#one&#38;two">b</a> <a href=#x id=x>x</a>`,
      "b/index.html": `<h2 id="one&amp;two">1</h2><a href="../">up</a><a href="https://example.com/">e</a><img src="data:image/png;base64,AA">`,
      "a.css": "a { background: url(data:image/png;base64,AA) }",
    });
    expect(checkSite(folder)).toEqual({ pages: 2, links: 4, problems: [] });
  });

  it("names what leads nowhere, and what is loaded from elsewhere", () => {
    const folder = site({
      "index.html": `<a href="/c/">c</a><a href="#y">y</a><script src="https://cdn.example/a.js"></script><p style="background:url(//x.example/i.png)">`,
      "a.css": `@import "https://fonts.example/f.css";`,
    });
    expect(checkSite(folder).problems).toEqual([
      "index.html: /c/ leads to no page",
      "index.html: #y leads to no heading",
      "index.html loads https://cdn.example/a.js",
      "index.html loads //x.example/i.png",
      "a.css loads https://fonts.example/f.css",
    ]);
  });
});
