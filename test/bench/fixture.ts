import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT, wordsOf } from "../built.ts";
import { INTEGRATION } from "../network/long-list-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { BEFORE, earlierFolder } from "./earlier.ts";
import type { Program } from "./measure.ts";

const BUNDLE = join(ROOT, "bin/amp.js");
const EARLIER = earlierFolder();

/**
 * The programs that are amp, by name, with the earlier ones where they are asked for; the standalone
 * one where it is built.
 */
export const AMPS: ReadonlyMap<string, readonly string[]> = new Map([
  ...ampsIn(ROOT, ""),
  ...(EARLIER === undefined ? [] : ampsIn(EARLIER, BEFORE)),
]);

function ampsIn(root: string, ending: string): [name: string, words: readonly string[]][] {
  const standalone = join(root, "dist/standalone/amp");
  return [
    ...(existsSync(standalone)
      ? [[`standalone${ending}`, [standalone]] as [string, string[]]]
      : []),
    [`bundle${ending}`, wordsOf(join(root, "bin/amp.js"))],
  ];
}

/** A home with a saved login, and a service on this machine that has so many installations. */
export interface BenchFixture {
  /** The list, for programs that take an address. */
  readonly url: string;
  /** The list, for amp. */
  readonly list: readonly string[];
  program(...words: readonly string[]): Program;
  remove(): Promise<void>;
}

/** @param count of installations */
export async function makeBenchFixture(count: number): Promise<BenchFixture> {
  const folder = temporaryFolder();
  const server = spawn(process.execPath, [join(ROOT, "test/bench/serve.ts"), `${count}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const baseUrl = await firstLine(server.stdout);
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder,
    AMP_CONFIG_DIR: folder,
    // Nothing but this machine is talked to.
    GH_TOKEN: "none",
    GH_NO_UPDATE_NOTIFIER: "1",
  };
  const key = join(folder, "key");
  writeFileSync(key, "key-of-the-bench", { mode: 0o600 });
  const [program = "", ...rest] = wordsOf(BUNDLE);
  const login = ["auth", "login", "--profile", "bench", "--base-url", baseUrl, "--project", "acme"];
  const { status, stderr } = spawnSync(program, [...rest, ...login, "--api-key-file", key], {
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the login failed: ${stderr}`);
  return {
    url: `${baseUrl}/projects/acme/integrations/${INTEGRATION}/installations`,
    list: ["installations", "list", INTEGRATION],
    program: (...words) => ({ words, env }),
    remove: async () => {
      server.kill();
      await once(server, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error("the service did not start");
}
