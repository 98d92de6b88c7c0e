import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type { ZodMiniType } from "zod/mini";
import {
  AmpError,
  AuthError,
  InterruptedError,
  PartialError,
  TerminatedError,
  UsageError,
} from "../../errors.ts";
import { redactAnswer } from "../../secrets/answer.ts";
import { redactSecrets, registerSecret } from "../../secrets/secret.ts";
import { durationText } from "../../values/duration.ts";
import { suggest } from "../../values/suggested-command.ts";
import { maxBytesFor, requestIdOf } from "../answer/answer.ts";
import { checkedValue, checkRequestBody } from "../answer/check.ts";
import { errorFromAnswer, statusError } from "../answer/problem.ts";
import type {
  AnswerOf,
  Api,
  CallInput,
  CreateInput,
  Endpoint,
  ItemOf,
  ListResult,
  RawAnswer,
  RawRequest,
} from "../operations/endpoint.ts";
import { listProviderApps } from "../operations/endpoints.ts";
import { isOperationMissing, OperationMissingError } from "../operations/optional-operation.ts";
import { effectUnknown, outcomeUnknown, type RequestInfo } from "../request/request-info.ts";
import { RETRY } from "../request/retry.ts";
import { fillPath, resolveUrl } from "../request/url.ts";
import type { ClientOptions } from "./client-options.ts";
import { exchange } from "./exchange.ts";
import { longList, WHOLE_LIST } from "./long-list.ts";

/**
 * Creates a client of the service over HTTP. For a create, the class of the error tells what exists:
 * {@link PartialError} that the outcome is unknown (or, with `data.created.id`, that the record exists
 * and the answer is invalid); any other one that nothing was created, {@link ServiceError} also that
 * another attempt may succeed.
 */
export function createClient(options: ClientOptions): Api {
  const { credential } = options;
  if (credential) registerSecret(credential.secret);
  const now = options.now ?? (() => new Date());

  function callOf(
    about: Pick<RequestInfo, "method" | "path" | "does" | "creates">,
    url: URL,
  ): RequestInfo {
    const requestId = (options.uuid ?? randomUUID)();
    return { ...about, host: url.host, credential: credential?.kind, requestId };
  }

  async function call(
    { answer: answerSchema, body: bodySchema, ...endpoint }: Endpoint,
    {
      path = {},
      query = {},
      body,
      idempotencyKey,
      signal = options.signal,
      singleAttempt,
      onRequestId = () => {},
    }: Input,
    wholeUpTo?: number,
  ): Promise<unknown> {
    const url = resolveUrl(options.baseUrl, fillPath(endpoint.path, path), query);
    const about = callOf(endpoint, url);
    if (bodySchema) checkRequestBody(await bodySchema(), body, about);
    if (endpoint.credential === "required" && !credential) throw missingCredential(options);
    const headers = {
      accept: "application/json, application/problem+json",
      // A server may close an idle connection at the moment in which a create is written to it, so no
      // connection is kept. A create would also use one that a list left: every request has the header.
      connection: "close",
      ...(bodySchema ? { "content-type": "application/json" } : {}),
      ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
    };
    const exchanging = exchange(
      {
        info: about,
        url,
        headers,
        limit: maxBytesFor(endpoint.method, endpoint.path, options.maxBodyBytes),
        singleAttempt,
        waitSignal: options.signal,
        wholeUpTo,
        ...(bodySchema ? { body: JSON.stringify(body) } : {}),
      },
      { ...options, signal },
    );
    const [{ answer, repeated, sent, tooLong }, schema] = await Promise.all([
      exchanging,
      loadMeanwhile(answerSchema),
    ]);
    if (!answer) throw new Error("the answer was not read");
    if (answer.status >= 200 && answer.status < 300) {
      const requestId = requestIdOf(answer.headers);
      if (requestId) onRequestId(requestId);
      if (answer.open && schema) {
        const { open } = answer;
        return longList({ ...answer, open }, schema, about, { ...options, signal });
      }
      // Redacted here, so that no output, error or prompt can show a customer's credential.
      return redactAnswer(checkedValue(answer, schema, about));
    }
    // An earlier attempt has deleted it, though its answer never came.
    if (repeated && endpoint.method === "DELETE" && answer.status === 404) return undefined;
    const { optional } = endpoint;
    const { status } = answer;
    if (optional && (await isOperationMissing(endpoint, status, () => projectExists(path)))) {
      throw new OperationMissingError(optional, { status });
    }
    const error = await errorFromAnswer(answer, about, now());
    if (tooLong) error.with({ remedy: withRemedy(error, options) });
    throw sent === "several" ? sentSeveralTimes(error, about) : error;
  }

  /** Every service lists the provider apps of a project that exists. */
  async function projectExists(path: Readonly<Record<string, string>>): Promise<boolean> {
    try {
      await call(listProviderApps, { path });
      return true;
    } catch (error) {
      // A signal is no answer, and must not be taken for the 404 that came before it.
      if (error instanceof InterruptedError || error instanceof TerminatedError) throw error;
      return false;
    }
  }

  async function raw({ method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
    const url = resolveUrl(options.baseUrl, path);
    const about = callOf({ method: method.toUpperCase(), path, does: "send the request" }, url);
    if (body !== undefined && ["GET", "HEAD"].includes(about.method)) {
      throw new UsageError(`A ${about.method} request cannot have a body`);
    }
    const { response } = await exchange(
      {
        info: about,
        url,
        headers: userHeaders(headers),
        body: typeof body === "object" ? new Uint8Array(body) : body,
      },
      options,
    );
    const { status, statusText, headers: sent, body: stream } = response;
    const answer = { status, statusText, headers: sent, body: stream };
    // A redirect is not followed, so that it is no success.
    if (status < 300) return answer;
    return { ...answer, error: statusError(status, { ...about, does: `${about.method} ${path}` }) };
  }

  /** Redacts errors: a server may echo secrets, and an error goes to terminals and logs. */
  async function guarded<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      throw clean(error);
    }
  }

  async function* guardedBatches<Batch>(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    try {
      yield* batches;
    } catch (error) {
      throw clean(error);
    }
  }

  function clean(error: unknown): unknown {
    if (!(error instanceof AmpError)) return error;
    return error.with(redactSecrets(error.facts));
  }

  return {
    // biome-ignore lint/suspicious/noExplicitAny: as in Api
    call: <E extends Endpoint<any, any, any, any>>(endpoint: E, input: CallInput<E>) =>
      guarded(call(endpoint, input as Input)) as Promise<AnswerOf<E>>,
    // biome-ignore lint/suspicious/noExplicitAny: as in Api
    list: async <E extends Endpoint<any, any, any, readonly unknown[]>>(
      endpoint: E,
      input: CallInput<E>,
    ) => {
      const listed = await guarded(call(endpoint, input as Input, WHOLE_LIST));
      return (Array.isArray(listed) ? listed : guardedBatches(listed as Batches)) as ListResult<
        ItemOf<E>
      >;
    },
    raw: (request) => guarded(raw(request)),
  };
}

/** The input of a call, without its types. */
interface Input extends CreateInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}

/** Loads the schema, and zod with it, while the request is on its way: that takes time. */
async function loadMeanwhile(load: Endpoint["answer"]): Promise<ZodMiniType | undefined> {
  if (load === undefined) return undefined;
  // The connection is started first; it would have to wait otherwise.
  await turn();
  return load();
}

type Batches = AsyncIterable<readonly unknown[]>;

/** The error for a create that fetch sent several times: the answer is to the last one only. */
function sentSeveralTimes(error: AmpError, call: RequestInfo): AmpError {
  return new PartialError(
    `${outcomeUnknown(call)}: the request was sent more than once`,
    { ...error.facts, ...effectUnknown(call) },
    { cause: error },
  );
}

function withRemedy({ facts }: AmpError, { maxWaitMs = RETRY.maxWaitMs }: ClientOptions): string {
  const own = `amp waits at most ${durationText(maxWaitMs)}; change that with --max-wait.`;
  return facts.remedy === undefined ? own : `${facts.remedy} ${own}`;
}

function missingCredential({ explainMissingCredential }: ClientOptions): AmpError {
  return (
    explainMissingCredential?.() ??
    new AuthError("Not logged in", {
      suggestion: suggest("auth login"),
      done: "Nothing was sent.",
    })
  );
}

/** The headers of a request of the user's own, checked. */
function userHeaders(own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(own)) {
    if (/^(?:x-api-key|(?:proxy-)?authorization)$/iu.test(name)) {
      throw new UsageError(`The header ${name} cannot be set: amp sets it from the credential`);
    }
    try {
      headers.set(name, value);
    } catch {
      throw new UsageError(`The header ${JSON.stringify(name)} has an invalid name or value`);
    }
  }
  return headers;
}
