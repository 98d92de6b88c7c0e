import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import { stops } from "../errors.ts";
import { isJsonObject, parseJson } from "../values/json.ts";
import { eventErrors } from "./errors.ts";
import type { EventData } from "./message/payloads.ts";

/** The part of the context that an edit needs. */
export type Editing = Pick<CommandContext, "files" | "interactive" | "prompt" | "report">;

/**
 * Lets the person edit the fields of an event in their editor.
 * @throws {UsageError} where the terminal is not interactive, or the editor fails
 */
export async function editData(context: Editing, data: EventData): Promise<EventData> {
  const { files, interactive, report, prompt } = context;
  if (!interactive) throw eventErrors.edit_not_interactive();
  const editor = files.variable("VISUAL") || files.variable("EDITOR") || "vi";
  const folder = await mkdtemp(join(tmpdir(), "amp-edit-"));
  try {
    const path = join(folder, "data.json");
    await writeFile(path, `${JSON.stringify(data, null, 2)}\n`, { mode: 0o600 });
    for (;;) {
      await runEditor(editor, path);
      const edited = readEdited(await readFile(path, "utf8"));
      if (typeof edited !== "string") return edited;
      report.warn(`The edited text ${edited}.`);
      const question = { message: "Edit it again?", flag: "--from", default: true };
      if (!(await prompt.confirm(question))) throw stops.cancelled("Nothing was sent.");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the editor until it ends. Its command may have arguments, as in `code --wait`. */
async function runEditor(editor: string, path: string): Promise<void> {
  const child = spawn(`${editor} "${path}"`, { shell: true, stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  if (code === 0) return;
  throw eventErrors.editor_failed(editor, code ?? "a signal");
}

function readEdited(text: string): EventData | string {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : "is not a JSON object";
  } catch (error) {
    return `is not valid JSON: ${(error as Error).message}`;
  }
}
