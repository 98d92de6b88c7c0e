import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenHere } from "../runtime/local-server.ts";
import { CASE_HEADER, CASE_NOTE_HEADERS } from "../settings.ts";
import { numberText } from "../values/counted.ts";
import type { CaseFile, RecordedAnswer } from "./case-schema.ts";
import { findAnswer, hasOtherPart } from "./find-answer.ts";
import { shortTimeText, sinceText } from "./words.ts";

/** A case that is served on this machine. */
export interface ServedCase {
  /** The base URL, ending in `/v1`. */
  readonly url: string;
  /** The API key that it asks for: no other program of the machine can read the case. */
  readonly apiKey: string;
  close(): Promise<void>;
}

const PREFIX = "/v1";

/**
 * Serves the answers of a case on a free port of this machine alone. Each says where it is from.
 * @param now the clock of this machine, by which the case is so and so old
 */
export async function serveCase(file: CaseFile, now: () => Date): Promise<ServedCase> {
  const { answers, made } = file;
  const apiKey = randomBytes(24).toString("base64url");
  const server = createServer((request, response) => {
    // The clock of the service, by which amp says how long ago something was.
    response.setHeader("date", new Date(made).toUTCString());
    response.setHeader(CASE_NOTE_HEADERS[0], encodeURIComponent(originText(file, now())));
    if (request.headers["x-api-key"] === apiKey) answer(answers, request, response);
    else problem(response, 401, "A case accepts only its own key", "amp case open sets this key.");
  });
  const { url, close } = await listenHere(server);
  return { url: url + PREFIX, apiKey, close };
}

function answer(
  answers: readonly RecordedAnswer[],
  { method = "GET", url = "/" }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== "GET") {
    response.setHeader("allow", "GET");
    problem(
      response,
      405,
      "A case is read-only",
      `${method} was refused; nothing was sent to any service.`,
    );
    return;
  }
  const { pathname, searchParams } = new URL(url, "http://case");
  const path = pathname.startsWith(`${PREFIX}/`) ? pathname.slice(PREFIX.length) : pathname;
  const found = findAnswer(answers, path, searchParams);
  if (found === undefined) {
    problem(response, 404, "Not in this case", missingText(answers, path));
    return;
  }
  const part = partText(answers, found);
  if (part !== undefined) response.setHeader(CASE_NOTE_HEADERS[1], encodeURIComponent(part));
  send(response, found.status, found.headers, found.body);
}

/** What a case has in place of an answer that was not recorded. */
function missingText(answers: readonly RecordedAnswer[], path: string): string {
  if (hasOtherPart(answers, path)) {
    return `The case has only a part of GET ${path}: the pages that were read when it was created.`;
  }
  const logs = answers.flatMap(
    ({ path: of, status }) => (status === 200 && LOGS.exec(of)?.[1]) || [],
  );
  if (!LOGS.test(path)) return `The case has no recorded response for GET ${path}.`;
  return logs.length === 0
    ? "The case has no logs."
    : `The case has only the logs of ${logs.join(" and ")}, the last and the first failed operation that it has.`;
}

const LOGS = /\/operations\/([^/]+)\/logs$/u;

/** The longest name of a customer that a line has room for. */
const MAX_NAME = 60;

/** Where an answer is from, for whoever reads it. */
function originText({ made, verdict: { installation } }: CaseFile, now: Date): string {
  const name = (installation.group ?? installation.id).toWellFormed().slice(0, MAX_NAME);
  const isNew = now.getTime() - Date.parse(made) < 60_000;
  const age = isNew ? undefined : sinceText(made, now);
  const ago = age === undefined ? "" : ` (${age} ago)`;
  return `From the case of ${name.toWellFormed()}, recorded ${shortTimeText(made, now)}${ago}.`;
}

/** The gaps of a list of which only a part was kept: its counts are those of the part. */
function partText(
  answers: readonly RecordedAnswer[],
  { path, of, body }: RecordedAnswer,
): string | undefined {
  if (of === undefined) return undefined;
  const noun = path.endsWith("/connections") ? "connections" : "installations";
  const kept = answers.find((one) => one.path === path)?.body ?? body;
  const count = Array.isArray(kept) ? kept.length : 0;
  return `The case has ${count} of ${numberText(of)} ${noun}, those of the group; the others are not found or counted.`;
}

function problem(response: ServerResponse, status: number, title: string, detail: string): void {
  const headers = { "content-type": "application/problem+json" };
  response.setHeader(CASE_HEADER, "1");
  send(response, status, headers, { type: "about:blank", title, status, detail });
}

function send(
  response: ServerResponse,
  status: number,
  headers: RecordedAnswer["headers"] | { "content-type": string },
  body: unknown,
): void {
  response.writeHead(status, { ...headers });
  response.end(JSON.stringify(body ?? null));
}
