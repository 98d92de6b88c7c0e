/**
 * The tests that judge amp from outside, whatever it is made of: `npm run test:judges`. They import
 * of `src` only types, and its values through {@link DOORS}; a law checks it (`judges.test.ts`).
 * Folders end in a slash.
 */
export const JUDGES = [
  // Faults, with the sabotage that shows that they can fail; the program in a terminal.
  "test/faults/",
  "test/e2e/",
  // Goldens of help and of every screen.
  "test/cli/help.test.ts",
  "test/commands/screens.test.ts",
  "test/commands/notify/screens.test.ts",
  "test/commands/apps.test.ts",
  "test/commands/auth.test.ts",
  "test/commands/find-installation.test.ts",
  "test/commands/installation.test.ts",
  "test/commands/installations.test.ts",
  "test/commands/installations-diff.test.ts",
  "test/commands/installations-summary.test.ts",
  "test/commands/invites.test.ts",
  // Secrets that must be on no output.
  "test/commands/secret-probes.test.ts",
  "test/commands/secret-probes-routing.test.ts",
  // Every command as test/commands/invocations.ts calls it.
  "test/commands/conventions.test.ts",
  "test/commands/every-list.test.ts",
  "test/commands/hostile.test.ts",
  "test/commands/json-streams.test.ts",
  "test/commands/odd-fields.test.ts",
  "test/commands/output-formats.test.ts",
  "test/commands/readme.test.ts",
  "test/commands/write-guards.test.ts",
  "test/cli/option-needs.test.ts",
  "test/cli/options-given-twice.test.ts",
  "test/laws/",
  "test/documents/documents.test.ts",
];

/** In those folders, but unit tests of what writes the generated files. */
export const UNIT_TESTS = ["test/laws/generated.test.ts"];

/** Whether a test file is a judge. */
export function isJudge(path: string): boolean {
  return JUDGES.some((judge) => path.startsWith(judge)) && !UNIT_TESTS.includes(path);
}

/**
 * The files of `test` through which judges reach values of `src`, what each imports, and why. `cli`
 * and so on are what `src/main.ts` imports.
 */
export const DOORS: Readonly<Record<string, { readonly why: string; readonly src: string[] }>> = {
  "test/harness.ts": {
    why: "the program in this process, put together as src/main.ts does",
    src: [
      "cli/program.ts",
      "commands/routes.ts",
      "context/context.ts",
      "context/output-settings.ts",
      "runtime/end-process.ts",
    ],
  },
  "test/platform.ts": {
    why: "the sandbox, a second implementation of the service",
    src: [
      "sandbox/control/control.ts",
      "sandbox/faults/faulty-sandbox.ts",
      "sandbox/faults/script.ts",
      "sandbox/run.ts",
      "sandbox/sandbox.ts",
      "sandbox/seed/world.ts",
      "sandbox/serve.ts",
      "values/basics.ts",
    ],
  },
  "test/faulty-sandbox.ts": {
    why: "the sandbox with faults",
    src: ["sandbox/faults/faulty-sandbox.ts", "values/basics.ts"],
  },
  "test/scripted-prompter.ts": {
    why: "a person presses Ctrl-C or goes back",
    src: ["errors.ts"],
  },
  "test/documents/documents.ts": {
    why: "the JSON of each command, as it is documented",
    src: [
      "documents/account.ts",
      "documents/case.ts",
      "documents/events.ts",
      "documents/inspect.ts",
      "documents/notify.ts",
      "documents/routing.ts",
      "inspect/explained-records.ts",
    ],
  },
  "test/setup.ts": { why: "test files share a process", src: ["secrets/secret.ts"] },
  "test/suggestions.ts": {
    why: "every suggestion of a run is parsed",
    src: ["values/suggested-command.ts"],
  },
  "test/thrown-errors.ts": { why: "each error is provoked by a test", src: ["errors.ts"] },
  "test/cli/fixture-routes.ts": { why: "commands of a test", src: ["cli/define.ts"] },
  "test/cli/throwaway-routes.ts": { why: "commands of a test", src: ["cli/define.ts"] },
  "test/laws/examples.ts": { why: "commands that do nothing", src: ["cli/define.ts"] },
};

/** Other values of `src` that judges still import: this list may only shrink. */
export const LEFT: readonly string[] = ["test/e2e/wizard-screen.test.ts: api/catalogue/events.ts"];
