import { expect } from "vitest";
import { type SuggestedCommand, suggest } from "../src/values/suggested-command.ts";
import { posixWords } from "./posix-words.ts";
import { printed } from "./printed-suggestions.ts";
import { temporaryFolder } from "./temporary-folder.ts";

type Routes = typeof import("./harness.ts").routes;

/** The commands that anything has suggested in a test file, as their one renderer writes them. */
const suggested = new Map<string, SuggestedCommand>();
const prototype = Object.getPrototypeOf(suggest("version")) as SuggestedCommand;
const { line } = prototype;
prototype.line = function (this: SuggestedCommand) {
  const text = line.call(this);
  suggested.set(text, this);
  return text;
};

/**
 * Expects that the program's own parser takes every command that was suggested in a test file, or
 * printed by a process, and forgets them: another test file may follow in this process.
 */
export async function checkSuggestions(): Promise<void> {
  if (suggested.size + printed.size === 0) return;
  // Imported here: most test files suggest nothing.
  const { routes } = await import("./harness.ts");
  const rendered = new Map(suggested);
  const texts = [...printed].filter((text) => !rendered.has(text));
  suggested.clear();
  printed.clear();
  for (const [text, { parts }] of rendered) {
    // A test may run other commands than those of amp; they suggest their own help, and nothing else.
    if (parts.isOfTree && parts.path !== "" && routes[parts.path] === undefined) continue;
    expect(await reachedBy(routes, wordsIn(text)), text).toEqual({
      code: 0,
      stderr: "",
      path: parts.path,
    });
  }
  for (const text of texts) {
    expect(await reachedBy(routes, wordsIn(text)), text).toMatchObject({ code: 0, stderr: "" });
  }
  suggested.clear();
}

function wordsIn(text: string): string[] {
  // What the reader fills in is a UUID here: some arguments must be one.
  const filled = text.replace(/(?<= )<[\w-]+>(?= |$)/gu, "113e9685-9a51-42cc-8662-9d9725b17f14");
  const [program, ...words] = posixWords(filled);
  expect(program, text).toBe("amp");
  return words;
}

async function reachedBy(routes: Routes, words: readonly string[]) {
  const { run } = await import("./harness.ts");
  const { inert } = await import("./laws/examples.ts");
  let path: string | undefined;
  const { code, stderr, stdout } = await run(words, {
    routes: inert(routes, (reached) => {
      path = reached;
    }),
    cwd: temporaryFolder(),
    // A dash reads it.
    stdin: "ins_1",
    env: { AMP_ORG: "org_1", AMP_INTEGRATION: "113e9685-9a51-42cc-8662-9d9725b17f14" },
  });
  // Help runs no command, but names the one that it is of.
  return {
    code,
    stderr,
    path: path ?? /^Usage: amp((?: [a-z][\w-]*)*)/mu.exec(stdout)?.[1]?.trim(),
  };
}
