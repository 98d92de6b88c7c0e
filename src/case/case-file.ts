import { resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";
import type { CommandContext } from "../context/command-context.ts";
import { NotRecordedError, UsageError } from "../errors.ts";
import { truncateDeep } from "../secrets/answer.ts";
import { SETTINGS } from "../settings.ts";
import { tried } from "../values/basics.ts";
import { counted, sizeText } from "../values/counted.ts";
import { isJsonObject, parseJson } from "../values/json.ts";

/** The format of this version. */
export const CASE_FORMAT = "amp-case/1";

/** The names of the rules, the highest first. */
export const RULE_NAMES = [
  "provider-wide",
  "integration-wide",
  "credentials-refused",
  "permission-or-field",
  "recovering",
  "retrying",
  "stuck",
  "rate-limited",
  "destination-missing",
  "config-just-changed",
  "provider-unavailable",
  "paused",
  "schedule-never",
  "not-running",
  "reads-nothing",
  "never-used",
  "only-them",
  "nobody-notified",
  "others-failing",
  "healthy",
] as const;

/** The name of a rule. */
export type RuleName = (typeof RULE_NAMES)[number];

/** Why a part of the evidence could not be read. */
const MISSING_REASONS = ["not-supported", "not-found", "refused", "failed"] as const;

// The parts of a case file. Its texts are not trusted, and only shown.
const text = z.string().max(20_000);
const short = z.string().min(1).max(1_000);
const count = z.int().min(0);
const rule = z.enum([...RULE_NAMES, "unexplained"]);

const tally = z.object({
  total: count,
  failing: count,
  alike: count,
  fine: count,
  lastOperationFailed: count,
});

/** The verdict of a case with its evidence. It has nothing that must not be shown. */
const summary = z.object({
  installation: z.object({
    id: short,
    group: short.exactOptional(),
    provider: short.exactOptional(),
    integration: short.exactOptional(),
  }),
  /** The rule of the verdict; `unexplained` where none holds. */
  rule,
  /** The verdict as a sentence. */
  headline: text,
  says: text,
  /** Who has to do something next. */
  turn: z.enum(["customer", "builder", "provider", "platform", "nobody"]),
  advice: text,
  also: z.array(z.object({ rule: z.enum(RULE_NAMES), says: text })).max(100),
  rules: z
    .array(
      z.object({
        rule: z.enum(RULE_NAMES),
        /** Whether the rule holds; `null`: it could not be judged. */
        holds: z.boolean().nullable(),
        /** The reason, if the rule applies. */
        says: text.exactOptional(),
        /** The missing facts of a rule that could not be checked. */
        needs: z.array(text).exactOptional(),
      }),
    )
    .max(100),
  /** The facts one by one, each with where it comes from. */
  facts: z.array(z.object({ fact: text, value: text, source: text })).max(1_000),
  /** The events that the state implies, the destinations that get each, and why none does. */
  notifications: z
    .array(z.object({ event: short, destinations: z.array(short), why: text.exactOptional() }))
    .max(100)
    .exactOptional(),
  cohort: z.object({ integration: tally, provider: tally }),
  since: z
    .object({
      firstFailure: short.exactOptional(),
      lastSuccess: short.exactOptional(),
      /** The newest operation that failed, by its ID; also of what works again. */
      lastFailed: short.exactOptional(),
      /** The operations that failed since the last success, and all that were read. */
      failed: count,
      read: count,
      /** Whether it may have failed before the first failure that was read. */
      atLeast: z.boolean(),
      /** Present where the newest operation has not ended. */
      isRunning: z.literal(true).exactOptional(),
      /** The failures that ended in the day before the newest operation. */
      recovered: z
        .object({
          failed: count,
          atLeast: z.boolean(),
          firstFailure: short.exactOptional(),
          lastFailure: short.exactOptional(),
          firstSuccess: short.exactOptional(),
        })
        .exactOptional(),
    })
    .exactOptional(),
  evidence: z.array(text).max(100),
  /** The destinations of its reads; `exists` is null where that is not known. */
  delivers: z.array(z.object({ destination: short, exists: z.boolean().nullable() })).max(10_000),
  missingEvidence: z
    .array(z.object({ what: text, reason: z.enum(MISSING_REASONS), why: text }))
    .max(1_000),
});

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
  of: count.exactOptional(),
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
  verdict: summary,
  redactions: z.array(z.object({ where: text, kind: short })).max(20_000),
});

/** A case: what a service answered, what it means, and what was taken out. */
export type CaseFile = Deep<z.output<typeof caseSchema>>;

type Deep<Type> = Type extends object ? { readonly [Key in keyof Type]: Deep<Type[Key]> } : Type;

/** The summary of a case. */
export type CaseSummary = CaseFile["verdict"];

/** What a case means, without the rules and facts that say why. */
export type Meaning = Omit<CaseSummary, "rules" | "facts">;

/** A recorded answer. */
export type RecordedAnswer = CaseFile["answers"][number];

/** Who has to do something next. */
export type Turn = CaseSummary["turn"];

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
  if (value === undefined) throw damaged(name, "its content is not valid JSON");
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
    const why = isLarge ? `it is larger than ${sizeText(MAX_BYTES)}` : "it cannot be unpacked";
    throw damaged(name, why);
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
