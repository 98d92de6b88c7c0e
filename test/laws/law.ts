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

/** What anybody may import: leaves that import nothing themselves. */
export const LEAVES = [
  "build.ts",
  "duration.ts",
  "errors.ts",
  "fs-reason.ts",
  "licences.ts",
  "loopback.ts",
  "misfit.ts",
  "nearest.ts",
  "runtime.ts",
  "secret-address.ts",
  "secret.ts",
  "settings.ts",
  "shell-words.ts",
  "size.ts",
  "version.ts",
];

/** Built-in modules that compute and touch nothing. */
export const PURE_BUILTINS = ["node:crypto", "node:path", "node:timers/promises", "node:util"];

/** A domain: what commands do, without knowing who calls. */
const DOMAIN: Law = {
  // The view is data: its builders import nothing.
  may: ["api", "durable", "cli/view.ts"],
  types: ["context", "context.ts"],
  packages: ["yaml", "fastest-levenshtein"],
};

/** By folder of `src`, or file at its top. Each may import itself, but for the commands. */
export const LAYERS = {
  commands: {
    // The defaults of the sandbox are words for its help, and load nothing.
    may: ["api", "notify", "inspect", "login", "cli/define.ts", "sandbox/defaults.ts"],
    lazily: ["sandbox"],
  },
  notify: DOMAIN,
  inspect: DOMAIN,
  login: DOMAIN,
  sandbox: {
    // What the platform knows: its shapes, event types and destination types.
    may: ["api/schemas", "api/events.ts", "api/destination-types.ts", "durable"],
    packages: ["hono", "@hono/node-server", "zod", "node:fs", "node:net", "node:http"],
  },
  cli: {
    may: ["commands/routes.ts", "ui"],
    types: ["context", "context.ts", "io.ts", "api"],
    packages: ["commander"],
  },
  context: {
    may: ["config", "ui/paint.ts", "ui/text.ts"],
    lazily: ["api/client.ts", "api/network.ts", "api/pace.ts"],
    types: ["io.ts", "api", "ui"],
    packages: ["chalk", "node:fs"],
  },
  api: { packages: ["ky", "zod", "node:diagnostics_channel"] },
  ui: {
    types: ["cli/define.ts", "cli/view.ts"],
    packages: ["cli-table3", "string-width", "yaml"],
  },
  config: {
    may: ["durable"],
    packages: ["conf", "@napi-rs/keyring", "yaml", "node:fs", "node:os"],
  },
  durable: { packages: ["node:fs", "node:os"] },
  "main.ts": { may: ["cli", "commands", "context", "ui", "io.ts", "context.ts"] },
  "io.ts": { may: ["errors.ts", "runtime.ts"], packages: ["node:fs", "node:os", "node:stream"] },
  "build.ts": {},
  "licences.ts": {},
  "runtime.ts": {},
  "errors.ts": {},
  "fs-reason.ts": {},
  "secret-address.ts": { may: ["secret.ts"] },
  "secret.ts": {},
  "settings.ts": {},
  "duration.ts": { may: ["errors.ts"] },
  "loopback.ts": {},
  "misfit.ts": {},
  "nearest.ts": { packages: ["fastest-levenshtein"] },
  "shell-words.ts": {},
  "size.ts": { may: ["errors.ts"] },
  "version.ts": { may: ["../package.json"] },
} as const satisfies Readonly<Record<string, Law>>;

/** What single files may beyond their folder. */
export const FILES: Readonly<Record<string, Law>> = {
  "commands/routes.ts": { lazily: ["commands"] },
  "commands/completion.ts": {
    may: ["cli/completion/shell.ts"],
    lazily: ["cli/completion"],
    types: ["cli/tree.ts"],
  },
  "commands/commands.ts": { types: ["cli/tree.ts"] },
  // A part of NO_PROXY may be a block of addresses.
  "api/no-proxy.ts": { packages: ["node:net"] },
  "api/undici-fetch.ts": { packages: ["undici"] },
  // What amp wrote earlier is read as strictly as what a service answers.
  "notify/state/format.ts": { packages: ["zod"] },
  "notify/plan/saved-plan.ts": { packages: ["zod"] },
  "notify/state/rescue.ts": { packages: ["node:os"] },
  "notify/state/state-file.ts": { packages: ["node:fs"] },
  "notify/setup-file.ts": { packages: ["node:fs"] },
  "notify/state/s3-store.ts": { lazily: ["aws4fetch"], packages: ["aws4fetch"] },
  "config/keyring.ts": { packages: ["node:child_process", "node:events"] },
  "config/keyring-child.ts": { packages: ["node:stream"] },
  "ui/string-width.ts": { packages: ["node:module"] },
  "ui/prompter.ts": { types: ["context", "context.ts"], packages: ["@inquirer/prompts"] },
};

/** Who may touch the process, and what of it; `exit` nobody, since it cuts off what is still being written. */
export const PROCESS: Readonly<Record<string, "whole" | readonly string[]>> = {
  "io.ts": "whole",
  "main.ts": ["exitCode"],
  // Which runtime it is, on which machine.
  "runtime.ts": ["versions", "platform", "arch"],
  // Whose lock it is, and whether that process still lives.
  "durable/owner.ts": ["kill", "pid"],
  // Whether a file of secrets is the caller's own.
  "config/credentials.ts": ["geteuid"],
  "config/keyring.ts": ["execPath"],
  "config/keyring-child.ts": ["stdin", "stdout"],
};

/** Lines of a file of `src` at the most. */
export const LONGEST = 250;
