import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compileCache } from "../built.ts";
import { INVOCATIONS, OFFLINE, reachedAt } from "../commands/invocations.ts";
import { sandboxAt } from "../harness.ts";
import { closedPort } from "../hosts.ts";
import { CONTROL_TOKEN, MAIN_PROJECT, SANDBOX_API_KEY, serveSandbox } from "../platform.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { withVariables } from "../typed-variables.ts";
import { type Home, isBundle, PROGRAM, ROOT, start, wordsOfAmp } from "./program.ts";

vi.setConfig({ testTimeout: 120_000 });

/** Those that connect to this machine by themselves, and why. */
const TO_ITSELF: Readonly<Record<string, string>> = {
  "notify test": "its events go to receivers of its own",
};
/** Those that run until they are interrupted: their first line says that they listen. */
const SERVERS = ["listen", "sandbox start"];
/** It prints a saved credential, and refuses one of the environment. */
const OF_PROFILE = "auth token";

/** With -D the program keeps its own process ID, so that an interrupt reaches it. */
const STRACE = ["strace", "-D", "-f", "-qq", "-e", "trace=connect,sendto"] as const;
/** What records: a hook in Node, and strace around a program that is none of Node's. */
const recorder = isBundle
  ? "a hook"
  : spawnSync("strace", ["-qq", "true"]).status === 0
    ? "strace"
    : undefined;

/** Runs amp, or a program in its place, and returns what it did with sockets. */
async function socketsOf(
  words: readonly string[],
  { folder, env, stdin = "", program = wordsOfAmp(), isServer = false, plant = "" }: Recorded,
) {
  const file = join(folder, `sockets-${Math.random()}`);
  const hook = [join(ROOT, "test/e2e/record-sockets.cjs"), ...(plant ? [plant] : [])];
  const options = hook.map((one) => `--require=${one}`).join(" ");
  const home: Home = { folder, configFolder: join(folder, "config"), env };
  const traced = recorder === "strace" ? [...STRACE, "-o", file, ...program] : program;
  const running = start([...traced, ...words] as unknown as [string, ...string[]], {
    home,
    env: isBundle ? { NODE_OPTIONS: options, AMP_TEST_SOCKETS: file } : {},
    stdin,
  });
  if (isServer) void running.firstLine().then(() => running.child.kill("SIGINT"));
  const { code, stderr } = await running.ended;
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  return { code, stderr, sockets: recorder === "strace" ? lines.flatMap(ofCall) : lines };
}

interface Recorded {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly program?: readonly string[];
  readonly isServer?: boolean;
  /** A file that is loaded with amp. */
  readonly plant?: string;
}

/** A line of strace in the words of the hook; a unix socket of this machine is one of its C library. */
function ofCall(line: string): string[] {
  const [, port, host] = /sin6?_port=htons\((\d+)\).*?"([^"]+)"/u.exec(line) ?? [];
  if (port !== undefined) return [`${port === "53" ? "look up" : "connect"} ${host}:${port}`];
  return /sun_path="(?!\/var\/run\/nscd|\/run\/systemd)/u.test(line) ? [line] : [];
}

const sandbox = sandboxAt();
let server: Awaited<ReturnType<typeof serveSandbox>>;
beforeAll(async () => {
  server = await serveSandbox(sandbox, { port: 0 });
});
afterAll(() => server.close());

/** A machine, with or without a login. */
function machine(url?: string) {
  const folder = temporaryFolder();
  const { PATH = "", TMPDIR } = process.env;
  const login = {
    AMP_BASE_URL: url ?? "",
    AMP_API_KEY: SANDBOX_API_KEY,
    AMP_PROJECT: MAIN_PROJECT,
  };
  return {
    folder,
    login,
    env: {
      PATH,
      ...(TMPDIR && { TMPDIR }),
      HOME: folder,
      TZ: "UTC",
      AMP_CONFIG_DIR: join(folder, "config"),
      NODE_COMPILE_CACHE: compileCache(),
      AMP_SANDBOX_TOKEN: CONTROL_TOKEN,
      AMP_COMMIT_HORIZON: "100ms",
      ...(url && login),
    },
  };
}

describe.skipIf(recorder === undefined)(`the sockets of every command, by ${recorder}`, () => {
  it.each(Object.entries(INVOCATIONS))("amp %s", async (path, invocation) => {
    const own = sandboxAt();
    const served = await serveSandbox(own, { port: 0 });
    try {
      const { folder, env, login } = machine(served.url);
      reachedAt.set(own, { ...login, AMP_PROFILE: undefined });
      await invocation.before?.(folder, own);
      const { args = [], world, exits = 0 } = invocation;
      const typed = withVariables(typeof args === "function" ? args(own.world) : args);
      const at = (word: string) => word.replace("http://127.0.0.1:4747/v1", served.url);
      const isServer = SERVERS.includes(path);
      const more = isServer ? ["--output", "ndjson"] : [];
      const words = [...path.split(" "), ...typed.words.map(at), ...more];
      const { stdin = "" } = world?.() ?? {};
      const used = path === OF_PROFILE ? { ...machine().env, AMP_PROFILE: "sandbox" } : env;
      const recorded = { folder, env: { ...used, ...typed.env }, isServer };
      const { code, stderr, sockets } = await socketsOf(words, {
        ...recorded,
        stdin: typeof stdin === "string" ? stdin : "",
      });
      // What fails before it asks would show nothing.
      expect({ code, stderr }).toMatchObject({
        code: isServer ? expect.toBeOneOf([0, 130]) : exits,
      });
      const target = `connect ${new URL(served.url).host}`;
      if (path in TO_ITSELF) {
        expect(sockets.filter((one) => !one.startsWith("connect 127.0.0.1:"))).toEqual([]);
      } else expect([...new Set(sockets)]).toEqual(OFFLINE.has(path) ? [] : [target]);
    } finally {
      await served.close();
    }
  });

  it("are none before a login, of any command", async () => {
    const { folder, env } = machine();
    for (const path of Object.keys(INVOCATIONS).filter((one) => !OFFLINE.has(one))) {
      const { code, sockets } = await socketsOf(path.split(" "), { folder, env });
      expect({ path, code, sockets }).toMatchObject({
        code: expect.toBeOneOf([2, 4]),
        sockets: [],
      });
    }
  });

  it.each([[], ["--version"], ["--help"], ["help", "network"], ["nosuch"], ["__complete", "pro"]])(
    "are none without a command: %s %s",
    async (...words) => {
      const { folder, env } = machine(server.url);
      expect((await socketsOf(words, { folder, env })).sockets).toEqual([]);
    },
  );

  it("show a request to anybody else, and each look-up of a name", async () => {
    const { folder, env } = machine(server.url);
    const other = await closedPort();
    const port = other.split(":")[1];
    const plant = join(folder, "plant.cjs");
    writeFileSync(plant, `fetch("http://localhost:${port}/").catch(() => {});`);
    const { sockets } = isBundle
      ? await socketsOf(["projects", "list"], { folder, env, plant })
      : await socketsOf([`exec 3<>/dev/tcp/localhost/${port}; exec "$0" projects list`, PROGRAM], {
          folder,
          env,
          program: ["bash", "-c"],
        });
    const target = `connect ${new URL(server.url).host}`;
    expect(sockets).toContain(target);
    expect(sockets.filter((one) => one !== target)).toContain(`connect ${other}`);
    if (isBundle) expect(sockets).toContain("look up localhost");
  });
});
