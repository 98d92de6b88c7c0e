import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";
import type { CommandContext } from "../context/command-context.ts";
import { caseSummary } from "../documents/case.ts";
import type { DocumentOf } from "../documents/parts.ts";
import { truncateDeep } from "../secrets/answer.ts";
import { SETTINGS } from "../settings.ts";
import { tried } from "../values/basics.ts";
import { counted, sizeText } from "../values/counted.ts";
import { isJsonObject, parseJson } from "../values/json.ts";
import { safeJson } from "../values/safe-data.ts";
import { caseErrors } from "./errors.ts";

/** The format of this version. */
export const CASE_FORMAT = "amp-case/1";

// The parts of a case file. Its texts are not trusted, and only shown.
const text = z.string().max(20_000);
const short = z.string().min(1).max(1_000);

/** Whether no text and no list of a verdict is longer than amp writes any. */
function isOfOrdinaryLength(value: unknown): boolean {
  if (typeof value === "string") return value.length <= 20_000;
  if (typeof value !== "object" || value === null) return true;
  const parts = Object.values(value);
  return parts.length <= 10_000 && parts.every(isOfOrdinaryLength);
}

const answer = z.object({
  method: z.literal("GET"),
  /** The path below the base URL. */
  path: z
    .string()
    .regex(/^\/[\x21-\x7e]*$/u)
    .max(4_000),
  query: z.record(z.string(), z.string()),
  status: z.int().min(200).max(599),
  headers: z.object({
    "content-type": z.enum(["application/json", "application/problem+json"]),
    "retry-after": z
      .string()
      .regex(/^[\w :,+-]{1,60}$/u)
      .exactOptional(),
  }),
  body: z.unknown(),
  /** The length of the list, where only a part of it was kept. */
  of: z.int().min(0).exactOptional(),
});

/** The form of a case file of this version. */
const caseSchema = z.object({
  format: z.literal(CASE_FORMAT),
  made: z.iso.datetime(),
  /** The version of amp that made it. */
  by: short,
  /** The fingerprint of the service and the project: the same for two cases of one project. */
  target: short,
  // It becomes a variable of the environment.
  project: short.regex(/^\P{Cc}+$/u),
  who: z.string().max(20_000),
  /** The time of the oldest operation that was asked for, where one was given. */
  since: z.iso.datetime().exactOptional(),
  answers: z.array(answer).max(10_000),
  verdict: caseSummary.refine(isOfOrdinaryLength, "too long"),
  redactions: z.array(z.object({ where: text, kind: short })).max(20_000),
});

/** A case: what a service answered, what it means, and what was taken out. */
export type CaseFile = DocumentOf<typeof caseSchema>;

/** A recorded answer. */
export type RecordedAnswer = CaseFile["answers"][number];

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
  const text = unpacked(bytes, name);
  const value = tried(() => parseJson(text));
  if (value === undefined) throw caseErrors.case_damaged(name, "its content is not valid JSON");
  const format = isJsonObject(value) ? value.format : undefined;
  if (typeof format !== "string" || !/^amp-case\/\d{1,6}$/u.test(format))
    throw caseErrors.case_invalid(name);
  if (format !== CASE_FORMAT) throw caseErrors.case_newer(name, format, CASE_FORMAT);
  if (truncateDeep(value) !== value) throw caseErrors.case_damaged(name, "it is nested too deeply");
  const { data, error } = caseSchema.safeParse(value);
  if (data !== undefined) return data as CaseFile;
  const [issue] = error.issues;
  throw caseErrors.case_damaged(
    name,
    `${issue?.path.join(".") || "it"}: ${issue?.message ?? "not as specified"}`,
  );
}

function unpacked(bytes: Uint8Array, name: string): string {
  // The first two bytes of gzip.
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw caseErrors.case_invalid(name);
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString("utf8");
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    const why = isLarge ? `it is larger than ${sizeText(MAX_BYTES)}` : "it cannot be unpacked";
    throw caseErrors.case_damaged(name, why);
  }
}

/**
 * What is signed of a case: a hash of each part that was kept, and the place and kind of each
 * redaction; nothing depends on the values that were redacted.
 */
export function manifestOf({ answers, redactions, verdict, ...head }: CaseFile): string {
  // Another version may read the fields in another order.
  const sorted = (_: string, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
  const hash = (part: unknown) =>
    `sha256:${createHash("sha256").update(JSON.stringify(part, sorted)).digest("hex")}`;
  const lines = [
    `${CASE_FORMAT} manifest`,
    ...Object.entries(head)
      .sort()
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    `verdict ${hash(verdict)}`,
    ...answers.map((one) => `answer ${hash(one)} ${one.status} ${one.method} ${one.path}`),
    ...redactions.map(
      ({ where, kind }) => `redacted ${JSON.stringify(kind)} ${JSON.stringify(where)}`,
    ),
  ];
  return safeJson(`${lines.join("\n")}\n`);
}

interface OpenedCase {
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
  return { path, partOf: part?.of };
}

/** Which case is opened where a command runs, compared with that of a file; undefined: none. */
export function whichOpened(
  { env, cwd }: Pick<CommandContext["environment"], "env" | "cwd">,
  path: string,
): "this" | "another" | undefined {
  const opened = env[SETTINGS.case.env];
  if (!opened) return undefined;
  return resolve(cwd, path) === resolve(cwd, opened) ? "this" : "another";
}

/**
 * Refuses to count installations inside a case that has only a part of them.
 * @throws {NotFoundError} inside such a case
 */
export async function assertWholeList(context: Running): Promise<void> {
  const opened = await openedCase(context);
  if (opened?.partOf === undefined) return;
  throw caseErrors.list_not_recorded(opened.path, counted(opened.partOf, "installation"));
}
