import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { NODE, ROOT } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { Machine, whyNoMachine } from "./machine.ts";

vi.setConfig({ testTimeout: 900_000 });

const RELEASE = join(ROOT, "release");
const names = existsSync(join(RELEASE, "SHA256SUMS")) ? readdirSync(RELEASE).sort() : [];
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
};

/** Why a test cannot run here; undefined if it can. */
function whyNot(...programs: readonly string[]): string | undefined {
  if (process.env.AMP_TEST_RELEASE === undefined) return "npm run test:release runs it";
  if (names.length === 0) return "there is no release/: npm run release";
  const missing = programs.find((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status);
  return missing && `there is no ${missing}`;
}

/** A test that is skipped with its reason. */
function when(reason: string | undefined, name: string, work: () => void | Promise<void>): void {
  it.skipIf(reason !== undefined)(reason === undefined ? name : `${name} (${reason})`, work);
}

function run(program: string, ...words: readonly string[]) {
  // lintian leaves a folder behind.
  const env = { ...process.env, TMPDIR: temporaryFolder() };
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd: RELEASE,
    encoding: "utf8",
    env,
  });
  return { status, text: stdout + stderr };
}

const those = (ending: string) => names.filter((name) => name.endsWith(ending));
const hashOf = (name: string) =>
  createHash("sha256")
    .update(readFileSync(join(RELEASE, name)))
    .digest("hex");
const text = (name: string) => readFileSync(join(RELEASE, name), "utf8");

describe("release/", () => {
  when(whyNot(), "has the checksums of all its files", () => {
    expect(run("sha256sum", "--quiet", "-c", "SHA256SUMS")).toEqual({ status: 0, text: "" });
    const listed = [...text("SHA256SUMS").matchAll(/ {2}(.+)\n/gu)].map(([, name]) => name);
    expect([...listed, "SHA256SUMS"].toSorted()).toEqual(names.toSorted());
  });

  when(whyNot(), "says what each file was built from", () => {
    const { subject, predicate } = JSON.parse(text("provenance.intoto.json"));
    for (const { name, digest } of subject) expect(hashOf(name), name).toBe(digest.sha256);
    const [source] = predicate.buildDefinition.resolvedDependencies;
    expect(text("RELEASE-NOTES.md")).toContain(`commit ${source.digest.gitCommit}`);
  });

  when(whyNot("lintian"), "has debs without a remark of lintian", () => {
    expect(those(".deb")).toHaveLength(2);
    const words = ["--fail-on", "error,warning,info,pedantic", "--display-info", "--pedantic"];
    const { status, text: told } = run("lintian", ...words, "--allow-root", ...those(".deb"));
    expect({ status, told }).toEqual({ status: 0, told: "" });
  });

  when(whyNot("rpm"), "has rpms whose digests are right", () => {
    expect(those(".rpm")).toHaveLength(2);
    const { status, text: told } = run("rpm", "-K", ...those(".rpm"));
    expect({ status, ok: told.match(/: digests OK\n/gu)?.length }).toEqual({ status: 0, ok: 2 });
  });

  when(whyNot("rpmlint"), "has rpms without a remark of rpmlint", () => {
    const config = join(import.meta.dirname, "rpmlint.toml");
    const { status, text: told } = run("rpmlint", "-c", config, ...those(".rpm"));
    expect(told).toContain("0 errors, 0 warnings");
    expect(status).toBe(0);
  });

  when(whyNot("shellcheck"), "has scripts without a remark of shellcheck", () => {
    // abuild reads the variables of a recipe, and sets those of folders.
    expect(run("shellcheck", "-s", "sh", "-e", "SC2034,SC2154", "APKBUILD").text).toBe("");
    // Each shell that it is for has -ef.
    expect(run("shellcheck", "-S", "warning", "-e", "SC3013,SC2100", "install.sh").text).toBe("");
  });

  when(whyNot("ruby"), "has a formula that Ruby reads without a warning", () => {
    expect(run("ruby", "-wc", "amp-admin.rb")).toEqual({ status: 0, text: "Syntax OK\n" });
  });

  when(whyNot("sha512sum"), "has a recipe for Alpine whose step lays the files", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "src"));
    const { status, text: told } = run("sh", "-c", AS_ABUILD, folder);
    expect(status, told).toBe(0);
    const files = told.trim().split("\n");
    expect(files).toEqual(expect.arrayContaining(["./usr/bin/amp", "./usr/share/man/man1/amp.1"]));
    expect(statSync(join(folder, "pkg/usr/bin/amp-admin")).size).toBeGreaterThan(90_000_000);
  });

  when(whyNot(), "has recipes with the hashes of its files", () => {
    expect(text("amp-admin.rb")).toContain(`sha256 "${hashOf(those(".tgz")[0] ?? "")}"`);
    const { architecture } = JSON.parse(text("amp-admin.json"));
    expect(Object.keys(architecture)).toEqual(["64bit", "arm64"]);
    for (const { url, hash } of Object.values<{ url: string; hash: string }>(architecture)) {
      expect(hash).toBe(hashOf(url.split("/").at(-1) ?? ""));
    }
  });
});

/** Does with APKBUILD what abuild does: copies the sources, checks them, unpacks, calls package. */
const AS_ABUILD = `set -eu
CARCH=x86_64 srcdir=$0/src pkgdir=$0/pkg
. ./APKBUILD
for one in $source; do cp "\${one##*/}" "$srcdir"; done
cd "$srcdir"
echo "$sha512sums" | grep . | sha512sum --quiet -c
tar -xzf ./*.tgz
cd "$builddir"
package
cd "$pkgdir"
find . -type f -o -type l`;

const ROUTING = `version: 1
name: ops
destinations: { hook: { type: webhook, metadata: { url: "https://hooks.example.com/amp" } } }
topics: { lifecycle: { events: [installation.created], destinations: [hook] } }`;

/** What somebody does with amp: a sandbox, a list, a profile, and an apply that keeps a state. */
const USE = `set -e; cd /root
amp sandbox start --quiet >/tmp/sandbox 2>&1 & sandbox=$!
for _ in $(seq 300); do ! grep -q http /tmp/sandbox || break; sleep 0.1; done
echo sandbox-api-key >/tmp/key
echo '${ROUTING}' >routing.yaml
amp auth login --profile mine --base-url http://127.0.0.1:4747/v1 --api-key-file /tmp/key --project acme </dev/null >/tmp/login 2>&1 || { cat /tmp/login; exit 1; }
amp installations list --profile sandbox -o count
amp notify apply -f routing.yaml --yes --profile mine
amp notify state list --profile mine -o count
kill $sandbox; wait $sandbox || true
rm -f /tmp/sandbox /tmp/key /tmp/login`;

/** The installations of the project, and the resources in the state. */
const USED = /^40\n(?:.*\tcreated\t.*\n)*4\n/u;

/** The profiles, and all that was saved. */
const SAVED = `amp auth list -o tsv
find ~/.config/amp-admin ~/.local/state/amp-admin -type f -exec sha256sum {} + | sort`;

/** What docs/install.md has for the files that amp saved; and what fish keeps of itself. */
const FORGET = `rm -rf ~/.config/amp-admin ~/.local/state/amp-admin ~/.cache/amp-admin ~/routing.yaml
rm -rf ~/.config/fish ~/.local/share/fish ~/.cache/fish /tmp/fish.root
rmdir ~/.config ~/.local/state ~/.local/share ~/.local ~/.cache 2>/dev/null; true`;

/** Runs a script that must end well. */
function done(machine: Machine, script: string): string {
  const { status, stdout, stderr } = machine.run(script);
  expect(status, `${script}\n${stdout}${stderr}`).toBe(0);
  return stdout + stderr;
}

/** How long something took, for whoever reads the figures of a release. */
function timed<Result>(what: string, work: () => Result): Result {
  const start = performance.now();
  const result = work();
  process.stdout.write(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}

/** A way to have amp. */
interface Way {
  readonly install: () => string;
  readonly upgrade: () => string;
  readonly remove: () => string;
  /** What is typed into each shell first. */
  readonly completion?: Readonly<Record<"bash" | "zsh" | "fish", string>>;
  readonly hasMan?: boolean;
}

const INTERACTIVE = { bash: "bash --norc -i", zsh: "zsh -f -i", fish: "fish --private" };
const COMPINIT = "autoload -Uz compinit; compinit -D";
/** Where completions are installed; zsh of Debian does not look where install.sh and the rpm put them. */
const COMPLETION = {
  bash: ". /usr/share/bash-completion/bash_completion",
  zsh: `fpath+=({~/.local,/usr}/share/zsh/site-functions); ${COMPINIT}`,
  fish: "",
};

/** Installs, uses, upgrades and removes amp, which must leave no trace. */
async function live(machine: Machine, way: Way): Promise<void> {
  const { completion = COMPLETION, hasMan = true } = way;
  const before = machine.files();
  timed("installed", way.install);
  expect(done(machine, "amp version")).toMatch(/(?:bundle|standalone) of [0-9a-f]{12}/u);
  expect(done(machine, USE)).toMatch(USED);
  const pages = hasMan && done(machine, "MANPAGER=cat man amp && MANPAGER=cat man 7 amp-state");
  if (pages) expect(pages).toContain("administer integrations");
  for (const [shell, words] of Object.entries(INTERACTIVE)) {
    const keys = [`${completion[shell as keyof typeof COMPLETION]}\r`, "amp install", "\t\t"];
    const shown = await machine.typed(words.split(" "), keys, "installations ");
    expect(shown, shell).toContain("amp installations ");
  }
  // Another one in its place: what somebody saved with the earlier one is there.
  const saved = done(machine, SAVED);
  expect(saved).toMatch(/mine(?:.*\n)*.*\.json/u);
  const file = 'stat -c %i "$(readlink -f "$(command -v amp)")"';
  const earlier = done(machine, file);
  timed("upgraded", way.upgrade);
  expect(done(machine, file)).not.toBe(earlier);
  expect(done(machine, SAVED)).toBe(saved);
  timed("removed", way.remove);
  done(machine, FORGET);
  expect(machine.files()).toBe(before);
}

describe("a Debian with nothing else", () => {
  const reason = whyNot() ?? whyNoMachine();

  when(reason, "installs, uses, upgrades and removes amp by install.sh", async () => {
    const machine = new Machine([[RELEASE, "/release"]]);
    const install = () => done(machine, "sh /release/install.sh");
    await live(machine, {
      install: () => {
        const told = install();
        expect(told).toContain("This machine has no xz to unpack amp-linux-x64.xz.");
        expect(told).toContain(`Installed amp-admin ${version} to /root/.local/bin/amp-admin`);
        return told;
      },
      upgrade: install,
      remove: () => done(machine, "sh /release/install.sh --uninstall"),
      hasMan: false,
    });
  });

  when(reason, "installs, uses, upgrades and removes the deb", async () => {
    const machine = new Machine([[RELEASE, "/release"]]);
    const deb = `/release/${those("amd64.deb")[0]}`;
    // The same as an earlier version.
    const older = `dpkg-deb -R ${deb} /tmp/o && sed -i 's/^Version:.*/Version: 0.0.1/' /tmp/o/DEBIAN/control && dpkg-deb -Znone -b /tmp/o /tmp/older.deb && dpkg -i /tmp/older.deb; rm -r /tmp/o /tmp/older.deb`;
    const newer = `dpkg -i ${deb} && dpkg-query -W | grep -x 'amp-admin.${version}'`;
    await live(machine, {
      install: () => done(machine, older),
      upgrade: () => done(machine, newer),
      remove: () => done(machine, "dpkg --purge amp-admin"),
    });
  });

  when(reason ?? whyNot("rpm"), "installs, uses, upgrades and removes the rpm", async () => {
    const machine = new Machine([]);
    // Folders of Fedora itself. Debian's C library is in no database of rpm.
    done(machine, "mkdir /usr/share/licenses /usr/share/zsh/site-functions");
    const rpm = (...words: readonly string[]) => {
      const options = ["--root", machine.root, "--dbpath", "/var/cache/rpm", "--nodeps"];
      const { status, text: told } = run("rpm", ...options, ...words);
      expect(status, told).toBe(0);
      return told;
    };
    const [file = ""] = those("x86_64.rpm");
    await live(machine, {
      install: () => rpm("-i", file),
      upgrade: () => rpm("-U", "--replacepkgs", file),
      remove: () => rpm("-e", "amp-admin"),
    });
  });

  const npm = spawnSync("sh", ["-c", "dirname $(dirname $(readlink -f $(command -v npm)))"]);
  when(reason, "installs, uses, upgrades and removes the npm archive", async () => {
    const machine = new Machine([
      [RELEASE, "/release"],
      [join(NODE, ".."), "/opt/node"],
      [npm.stdout.toString().trim(), "/opt/npm"],
    ]);
    // npm would keep what it compiled, too.
    const own = `export NODE_DISABLE_COMPILE_CACHE=1 npm_config_cache=/tmp/npm npm_config_prefix=/usr/local
node /opt/npm/bin/npm-cli.js`;
    const words = "--offline --omit=optional --no-audit --no-fund --no-update-notifier";
    const install = () => done(machine, `${own} install -g ${words} /release/${those(".tgz")[0]}`);
    // npm keeps a cache, and its empty folders.
    const kept = "/usr/local/lib/node_modules /usr/local/share/man/man?";
    const remove = `${own} uninstall -g amp-admin && rm -rf /tmp/npm ~/.npm && rmdir ${kept}`;
    await live(machine, {
      install,
      upgrade: install,
      remove: () => done(machine, remove),
      completion: {
        bash: ". <(amp completion bash)",
        zsh: `${COMPINIT}; . <(amp completion zsh)`,
        fish: "amp completion fish | source",
      },
    });
  });
});
