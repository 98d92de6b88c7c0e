#!/usr/bin/env node
// Plain JavaScript that every Node parses, so that an old one gets a sentence and not a stack.
// CommonJS (package.json beside it), for Node takes milliseconds to start with a module.
const words = process.argv.slice(2);
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `amp needs Node.js 22.19 or newer; this is ${process.versions.node}. Update Node.js, run amp with a newer one, or build a program that contains one: npm run build:standalone.\n`,
  );
  process.exitCode = 1;
} else if (words[0] === "__complete") {
  printCandidates();
} else if (!printsVersion()) {
  // Of the two, amp obeys NO_COLOR; Node would warn on stderr, where a script reads one JSON document.
  if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;
  const cache = cacheFolder();
  // Helps only what is loaded after it, hence the small entry.
  if (cache !== undefined) require("node:module").enableCompileCache(cache);
  // Help calls too few functions for it.
  if (words.length > 0 && !words.includes("--help")) require("./compiled.js");
  require("../dist/main.cjs");
}

/** Asked at every start of many a script: answered before anything else is loaded. */
function printsVersion() {
  if (words.length !== 1 || !["--version", "-v", "-V"].includes(words[0])) return false;
  try {
    // As a whole or not at all. Past process.stdout, whose making takes longer than all the rest.
    require("node:fs").writeSync(1, `amp-admin ${require("../package.json").version}\n`);
    return true;
  } catch {
    // A reader that is gone, a full disk: what becomes of them, the program knows.
    return false;
  }
}

/** Answers a shell at Tab before anything else is loaded. Nobody would read an error there. */
async function printCandidates() {
  const { env, platform } = process;
  try {
    const around = { env, platform, homeDir: require("node:os").homedir() };
    const lines = await require("../dist/complete.cjs").complete(words.slice(1), around);
    require("node:fs").writeSync(1, lines);
  } catch {}
}

/**
 * The folder for compiled code, made where it is missing; undefined if the user names one or wants none.
 * Whoever can write to it can run code as this user: so it is not below the temporary folder, Node's
 * choice, where another user could have made it first, and it must belong to this user alone.
 */
function cacheFolder() {
  const { env, geteuid, platform } = process;
  if (env.NODE_COMPILE_CACHE || env.NODE_DISABLE_COMPILE_CACHE) return undefined;
  const { dirname, isAbsolute, join } = require("node:path");
  const { lstatSync, mkdirSync } = require("node:fs");
  const places = {
    darwin: [env.HOME, "Library/Caches/amp-admin"],
    win32: [env.LOCALAPPDATA, "amp-admin/Cache"],
  };
  const [base = "", below] = isAbsolute(env.XDG_CACHE_HOME || "")
    ? [env.XDG_CACHE_HOME, "amp-admin"]
    : places[platform] || [env.HOME, ".cache/amp-admin"];
  if (!isAbsolute(base)) return undefined;
  const folder = join(base, below);
  // Not by "recursive", which never ends below /proc.
  for (const missing of [undefined, dirname(folder), folder]) {
    try {
      if (missing !== undefined) mkdirSync(missing, { mode: 0o700 });
      const found = lstatSync(folder);
      const isOwn =
        geteuid === undefined || (found.uid === geteuid() && (found.mode & 0o022) === 0);
      return found.isDirectory() && isOwn ? folder : undefined;
    } catch {
      // It is missing, or cannot be made: then code is compiled at each start.
    }
  }
  return undefined;
}
