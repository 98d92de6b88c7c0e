import type { ErrorFacts } from "../errors.ts";
import { isCommandPath } from "../values/command-paths.ts";
import { nearest } from "../values/nearest.ts";
import { optionsText, type SuggestedOptions, suggest } from "../values/suggested-command.ts";

/** What a former name leads to; at least one of both. */
interface FormerName<Target> {
  readonly to?: Target;
  /** A sentence: why it is gone, or what to do instead. */
  readonly says?: string;
}

/**
 * Former commands, and verbs of other tools, by their path. None of them is accepted: errors lead
 * from them to what does it. A row whose path is a group holds for everything that was below it.
 */
export const FORMER_COMMANDS: Readonly<
  Record<string, FormerName<Readonly<Parameters<typeof suggest>>>>
> = {
  "notify status": {
    to: ["notify plan"],
    says: "amp notify plan shows drift, amp notify state list what the state has.",
  },
  "notify validate": { to: ["notify check", [], { f: "routing.yaml" }] },
  "notify trace": { to: ["notify graph", [{ placeholder: "event" }]] },
  "notify resume": {
    to: ["notify apply"],
    says: "amp notify apply first resolves what an earlier run left unknown.",
  },
  "notify diff": { to: ["notify plan"] },
  "notify sync": { to: ["notify apply"] },
  "notify destroy": { to: ["notify undo"] },
  "notify init": { to: ["notify setup"] },
  "notify history": { to: ["notify state history"] },
  "notify import": {
    to: ["notify state import", [{ placeholder: "address" }, { placeholder: "id" }]],
  },
  "notify resolve": { to: ["notify state resolve", [{ placeholder: "address" }]] },
  "notify forget": { to: ["notify state forget", [{ placeholder: "address" }]] },
  "notify unlock": { to: ["notify state unlock", [{ placeholder: "lock" }]] },
  ...becomesRoutes("event"),
  ...becomesRoutes("destination"),
  "installations progress": {
    to: ["installations get", [{ placeholder: "installation" }]],
    says: "amp installations get shows the backfills.",
  },
  "case list": {
    to: ["case show", [{ placeholder: "file" }]],
    says: "A case is the file that amp case create --save wrote. amp installations list lists customers.",
  },
  "sandbox redeliver": {
    to: ["trigger", [], { from: "MESSAGE-ID" }],
    says: "Use amp trigger --from with the ID of the message.",
  },
};

function becomesRoutes(end: string): typeof FORMER_COMMANDS {
  const options = { topic: { placeholder: "topic" }, [end]: { placeholder: end } };
  return {
    [`notify ${end}-routes`]: { to: ["notify routes list"] },
    [`notify ${end}-routes create`]: { to: ["notify routes create", [], options] },
    [`notify ${end}-routes delete`]: { to: ["notify routes delete", [], options] },
  };
}

/**
 * Former options, as `--name`, or with the path of the only command for which the row holds:
 * `notify graph --name`.
 */
export const FORMER_OPTIONS: Readonly<Record<string, FormerName<SuggestedOptions>>> = {
  ...acceptedOn("setup", "plan", "apply"),
  ...becomesReferences("plan", "apply", "undo", "destinations delete", "topics delete"),
  "notify destinations update --break-references": { says: "Use --accept references." },
  "--allow-env": { says: "Use --allow env:NAME." },
  "--allow-file": { says: "Use --allow file:PATH." },
  "--allow-literal-secrets": { says: "Use --allow literal-secrets." },
  "--keep-going": { says: "A conflict sends nothing: resolve it, then apply the file." },
  "--replace": { says: "Give it another name, and prune or delete the old one." },
  "--prune-unowned": { says: "Use --prune, which deletes what this file created." },
  "auth login --with-api-key": { says: "Use --api-key-file." },
  "auth login --with-access-token": { says: "Use --access-token-file." },
  "listen --resend": { says: "Use amp trigger --from FILE --to URL --secret FROM." },
  "installations diff --patch": { says: "Use --json: changes has each difference." },
  "installations list --since": {
    says: "Use --filter 'updated>2d', or 'failing-since>2d' for what began to fail since then.",
  },
  "trigger --forward-to": { says: "Use --to URL, with --secret." },
  "notify state history --since": { says: "Use --filter 'time>7d'." },
  "installations list --provider": { says: "Use --filter provider=NAME." },
  "installations list --health": { says: "Use --filter health=unhealthy." },
  "installations summary --since": { says: "Use --filter 'updated>2d'." },
  "installations check --for": { says: "How long a state has lasted is for monitoring to record." },
  "installations check --ledger": {
    says: "How long a state has lasted is for monitoring to record.",
  },
  "case create --anonymise": { says: "A case keeps the names of its customer." },
  "--list-rules": { says: "docs/checks.md lists the rules." },
  "notify setup --resume": {
    says: "Run the command that the error printed; amp notify setup without options prints it again.",
  },
  "--count": { says: "Use --output count, on a list." },
  "--csv": { says: "Use --output csv." },
  "--csv-raw": { says: "Use --output csv-raw." },
  "--retries": { says: "Set AMP_RETRIES, or amp auth default retries." },
  "--max-wait": { says: "Set AMP_MAX_WAIT, or amp auth default max-wait." },
  "--max-body": { says: "Set AMP_MAX_BODY, or amp auth default max-body." },
  "--auth": { says: "Set AMP_AUTH, or amp auth default auth." },
  "--commit-horizon": { says: "Set AMP_COMMIT_HORIZON." },
  "--parallel": { says: "Set AMP_PARALLEL." },
  "--lock-wait": { says: "Set AMP_LOCK_WAIT." },
  "--metadata-json": { says: "Use --metadata KEY=VALUE, or a routing file." },
};

/** The former options of conflicts, for the commands below `amp notify` that had them. */
function acceptedOn(...commands: readonly string[]) {
  return Object.fromEntries(
    commands.flatMap((command) => [
      [`notify ${command} --recreate`, { to: { accept: "recreate" } }],
      [`notify ${command} --adopt-changes`, { to: { accept: "adopt" } }],
      [`notify ${command} --change-shared`, { to: { accept: "shared" } }],
    ]),
  );
}

function becomesReferences(...commands: readonly string[]) {
  const to = { accept: "references" };
  return Object.fromEntries(
    commands.map((command) => [`notify ${command} --break-references`, { to }]),
  );
}

/** The names of all former options. */
export const FORMER_OPTION_NAMES = [
  ...new Set(Object.keys(FORMER_OPTIONS).map((key) => key.slice(key.lastIndexOf(" ") + 1))),
];

type Advice = Pick<ErrorFacts, "remedy" | "suggestion">;

/** What the longest former path at the beginning of the typed words leads to. */
export function formerCommand(group: string, typed: readonly string[]): Advice | undefined {
  for (let count = typed.length; count > 0; count -= 1) {
    const words = typed.slice(0, count).map((word) => (word === "ls" ? "list" : word));
    const path = `${group} ${words.join(" ")}`.trimStart();
    const { to, says } = FORMER_COMMANDS[path] ?? {};
    if (to !== undefined) {
      return { remedy: says ?? `Did you mean amp ${to[0]}?`, suggestion: suggest(...to) };
    }
    if (says !== undefined) return { remedy: says };
  }
  return undefined;
}

/** What the former command leads to that was typed with a mistake, or without its group. */
export function nearFormerCommand(group: string, word: string): Advice | undefined {
  const formers = Object.keys(FORMER_COMMANDS).map((path) => path.split(" "));
  const below = formers.filter((path) => path.slice(0, -1).join(" ") === group);
  const words = below.map((path) => path.at(-1) ?? "");
  const near = nearest(word, words);
  const elsewhere = formers.filter((path) => path.at(-1) === word);
  if (near !== undefined) return formerCommand(group, [near]);
  return elsewhere.length === 1 ? formerCommand("", elsewhere[0] ?? []) : undefined;
}

/** What a former option of a command leads to, if the command has what that is. */
export function formerOption(
  { path, args, options }: { path: string; args: readonly string[]; options: readonly string[] },
  typed: string,
): Advice | undefined {
  const { to, says } = FORMER_OPTIONS[`${path} ${typed}`] ?? FORMER_OPTIONS[typed] ?? {};
  if (to === undefined) return says === undefined ? undefined : { remedy: says };
  const words = optionsText(to);
  const [name = ""] = words.split(" ");
  if (!options.includes(name)) return undefined;
  const placeholders = args.map((placeholder) => ({ placeholder }));
  return {
    remedy: says ?? `Did you mean ${words}?`,
    ...(isCommandPath(path) && { suggestion: suggest(path, placeholders, to) }),
  };
}
