import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { temporaryFolder } from "../temporary-folder.ts";

/** A Debian with no more than shells and a reader of man pages, made once a machine. */
const BASE = "/var/tmp/amp-test-chroot-bookworm";
const PACKAGES = "bash-completion,man-db,zsh,fish";

/** Why no Debian can be made here; undefined if one can. */
export function whyNoMachine(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can make a Debian of its own";
  const missing = ["debootstrap", "unshare", "ip"].find(
    (name) => spawnSync("sh", ["-c", `command -v ${name}`]).status !== 0,
  );
  if (missing !== undefined && !existsSync(BASE)) return `there is no ${missing}`;
  const isAllowed = spawnSync("unshare", ["-m", "-n", "-p", "-f", "true"]).status === 0;
  return isAllowed ? undefined : "namespaces are not allowed";
}

/** What a script did. */
interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A Debian of its own, with its own network, processes and files; the release is at /release. */
export class Machine {
  readonly root: string;
  /** What is seen of this machine: from where, and where. */
  readonly #seen: readonly (readonly [from: string, to: string])[];

  constructor(seen: readonly (readonly [from: string, to: string])[]) {
    if (!existsSync(BASE)) makeBase();
    this.root = join(temporaryFolder(), "root");
    execFileSync("cp", ["-a", "--reflink=auto", BASE, this.root]);
    this.#seen = seen;
    for (const [, to] of seen) mkdirSync(join(this.root, to), { recursive: true });
  }

  /** Runs a script of bash to its end. */
  run(script: string): Ran {
    const { status, stdout, stderr } = spawnSync("unshare", this.#words(["bash", "-c", script]), {
      encoding: "utf8",
      timeout: 300_000,
      env: ENV,
    });
    return { status, stdout, stderr };
  }

  /** What a shell shows after what is typed into it at a terminal, until it shows a text. */
  async typed(shell: readonly string[], keys: readonly string[], until: string): Promise<string> {
    const pty = spawn("unshare", this.#words(shell), { cols: 100, rows: 40, env: { ...ENV } });
    let shown = "";
    pty.onData((data) => {
      shown += data;
      // fish asks the terminal what it is.
      if (data.includes("\x1b[c")) pty.write("\x1b[?62c");
    });
    const plain = () => stripVTControlCharacters(shown);
    for (const key of keys) {
      await quiet(() => shown);
      pty.write(key);
    }
    const deadline = Date.now() + 60_000;
    while (!plain().includes(until) && Date.now() < deadline) await pause(100);
    pty.kill("SIGKILL");
    return plain();
  }

  /** The files of the machine, but for what the package manager and the shells write for themselves. */
  files(): string {
    const left = "\\( -path ./proc -o -path ./release -o -path ./var/cache -o -path ./var/log \\)";
    const script = `cd / && find . -xdev ${left} -prune -o -printf '%p %y %m %l\\n' | sort`;
    return this.run(script)
      .stdout.split("\n")
      .filter((line) => !/^\.\/(?:var\/lib\/dpkg\/|tmp |dev\/)/u.test(line))
      .join("\n");
  }

  /** In namespaces that end with it: nothing stays mounted. */
  #words(words: readonly string[]): string[] {
    const mounts = this.#seen.map(([from, to]) => `mount --bind '${from}' "$0${to}"`);
    const set = ["ip link set lo up", 'mount -t proc proc "$0/proc"', ...mounts].join(" && ");
    const script = `${set} && exec chroot "$0" "$@"`;
    const own = ["--mount", "--net", "--pid", "--fork", "--kill-child"];
    return [...own, "sh", "-c", script, this.root, ...words];
  }
}

const ENV = {
  // Where install.sh puts a program, and where tests put Node.
  PATH: "/root/.local/bin:/opt/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
  HOME: "/root",
  LANG: "C.UTF-8",
  TERM: "xterm",
  HISTFILE: "/dev/null",
};

function makeBase(): void {
  const fresh = `${BASE}.${process.pid}`;
  const words = ["--variant=minbase", `--include=${PACKAGES}`, "bookworm", fresh];
  const made = spawnSync("debootstrap", words, { encoding: "utf8" });
  if (made.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    throw new Error(`debootstrap failed:\n${made.stdout.slice(-2000)}`);
  }
  renameSync(fresh, BASE);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until a shell has shown something and is quiet. */
async function quiet(shown: () => string): Promise<void> {
  for (let before = ""; before === "" || before !== shown(); ) {
    before = shown();
    await pause(700);
  }
}
