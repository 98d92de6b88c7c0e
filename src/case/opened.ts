import type { CommandContext } from "../context/command-context.ts";
import { NotRecordedError } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import { counted } from "../values/counted.ts";
import { unpackCase } from "./case-file.ts";
import type { CaseFile } from "./case-schema.ts";

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
