#!/usr/bin/env node
// Plain JavaScript that every Node parses, so that an old one gets a sentence and not a stack.
// CommonJS (package.json beside it), for Node takes milliseconds to start with a module.
const words = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `amp needs Node.js 22.12 or newer; this is ${process.versions.node}. Update Node.js, run amp with a newer one, or build a program that contains one: npm run build:standalone.\n`,
  );
  process.exitCode = 1;
} else if (!printsVersion()) {
  // Helps only what is loaded after it, hence the small entry.
  require("node:module").enableCompileCache();
  // Help calls too few functions for it.
  if (words.length > 0 && !words.includes("--help")) require("./compiled.js");
  require("../dist/main.cjs");
}

/** Asked at every start of many a script: answered before anything else is loaded. */
function printsVersion() {
  if (words.length !== 1 || !["--version", "-v", "-V"].includes(words[0])) return false;
  try {
    // As a whole or not at all. Past process.stdout, whose making takes longer than all the rest.
    require("node:fs").writeSync(1, `${require("../package.json").version}\n`);
    return true;
  } catch {
    // A reader that is gone, a full disk: what becomes of them, the program knows.
    return false;
  }
}
