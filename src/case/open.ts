import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { constants, tmpdir } from "node:os";
import { basename, delimiter, join, resolve } from "node:path";
import type { CommandContext } from "../context/command-context.ts";
import { listenHere } from "../runtime/local-server.ts";
import { runtime } from "../runtime/runtime.ts";
import { CASE_HEADER, CASE_NOTE_HEADERS, SETTINGS, type Setting } from "../settings.ts";
import { tried } from "../values/basics.ts";
import { counted, numberText } from "../values/counted.ts";
import { isJsonObject, valueAt } from "../values/json.ts";
import { shellLine } from "../values/shell.ts";
import { shortTimeText, sinceText } from "../values/time.ts";
import { type CaseFile, type RecordedAnswer, unpackCase, whichOpened } from "./case-file.ts";
import { caseErrors } from "./errors.ts";

/** The settings that say who asks, beyond those of profiles. */
const CREDENTIALS: ReadonlySet<string> = new Set(["accessToken", "confirm", "expectProject"]);

type OpenContext = Pick<
  CommandContext,
  "environment" | "files" | "now" | "report" | "signal" | "handOver"
>;

type Variables = Readonly<Record<string, string | undefined>>;

/** The variable that says to a command that it runs in a case. */
const INSIDE = SETTINGS.case.env;

/** The variables by which a command would reach something else than the case. */
const OUTSIDE: ReadonlySet<string> = new Set(
  Object.entries<Setting>(SETTINGS).flatMap(([name, { env, inProfile, inProjectFile }]) =>
    env && (inProfile || inProjectFile === "trusted" || CREDENTIALS.has(name)) ? env : [],
  ),
);

/**
 * Serves the answers of a case and runs a command, or the shell, that finds them in place of the
 * service. It has a credential and a folder of settings of its own, so that no login is used.
 * @returns the exit code of the command
 * @throws {UsageError} inside another case, or where the command cannot be run
 */
export async function openCase(
  context: OpenContext,
  path: string,
  command: readonly string[],
): Promise<number> {
  const { environment, files, report } = context;
  const { env } = environment;
  const opened = whichOpened(environment, path);
  if (opened !== undefined) {
    const isOwn = opened === "this" && command.length > 0;
    throw caseErrors.case_already_open(env[INSIDE], isOwn ? shellLine(command) : undefined);
  }
  const file = unpackCase(await files.readBytes(path), path);
  const [program = shellOf(env), ...args] = command;
  const served = await serveCase(file, context.now);
  const folder = await mkdtemp(join(tmpdir(), "amp-case-"));
  try {
    if (command.length === 0) {
      const count = counted(file.answers.length, "recorded response");
      report.notice(
        `${path}: ${count} of ${shortTimeText(file.made, context.now())}, read-only. Times count from then. Leave with: exit`,
      );
    }
    // A shell may change its folder.
    const absolute = resolve(environment.cwd, path);
    const settings = environmentInCase(file, served, { path: absolute, folder, env });
    settings.PATH = await pathWithAmp(environment, folder);
    const isShell = command.length === 0;
    const words = isShell ? await shellWords(program, basename(path), folder, settings) : args;
    return await runProgram(context, program, words, settings);
  } finally {
    await served.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The search path with a folder before it in which `amp` is this very program: it may have been
 * started by its path, and the one that is installed may be another version.
 */
async function pathWithAmp(
  { program, env }: Pick<CommandContext["environment"], "program" | "env">,
  folder: string,
): Promise<string> {
  const bin = join(folder, "bin");
  await mkdir(bin);
  const isWindows = runtime.platform === "win32";
  const text = isWindows
    ? `@${program.map((word) => `"${word}"`).join(" ")} %*\r\n`
    : `#!/bin/sh\nexec ${shellLine(program)} "$@"\n`;
  await writeFile(join(bin, isWindows ? "amp.cmd" : "amp"), text, { mode: 0o700 });
  return [bin, env.PATH].filter(Boolean).join(delimiter);
}

/**
 * The arguments and variables by which the prompt of a shell says that it is in a case. The files
 * that a person has for the shell are read first.
 */
async function shellWords(
  shell: string,
  name: string,
  folder: string,
  settings: Record<string, string | undefined>,
): Promise<readonly string[]> {
  const mark = `(${name.replaceAll(/[^\w.-]+/gu, "_")}) `;
  const kind = basename(shell);
  if (kind !== "bash" && kind !== "zsh") {
    settings.PS1 = `${mark}$ `;
    return [];
  }
  const file = join(folder, kind === "bash" ? "bashrc" : ".zshrc");
  const own = kind === "bash" ? "$HOME/.bashrc" : `\${OUTER_ZDOTDIR:-$HOME}/.zshrc`;
  // Its own file may have changed the path.
  const lines = [
    `[ -f "${own}" ] && . "${own}"`,
    `PATH=${shellLine([folder])}/bin:$PATH`,
    `PS1='${mark}'"$PS1"`,
  ];
  await writeFile(file, `${lines.join("\n")}\n`, { mode: 0o600 });
  if (kind === "bash") return ["--rcfile", file, "-i"];
  settings.OUTER_ZDOTDIR = settings.ZDOTDIR;
  settings.ZDOTDIR = folder;
  return ["-i"];
}

function shellOf(env: Variables): string {
  return runtime.platform === "win32" ? "cmd.exe" : env.SHELL || "/bin/sh";
}

/** The environment of a command in a case: nothing in it leads to another service or login. */
export function environmentInCase(
  { project, made, answers }: CaseFile,
  { url, apiKey }: ServedCase,
  { path, folder, env }: { path: string; folder: string; env: Variables },
): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !OUTSIDE.has(name));
  const hosts = [env.NO_PROXY ?? env.no_proxy, "127.0.0.1"].filter(Boolean).join(",");
  const inPath = (pattern: RegExp) =>
    answers.flatMap((one) => decodedPart(pattern.exec(one.path)?.[1]) ?? [])[0];
  // A service that lists installations only by integration was asked for those of one.
  const integration = inPath(/\/integrations\/([^/]+)\/installations$/u);
  const org = inPath(/^\/orgs\/([^/]+)\/invites$/u);
  return {
    ...Object.fromEntries(kept),
    AMP_BASE_URL: url,
    AMP_API_KEY: apiKey,
    AMP_PROJECT: project,
    ...(integration && { AMP_INTEGRATION: integration }),
    ...(org && { AMP_ORG: org }),
    AMP_CONFIG_DIR: folder,
    // A state of this machine belongs to a service.
    AMP_STATE: join(folder, "state.json"),
    // A recorded failure does not pass.
    AMP_RETRIES: "0",
    NO_PROXY: hosts,
    no_proxy: hosts,
    [INSIDE]: path,
    [SETTINGS.caseTime.env]: made,
  };
}

/** A part of a path, which may come from anybody. */
function decodedPart(part: string | undefined): string | undefined {
  const text = part && tried(() => decodeURIComponent(part));
  // A variable of the environment cannot hold all of these.
  return text && /\p{Cc}/u.test(text) ? undefined : text;
}

async function runProgram(
  { signal, handOver, environment }: OpenContext,
  program: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const child = spawn(program, args, { cwd: environment.cwd, env, stdio: "inherit" });
  // Ctrl-C reaches the command by itself; the end of a CI job reaches amp alone.
  const stop = () => child.kill(signal.reason === "SIGHUP" ? "SIGHUP" : "SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const [code, ended] = (await handOver(once(child, "exit"))) as [number | null, NodeJS.Signals];
    return code ?? 128 + (constants.signals[ended] ?? 0);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "no such command" : message;
    throw caseErrors.program_not_run(program, why, error);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

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
    const isOwn = request.headers["x-api-key"] === apiKey;
    const { status, headers, body } = isOwn
      ? answerTo(answers, request)
      : refusal(401, "A case accepts only its own key", "amp case open sets this key.");
    response.writeHead(status, {
      // The clock of the service, by which amp says how long ago something was.
      date: new Date(made).toUTCString(),
      [CASE_NOTE_HEADERS[0]]: encodeURIComponent(originText(file, now())),
      ...headers,
    });
    response.end(JSON.stringify(body ?? null));
  });
  const { url, close } = await listenHere(server);
  return { url: url + PREFIX, apiKey, close };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

function answerTo(
  answers: readonly RecordedAnswer[],
  { method = "GET", url = "/" }: IncomingMessage,
): Answer {
  if (method !== "GET") {
    const detail = `${method} was refused; nothing was sent to any service.`;
    return refusal(405, "A case is read-only", detail, { allow: "GET" });
  }
  const { pathname, searchParams } = URL.parse(url, "http://case") ?? new URL("http://case");
  const path = pathname.startsWith(`${PREFIX}/`) ? pathname.slice(PREFIX.length) : pathname;
  const found = findAnswer(answers, path, searchParams);
  if (found === undefined) return refusal(404, "Not in this case", missingText(answers, path));
  const part = partText(answers, found);
  const note = part === undefined ? {} : { [CASE_NOTE_HEADERS[1]]: encodeURIComponent(part) };
  return { ...found, headers: { ...found.headers, ...note } };
}

function refusal(status: number, title: string, detail: string, more = {}): Answer {
  const headers = { "content-type": "application/problem+json", [CASE_HEADER]: "1", ...more };
  return { status, headers, body: { type: "about:blank", title, status, detail } };
}

/** What a case has in place of an answer that was not recorded. */
function missingText(answers: readonly RecordedAnswer[], path: string): string {
  if (answers.some((one) => samePath(one.path, path))) {
    return `The case has only a part of GET ${path}: the pages that were read when it was created.`;
  }
  if (!LOGS.test(path)) return `The case has no recorded response for GET ${path}.`;
  const read = answers.filter(({ status }) => status === 200);
  const logs = read.flatMap((one) => LOGS.exec(one.path)?.[1] ?? []);
  return logs.length === 0
    ? "The case has no logs."
    : `The case has only the logs of ${logs.join(" and ")}, the last and the first failed operation that it has.`;
}

const LOGS = /\/operations\/([^/]+)\/logs$/u;

const MAX_NAME = 60;

/** Where an answer is from, for whoever reads it. */
function originText({ made, verdict: { installation } }: CaseFile, now: Date): string {
  const named = (installation.group ?? installation.id).toWellFormed().slice(0, MAX_NAME);
  // The name is another person's: a line end in it would begin a line of amp's own.
  const name = named.replace(/\s+/gu, " ").toWellFormed();
  const isNew = now.getTime() - Date.parse(made) < 60_000;
  const age = isNew ? undefined : sinceText(made, now);
  const ago = age === undefined ? "" : ` (${age} ago)`;
  return `From the case of ${name}, recorded ${shortTimeText(made, now)}${ago}.`;
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
  return `The case has ${count} of ${numberText(of)} ${noun}: those of this customer.`;
}

/** The parameters of pages: a case has a list as far as it was read. */
const PAGE_SIZES = ["pageSize", "limit"];

/** The parameters by which a service filters each list, and the field that each is about. */
const FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  installations: { groupRef: "group.groupRef" },
  connections: {
    provider: "provider",
    groupRef: "group.groupRef",
    consumerRef: "consumer.consumerRef",
  },
  "notification-event-topic-routes": { topicId: "topicId", eventType: "eventType" },
  "topic-destination-routes": { topicId: "topicId", destinationId: "destinationId" },
};

const EVERYTHING = new URLSearchParams();

/**
 * The recorded answer to a request; undefined if there is none. A part of a recorded list, and one
 * of its records, are answered from it: a service gives the same records there.
 */
function findAnswer(
  answers: readonly RecordedAnswer[],
  path: string,
  query: URLSearchParams,
): RecordedAnswer | undefined {
  return (
    answers.find((one) => isAnswerTo(one, path, query)) ??
    partOfList(answers, path, query) ??
    (filtersOf(query).length > 0 ? undefined : recordOfList(answers, path))
  );
}

/** The records of a list that a request filters, also the installations of one integration. */
function partOfList(
  answers: readonly RecordedAnswer[],
  path: string,
  query = EVERYTHING,
): RecordedAnswer | undefined {
  const [, project = "", integration, name = ""] =
    /^(\/projects\/[^/]+)(?:\/integrations\/([^/]+)(?=\/installations$))?\/([\w-]+)$/u.exec(path) ??
    [];
  const filters = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  const lists = answers.filter(({ status, body }) => status === 200 && Array.isArray(body));
  const whole =
    lists.find((one) => isAnswerTo(one, `${project}/${name}`)) ??
    lists.find((one) => isAnswerTo(one, path));
  const wanted = filtersOf(query);
  if (!filters || !whole || wanted.some(([key]) => !Object.hasOwn(filters, key))) return undefined;
  const body = (whole.body as readonly unknown[]).filter(
    (one) =>
      isJsonObject(one) &&
      (integration === undefined || one.integrationId === decoded(integration)) &&
      wanted.every(([key, value]) => valueAt(one, filters[key] ?? "") === value),
  );
  // Whether an integration exists that no installation names is unknown.
  const isKnown = integration === undefined || wanted.length > 0 || body.length > 0;
  return isKnown ? { ...whole, body } : undefined;
}

/** One record of a list: an installation, an operation or a provider. */
function recordOfList(
  answers: readonly RecordedAnswer[],
  path: string,
): RecordedAnswer | undefined {
  const [, list = "", id = ""] = /^(.*)\/([^/]+)$/u.exec(path) ?? [];
  const name = decoded(id) ?? "";
  const ofLists = (lists: readonly RecordedAnswer[], at: (body: unknown) => unknown) => {
    const found = lists.map((one) => ({ ...one, body: at(one.body) }));
    const { of: _, ...answer } = found.find(({ body }) => isJsonObject(body)) ?? {};
    return "body" in answer ? (answer as RecordedAnswer) : undefined;
  };
  if (list === "/providers") {
    const lists = answers.filter((one) => samePath(one.path, list) && one.status === 200);
    return ofLists(lists, (all) =>
      isJsonObject(all) && Object.hasOwn(all, name) ? all[name] : undefined,
    );
  }
  const withId = (records: unknown) =>
    Array.isArray(records)
      ? records.find((one) => isJsonObject(one) && one.id === name)
      : undefined;
  if (/^\/projects\/[^/]+\/operations$/u.test(list)) {
    const pages = answers.filter((one) => /\/installations\/[^/]+\/operations$/u.test(one.path));
    return ofLists(pages, (page) => withId(isJsonObject(page) ? page.results : undefined));
  }
  const whole = /\/installations$/u.test(list) ? partOfList(answers, list) : undefined;
  return ofLists(whole ? [whole] : [], withId);
}

/** Whether an answer is that to a request: its pages may have another size. */
function isAnswerTo(answer: RecordedAnswer, path: string, query = EVERYTHING): boolean {
  const matters = (all: Iterable<readonly [string, string]>) =>
    filtersOf(all)
      .map((pair) => JSON.stringify(pair))
      .sort()
      .join();
  return samePath(answer.path, path) && matters(Object.entries(answer.query)) === matters(query);
}

/** The parameters of a query, without the size of its pages. */
function filtersOf(query: Iterable<readonly [string, string]>): (readonly [string, string])[] {
  return [...query].filter(([key, value]) => value !== "" && !PAGE_SIZES.includes(key));
}

function samePath(one: string, other: string): boolean {
  const path = decoded(one);
  return one === other || (path !== undefined && path === decoded(other));
}

function decoded(path: string): string | undefined {
  return tried(() => path.split("/").map(decodeURIComponent).join("\n"));
}
