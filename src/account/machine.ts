import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, join, resolve } from "node:path";
import type { StatusCheck } from "../documents/account.ts";
import { fsReason } from "../runtime/fs-reason.ts";
import { runtime } from "../runtime/runtime.ts";
import { version } from "../runtime/version.ts";
import { tried } from "../values/basics.ts";

interface Machine {
  /** The words that start this very program. */
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ci: boolean;
}

/** What this machine has beside the settings: certificates, programs and shell. */
export function machineChecks(machine: Machine): StatusCheck[] {
  const { name, version: number, platform, arch } = runtime;
  const text = `${version} (${name} ${number}, ${platform} ${arch})`;
  return [
    { check: "version", outcome: "ok", text },
    ...certificates(machine),
    ...programs(machine),
    ...completion(machine),
  ];
}

function certificates({ env: { NODE_EXTRA_CA_CERTS: path } }: Machine): StatusCheck[] {
  if (!path) return [];
  const check = "certificates";
  let text = `${path} has no certificate in PEM format`;
  try {
    const count = readFileSync(path, "utf8").split("-----BEGIN CERTIFICATE-----").length - 1;
    if (count > 0) return [{ check, outcome: "ok", text: `${count} more from ${path}` }];
  } catch (error) {
    text = `${path} cannot be read: ${fsReason(error)}`;
  }
  const remedy = "Set NODE_EXTRA_CA_CERTS to a file of certificates in PEM format, or unset it.";
  return [{ check, outcome: "warning", text, remedy }];
}

/** Says which amp a shell starts, where that is not this one. */
function programs({ program, env: { PATH = "" } }: Machine): StatusCheck[] {
  const names = runtime.platform === "win32" ? ["amp.exe", "amp.cmd"] : ["amp"];
  const found = PATH.split(delimiter)
    .filter(Boolean)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .filter((path) => tried(() => accessSync(path, constants.X_OK) === undefined) === true);
  const own = realPath(program.at(-1) ?? "");
  const others = found.filter((path) => realPath(path) !== own);
  const [first] = found;
  if (first === undefined || others.length === 0) return [];
  if (others[0] !== first) {
    return [{ check: "path", outcome: "ok", text: `also ${others.join(", ")}` }];
  }
  const text = `amp on PATH is another program: ${first}`;
  const remedy = `This one is ${own}. Remove the one that you do not need, or change the order of PATH.`;
  return [{ check: "path", outcome: "warning", text, remedy }];
}

function realPath(path: string): string {
  return tried(() => realpathSync(path)) ?? path;
}

/**
 * Where each shell loads completion from: its profiles in the home, the files that packages install
 * in a folder `share`, and the line to add.
 */
const COMPLETION = {
  bash: {
    files: [".bashrc", ".bash_profile", ".profile", "bash-completion/completions/amp"],
    remedy: "Add source <(amp completion bash) to ~/.bashrc.",
  },
  zsh: {
    files: [".zshrc", "zsh/site-functions/_amp", "zsh/vendor-completions/_amp"],
    remedy: "Add source <(amp completion zsh) to ~/.zshrc, below compinit.",
  },
  fish: {
    files: [
      ".config/fish/config.fish",
      ".config/fish/completions/amp.fish",
      "fish/vendor_completions.d/amp.fish",
    ],
    remedy: "Add amp completion fish | source to ~/.config/fish/config.fish.",
  },
} as const;
const SHARES = [".local/share", "/usr/local/share", "/usr/share", "/opt/homebrew/share"];

/** A line that loads it, or that of a script of completion. */
const LOADS = /^[^#\n]*(?:\bamp(?:-admin)? completion\b|\b_amp\b|\bcomplete -c amp\b)/mu;

function completion({ env: { SHELL = "", HOME = homedir() }, ci }: Machine): StatusCheck[] {
  const shell = basename(SHELL);
  if (ci || !Object.hasOwn(COMPLETION, shell)) return [];
  const { files, remedy } = COMPLETION[shell as keyof typeof COMPLETION];
  const loaded = files
    .flatMap((file) =>
      file.startsWith(".") ? join(HOME, file) : SHARES.map((share) => resolve(HOME, share, file)),
    )
    .find((path) => tried(() => LOADS.test(readFileSync(path, "utf8"))));
  if (loaded !== undefined) return [{ check: "completion", outcome: "ok", text: loaded }];
  const text = `${shell} does not load the completion of amp`;
  return [{ check: "completion", outcome: "warning", text, remedy }];
}
