#!/usr/bin/env node
// For pre-commit, which puts the names of the changed files behind its arguments: each is one -f.
const words = process.argv.slice(2);
const named = words.flatMap((word) => (/\.ya?ml$/i.test(word) ? ["-f", word] : [word]));
process.argv.splice(2, words.length, "notify", "check", ...named);
require("./amp.js");
