import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { writeAction } from "../../build/action.ts";
import { NODE, ROOT, requireBundle } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";

vi.setConfig({ testTimeout: 300_000 });

const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund"];

/** The environment of a person who has amp's Node, by both its names, and no network. */
const envOf = (home: string) => ({
  PATH: [nodeIn(home), process.env.PATH].join(delimiter),
  HOME: home,
  PRE_COMMIT_HOME: join(home, "pre-commit"),
  GIT_CONFIG_GLOBAL: join(home, ".gitconfig"),
  npm_config_offline: "true",
  npm_config_omit: "optional",
  npm_config_update_notifier: "false",
});

function nodeIn(home: string): string {
  const folder = join(home, "node");
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  for (const name of ["node", "nodejs"]) symlinkSync(NODE, join(folder, name));
  return folder;
}

/** What the tag of a release holds in the repository of the action. */
function release(folder: string): string {
  requireBundle();
  const options = { cwd: folder, encoding: "utf8", env: envOf(folder) } as const;
  const words = ["pack", ROOT, "--json", "--pack-destination", folder, ...QUIET];
  const [{ filename }] = JSON.parse(execFileSync("npm", words, options)) as [{ filename: string }];
  const out = join(folder, "action");
  writeAction(join(folder, filename), out);
  return out;
}

function git(cwd: string, home: string, ...words: string[]): void {
  execFileSync("git", words, { cwd, env: envOf(home), stdio: "pipe" });
}

/** A repository with a commit of all that is in the folder. */
function commitAll(cwd: string, home: string): void {
  writeFileSync(join(home, ".gitconfig"), "[user]\nname = me\nemail = me@example.com\n");
  git(cwd, home, "init", "--quiet");
  git(cwd, home, "add", "--all", "--force");
  git(cwd, home, "commit", "--quiet", "--message", "release");
}

const GOOD = `version: 1
destinations:
  hook: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  all: { events: [installation.created], destinations: [hook] }
`;
const FILES = {
  "routing.yaml": GOOD,
  "routing/two words.yaml": GOOD,
  "other.yaml": "not: a routing\n",
};

describe("the repository of the action", () => {
  it("has all that a runner starts, and nothing to install or build", () => {
    const folder = temporaryFolder();
    const out = release(folder);
    const { runs } = parse(readFileSync(join(out, "action.yml"), "utf8"));
    const output = join(folder, "output");
    writeFileSync(join(folder, "routing.yaml"), GOOD);
    const ran = spawnSync(NODE, [join(out, runs.main)], {
      cwd: folder,
      encoding: "utf8",
      env: { HOME: folder, INPUT_RUN: "notify check -f routing.yaml", GITHUB_OUTPUT: output },
    });
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
    expect(readFileSync(output, "utf8")).toBe("exit-code=0\n");
    const { scripts, devDependencies } = JSON.parse(
      readFileSync(join(out, "package.json"), "utf8"),
    );
    expect({ scripts, devDependencies }).toEqual({});
    expect(readdirSync(join(out, "templates"))).toEqual(["amp.yml"]);
  });

  const found = spawnSync("pre-commit", ["--version"], { encoding: "utf8" });
  const why = found.status === 0 ? "" : " (pre-commit is not installed)";
  it.skipIf(found.status !== 0)(`is a hook of pre-commit${why}`, () => {
    const home = temporaryFolder();
    const action = release(home);
    commitAll(action, home);
    git(action, home, "tag", "v0.1.0");
    const work = join(home, "work");
    mkdirSync(join(work, "routing"), { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(work, name), text);
    const hook = {
      id: "amp-notify-check",
      language_version: "system",
      args: ["--strict", "--require=installation.created"],
    };
    const repos = [{ repo: action, rev: "v0.1.0", hooks: [hook] }];
    writeFileSync(join(work, ".pre-commit-config.yaml"), JSON.stringify({ repos }));
    commitAll(work, home);
    const preCommit = () =>
      spawnSync("pre-commit", ["run", "--all-files", "--verbose"], {
        cwd: work,
        encoding: "utf8",
        env: envOf(home),
      });
    const good = preCommit();
    expect(good.status, good.stdout + good.stderr).toBe(0);
    expect(good.stdout).toContain("2 files");
    writeFileSync(
      join(work, "routing/two words.yaml"),
      GOOD.replace("installation", "instalation"),
    );
    const bad = preCommit();
    expect(bad.status).toBe(1);
    expect(bad.stdout).toContain("two words.yaml");
    expect(bad.stdout).toContain("exit code: 2");
  });

  it("has a hook that takes names of files as pre-commit gives them", () => {
    const folder = temporaryFolder();
    const out = release(folder);
    const [hook] = parse(readFileSync(join(out, ".pre-commit-hooks.yaml"), "utf8"));
    execFileSync("npm", ["install", "--prefix", folder, out, ...QUIET], { env: envOf(folder) });
    mkdirSync(join(folder, "routing"));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    const names = Object.keys(FILES).filter((name) => new RegExp(hook.files, "u").test(name));
    expect(names).toEqual(["routing.yaml", "routing/two words.yaml"]);
    const check = (...words: string[]) =>
      spawnSync(NODE, [join(folder, "node_modules/.bin", hook.entry), ...words], {
        cwd: folder,
        encoding: "utf8",
        env: { HOME: folder },
      });
    expect(check("--strict", ...names)).toMatchObject({ status: 0 });
    expect(check("--require", "installation.deleted", ...names).status).toBe(8);
    expect(check("nosuch.YML").stderr).toContain("nosuch.YML");
  });
});
