import { gunzipSync, gzipSync } from "node:zlib";
import type { CommandContext } from "../context/command-context.ts";
import { NotRecordedError, UsageError } from "../errors.ts";
import { truncateDeep } from "../secrets/answer.ts";
import { SETTINGS } from "../settings.ts";
import { counted, sizeText } from "../values/counted.ts";
import { isJsonObject, parseJson } from "../values/json.ts";
import { type CaseFile, caseSchema } from "./case-schema.ts";

/** The format of this version. */
export const CASE_FORMAT = "amp-case/1";
/** The maximum size of a case once it is unpacked. */
const MAX_BYTES = 64 * 2 ** 20;

/** The bytes of a case file. */
export function packCase(file: CaseFile): Uint8Array {
  return gzipSync(JSON.stringify(file));
}

/**
 * Reads a case file, which may come from anybody.
 * @param name the name of the file, for errors
 * @throws {UsageError} for anything but a case of this version
 */
export function unpackCase(bytes: Uint8Array, name: string): CaseFile {
  const value = parsed(unpacked(bytes, name), name);
  const format = isJsonObject(value) ? value.format : undefined;
  if (typeof format !== "string" || !/^amp-case\/\d{1,6}$/u.test(format)) throw notACase(name);
  if (format !== CASE_FORMAT) {
    throw new UsageError(`${name} was saved by a newer version of amp (format ${format})`, {
      detail: `This version reads ${CASE_FORMAT}.`,
      remedy: "Update amp, and run the command again.",
    });
  }
  if (truncateDeep(value) !== value) throw damaged(name, "it is nested too deeply");
  const { data, error } = caseSchema.safeParse(value);
  if (data !== undefined) return data as CaseFile;
  const [issue] = error.issues;
  throw damaged(name, `${issue?.path.join(".") || "it"}: ${issue?.message ?? "not as specified"}`);
}

function unpacked(bytes: Uint8Array, name: string): string {
  // The first two bytes of gzip.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw notACase(name);
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString("utf8");
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw damaged(
      name,
      isLarge ? `it is larger than ${sizeText(MAX_BYTES)}` : "it cannot be unpacked",
    );
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw damaged(name, "its content is not valid JSON");
  }
}

function notACase(name: string): UsageError {
  return new UsageError(`${name} is not a case`, {
    remedy: "Pass a file that was saved with amp case create --save.",
  });
}

function damaged(name: string, why: string): UsageError {
  return new UsageError(`${name} is damaged: ${why}`, {
    remedy: "Ask the person who created the case to send the file again.",
  });
}

/** The case in which a command runs. */
export interface OpenedCase extends Pick<CaseFile, "answers"> {
  readonly path: string;
  /** The number of installations of the project, where the case has only those of a group. */
  readonly partOf: number | undefined;
}

type Running = Pick<CommandContext, "environment" | "files">;

/** The case in which a command runs; undefined outside of cases. */
export async function openedCase({ environment, files }: Running): Promise<OpenedCase | undefined> {
  const path = environment.env[SETTINGS.case.env];
  if (!path) return undefined;
  const { answers } = unpackCase(await files.readBytes(path), path);
  const part = answers.find(({ of, path: asked }) => of && asked.endsWith("/installations"));
  return { path, answers, partOf: part?.of };
}

/**
 * Refuses to count installations inside a case that has only a part of them.
 * @throws {NotRecordedError} inside such a case
 */
export async function assertWholeList(context: Running): Promise<void> {
  const opened = await openedCase(context);
  if (opened?.partOf === undefined) return;
  throw new NotRecordedError("The case does not have the whole list of installations", {
    detail: `The case ${opened.path} has only those of one group, of ${counted(opened.partOf, "installation")}.`,
    remedy: "Run the command outside the case.",
  });
}
