import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** What was checked on the pages of a site, and what is wrong. */
export interface Checked {
  readonly pages: number;
  readonly links: number;
  /** Each with its page: links and anchors that lead nowhere, and what is loaded from elsewhere. */
  readonly problems: readonly string[];
}

/** Elements whose address the browser loads by itself, and the attributes that have it. */
const LOADED = /<(?:script|img|iframe|source|video|audio|embed|object|input)\b[^>]*>/giu;
/** Links that the browser loads; others, such as canonical, name a page. */
const LOADED_RELS = /\brel="?(?:stylesheet|icon|shortcut icon|preload|modulepreload|manifest)\b/iu;
const FOREIGN = /^(?:[a-z][a-z\d+.-]*:)?\/\//iu;

/**
 * Checks the files of a built site: every link and anchor inside it leads somewhere, and no page or
 * stylesheet loads anything from another origin.
 */
export function checkSite(folder: string): Checked {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => statSync(join(folder, path)).isFile());
  const text = (path: string) => readFileSync(join(folder, path), "utf8");
  const html = new Map(
    files.filter((path) => path.endsWith(".html")).map((path) => [path, text(path)]),
  );
  const anchors = new Map([...html].map(([path, page]) => [path, anchorsOf(page)]));
  const known = new Set(files);
  const links = [...html].flatMap(([path, page]) =>
    hrefsOf(page).map((href) => ({ path, ...target(path, href) })),
  );
  const inside = links.filter(({ isForeign }) => !isForeign);
  const broken = inside.flatMap(({ path, href, file, anchor }) => {
    const found = known.has(file) ? file : posix.join(file, "index.html");
    if (!known.has(found)) return [`${path}: ${href} leads to no page`];
    const ids = anchors.get(found);
    return anchor === "" || ids === undefined || ids.has(anchor)
      ? []
      : [`${path}: ${href} leads to no heading`];
  });
  const sheets = files.filter((path) => path.endsWith(".css"));
  const foreign = [
    ...[...html].flatMap(([path, page]) => loadedBy(page).map((url) => `${path} loads ${url}`)),
    ...sheets.flatMap((path) => loadedByCss(text(path)).map((url) => `${path} loads ${url}`)),
  ];
  return { pages: html.size, links: inside.length, problems: [...broken, ...foreign] };
}

function anchorsOf(page: string): Set<string> {
  return new Set([...page.matchAll(/\sid="?([^"\s>]+)/gu)].map(([, id = ""]) => decoded(id)));
}

function hrefsOf(page: string): string[] {
  const body = page.replaceAll(/<(?:script|style)\b[\s\S]*?<\/(?:script|style)>/giu, "");
  const found = [...body.matchAll(/\s(?:href|src)=(?:"([^"]*)"|([^\s">]+))/gu)];
  return found.map(([, quoted, bare]) => decoded(quoted ?? bare ?? ""));
}

function target(path: string, href: string) {
  const isForeign = FOREIGN.test(href) || /^(?:data|mailto|javascript):/iu.test(href);
  const [address = "", anchor = ""] = href.split("#");
  const [plain = ""] = address.split("?");
  const file = plain.startsWith("/") ? plain.slice(1) : posix.join(posix.dirname(path), plain);
  const here = plain === "" ? path : posix.normalize(decodeURI(file)).replace(/\/$/u, "");
  return { href, isForeign, anchor: decodeURIComponent(anchor), file: here === "." ? "" : here };
}

/** What a page loads from another origin. */
function loadedBy(page: string): string[] {
  const links = (page.match(/<link\b[^>]*>/giu) ?? []).filter((tag) => LOADED_RELS.test(tag));
  const tags = [...(page.match(LOADED) ?? []), ...links];
  const urls = tags.flatMap((tag) =>
    [...tag.matchAll(/\s(?:src|href|srcset|data|poster)="?([^"\s>]+)/giu)].map(
      ([, url = ""]) => url,
    ),
  );
  const styles = [...page.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>|\sstyle="([^"]*)"/giu)];
  return [
    ...urls.filter((url) => FOREIGN.test(url)),
    ...styles.flatMap(([, block = "", inline = ""]) => loadedByCss(block + inline)),
  ];
}

function loadedByCss(css: string): string[] {
  const urls = [...css.matchAll(/(?:url\(|@import\s+)\s*["']?([^"')\s;]+)/giu)];
  return urls.map(([, url = ""]) => url).filter((url) => FOREIGN.test(url));
}

function decoded(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&#x26;", "&")
    .replaceAll("&#38;", "&")
    .replaceAll("&amp;", "&");
}
