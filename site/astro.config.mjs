import { readFileSync } from "node:fs";
import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";

// build/site.ts has written it, with the pages.
const sidebar = JSON.parse(
  readFileSync(new URL("src/content/sidebar.json", import.meta.url), "utf8"),
);

export default defineConfig({
  // Quotes and dashes of commands stay as they are typed.
  markdown: { smartypants: false },
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: "amp",
      description: "The command-line admin tool of the integration platform",
      sidebar,
      customCss: ["./src/site.css"],
      // A screen of 80 columns fits beside both sidebars of a window of 1280 pixels.
      expressiveCode: { styleOverrides: { codeFontSize: "0.8125rem" } },
    }),
  ],
});
