import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { NOW, type RunInput, run } from "../harness.ts";
import { createSandbox } from "../platform.ts";
import { posixWords } from "../posix-words.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { SIGNED_REQUEST, SIGNING_SECRET, startedIt } from "./invocations.ts";

const README = readFileSync("README.md", "utf8");

/** Every command line of amp in the text: those of shell blocks, and those between backticks. */
function examplesOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gmsu)].flatMap(([, lines = ""]) =>
    lines
      .split("\n")
      .flatMap((line) => /(?:^|<\()(amp (?:'[^']*'|"[^"]*"|[^|>)#'"])+)/u.exec(line)?.[1] ?? []),
  );
  const inline = [...text.matchAll(/`(amp (?!<command>)[^`]+)`/gu)].map(([, line = ""]) => line);
  return [...new Set([...blocks, ...inline].map((line) => line.trim()))];
}

/** What the reader fills in. */
const FILLED: Readonly<Record<string, string>> = {
  "apps get <id>": "app_224bf652",
  "installations logs <operation>": "op_cbde36a4_53",
  "invites revoke <invite>": "inv_713bab4e",
};

function wordsOf(example: string): string[] {
  const line = example
    .replace(/ \[[\w-]+\]/gu, "")
    .replace(/<[\w-]+>/u, (placeholder) => FILLED[example.slice("amp ".length)] ?? placeholder)
    // A server for the state is not part of the sandbox.
    .replace(/(?<=--state )\S+/u, "state.json");
  return posixWords(line).slice(1);
}

/** What somebody at the keyboard would answer, as options. */
const ANSWERS: readonly (readonly [example: RegExp, ...options: string[]])[] = [
  [/auth login/u, "--profile", "me", "--base-url", "http://127.0.0.1:4747/v1", "--project", "acme"],
  [/auth login/u, "--api-key-file", "-"],
  [/notify setup/u, "--destination-name", "ops-webhook", "--destination-type", "webhook"],
  [/notify setup/u, "--url", "https://hooks.acme.com/amp", "--topic", "lifecycle"],
  [/notify setup/u, "--event", "installation.created", "--yes"],
  [/notify apply|invites revoke|installations (?:pause|resume)/u, "--yes"],
  [/sandbox start/u, "--port", "0"],
  // A receiver is not part of the sandbox.
  [/webhooks test/u, "--list"],
  // Its first line on standard output says that it is ready.
  [/^amp listen/u, "--port", "0", "--output", "ndjson"],
];

/** The exit codes other than 0. */
const ENDS: readonly (readonly [example: string, code: number])[] = [
  // What is followed has no end of its own.
  ["--follow", 130],
  ["check --filter", 8],
  // The sandbox is no registry.
  ["version --check", 3],
];

it("shows only commands that work against a fresh sandbox, in their order", async () => {
  const sandbox = createSandbox({ now: () => NOW });
  const cwd = temporaryFolder();
  const [, routing = ""] = /^```yaml\n(.*?)^```/msu.exec(README) ?? [];
  writeFileSync(join(cwd, "routing.yaml"), routing);
  const cases = "cases: [{ when: connection.error, then: [{ misses: nobody }] }]";
  writeFileSync(
    join(cwd, "cases.yaml"),
    cases.replace("nobody", /^ {2}([\w-]+):/mu.exec(routing)?.[1] ?? ""),
  );
  // For amp trust.
  writeFileSync(join(cwd, ".amp.yaml"), "project: acme\n");
  writeFileSync(join(cwd, "request.http"), SIGNED_REQUEST);
  await startedIt(cwd);
  const env = { WEBHOOK_SECRET: SIGNING_SECRET, AMP_REGISTRY: "http://127.0.0.1:4747/npm" };
  const examples = examplesOf(README);
  expect(examples.length).toBeGreaterThan(30);
  for (const example of examples) {
    const stop = new AbortController();
    const input: RunInput = { sandbox, cwd, stdin: "sandbox-api-key", env };
    const started = { signal: stop.signal, onOutput: () => stop.abort("SIGINT") };
    const isServer = /^amp (?:sandbox start|listen)|--follow/u.test(example);
    const options = ANSWERS.flatMap(([of, ...words]) => (of.test(example) ? words : []));
    const outcome = await run([...wordsOf(example), ...options], {
      ...input,
      ...(isServer && started),
    });
    const [, ends = 0] = ENDS.find(([of]) => example.includes(of)) ?? [];
    expect.soft(outcome.code, `${example}\n${outcome.stderr}`).toBe(ends);
  }
  // Dozens of commands, one after the other: far more than most tests on a busy machine.
}, 600_000);

it("names the test command that CI runs", () => {
  expect(README).toContain("`npm test`");
  expect(readFileSync(".ci/run", "utf8")).toMatch(/^step npm test$/mu);
});
