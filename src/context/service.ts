import type { Api, Endpoint } from "../api/operations/endpoint.ts";
import { type AmpError, AuthError, NotFoundError } from "../errors.ts";
import { once } from "../values/once.ts";
import {
  type ClientDependencies,
  createAnonymousClient,
  createDefaultClient,
  createReadClient,
  createTargetClient,
  type ServiceTarget,
} from "./client.ts";

/** The service of the settings; its client is made with the first request. */
export function defaultService(parts: ClientDependencies): Api {
  const anonymous = once(() => createAnonymousClient(parts));
  const own = once(() => createDefaultClient(parts));
  const href = () => parts.settings.baseUrl().value.href;
  const reading = once(async () => (await createReadClient(parts)) ?? own());
  const sending = <Result>(
    endpoint: Endpoint,
    send: (api: Api) => Promise<Result>,
  ): Promise<Result> =>
    withVersionHint(href, async () => {
      if (endpoint.onReadHost) return send(await reading());
      if (endpoint.credential !== "optional") return send(await own());
      try {
        return await send(await anonymous());
      } catch (error) {
        // A service may protect what the specification leaves open: then, and only then, it gets the
        // credential. The refused request was a read, so that it may be repeated.
        if (!isRefused(error) || (await parts.settings.credential()).kind === "none") throw error;
        return send(await own());
      }
    });
  return {
    call: (endpoint, input) => sending(endpoint, (api) => api.call(endpoint, input)),
    list: (endpoint, input) => sending(endpoint, (api) => api.list(endpoint, input)),
    raw: async (request) => hintedAnswer(href, await (await own()).raw(request)),
  };
}

/** A service that the caller names. */
export function targetService(parts: ClientDependencies, target: ServiceTarget): Api {
  const client = once(() => createTargetClient(parts, target));
  const href = () => target.baseUrl;
  return {
    call: (endpoint, input) =>
      withVersionHint(href, async () => (await client()).call(endpoint, input)),
    list: (endpoint, input) =>
      withVersionHint(href, async () => (await client()).list(endpoint, input)),
    raw: async (request) => hintedAnswer(href, await (await client()).raw(request)),
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof AuthError && (error.facts.status === 401 || error.facts.status === 403);
}

async function withVersionHint<Result>(
  href: () => string,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    throw hinted(href, error);
  }
}

function hintedAnswer<Answer extends { readonly error?: AmpError }>(
  href: () => string,
  answer: Answer,
): Answer {
  hinted(href, answer.error);
  return answer;
}

/** The error of a 404, with the likely reason where the base URL lacks the version that it should end in. */
function hinted(href: () => string, error: unknown): unknown {
  if (!(error instanceof NotFoundError) || error.facts.status !== 404) return error;
  const base = href();
  if (/\/v\d+(?:\/|$)/u.test(base)) return error;
  const hint = `The base URL ${base} has no version such as /v1, which may be why: try --base-url ${base}/v1.`;
  const { remedy } = error.facts;
  return error.setFacts({ remedy: remedy === undefined ? hint : `${remedy} ${hint}` });
}
