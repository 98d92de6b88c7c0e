import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const SCRIPT = fileURLToPath(new URL("../../build/install.sh", import.meta.url));

/** System, processor, whether musl is its C library, and the program for it. */
const NAMES = [
  ["Linux", "x86_64", false, "amp-linux-x64"],
  ["Linux", "x86_64", true, "amp-linux-x64-musl"],
  ["Linux", "aarch64", false, "amp-linux-arm64"],
  ["Linux", "aarch64", true, "amp-linux-arm64-musl"],
  ["Darwin", "x86_64", false, "amp-darwin-x64"],
  ["Darwin", "arm64", false, "amp-darwin-arm64"],
] as const;

let folder: string;
/** Where the programs are. */
let shelf: string;
/** What goes before the system's own programs. */
let tools: string;

beforeEach(() => {
  folder = temporaryFolder();
  [shelf, tools] = [join(folder, "shelf"), join(folder, "tools")];
  mkdirSync(shelf);
  mkdirSync(tools);
  for (const [, , , name] of NAMES) program(join(shelf, name), `echo amp-admin 1.2.3 of ${name}`);
  sum();
  machine("Linux", "x86_64");
});

/** A program in the place of a real one. */
function program(path: string, line: string): void {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

function sum(): void {
  const lines = NAMES.map(([, , , name]) => {
    const hash = createHash("sha256")
      .update(readFileSync(join(shelf, name)))
      .digest("hex");
    return `${hash}  ${name}\n`;
  });
  writeFileSync(join(shelf, "SHA256SUMS"), lines.join(""));
}

/** Has the script believe that it runs elsewhere. */
function machine(system: string, processor: string, musl = false): void {
  program(join(tools, "uname"), `[ "$1" = -s ] && echo ${system} || echo ${processor}`);
  // Neither the C library of this machine nor Rosetta must decide.
  program(
    join(tools, "ls"),
    `case $1 in /lib/ld-musl-*) exit ${musl ? 0 : 2};; esac; exec /bin/ls "$@"`,
  );
  program(join(tools, "sysctl"), "exit 1");
}

interface Installing {
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Read from stdin, as by `curl … | sh`. */
  readonly piped?: boolean;
}

async function install({ words = [shelf], env = {}, piped = false }: Installing = {}) {
  const path = `${tools}${delimiter}${process.env.PATH ?? ""}`;
  const child = spawn("sh", piped ? ["-s", "--", ...words] : [SCRIPT, ...words], {
    cwd: folder,
    env: { HOME: folder, PATH: path, TMPDIR: folder, ...env },
  });
  child.stdin.on("error", () => {});
  child.stdin.end(piped ? readFileSync(SCRIPT) : undefined);
  let told = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    told += text;
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, told, out };
}

const installed = () => join(folder, ".local/bin/amp-admin");
const isThere = () => existsSync(installed());

describe("install.sh", () => {
  it.each(NAMES)("takes for %s on %s, musl %s: %s", async (system, processor, musl, name) => {
    machine(system, processor, musl);
    const { code, told } = await install();
    expect({ code, told }).toMatchObject({ code: 0 });
    expect(readFileSync(installed(), "utf8")).toContain(`1.2.3 of ${name}`);
    expect(told).toContain(`Installed amp-admin 1.2.3 of ${name} to ${installed()}\n`);
    expect(told).toContain("amp sandbox start");
  });

  it("leaves no other files", async () => {
    await install();
    expect(readdirSync(join(folder, ".local/bin"))).toEqual(["amp", "amp-admin"]);
    expect(readdirSync(folder).sort()).toEqual([".local", "shelf", "tools"]);
  });

  it("installs below PREFIX, and says how to add it to the path", async () => {
    const prefix = join(folder, "a place");
    const { told } = await install({ env: { PREFIX: prefix } });
    expect(existsSync(join(prefix, "bin/amp"))).toBe(true);
    expect(told).toContain(`export PATH="${prefix}/bin:$PATH"`);
  });

  it("says nothing of the path where it is on it, and warns of another amp before it", async () => {
    const bin = join(folder, ".local/bin");
    const system = process.env.PATH ?? "";
    const on = await install({ env: { PATH: [tools, bin, system].join(delimiter) } });
    expect(on.told).not.toMatch(/path/iu);
    program(join(tools, "amp"), "echo 0.0.1");
    const behind = await install({ env: { PATH: [tools, bin, system].join(delimiter) } });
    expect(behind.told).toContain(`Another amp comes first on your PATH: ${join(tools, "amp")}`);
  });

  it("replaces an older one by a rename", async () => {
    await install();
    const older = openSync(installed(), "r");
    onTestFinished(() => closeSync(older));
    program(join(shelf, "amp-linux-x64"), "echo amp-admin 2.0.0");
    sum();
    expect((await install()).told).toContain("Installed amp-admin 2.0.0 to");
    // Who runs the older one goes on with it whole.
    expect(readFileSync(older, "utf8")).toContain("1.2.3");
  });

  it("makes amp a link to it, which the next one keeps", async () => {
    for (const _ of [1, 2]) {
      expect((await install()).told).toContain("  amp auth login");
      expect(readlinkSync(join(folder, ".local/bin/amp"))).toBe("amp-admin");
    }
  });

  it("leaves another program named amp, and says so", async () => {
    const other = join(folder, ".local/bin/amp");
    mkdirSync(join(folder, ".local/bin"), { recursive: true });
    program(other, "echo other");
    const { code, told } = await install();
    expect(code).toBe(0);
    expect(told).toContain(`${other} is another program, and was left: run amp-admin\n`);
    expect(told).toContain("  amp-admin auth login");
    expect(readFileSync(other, "utf8")).toContain("echo other");
    expect(readFileSync(installed(), "utf8")).toContain("1.2.3");
  });

  it("replaces a link in its place, and not what the link leads to", async () => {
    const other = join(folder, "tools/npm-amp");
    program(other, "echo amp-admin 1.0.0 of npm");
    mkdirSync(join(folder, ".local/bin"), { recursive: true });
    symlinkSync(other, installed());
    expect(await install()).toMatchObject({ code: 0 });
    expect(readFileSync(other, "utf8")).toContain("of npm");
    expect(readFileSync(installed(), "utf8")).toContain("1.2.3");
  });

  it.each([
    ["has another name", "echo other 1.0"],
    ["only begins like amp", "echo amp-administration 1.0"],
    ["does not end by itself", "echo amp-administration; sleep 20"],
    ["asks", "read line; echo $line"],
  ])(
    "refuses another program in its place, which %s, and needs --force or --name",
    async (_, line) => {
      mkdirSync(join(folder, ".local/bin"), { recursive: true });
      program(installed(), line);
      const { code, told } = await install();
      expect(code).toBe(1);
      expect(told).toContain(`${installed()} is another program.\nTo replace it: --force.`);
      expect(readFileSync(installed(), "utf8")).toContain(line);
      expect(readdirSync(join(folder, ".local/bin"))).toEqual(["amp-admin"]);
      const named = await install({ words: ["--name", "amp-tool", shelf] });
      expect(named.told).toContain("  amp-tool auth login");
      expect(readdirSync(join(folder, ".local/bin"))).toEqual(["amp-admin", "amp-tool"]);
      expect(readFileSync(installed(), "utf8")).toContain(line);
      expect(await install({ words: ["--force", shelf] })).toMatchObject({ code: 0 });
      expect(readFileSync(installed(), "utf8")).toContain("1.2.3");
    },
  );

  it("adds its folder to the PATH of the next steps of GitHub Actions, and says how elsewhere", async () => {
    const file = join(folder, "path");
    const { told } = await install({ env: { GITHUB_PATH: file } });
    expect(readFileSync(file, "utf8")).toBe(`${join(folder, ".local/bin")}\n`);
    expect(told).toContain(`  export PATH="${join(folder, ".local/bin")}:$PATH"\n`);
  });

  it("takes the smallest form that the machine can unpack, and says which", async () => {
    const sums = readFileSync(join(shelf, "SHA256SUMS"), "utf8");
    const more = [".xz", ".gz"].map((form) => {
      const file = `amp-linux-x64${form}`;
      const text = `#!/bin/sh\necho amp-admin 1.2.3 of ${file}\n`;
      const packed = spawnSync(form === ".xz" ? "xz" : "gzip", ["-c"], { input: text }).stdout;
      writeFileSync(join(shelf, file), packed);
      return `${createHash("sha256").update(packed).digest("hex")}  ${file}\n`;
    });
    writeFileSync(join(shelf, "SHA256SUMS"), sums + more.join(""));
    expect((await install()).told).toContain("Installed amp-admin 1.2.3 of amp-linux-x64.xz to");
    // A machine without xz.
    const few = join(folder, "few");
    mkdirSync(few);
    const needed = "sh awk cat cut head mkdir chmod rm cp mv ln mktemp grep sha256sum sleep gzip";
    for (const one of needed.split(" ")) symlinkSync(`/usr/bin/${one}`, join(few, one));
    const { told } = await install({ env: { PATH: [tools, few].join(delimiter) } });
    expect(told).toContain("This machine has no xz to unpack amp-linux-x64.xz.\n");
    expect(told).toContain("Installed amp-admin 1.2.3 of amp-linux-x64.gz to");
  });

  it("adds completions where shells look for them, and removes them and what is then empty", async () => {
    const stub = "# zsh completion for amp, which is asked at each Tab.";
    program(join(shelf, "amp-linux-x64"), `echo amp-admin 1.2.3; [ $# -lt 2 ] || echo "${stub}"`);
    sum();
    const share = join(folder, ".local/share");
    mkdirSync(join(share, "fish/vendor_completions.d"), { recursive: true });
    writeFileSync(join(share, "fish/vendor_completions.d/amp.fish"), "# somebody's own\n");
    await install();
    const files = readdirSync(share, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(
      expect.arrayContaining([
        "bash-completion/completions/amp",
        "bash-completion/completions/amp-admin",
        "fish/vendor_completions.d/amp-admin.fish",
        "zsh/site-functions/_amp",
      ]),
    );
    const own = readFileSync(join(share, "fish/vendor_completions.d/amp.fish"), "utf8");
    expect(own).toBe("# somebody's own\n");
    rmSync(join(share, "fish/vendor_completions.d/amp.fish"));
    await install({ words: ["--uninstall"] });
    expect(existsSync(join(folder, ".local"))).toBe(false);
  });

  it("prints its options, and the version of the installed program", async () => {
    expect(await install({ words: ["--help"] })).toMatchObject({
      code: 0,
      told: "",
      out: expect.stringContaining("sh install.sh [--force] [--name NAME] [FROM]"),
    });
    const none = await install({ words: ["--version"] });
    expect(none).toMatchObject({ code: 1, out: "" });
    await install();
    const { code, out } = await install({ words: ["--version"] });
    expect({ code, out }).toEqual({ code: 0, out: "amp-admin 1.2.3 of amp-linux-x64\n" });
    expect((await install({ words: ["--nosuch"] })).told).toContain(
      "--nosuch is not a valid option",
    );
  });

  it("removes with --uninstall only what it installed", async () => {
    const bin = join(folder, ".local/bin");
    await install();
    program(join(bin, "other"), "echo other");
    expect(await install({ words: ["--uninstall", "--name", "other"] })).toMatchObject({
      code: 1,
      told: expect.stringContaining(
        `amp was not removed: ${join(bin, "other")} is another program`,
      ),
    });
    expect(await install({ words: ["--uninstall"] })).toMatchObject({ code: 0 });
    expect(readdirSync(bin)).toEqual(["other"]);
    expect(await install({ words: ["--uninstall"] })).toMatchObject({ code: 1 });
  });
});

describe("install.sh installs nothing", () => {
  it("where the checksum differs", async () => {
    program(join(shelf, "amp-linux-x64"), "echo evil");
    const { code, told } = await install();
    expect(code).toBe(1);
    expect(told).toContain("amp was not installed: the checksum of amp-linux-x64 does not match.");
    expect(isThere()).toBe(false);
  });

  it.each([
    [
      "the sums are missing",
      () => rmSync(join(shelf, "SHA256SUMS")),
      "could not get FROM/SHA256SUMS",
    ],
    [
      "the program is missing",
      () => rmSync(join(shelf, "amp-linux-x64")),
      "could not get FROM/amp-",
    ],
    [
      "it is not among the sums",
      () => writeFileSync(join(shelf, "SHA256SUMS"), ""),
      "no form of amp-linux-x64 in FROM/SHA256SUMS can be used",
    ],
    [
      "the processor is none of them",
      () => machine("Linux", "riscv64"),
      "riscv64 is not supported",
    ],
    [
      "the system is none of them",
      () => machine("MINGW64_NT", "x86_64"),
      "MINGW64_NT is not supported",
    ],
  ])("where %s", async (_, break_, why) => {
    break_();
    const { code, told } = await install();
    expect({ code, told }).toMatchObject({ code: 1 });
    expect(told).toContain(why.replace("FROM", shelf));
    expect(isThere()).toBe(false);
  });

  it("where the program does not run here", async () => {
    program(join(shelf, "amp-linux-x64"), "exit 126");
    sum();
    const { code, told } = await install();
    expect(code).toBe(1);
    expect(told).toContain("amp-linux-x64 does not run on this machine");
    expect(isThere()).toBe(false);
  });

  it.each(["http://downloads.example.com/amp", "ftp://127.0.0.1/amp", "http://127.0.0.1.example"])(
    "from %s: anybody could have changed it",
    async (base) => {
      const { code, told } = await install({ words: [base] });
      expect(code).toBe(1);
      expect(told).toContain("must use https");
    },
  );

  it("without a source", async () => {
    const { code, told } = await install({ words: [], piped: true });
    expect(code).toBe(1);
    expect(told).toContain("sh install.sh FROM, or AMP_INSTALL_FROM=");
  });
});

describe("install.sh from a server", () => {
  async function serve(): Promise<string> {
    const server = createServer((request, response) => {
      const file = join(shelf, (request.url ?? "").replace("/amp/1.2.3/", ""));
      if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end("<html>not found</html>");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/amp/1.2.3`;
  }

  it("works from a pipe, with a slash at the end or without", async () => {
    const base = await serve();
    for (const from of [base, `${base}/`]) {
      expect(await install({ words: [from], piped: true })).toMatchObject({ code: 0 });
      expect(isThere()).toBe(true);
    }
  });

  it("takes the address from the environment", async () => {
    const env = { AMP_INSTALL_FROM: await serve() };
    expect(await install({ words: [], piped: true, env })).toMatchObject({ code: 0 });
  });

  it("does not install a web page", async () => {
    const base = await serve();
    rmSync(join(shelf, "amp-linux-x64"));
    const { code, told } = await install({ words: [base] });
    expect(code).toBe(1);
    expect(told).toContain(`could not get ${base}/amp-linux-x64.`);
    expect(isThere()).toBe(false);
  });
});
