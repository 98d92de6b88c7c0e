#!/usr/bin/env node
// Plain JavaScript that every Node parses, so that an old one gets a sentence and not a stack.
import module from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `amp needs Node.js 22.12 or newer; this is ${process.versions.node}. Update Node.js, or run amp with a newer one.\n`,
  );
  process.exitCode = 1;
} else {
  // Helps only what is loaded after it, hence the small entry.
  module.enableCompileCache?.();
  await import("../dist/main.js");
}
