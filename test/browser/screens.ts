/**
 * Draws real screens of amp as SVG: `npm run pictures:screens`. With `--check` it changes nothing,
 * and fails where a picture is not what amp shows now.
 */
import { spawn as spawnProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { ROOT } from "../built.ts";
import { removeTemporaryFolders, temporaryFolder } from "../temporary-folder.ts";
import { end, receiver, route, type Served } from "./browser.ts";
import { type Line, type Screen, svgOf } from "./svg.ts";

const OUT = join(ROOT, "docs/images");
const COLUMNS = 100;
const CLOCK = fileURLToPath(new URL("fixed-clock.ts", import.meta.url));
const AMP = ["--import", CLOCK, join(ROOT, "src/main.ts")];

/** Of the webhook: the IDs of messages follow from its URL. */
const HOOK_PORT = 4748;

/** The commands of each picture, by its name. */
const SCREENS: Readonly<Record<string, readonly string[]>> = {
  case: [`amp case create "Bluth Company"`],
  list: ["amp installations list --filter health=unhealthy"],
  plan: ["amp notify plan"],
  trigger: [
    "amp trigger read.schedule.paused",
    "amp sandbox deliveries --fields time,event,result,destination,attempt,message",
  ],
};

const folder = temporaryFolder();
const env: Record<string, string> = {
  PATH: process.env.PATH ?? "",
  HOME: folder,
  TZ: "UTC",
  AMP_CONFIG_DIR: join(folder, "config"),
  AMP_PAGER: "",
  AMP_PROFILE: "sandbox",
};

/** Starts a sandbox whose clock stands, on its usual port, which the screens show. */
async function serve(): Promise<Served> {
  const words = ["sandbox", "start", "--installations", "64", "--json"];
  const child = spawnProcess(process.execPath, [...AMP, ...words], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout }))
    return { ...(JSON.parse(line) as Served), process: child };
  throw new Error("the sandbox did not start");
}

/** What a terminal shows after a command. */
async function screenOf(command: string): Promise<Screen> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, a, b]) => a ?? b ?? "");
  const emulator = new xterm.Terminal({ cols: COLUMNS, rows: 60, allowProposedApi: true });
  const pty = spawn(process.execPath, [...AMP, ...words.slice(1)], {
    name: "xterm-256color",
    cols: COLUMNS,
    rows: 60,
    cwd: folder,
    env,
  });
  pty.onData((data) => emulator.write(data));
  await new Promise((ended) => pty.onExit(ended));
  await new Promise<void>((drawn) => emulator.write("", drawn));
  const { active } = emulator.buffer;
  const lines = Array.from({ length: active.length }, (_, at) => lineOf(active.getLine(at)));
  return { command, lines: lines.slice(0, lines.findLastIndex((line) => line.length > 0) + 1) };
}

/** The cells of a line, those of one style together; blanks at its end cut. */
function lineOf(line: ReturnType<typeof bufferLine>): Line {
  const runs: { at: number; text: string; style: string }[] = [];
  for (let at = 0; at < COLUMNS; at += 1) {
    const cell = line?.getCell(at);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() || " ";
    const style = [
      cell.isFgPalette() ? `c${cell.getFgColor()}` : "",
      cell.isBold() ? "b" : "",
      cell.isDim() ? "d" : "",
    ]
      .filter(Boolean)
      .join(" ");
    const last = runs.at(-1);
    if (last?.style === style) last.text += text;
    else runs.push({ at, text, style });
  }
  return runs
    .map((run, at) => (at === runs.length - 1 ? { ...run, text: run.text.trimEnd() } : run))
    .filter(({ text }) => text.trim() !== "");
}

function bufferLine(terminal: InstanceType<typeof xterm.Terminal>) {
  return terminal.buffer.active.getLine(0);
}

const isCheck = process.argv.includes("--check");
const [served, hook] = await Promise.all([serve(), receiver(HOOK_PORT)]);
const outdated: string[] = [];
try {
  const names = { topic: "alerts", destination: "ops-alerts", event: "read.schedule.paused" };
  await route(served, { ...names, url: hook.url });
  const [, routing = ""] = /^```yaml\n(.*?)^```/msu.exec(readFileSync("README.md", "utf8")) ?? [];
  writeFileSync(join(folder, "routing.yaml"), routing);
  mkdirSync(OUT, { recursive: true });
  for (const [name, commands] of Object.entries(SCREENS)) {
    const screens: Screen[] = [];
    for (const command of commands) screens.push(await screenOf(command));
    const svg = svgOf(screens, COLUMNS);
    const path = join(OUT, `${name}.svg`);
    if (existsSync(path) && readFileSync(path, "utf8") === svg) continue;
    outdated.push(name);
    if (!isCheck) writeFileSync(path, svg);
  }
} finally {
  await end(served);
  hook.close();
  removeTemporaryFolders();
}
process.stdout.write(`${isCheck ? "outdated" : "drawn"}: ${outdated.join(", ") || "none"}\n`);
if (isCheck && outdated.length > 0) process.exitCode = 1;
