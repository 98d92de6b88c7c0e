/** Makes the page: one HTML file with its script and style, and the policy that lets nothing else run. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import type { PageDocument } from "../src/page/html.ts";

const fileOf = (name: string) =>
  fileURLToPath(new URL(`../src/page/client/${name}`, import.meta.url));

export async function buildPage(): Promise<PageDocument> {
  const build = await rolldown({ input: fileOf("main.ts"), platform: "browser" });
  const { output } = await build.generate({ format: "iife", minify: true });
  await build.close();
  const script = output[0].code.trim().replaceAll("</script", "<\\/script");
  const style = readFileSync(fileOf("page.css"), "utf8")
    .replaceAll(/\s*\n\s*/gu, "\n")
    .trim();
  const html = readFileSync(fileOf("page.html"), "utf8")
    .replace("<style></style>", () => `<style>${style}</style>`)
    .replace("<script></script>", () => `<script>${script}</script>`);
  const csp = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // No text of the world can become markup, not even by mistake.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": csp.join("; "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
  return { html, headers };
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
