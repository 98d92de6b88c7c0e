import { ALLOWED_MISTAKES, MISTAKE_WORDS } from "../../api/catalogue/mistakes.ts";
import { choice, flag, inputFile, list, pair, several, text, value } from "../../cli/define.ts";
import { LITERAL_SECRETS } from "../../notify/file/secrets.ts";
import { readSecretArgument } from "../../notify/model/destination-input.ts";
import { eventProblem } from "../../notify/model/names.ts";
import { ACCEPT_WORDS, type AcceptWord } from "../../notify/plan/table.ts";
import { suggest } from "../../values/suggested-command.ts";
import { commandErrors } from "../errors.ts";

/** The option of every command that reads or changes the saved state. */
export const stateOptions = {
  state: text("location of the saved state: a file, https://…, gitlab or s3://…", {
    placeholder: "location",
    setting: "state",
  }),
};

/** The exit codes of commands that read the routing of the project. */
export const routingExits = { conflict: "a destination or topic is listed without an ID" };

const ALLOWED: readonly string[] = [...MISTAKE_WORDS, LITERAL_SECRETS];
const MISTAKES = Object.entries(ALLOWED_MISTAKES).map((one) => one.join(": "));

/** The option for what a routing file may have and read. */
export const allowOfFile = several(
  value(
    `accept in the file; ${MISTAKES.join("; ")}; literal-secrets: secrets written in it; env:NAME: a variable of amp, AWS or the CI job; file:PATH: a file outside its folder`,
    "what",
    readAllowed,
    { choices: ALLOWED },
  ),
);

/** @throws {UsageError} for a word that `--allow` does not have */
function readAllowed(typed: string): string {
  if (/^(?:env:|file:)./su.test(typed) || ALLOWED.includes(typed)) return typed;
  throw commandErrors.allow_invalid(ALLOWED);
}

/** The option of the commands that read `./routing.yaml` without it. */
export const routingFile = inputFile("routing file; - for standard input (default: routing.yaml)", {
  short: "-f",
});

/** The option of the commands that read the service without it. */
export const fileInstead = inputFile("routing file, instead of the service; - for standard input", {
  short: "-f",
});

/**
 * An event type, or a pattern of known ones.
 * @throws {UsageError} for a text that can be neither
 */
export function readEvent(typed: string): string {
  const problem = eventProblem(typed);
  if (problem === undefined) return typed;
  throw commandErrors.event_invalid(typed, problem, suggest("notify events"));
}

const ACCEPTS: Readonly<Record<AcceptWord, string>> = {
  recreate: "create again what is no longer listed",
  adopt: "change existing resources that somebody else created or changed",
  shared: "change resources that another file owns, and own them",
  takeover: "delete what an earlier file of this name applied",
  references: "delete or rename destinations that customers' reads use",
};

/** The option that accepts what is otherwise a conflict. */
export function acceptOf<Word extends AcceptWord>(words: readonly Word[]) {
  const meanings = words.map((word) => `${word}: ${ACCEPTS[word]}`);
  return list(choice(`accept conflicts; ${meanings.join("; ")}`, words, { placeholder: "words" }));
}

/** The options that choose what a plan does beyond creating, and what it shows. */
export const choiceOptions = {
  prune: flag(
    "delete resources that amp created for this routing and that no file contains any more; needs name: in the file",
  ),
  accept: acceptOf(ACCEPT_WORDS),
  all: flag("also list unchanged resources, and the other resources in the state with their files"),
};

/** The options for the content of a new destination. */
export const destinationOptions = {
  url: text("URL to deliver to; short for --metadata url=…", {
    placeholder: "url",
    wire: "metadata.url",
  }),
  metadata: several(
    pair("metadata value, or env:VARIABLE; a dot separates nested keys, as in headers.X-Team=ops", {
      wire: "metadata",
    }),
  ),
  secret: several(
    value(
      "secret: name=@file, name=env:VARIABLE or name=- (standard input)",
      "name=from",
      readSecretArgument,
      { wire: "secrets" },
    ),
  ),
};
