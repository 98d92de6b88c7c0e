import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { run } from "../harness.ts";
import { sourceFiles } from "./graph.ts";

const BIN = new URL("../../bin/", import.meta.url);
const files = [
  ...sourceFiles(),
  // The entry of the action is none of amp: it reads what the runner of a job says.
  ...readdirSync(BIN)
    .filter((path) => path !== "action.js")
    .map((path) => ({ path, text: readFileSync(new URL(path, BIN), "utf8") })),
];
const { stdout: help } = await run(["help", "environment"]);
const told = new Set<string>([
  ...[...help.matchAll(/\b[A-Z][A-Z\d]*(?:_[A-Z\d]+)*\b/gu)].map(([name]) => name),
  // The name of a table in an example.
  "AMP_EVENTS",
]);

/** The environment variables that a source text reads or names. */
function variablesIn(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gmu, "");
  const constants = new Set(
    [...code.matchAll(/\b(?:const|import|type) (?:type )?\{?\s*([A-Z_\d]+)\b/gu)].map((m) => m[1]),
  );
  const reads = [...code.matchAll(/\benv(?:\.|\[")([A-Z][A-Z_\d]*)/gu)].map((m) => m[1]);
  const destructured = [
    ...code.matchAll(/\{([^{}]*)\}(?::[^=]+)? = (?:(?:io|process)\.)?env\b/gu),
  ].flatMap((m) => [...(m[1] ?? "").matchAll(/\b([A-Z][A-Z_\d]+)\b/gu)].map((name) => name[1]));
  const named = [
    ...code.matchAll(/\b((?:AMP|AWS|CI|XDG|GITHUB|GITLAB|RUNNER|NODE)_[A-Z][A-Z_\d]*[A-Z\d])\b/gu),
  ].map((m) => m[1]);
  const all = [...reads, ...destructured, ...named.filter((name) => !constants.has(name))];
  return [...new Set(all.filter((name) => name !== undefined))];
}

it("amp help environment lists every variable that any code reads", () => {
  const constants = new Set(
    files.flatMap(({ text }) => [...text.matchAll(/\bconst ([A-Z_\d]+)\b/gu)].map((m) => m[1])),
  );
  const missing = files.flatMap(({ path, text }) =>
    variablesIn(text)
      .filter((name) => !told.has(name) && !constants.has(name))
      .map((name) => `${path}: ${name}`),
  );
  expect(missing).toEqual([]);
});

it("a variable that help does not list is seen", () => {
  expect(variablesIn("const named = env.AMP_SECRET_DOOR;")).toEqual(["AMP_SECRET_DOOR"]);
  expect(variablesIn("const { NEW_ONE: one, OTHER = 1 } = env;")).toEqual(["NEW_ONE", "OTHER"]);
  expect(variablesIn('const read = ["CI_NEW_TOKEN"];')).toEqual(["CI_NEW_TOKEN"]);
  expect(variablesIn("// reads AMP_COMMENT\nconst AMP_EVENTS = 1;")).toEqual([]);
});
