import { readFileSync } from "node:fs";
import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";

// build/site.ts has written it, with the pages.
const sidebar = JSON.parse(
  readFileSync(new URL("src/content/sidebar.json", import.meta.url), "utf8"),
);

// What scrolls can be focused, so that the arrow keys scroll it. The button of the search is named as
// it is seen, with its keys.
const FOCUS = `
const focus = () => {
  for (const part of document.querySelectorAll("main :is(table, pre, p:has(> img))"))
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
};
for (const event of ["load", "resize"]) addEventListener(event, focus);
document.addEventListener("DOMContentLoaded", () => {
  focus();
  const button = document.querySelector("[data-open-modal]");
  for (const key of button?.querySelectorAll("kbd kbd") ?? []) key.prepend(" ");
  if (button) button.ariaLabel = button.textContent.trim().replace(/\\s+/g, " ");
});`;

export default defineConfig({
  // Quotes and dashes of commands stay as they are typed.
  markdown: { smartypants: false },
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "amp",
      description: "The command-line admin tool of the integration platform",
      sidebar,
      head: [{ tag: "script", content: FOCUS }],
      customCss: ["./src/site.css"],
      // A screen of 80 columns fits beside both sidebars of a window of 1280 pixels.
      expressiveCode: { styleOverrides: { codeFontSize: "0.8125rem" } },
    }),
  ],
});
