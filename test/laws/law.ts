/** What a part of `src` may import. A name without ending is a folder, and all that is in it. */
export interface Law {
  /** Other parts, in any way. */
  readonly may?: readonly string[];
  /** Only by `import()`, so that a command that needs none of it does not pay for it. */
  readonly lazily?: readonly string[];
  /** Only their types, which are gone when the program runs. */
  readonly types?: readonly string[];
  readonly packages?: readonly string[];
}

/** What anybody may import: they know nothing of amp. */
export const LEAVES = ["errors.ts", "settings.ts", "runtime", "values", "secrets"];

/** Built-in modules that compute and touch nothing. */
export const PURE_BUILTINS = ["node:crypto", "node:path", "node:timers/promises", "node:util"];

/** What a domain may import: it does what commands ask for, without knowing who asks. */
const DOMAIN = {
  may: ["durable", "questions", "view", "reports"],
  types: ["context"],
  packages: ["yaml", "fastest-levenshtein"],
} as const satisfies Law;

/** The parts of `api` that a domain calls. */
const OPERATIONS = ["api/operations", "api/schemas", "api/catalogue", "api/errors.ts"];

/** What the files of `notify` that lie in no folder of it may import inside it. */
const NOTIFY = [
  "notify/errors.ts",
  "notify/model",
  "notify/state",
  "notify/plan",
  "notify/file",
  "notify/engine",
  "notify/graph",
  "notify/checks",
  "notify/pages",
];

/** The files of `events` that lie in no folder of it, for whoever shows, reads or sends messages. */
const EVENTS = [
  "events/capture.ts",
  "events/deliveries.ts",
  "events/delivery.ts",
  "events/errors.ts",
  "events/examine.ts",
  "events/known-events.ts",
  "events/page.ts",
  "events/receiver-options.ts",
  "events/sandbox-control.ts",
  "events/trigger.ts",
];

/**
 * By folder of `src`, or file at its top; the longest match counts. A folder may import itself, but
 * for the commands, and the leaves. `api` and `notify` have a row per folder, from the bottom up.
 */
export const LAYERS = {
  commands: {
    // The defaults of the sandbox are words for its help, and load nothing.
    may: [
      ...OPERATIONS,
      "notify",
      "inspect",
      "events/message",
      "events/webhooks",
      "events/listen/target.ts",
      ...EVENTS,
      "case",
      "account/login",
      "cli/define.ts",
      "questions",
      "sandbox/defaults.ts",
      "view",
    ],
    lazily: ["events/listen", "sandbox"],
    types: ["account/settings.ts"],
  },
  // Reads of installations name destinations.
  notify: { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY, "inspect"] },
  "notify/errors.ts": {},
  "notify/model": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 1)] },
  "notify/state": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 2)] },
  "notify/plan": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 3)] },
  "notify/file": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 4)] },
  "notify/engine": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 4)] },
  "notify/graph": {
    ...DOMAIN,
    may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 5), "events/message"],
  },
  "notify/checks": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 7)] },
  "notify/pages": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 6)] },
  "notify/cases": {
    ...DOMAIN,
    may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 6), "events/message"],
  },
  "notify/setup": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, "notify"] },
  inspect: {
    ...DOMAIN,
    may: [...DOMAIN.may, ...OPERATIONS],
    packages: [...DOMAIN.packages, "cronstrue", "croner"],
  },
  // What a destination receives, for whoever sends it, receives it or tries it.
  "events/message": { may: ["api/schemas"], packages: ["standardwebhooks"] },
  events: { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, "events/message"] },
  "events/webhooks": {
    ...DOMAIN,
    may: [...DOMAIN.may, "events/message", ...EVENTS, "api/catalogue"],
    types: [...DOMAIN.types, "api/schemas"],
  },
  "events/listen": {
    ...DOMAIN,
    may: [...DOMAIN.may, ...OPERATIONS, "events/message", ...EVENTS, "notify"],
    packages: ["node:fs", "node:http"],
  },
  // Who was told follows from the routing.
  case: {
    ...DOMAIN,
    may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY.slice(0, 7), "inspect"],
    lazily: ["croner", "page/html.ts"],
    types: [...DOMAIN.types, "page"],
    packages: ["croner"],
  },
  // What is seen in a browser: it knows neither of those who serve it.
  page: { lazily: ["../build/page.ts"] },
  sandbox: {
    // What the platform knows: the shapes of its records, event types and destination types.
    may: ["api/schemas", "api/catalogue", "durable", "events/message", "events/examine.ts"],
    lazily: ["page/html.ts"],
    types: ["page"],
    packages: [
      "hono",
      "@hono/node-server",
      "zod",
      "node:fs",
      "node:net",
      "node:http",
      "node:https",
      "node:readline",
      "node:events",
      "node:stream/consumers",
    ],
  },
  cli: {
    // The help of the destination types is made from their table.
    may: ["commands/routes.ts", "ui", "view", "api/catalogue/destination-types.ts"],
    // A path that no item has is looked up among those that amp explain knows.
    lazily: ["inspect/explained-records.ts"],
    types: ["account", "context", "io.ts", "api"],
    packages: ["commander"],
  },
  context: {
    may: ["account", "ui/paint.ts", "ui/text.ts"],
    lazily: [
      "api/client/client.ts",
      "api/network/network.ts",
      "api/operations/expected-project.ts",
      "api/request/retry.ts",
      "durable/write-file.ts",
    ],
    types: ["io.ts", "api", "ui", "view"],
    packages: ["chalk", "node:fs"],
  },
  "api/errors.ts": {},
  "api/catalogue": { may: ["api/errors.ts"] },
  "api/schemas": { may: ["api/catalogue"], packages: ["zod"] },
  "api/operations": {
    may: ["api/errors.ts"],
    lazily: ["api/schemas"],
    types: ["api/schemas"],
    packages: ["zod"],
  },
  "api/network": { may: ["api/errors.ts"] },
  "api/request": {
    may: ["api/errors.ts"],
    types: ["api/network"],
    packages: ["node:diagnostics_channel"],
  },
  "api/answer": {
    may: ["api/errors.ts", "api/request"],
    lazily: ["api/schemas"],
    types: ["api"],
    packages: ["zod"],
  },
  "api/client": {
    may: ["api/errors.ts", "api/operations", "api/network", "api/request", "api/answer"],
    packages: ["ky", "zod"],
  },
  // The types of results. Tests and what is generated load them; of the program only what reads a
  // case, which needs zod anyway.
  documents: {
    may: [
      "api/schemas",
      "events/message/signature.ts",
      "events/message/signing-mistakes.ts",
      "notify/model/resource.ts",
      "notify/plan/vocabulary.ts",
    ],
    types: ["notify"],
    packages: ["zod"],
  },
  questions: { may: ["view"], types: ["context"] },
  view: {},
  reports: {
    lazily: ["junit-report-builder", "node-sarif-builder"],
    packages: ["junit-report-builder", "node-sarif-builder"],
  },
  ui: { may: ["view"], packages: ["cli-table3", "string-width", "yaml"] },
  account: {
    may: ["durable"],
    packages: ["conf", "@napi-rs/keyring", "yaml", "node:fs", "node:os"],
  },
  "account/login": { ...DOMAIN, may: [...DOMAIN.may, ...OPERATIONS, "account"] },
  durable: { packages: ["node:fs", "node:os"] },
  runtime: { may: ["../package.json"] },
  // A suggested command shows no secret.
  values: {
    may: ["errors.ts", "secrets/secret.ts", "settings.ts"],
    packages: ["fastest-levenshtein"],
  },
  secrets: {},
  "main.ts": { may: ["cli", "commands", "context", "ui", "io.ts"] },
  "io.ts": {
    may: ["errors.ts", "runtime"],
    packages: ["node:fs", "node:os", "node:stream"],
  },
  // What an error suggests is a command as data.
  "errors.ts": { types: ["values/suggested-command.ts"] },
  // The settings of the output, which are a table of their own.
  "settings.ts": { may: ["values/setting.ts"] },
} as const satisfies Readonly<Record<string, Law>>;

/** What single files may import beyond their folder. */
export const FILES: Readonly<Record<string, Law>> = {
  "commands/completion.ts": { lazily: ["cli/completion/stubs.ts"] },
  // What is asked at Tab loads nothing else; the names of profiles it reads itself.
  "cli/completion/complete.ts": { may: ["account/folders.ts"], packages: ["node:fs"] },
  "cli/completion/stubs.ts": { packages: ["node:fs"] },
  "commands/commands.ts": { types: ["cli/tree.ts"] },
  // A part of NO_PROXY may be a block of addresses.
  "api/network/no-proxy.ts": { packages: ["node:net"] },
  "api/network/undici-fetch.ts": { packages: ["undici"] },
  // Bodies that fetch leaves packed.
  "api/network/unpack.ts": { packages: ["node:stream", "node:zlib"] },
  // Files of amp's own are read as strictly as what a service answers.
  "notify/file/schema.ts": { packages: ["zod"] },
  "notify/file/schema-parts.ts": { packages: ["zod"] },
  "notify/file/check.ts": { packages: ["zod"] },
  "notify/state/state.ts": { packages: ["zod"] },
  "notify/state/history.ts": { packages: ["zod"] },
  "notify/plan/saved-plan.ts": { packages: ["zod"] },
  "notify/state/manager.ts": { packages: ["node:os"] },
  "notify/state/open-backend.ts": { packages: ["node:fs"] },
  "notify/state/local/state-file.ts": { packages: ["node:fs"] },
  // The servers of the sandbox, a listener, a case and a routing's test.
  "runtime/local-server.ts": {
    may: ["values/errors.ts"],
    types: ["values/suggested-command.ts"],
    packages: ["node:events", "node:http", "node:net"],
  },
  // A run of thousands of creates would take three times the memory.
  "runtime/runtime.ts": { packages: ["node:v8"] },
  "notify/cases/schema.ts": { packages: ["zod"] },
  // The receivers of a routing's test.
  "notify/cases/stubs.ts": { packages: ["node:http", "node:net"] },
  // Connections are chosen for each message, and no redirect is followed.
  "events/message/post.ts": {
    may: ["api/network/network-failure.ts"],
    packages: ["node:http", "node:https"],
  },
  "events/listen/listen.ts": { packages: ["node:dns/promises", "node:net", "node:os"] },
  "events/webhooks/examine.ts": { packages: ["node:dns/promises", "node:net"] },
  // A case comes from anybody.
  "case/case-file.ts": { may: ["documents/case.ts"], packages: ["node:zlib", "zod"] },
  "case/rules.ts": { may: ["documents/case.ts"] },
  "case/web.ts": { packages: ["node:events", "node:http"] },
  "case/open.ts": {
    packages: ["node:child_process", "node:events", "node:fs", "node:http", "node:os"],
  },
  "notify/unfinished.ts": {
    ...DOMAIN,
    may: [...DOMAIN.may, ...OPERATIONS, ...NOTIFY],
    packages: ["node:fs", "yaml"],
  },
  "notify/state/remote/s3.ts": { lazily: ["aws4fetch"], packages: ["aws4fetch"] },
  // State servers are reached by the same rules as the service.
  "notify/state/remote/server.ts": { may: ["api/answer"], lazily: ["api/client"], types: ["api"] },
  "account/keyring.ts": { packages: ["node:child_process", "node:events"] },
  "account/keyring-child.ts": { packages: ["node:stream"] },
  "ui/string-width.ts": { packages: ["node:module"] },
  "ui/jq.ts": { packages: ["node:worker_threads"] },
  "ui/jq-engine.ts": { packages: ["node:fs", "node:module"] },
  // The library has a receiver, too.
  "sandbox/library.ts": { may: ["events/delivery.ts", "events/listen/receiver.ts"] },
  "sandbox/open-page.ts": { packages: ["node:child_process"] },
  "events/edit.ts": {
    packages: ["node:child_process", "node:events", "node:fs", "node:os"],
  },
  "ui/pager.ts": { lazily: ["node:child_process"], packages: ["node:child_process"] },
  "ui/line-prompter.ts": { types: ["context"] },
  "ui/prompter.ts": {
    types: ["context"],
    packages: ["@inquirer/core", "@inquirer/prompts", "node:readline"],
  },
};

/** Who may touch the process, and what of it; `exit` one file, since it cuts off what is still being written. */
export const PROCESS: Readonly<Record<string, "whole" | readonly string[]>> = {
  "io.ts": "whole",
  "main.ts": ["exitCode"],
  // Which ends what hangs, once everything is written.
  "runtime/end-process.ts": [
    "execve",
    "exit",
    "exitCode",
    "getActiveResourcesInfo",
    "kill",
    "once",
    "pid",
    "stderr",
  ],
  // Which runtime it is, on which machine.
  "runtime/runtime.ts": ["versions", "platform", "arch"],
  // Whose lock it is, and whether that process still lives.
  "durable/owner.ts": ["kill", "pid"],
  // Whether a file of secrets is the caller's own.
  "account/files.ts": ["geteuid"],
  // Whether a project file is the caller's own.
  "account/project-file.ts": ["geteuid"],
  "account/keyring.ts": ["execPath"],
  "account/keyring-child.ts": ["stdin", "stdout"],
};

/** Lines of a file of `src` at the most, but of those named below. */
export const MAX_LINES = 500;

/** Files beyond that, each with its reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {
  "notify/errors.ts": "one table: the errors of routing",
};

/** Files with one importer that stay apart from it, and why. */
export const ALONE: Readonly<Record<string, string>> = {
  "api/answer/compiled-checks.ts": "a build replaces it",
  "api/network/own-fetch.ts": "a build replaces it",
  "account/keyring-child.ts": "the entry of a process of its own",
  "page/html.ts": "a build replaces it",
  "runtime/build.ts": "a build replaces it",
  "runtime/licences.ts": "a build replaces it",
  "runtime/version.ts": "a build replaces it",
  "secrets/evidence.ts": "what hides secrets is in one folder",
  "ui/jq-engine.ts": "a build replaces it",
  "ui/string-width.ts": "a build replaces it",
};
