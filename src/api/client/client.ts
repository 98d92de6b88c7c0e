import { type AmpError, isInterrupt, PartialError, ServiceError } from "../../errors.ts";
import { registerSecret } from "../../secrets/secret.ts";
import { CASE_HEADER } from "../../settings.ts";
import { asList } from "../../values/basics.ts";
import { durationText } from "../../values/time.ts";
import { isWrite } from "../../values/writes.ts";
import { bodyLimits, isWebPage, requestIdOf } from "../answer/answer.ts";
import {
  type CheckedAnswer,
  checkedValue,
  checkRequestBody,
  type LoadedCheck,
  loadCheck,
  unreadable,
} from "../answer/check.ts";
import { errorFromAnswer, explainedError, foreignRefusal, statusError } from "../answer/problem.ts";
import { apiErrors } from "../errors.ts";
import type {
  AnswerOf,
  Api,
  CallInput,
  Endpoint,
  ItemOf,
  ListResult,
  RawAnswer,
  RawRequest,
  WriteInput,
} from "../operations/endpoint.ts";
import { listProviderApps } from "../operations/endpoints.ts";
import { meaningOfRefusal } from "../operations/optional-operation.ts";
import { assertDone, type RequestInfo, unknownOutcome } from "../request/request-info.ts";
import { RETRY } from "../request/retry.ts";
import { fillPath, resolveUrl } from "../request/url.ts";
import {
  arriving,
  createProjectScope,
  listPage,
  type PagePlace,
  recordsOfPages,
  redactError,
  WHOLE_LIST,
} from "./lists.ts";
import type { ClientOptions } from "./policy.ts";
import { type Sent, send } from "./send.ts";

/**
 * Creates a client of the service over HTTP. For a write, the error's class says what exists:
 * {@link PartialError}: the outcome is unknown (with `data.created.id`: the record exists, and the
 * answer is not valid); others: nothing was changed; {@link ServiceError}: a retry may succeed.
 */
export function createClient(given: ClientOptions): Api {
  const options = { ...given, scope: createProjectScope() };
  if (options.credential) registerSecret(options.credential.secret);
  return {
    // biome-ignore lint/suspicious/noExplicitAny: as in Api
    call: <E extends Endpoint<any, any, any, any>>(endpoint: E, input: CallInput<E>) =>
      redacted(call(options, endpoint, input as Input)) as Promise<AnswerOf<E>>,
    // biome-ignore lint/suspicious/noExplicitAny: as in Api
    list: async <E extends Endpoint<any, any, any, readonly unknown[]>>(
      endpoint: E,
      input: CallInput<E>,
    ) => {
      const wanted = { ...(input as Input), wholeUpTo: WHOLE_LIST };
      const listed = await redacted(call(options, endpoint, wanted));
      const list = Array.isArray(listed) ? listed : arriving(listed as Batches, endpoint, options);
      return list as ListResult<ItemOf<E>>;
    },
    raw: (request) => redacted(sendRaw(options, request)),
  };
}

type Options = ClientOptions & { readonly scope: ReturnType<typeof createProjectScope> };

async function call(options: Options, endpoint: Endpoint, input: Input): Promise<unknown> {
  const url = resolveUrl(options.baseUrl, fillPath(endpoint.path, input.path ?? {}), input.query);
  const received = await request(options, endpoint, url, input);
  if (received === undefined) return undefined;
  const { check, ...checked } = received;
  if (endpoint.method !== "GET" || check?.kind !== "list") return checkedValue(checked, check);
  const reading = { ...options, onForeign: endpoint.onForeign };
  const first = await listPage(checked, check, { url, before: 0 }, reading);
  if (first.next === undefined) return first.records;
  // A list that has begun is not missing: the error of a later page has another cause.
  const { optional, ...further } = endpoint;
  const load = async (place: PagePlace) => {
    const page = await request(options, further, place.url, input);
    if (page === undefined) throw new Error("a GET always has an answer");
    return listPage(page, check, place, reading);
  };
  const { stream } = bodyLimits(endpoint.method, endpoint.path, options.maxBodyBytes);
  const batches = recordsOfPages(first, load, stream);
  if (input.wholeUpTo !== undefined) return batches;
  const all: unknown[][] = [];
  for await (const batch of batches) all.push([...batch]);
  return all.flat();
}

/** Sends a request and returns a success; undefined for a delete that had its effect. */
async function request(
  options: Options,
  endpoint: Endpoint,
  url: URL,
  input: Input,
): Promise<(CheckedAnswer & { readonly check: LoadedCheck | undefined }) | undefined> {
  const { method, path: template, body: bodySchema } = endpoint;
  const { path = {}, body, idempotencyKey, singleAttempt, signal, wholeUpTo } = input;
  const info = { ...infoOf(options, endpoint, url), project: listedProject(endpoint, path) };
  if (bodySchema) checkRequestBody(await bodySchema(), body, info);
  if (endpoint.credential !== "optional" && !options.credential) throw missingCredential(options);
  const headers = {
    accept: "application/json, application/problem+json",
    // A server may close an idle connection just as a write is sent over it, so none is kept. A
    // write would also use one that a list left: every request has the header.
    connection: "close",
    ...(bodySchema ? { "content-type": "application/json" } : {}),
    ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
  };
  const sending = send(
    { ...info, headers, body: bodySchema && JSON.stringify(body) },
    {
      ...options,
      onRetry: endpoint.isAside ? undefined : options.onRetry,
      limits: bodyLimits(method, template, options.maxBodyBytes),
      wholeUpTo,
      signal: signal ?? options.signal,
      waitSignal: options.signal,
      retries: singleAttempt ? 0 : options.retries,
    },
  );
  const [{ answer, ...how }, check] = await Promise.all([sending, loadMeanwhile(endpoint)]);
  if (answer.status >= 200 && answer.status < 300) {
    // What was created or changed is so, whatever can be read of the answer.
    if (answer.isMisread && method === "GET") throw unreadable(answer, info);
    const requestId = requestIdOf(answer.headers);
    if (requestId) input.onRequestId?.(requestId);
    assertDone(info, answer.status, requestId);
    const isPaged = endpoint.query?.includes("pageToken");
    return { answer, info, check, isPaged, onOddFields: options.onOddFields };
  }
  // An earlier attempt has deleted the record, though its answer was lost.
  const isGone = method === "DELETE" && [404, 410].includes(answer.status);
  if (how.repeated && isGone && !isWebPage(answer)) return undefined;
  throw await failureOf(options, endpoint, { info, path }, { ...how, answer });
}

/** The error for an answer that is not a success. */
async function failureOf(
  options: Options,
  endpoint: Endpoint,
  { info, path }: { readonly info: RequestInfo; readonly path: Path },
  { answer, sent, tooLong }: Sent,
): Promise<AmpError> {
  const { status, headers } = answer;
  const { optional } = endpoint;
  const hasProject = () => projectExists(options, path, endpoint);
  if (optional) {
    const refusal = { status, isForeign: isWebPage(answer) };
    const meaning = await meaningOfRefusal(endpoint, refusal, hasProject);
    if (meaning === "foreign") return foreignRefusal(answer, info);
    if (meaning === "missing")
      return apiErrors.operation_missing(optional, status, headers.has(CASE_HEADER));
  }
  const error = errorFromAnswer(answer, info, options.now?.() ?? new Date());
  if (tooLong) {
    const { maxWaitMs = RETRY.maxWaitMs } = options;
    const own = `amp waits at most ${durationText(maxWaitMs)}; change that with AMP_MAX_WAIT.`;
    error.setFacts({ remedy: asList(error.facts.remedy, own).join(" ") });
  }
  // The answer is to the last one only.
  if (sent === "several") {
    return unknownOutcome(info, "the request was sent more than once", error.facts, error);
  }
  if (info.project === undefined) return error;
  const { withNearestProject } = await import("./nearest-project.ts");
  const from = options.sources?.project?.(info.project);
  return withNearestProject(error, { project: info.project, from }, createClient(options).call);
}

/**
 * Whether a project exists: every service lists the provider apps of one that does.
 * It is asked for the sake of another request, which messages name.
 */
async function projectExists(
  options: Options,
  path: Path,
  { does, isAside = false }: Endpoint,
): Promise<boolean> {
  try {
    await call(options, { ...listProviderApps, does, isAside }, { path });
    return true;
  } catch (error) {
    // A signal or an outage is not an answer, and must not be taken for the 404 before it.
    if (isInterrupt(error) || error instanceof ServiceError) throw error;
    return false;
  }
}

async function sendRaw(options: Options, given: RawRequest): Promise<RawAnswer> {
  const { path, body } = given;
  const method = given.method.toUpperCase();
  const url = resolveUrl(options.baseUrl, path);
  const isRead = ["GET", "HEAD"].includes(method);
  if (body !== undefined && isRead) throw apiErrors.method_without_body(method);
  const notRepeatable = isRead && isWrite(method, url);
  const info = infoOf(options, { method, path, does: "send the request", notRepeatable }, url);
  const content = {
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: typeof body === "object" ? new Uint8Array(body) : body,
  };
  const { response } = await send({ ...info, ...content }, options);
  const { status, statusText, headers, body: stream } = response;
  const answer = { status, statusText, headers, body: stream };
  // A redirect that is not followed is not a success.
  if (status < 300) return answer;
  const sent = { ...info, does: `${method} ${path}` };
  const limits = bodyLimits(method, path, options.maxBodyBytes);
  const explained = () => explainedError(response, limits, sent, options.now?.() ?? new Date());
  return { ...answer, error: statusError(status, sent), explained };
}

function infoOf(
  { credential, sources, uuid }: ClientOptions,
  operation: Omit<RequestInfo, "url" | "credential">,
  url: URL,
): RequestInfo {
  const requestId = uuid?.() ?? crypto.randomUUID();
  return { ...operation, url, credential, requestId, sources };
}

/** The input of a call, without its types. */
interface Input extends WriteInput {
  readonly path?: Path;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** A list of more bytes is left open; absent: none is. */
  readonly wholeUpTo?: number;
}

type Path = Readonly<Record<string, string>>;

/** The project of a list; other paths name further records. */
function listedProject({ method, path }: Endpoint, given: Path) {
  const isList = method === "GET" && /^\/projects\/\{\w+\}\/[^{}]+$/u.test(path);
  return isList ? given.projectIdOrName : undefined;
}

/**
 * Loads what checks the answer, once the connection is started: it would have to wait otherwise.
 */
async function loadMeanwhile(endpoint: Endpoint): Promise<LoadedCheck | undefined> {
  await new Promise((resolve) => setImmediate(resolve));
  return loadCheck(endpoint);
}

type Batches = AsyncIterable<readonly unknown[]>;

/** Redacts the error of a call: a server may echo secrets, and errors go to terminals and logs. */
function redacted<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw redactError(error);
  });
}

function missingCredential({ explainMissingCredential }: ClientOptions): AmpError {
  return explainMissingCredential?.() ?? apiErrors.credential_missing();
}
