import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NODE } from "../built.ts";
import { isBundle, PROGRAM, ROOT, wordsOfAmp } from "./program.ts";
import { homeAt } from "./sandbox.ts";

/** The programs of an image that somebody starts from: amp is not among them. */
const STOCK = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Where the pages download amp from. */
const DOWNLOADS = "https://downloads.example.com/amp";

/** A machine that has nothing of amp yet, and stand-ins for the hosts that the pages ask. */
export interface StockMachine {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the stand-ins of `gh` and of GitLab were asked to do, in order. */
  asked(): string[];
  /** Runs a script as a runner does: a step finds what earlier ones added to the path. */
  run(script: string, env?: Readonly<Record<string, string>>): Ran;
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine whose amp, once it is installed, asks a sandbox. */
export function stockMachine(url: string): StockMachine {
  const { folder, env: given } = homeAt(url);
  const [tools, shelf] = [join(folder, "tools"), join(folder, "dist/standalone")];
  for (const made of [tools, shelf]) mkdirSync(made, { recursive: true });
  fillShelf(shelf, join(folder, "packed"));
  const log = join(folder, "asked.log");
  const issue = join(folder, "issue");
  const program = (name: string, text: string) =>
    writeFileSync(join(tools, name), `#!/bin/sh\n${text}`, { mode: 0o755 });
  program(
    "curl",
    CURL.replaceAll("SHELF", shelf).replaceAll("ISSUE", issue).replaceAll("LOG", log),
  );
  program("gh", GH.replaceAll("ISSUE", issue).replaceAll("LOG", log));
  const added = join(folder, "github-path");
  writeFileSync(added, "");
  writeFileSync(log, "");
  const { PATH: _, ...env } = given;
  return {
    folder,
    env,
    asked: () => readFileSync(log, "utf8").split("\n").filter(Boolean),
    run(script, more = {}) {
      const found = readFileSync(added, "utf8").split("\n").filter(Boolean);
      return spawnSync("bash", ["-eo", "pipefail", "-c", script], {
        cwd: folder,
        encoding: "utf8",
        timeout: 90_000,
        env: {
          ...env,
          PATH: [tools, ...found, STOCK].join(":"),
          GITHUB_PATH: added,
          GITHUB_STEP_SUMMARY: join(folder, "summary.md"),
          GITHUB_OUTPUT: join(folder, "output"),
          ...more,
        },
      });
    },
  };
}

/** Puts there what a web server would serve: for each system a program that is the packed archive. */
function fillShelf(shelf: string, packed: string): void {
  const systems = ["linux-x64", "linux-x64-musl", "linux-arm64", "linux-arm64-musl"];
  const program = `#!/bin/sh\nexec ${installed(packed)} "$@"\n`;
  const hash = createHash("sha256").update(program).digest("hex");
  const names = [...systems, "darwin-x64", "darwin-arm64"].map((system) => `amp-${system}`);
  for (const name of names) writeFileSync(join(shelf, name), program, { mode: 0o755 });
  writeFileSync(join(shelf, "SHA256SUMS"), names.map((name) => `${hash}  ${name}\n`).join(""));
  copyFileSync(join(ROOT, "build/install.sh"), join(shelf, "install.sh"));
}

/** The words that run amp as it is installed from its archive, without network. */
function installed(folder: string): string {
  if (!isBundle) return PROGRAM;
  wordsOfAmp();
  mkdirSync(folder);
  const npm = (...words: string[]) =>
    execFileSync("npm", [...words, "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: "false" },
    });
  const [{ filename }] = JSON.parse(npm("pack", ROOT, "--json")) as [{ filename: string }];
  npm("install", join(folder, filename), "--offline", "--omit=optional", "--prefix", folder);
  const program = join(folder, "node_modules/amp-admin/bin/amp.js");
  if (!existsSync(program)) throw new Error(`${program} was not installed`);
  return `'${NODE}' '${program}'`;
}

/** Downloads from the shelf, and GitLab's issues: there is one at most. */
const CURL = `out='' url='' method=GET data=''
while [ $# -gt 0 ]; do
  case $1 in
    --output) shift; out=$1 ;;
    --request) shift; method=$1 ;;
    --header) shift; [ "$1" = "PRIVATE-TOKEN: token-of-issues" ] || exit 22 ;;
    --proto-redir) shift ;;
    --data | --data-urlencode) shift; data="$data $1"; [ $method != GET ] || method=POST ;;
    -*) ;;
    *) url=$1 ;;
  esac
  shift
done
case $method:$url in
  GET:${DOWNLOADS}/*) if [ -n "$out" ]; then cp "SHELF/\${url##*/}" "$out"; else cat "SHELF/\${url##*/}"; fi ;;
  "GET:https://gitlab.example.com/api/v4/projects/7/issues?labels=routing-drift&state=opened")
    if [ -f ISSUE ]; then echo '[{"id":901,"iid":3,"project_id":7}]'; else echo '[]'; fi ;;
  POST:https://gitlab.example.com/api/v4/projects/7/issues) touch ISSUE; echo "open$data" >> LOG ;;
  PUT:https://gitlab.example.com/api/v4/projects/7/issues/3)
    case $data in *state_event=close*) rm ISSUE; echo close >> LOG ;; *) echo "edit$data" >> LOG ;; esac ;;
  *) echo "curl: $method $url" >&2; exit 6 ;;
esac
`;

const GH = `case "$1 $2" in
  "issue list") [ ! -f ISSUE ] || echo 3 ;;
  "issue create") touch ISSUE; echo open >> LOG ;;
  "issue edit") echo edit >> LOG ;;
  "issue close") rm ISSUE; echo close >> LOG ;;
  "pr comment") echo comment >> LOG ;;
  "label create") ;;
  *) echo "gh: $*" >&2; exit 1 ;;
esac
while [ $# -gt 0 ]; do
  if [ "$1" = --body-file ] && ! [ -s "$2" ]; then exit 1; fi
  shift
done
`;
