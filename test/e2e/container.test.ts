import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { TARGETS } from "../../build/runtimes.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { freePort, isBundle, PROGRAM, ROOT, runAmp, runShell } from "./program.ts";

/** The lines of the Containerfile, by their instruction; each occurs once. */
const LINES = Object.fromEntries(
  readFileSync(join(ROOT, "Containerfile"), "utf8")
    .split("\n")
    .filter((line) => /^[A-Z]/u.test(line))
    .map((line) => {
      const [instruction = ""] = line.split(" ", 1);
      return [instruction, line.slice(instruction.length + 1)];
    }),
);
const [FROM_CONTEXT = "", IN_IMAGE = ""] = (LINES.COPY ?? "").split(" ");
const ENTRYPOINT = JSON.parse(LINES.ENTRYPOINT ?? "[]") as string[];
const [, HEALTH = ""] = (LINES.HEALTHCHECK ?? "").split(" CMD ");

test("the image has one file beside its base, which the build of the programs makes", async () => {
  expect(Object.keys(LINES).sort()).toEqual(
    "ARG COPY ENTRYPOINT EXPOSE FROM HEALTHCHECK RUN USER".split(" "),
  );
  expect(FROM_CONTEXT).toMatch(/^\$\{PROGRAM\}$/u);
  const [, target = ""] = /^PROGRAM=amp-(\S+)$/u.exec(LINES.ARG ?? "") ?? [];
  expect(Object.keys(TARGETS)).toContain(target);
  // The runtime of musl needs one library that its base does not have.
  expect(LINES.RUN).toMatch(/^apk add --no-cache libstdc\+\+ && adduser -D -u 1000 \w+$/u);
  expect(LINES.RUN).toContain(`-u ${LINES.USER} `);
  expect(HEALTH).toContain(`:${LINES.EXPOSE}/health`);
  const { stdout } = await runAmp(["sandbox", "start", "--help"]);
  expect(stdout.replaceAll(/\s+/gu, " ")).toContain(`(default ${LINES.EXPOSE})`);
});

/** Whether a process may have a root and numbers of its own here, as in a container. */
const isAllowed = spawnSync("unshare", ["-m", "-p", "-f", "true"]).status === 0;

test.skipIf(isBundle)(
  "its program serves as another user in a root without anything else",
  async () => {
    const root = rootWith(PROGRAM);
    const port = await freePort();
    const [name = "", ...words] = ENTRYPOINT;
    expect(IN_IMAGE).toBe(`/usr/local/bin/${name}`);
    const { USER = "" } = LINES;
    const own = [
      "-m",
      "-p",
      "-f",
      "--kill-child",
      "--mount-proc",
      "-R",
      root,
      "-S",
      USER,
      "-G",
      USER,
    ];
    const [first = "", ...before] = isAllowed ? ["unshare", ...own, IN_IMAGE] : [root + IN_IMAGE];
    const child = spawn(first, [...before, ...words, "--port", port], {
      env: { PATH: "/usr/sbin:/usr/bin", HOME: isAllowed ? "/home/amp" : join(root, "home/amp") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let told = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      told += text;
    });
    const ended = once(child, "close");
    const health = HEALTH.replace(`:${LINES.EXPOSE}/`, `:${port}/`);
    const deadline = Date.now() + 120_000;
    while ((await runShell(health)).code !== 0) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(told);
      await pause(50);
    }
    // Another container knows it by the name of its service.
    expect(await statusAt(port, "sandbox")).toBe(200);
    const tokens = join(root, "home/amp/.local/state/amp-admin/sandbox");
    await expect.poll(() => readdirSync(tokens)).toEqual([port]);
    if (isAllowed) {
      const pid = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      expect(status).toMatch(new RegExp(`^Uid:\\t${USER}\\t${USER}\\t`, "mu"));
      // The first process of a container gets no signal that it does not ask for.
      expect(status).toMatch(/^NSpid:\t\d+\t1$/mu);
      process.kill(Number(pid), "SIGTERM");
    } else child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(told).not.toContain("cannot");
  },
);

/** A folder that has a program where the image has it, the libraries that it names and a home. */
function rootWith(program: string): string {
  const root = temporaryFolder();
  const linked = execFileSync("ldd", [program], { encoding: "utf8" });
  const libraries = [...linked.matchAll(/(\/\S+) \(0x/gu)].map(([, path = ""]) => path);
  for (const [from, to] of [[program, IN_IMAGE], ...libraries.map((path) => [path, path])]) {
    const target = join(root, to ?? "");
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(realpathSync(from ?? ""), target);
    chmodSync(target, 0o755);
  }
  const beside = libraries.reduce((sum, path) => sum + statSync(path).size, 0);
  expect(beside).toBeLessThan(12_000_000);
  const home = join(root, "home/amp");
  mkdirSync(home, { recursive: true });
  if (isAllowed) chownSync(home, Number(LINES.USER), Number(LINES.USER));
  mkdirSync(join(root, "proc"));
  // A folder of a test is its owner's alone.
  chmodSync(root, 0o755);
  return root;
}

async function statusAt(port: string, host: string): Promise<number | undefined> {
  const sent = request({ port, path: "/health", headers: { host: `${host}:${port}` } }).end();
  const [answer] = await once(sent, "response");
  answer.resume();
  return answer.statusCode;
}
