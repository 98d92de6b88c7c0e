import { type AmpError, AuthError, isInterrupt, PartialError, UsageError } from "../../errors.ts";
import { registerSecret } from "../../secrets/secret.ts";
import { durationText } from "../../values/duration.ts";
import { isWrite } from "../../values/is-write.ts";
import { suggest } from "../../values/suggested-command.ts";
import { bodyLimits, requestIdOf } from "../answer/answer.ts";
import {
  type CheckedAnswer,
  checkedValue,
  checkRequestBody,
  type LoadedCheck,
  loadCheck,
  unreadable,
} from "../answer/check.ts";
import { errorFromAnswer, statusError } from "../answer/problem.ts";
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
import { isOperationMissing, OperationMissingError } from "../operations/optional-operation.ts";
import { type RequestInfo, unknownOutcome } from "../request/request-info.ts";
import { RETRY } from "../request/retry.ts";
import { fillPath, resolveUrl } from "../request/url.ts";
import type { ClientOptions } from "./client-options.ts";
import { exchange } from "./exchange.ts";
import { arriving, redactError, WHOLE_LIST } from "./long-list.ts";
import { listPage, type PagePlace, recordsOfPages } from "./pages.ts";

/**
 * Creates a client of the service over HTTP. For a write, the error's class says what exists:
 * {@link PartialError}: the outcome is unknown (with `data.created.id`: the record exists, and the
 * answer is not valid); others: nothing was changed; {@link ServiceError}: a retry may succeed.
 */
export function createClient(options: ClientOptions): Api {
  const { credential } = options;
  if (credential) registerSecret(credential.secret);
  const now = options.now ?? (() => new Date());

  function infoOf(asked: Omit<RequestInfo, "host" | "credential">, { host }: URL): RequestInfo {
    const { method, path, does, creates, notRepeatable, reveals } = asked;
    const requestId = options.uuid?.() ?? crypto.randomUUID();
    const { kind, name: credentialName } = credential ?? {};
    const { projectSource } = options;
    const whose = { host, credential: kind, credentialName, requestId, projectSource };
    return { method, path, does, creates, notRepeatable, reveals, ...whose };
  }

  async function call(endpoint: Endpoint, input: Input, wholeUpTo?: number): Promise<unknown> {
    const url = resolveUrl(options.baseUrl, fillPath(endpoint.path, input.path ?? {}), input.query);
    const received = await request(endpoint, url, input, wholeUpTo);
    if (received === undefined) return undefined;
    const { check, ...checked } = received;
    if (endpoint.method !== "GET" || check?.kind !== "list") return checkedValue(checked, check);
    const first = await listPage(checked, check, { url, before: 0 }, options);
    if (first.next === undefined) return first.records;
    // A list that has begun is not missing: the error of a later page has another cause.
    const { optional, ...further } = endpoint;
    const load = async (place: PagePlace) => {
      const page = await request(further, place.url, input, wholeUpTo);
      if (page === undefined) throw new Error("a GET always has an answer");
      return listPage(page, check, place, options);
    };
    const { stream } = bodyLimits(endpoint.method, endpoint.path, options.maxBodyBytes);
    const batches = recordsOfPages(first, load, stream);
    if (wholeUpTo !== undefined) return batches;
    const all: unknown[][] = [];
    for await (const batch of batches) all.push([...batch]);
    return all.flat();
  }

  /** Sends a request and returns a success; undefined for a delete that had its effect. */
  async function request(
    endpoint: Endpoint,
    url: URL,
    {
      path = {},
      body,
      idempotencyKey,
      signal = options.signal,
      singleAttempt,
      onRequestId = () => {},
    }: Input,
    wholeUpTo?: number,
  ): Promise<(CheckedAnswer & { readonly check: LoadedCheck | undefined }) | undefined> {
    const { body: bodySchema } = endpoint;
    const info = { ...infoOf(endpoint, url), project: listedProject(endpoint, path) };
    if (bodySchema) checkRequestBody(await bodySchema(), body, info);
    if (endpoint.credential !== "optional" && !credential) throw missingCredential(options);
    const headers = {
      accept: "application/json, application/problem+json",
      // A server may close an idle connection just as a write is sent over it, so none is kept.
      // A write would also use one that a list left: every request has the header.
      connection: "close",
      ...(bodySchema ? { "content-type": "application/json" } : {}),
      ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
    };
    const exchanging = exchange(
      {
        info,
        url,
        headers,
        limits: bodyLimits(endpoint.method, endpoint.path, options.maxBodyBytes),
        singleAttempt,
        waitSignal: options.signal,
        wholeUpTo,
        ...(bodySchema ? { body: JSON.stringify(body) } : {}),
      },
      { ...options, signal },
    );
    const [{ answer, repeated, sent, tooLong }, check] = await Promise.all([
      exchanging,
      loadMeanwhile(endpoint),
    ]);
    if (!answer) throw new Error("the answer was not read");
    if (answer.status >= 200 && answer.status < 300) {
      // What was created or changed is so, whatever can be read of the answer.
      if (answer.isMisread && endpoint.method === "GET") throw unreadable(answer, info);
      const requestId = requestIdOf(answer.headers);
      if (requestId) onRequestId(requestId);
      const isPaged = endpoint.query?.includes("pageToken");
      return { answer, info, check, isPaged, onOddFields: options.onOddFields };
    }
    // An earlier attempt has deleted the record, though its answer was lost.
    if (repeated && endpoint.method === "DELETE" && answer.status === 404) return undefined;
    const { optional } = endpoint;
    const { status } = answer;
    if (optional && (await isOperationMissing(endpoint, status, () => projectExists(path)))) {
      throw new OperationMissingError(optional, { status }, answer.headers);
    }
    const error = errorFromAnswer(answer, info, now());
    if (tooLong) error.setFacts({ remedy: withRemedy(error, options) });
    if (sent === "several") throw sentSeveralTimes(error, info);
    if (info.project === undefined) throw error;
    const { withNearestProject } = await import("./nearest-project.ts");
    throw await withNearestProject(error, info.project, call as Api["call"]);
  }

  /** Whether a project exists: every service lists the provider apps of one that does. */
  async function projectExists(path: Readonly<Record<string, string>>): Promise<boolean> {
    try {
      await call(listProviderApps, { path });
      return true;
    } catch (error) {
      // A signal is not an answer, and must not be taken for the 404 that came before it.
      if (isInterrupt(error)) throw error;
      return false;
    }
  }

  async function raw({ method, path, body }: RawRequest): Promise<RawAnswer> {
    const url = resolveUrl(options.baseUrl, path);
    const isRead = ["GET", "HEAD"].includes(method.toUpperCase());
    const notRepeatable = isRead && isWrite(method, url);
    const info = infoOf(
      { method: method.toUpperCase(), path, does: "send the request", notRepeatable },
      url,
    );
    if (body !== undefined && isRead) {
      throw new UsageError(`A ${info.method} request cannot have a body`);
    }
    const { response } = await exchange(
      {
        info,
        url,
        headers: body === undefined ? {} : { "content-type": "application/json" },
        body: typeof body === "object" ? new Uint8Array(body) : body,
      },
      options,
    );
    const { status, statusText, headers, body: stream } = response;
    const answer = { status, statusText, headers, body: stream };
    // A redirect that is not followed is not a success.
    if (status < 300) return answer;
    return { ...answer, error: statusError(status, { ...info, does: `${info.method} ${path}` }) };
  }

  return {
    // biome-ignore lint/suspicious/noExplicitAny: as in Api
    call: <E extends Endpoint<any, any, any, any>>(endpoint: E, input: CallInput<E>) =>
      redacted(call(endpoint, input as Input)) as Promise<AnswerOf<E>>,
    // biome-ignore lint/suspicious/noExplicitAny: as in Api
    list: async <E extends Endpoint<any, any, any, readonly unknown[]>>(
      endpoint: E,
      input: CallInput<E>,
    ) => {
      const listed = await redacted(call(endpoint, input as Input, WHOLE_LIST));
      const list = Array.isArray(listed) ? listed : arriving(listed as Batches, endpoint, options);
      return list as ListResult<ItemOf<E>>;
    },
    raw: (request) => redacted(raw(request)),
  };
}

/** The input of a call, without its types. */
interface Input extends WriteInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** The project of a list; other paths name further records. */
function listedProject({ method, path }: Endpoint, given: Readonly<Record<string, string>>) {
  const isList = method === "GET" && /^\/projects\/\{\w+\}\/[^{}]+$/u.test(path);
  return isList ? given.projectIdOrName : undefined;
}

/** Loads what checks the answer while the request is on its way, to save that time. */
async function loadMeanwhile(endpoint: Endpoint): Promise<LoadedCheck | undefined> {
  // The connection is started first; otherwise it would have to wait.
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

/** The error for a write that fetch sent several times: the answer is to the last one only. */
function sentSeveralTimes(error: AmpError, info: RequestInfo): AmpError {
  const reason = "the request was sent more than once";
  return unknownOutcome(info, reason, error.facts, { cause: error });
}

function withRemedy({ facts }: AmpError, { maxWaitMs = RETRY.maxWaitMs }: ClientOptions): string {
  const own = `amp waits at most ${durationText(maxWaitMs)}; change that with --max-wait.`;
  return facts.remedy === undefined ? own : `${facts.remedy} ${own}`;
}

function missingCredential({ explainMissingCredential }: ClientOptions): AmpError {
  return (
    explainMissingCredential?.() ??
    new AuthError("Not logged in", { suggestion: suggest("auth login"), done: "Nothing was sent." })
  );
}
