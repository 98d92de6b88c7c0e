import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";

const END_PROCESS = join(import.meta.dirname, "../../src/runtime/end-process.ts");

/** Opens a pipe that has no writer, which never ends, as a file of a server that is gone; then ends the process. */
const HANGING = `
const { open } = await import("node:fs/promises");
const { endProcess } = await import(${JSON.stringify(END_PROCESS)});
void open(process.argv[1]);
setTimeout(() => {
  console.error("the report");
  endProcess(124, true);
}, 100);
`;

it.skipIf(process.platform === "win32")(
  "ends a process that was stopped while a file system does not answer, with its exit code",
  async () => {
    const pipe = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [pipe]);
    const child = spawn(process.execPath, ["--input-type=module", "-e", HANGING, pipe], {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    let report = "";
    child.stderr.on("data", (text) => {
      report += text;
    });
    const [code, signal] = await once(child, "close");
    expect({ code, signal, report }).toEqual({ code: 124, signal: null, report: "the report\n" });
  },
  30_000,
);
