import { spawn } from "node:child_process";
import { writeFileDurably } from "../durable/write-file.ts";
import { runtime } from "../runtime/runtime.ts";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/**
 * Opens a URL in the browser, by a file that leads there: other users of this machine can read the
 * arguments of a program, and the URL has a token.
 */
export async function openPage(url: string, file: string, onFailure: () => void): Promise<void> {
  await writeFileDurably(file, `<meta http-equiv="refresh" content="0;url=${url}">\n`);
  const [program = "", ...args] = OPENERS[runtime.platform] ?? ["xdg-open"];
  spawn(program, [...args, file], { stdio: "ignore", detached: true })
    .once("error", onFailure)
    .unref();
}
