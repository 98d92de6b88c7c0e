import type { RecordField } from "../api/schemas/field-tree.ts";
import type { CaseContents, FreeText } from "../documents/case.ts";
import { explainedRecords } from "../inspect/explained-records.ts";
import { personalIn } from "../secrets/evidence.ts";
import { counted, numberText } from "../values/counted.ts";
import { isJsonObject } from "../values/json.ts";
import { type Block, joined, row, rows } from "../view/view.ts";
import type { CaseFile, RecordedAnswer } from "./case-file.ts";

/** The record of each list of a case, by the part of the path that names it. */
const RECORDS: Readonly<Record<string, string>> = {
  projects: "project",
  integrations: "integration",
  "provider-apps": "provider-app",
  installations: "installation",
  operations: "operation",
  logs: "log-entry",
  connections: "connection",
  invites: "invite",
  destinations: "destination",
  topics: "topic",
  "notification-event-topic-routes": "event-route",
  "topic-destination-routes": "destination-route",
};

/** The maximum number of unknown fields that are named. */
const MAX_FIELDS = 100;

/**
 * What a case has of whom: counted, and found in what it keeps. It is computed from the file, so
 * that who reads one need not believe who made it.
 */
export function contentsOf({ answers, redactions }: CaseFile): CaseContents {
  const read = answers.filter(({ status }) => status === 200);
  const kept = (list: string) => read.filter(({ path }) => listName(path) === list);
  const sum = (list: string, of: (answer: RecordedAnswer) => number) =>
    kept(list).reduce((total, answer) => total + of(answer), 0);
  const count = (list: string) => sum(list, ({ body }) => answeredRecords(body).length);
  const beside = (list: string) =>
    sum(list, ({ of = 0, body }) => (of > 0 ? of - answeredRecords(body).length : 0));
  const cut = redactions.filter(({ kind }) => kind === "end of a long text");
  return {
    customer: {
      installations: sum("installations", ({ body }) => (Array.isArray(body) ? body.length : 0)),
      connections: count("connections"),
      operations: count("operations"),
      logLines: count("logs"),
    },
    others: { installations: beside("installations"), connections: beside("connections") },
    personal: tally(
      read
        .filter(isPrivate)
        .flatMap(({ body }) => textsOf(body, ""))
        .flatMap(({ text }) => personalIn(text)),
    ),
    redacted: tally(redactions.map(({ kind }) => kind)),
    unchecked: {
      cutTexts: cut.length,
      freeTexts: freeTexts(answers).length,
      unknownFields: unknownFields(read),
    },
  };
}

/**
 * The texts of a case that may say anything: the lines of logs, and all that have three words or
 * more. The catalogue of providers is public.
 */
export function freeTexts(answers: CaseFile["answers"]): FreeText[] {
  return answers.filter(isPrivate).flatMap(({ path, body }) =>
    textsOf(body, "")
      .filter(({ where, text }) =>
        listName(path) === "logs"
          ? /(?:^|\.)(?:msg|error|message|details\b.*)$/u.test(where)
          : /\S\s+\S+\s+\S/u.test(text) && !/(?:^|\.)schedule$/u.test(where),
      )
      .map(({ where, text }) => ({ where: `GET ${path} ${where}`, text })),
  );
}

function isPrivate({ path }: RecordedAnswer): boolean {
  return !/^\/providers(?:\/|$)/u.test(path);
}

function textsOf(value: unknown, where: string): FreeText[] {
  if (typeof value === "string") return [{ where, text: value }];
  if (typeof value !== "object" || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([key, item]) =>
    textsOf(item, isList ? `${where}[${key}]` : where === "" ? key : `${where}.${key}`),
  );
}

/** The fields that amp does not know, as it does not know what may be in them. */
function unknownFields(answers: readonly RecordedAnswer[]): string[] {
  const trees = new Map(explainedRecords().map((record) => [record.path, record]));
  const found = new Set<string>();
  for (const { path, body } of answers) {
    const tree = trees.get(RECORDS[listName(path)] ?? "");
    if (tree === undefined || found.size >= MAX_FIELDS) continue;
    for (const record of answeredRecords(body)) addUnknown(record, tree, found);
  }
  return [...found].sort().slice(0, MAX_FIELDS);
}

function addUnknown(value: unknown, field: RecordField, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) addUnknown(item, field, found);
  // What is inside an object without described fields is unknown as a whole.
  if (!isJsonObject(value) || field.fields.length === 0) return;
  const inMap = field.fields[0]?.path.startsWith(`${field.path}.*.`);
  for (const [key, item] of Object.entries(value)) {
    if (inMap) {
      addUnknown(item, { ...field, path: `${field.path}.*` }, found);
      continue;
    }
    const known = field.fields.find(({ path }) => path === `${field.path}.${key}`);
    if (known) addUnknown(item, known, found);
    else found.add(`${field.path}.${key}`);
  }
}

/**
 * The list that a path is about, which names one, then the ID of a record, and so on: that of
 * `/projects/acme/operations/op_1/logs` is `logs`. Empty where it names none.
 */
export function listName(path: string): string {
  return path.split("/").findLast((part, at) => at % 2 === 1 && part !== "") ?? "";
}

/** The records of an answer: those of a list or of a page of one, or the one record that it is. */
export function answeredRecords(body: unknown): readonly unknown[] {
  const list = isJsonObject(body) && "results" in body ? body.results : body;
  return Array.isArray(list) ? list : [list];
}

function tally(kinds: readonly string[]): CaseContents["redacted"] {
  return [...Map.groupBy(kinds, (kind) => kind)].map(([kind, { length }]) => ({
    kind,
    count: length,
  }));
}

/** The contents of a case as a part of a page, which may itself list what was redacted. */
export function contentsBlock(who: string, contents: CaseContents, isListed = false): Block {
  const { customer, others, personal, redacted, unchecked } = contents;
  const tallied = (all: CaseContents["redacted"]) =>
    all.map(({ kind, count }) => `${numberText(count)} × ${kind}`).join(", ");
  return rows(
    [
      [
        who,
        joined([
          counted(customer.installations, "installation"),
          counted(customer.connections, "connection"),
          counted(customer.operations, "operation"),
          counted(customer.logLines, "log line"),
        ]) ?? "",
      ],
      [
        "Others",
        `${counted(others.installations, "installation")} and ${counted(others.connections, "connection")}: counts only`,
      ],
      [
        "Personal data",
        personal.length === 0
          ? "none found in what is kept"
          : `may be inside: ${tallied(personal)}`,
      ],
      ...(isListed ? [] : row("Redacted", tallied(redacted) || "nothing")),
      [
        "Not checked",
        [
          ...(unchecked.freeTexts > 0
            ? [`${counted(unchecked.freeTexts, "free text")} (see --review)`]
            : []),
          ...(unchecked.cutTexts > 0
            ? [`the end of ${counted(unchecked.cutTexts, "long text")}`]
            : []),
          ...row("", unchecked.unknownFields.join(", ")).map(
            ([, names]) => `unknown fields: ${String(names)}`,
          ),
        ],
      ],
    ],
    "In the file",
  );
}
