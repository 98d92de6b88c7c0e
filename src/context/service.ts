import type { Api, Endpoint } from "../api/operations/endpoint.ts";
import { AuthError, NotFoundError } from "../errors.ts";
import { asList, once } from "../values/basics.ts";
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
  const reading = once(async () => (await createReadClient(parts)) ?? own());
  return hintedApi(
    () => parts.settings.baseUrl().value.href,
    own,
    async (endpoint, send) => {
      if (endpoint.onReadHost) return send(await reading());
      if (endpoint.credential !== "optional") return send(await own());
      try {
        return await send(await anonymous());
      } catch (error) {
        // A service may protect what the specification leaves open: then, and only then, it gets
        // the credential. The refused request was a read, so that it may be repeated.
        if (!isRefused(error) || (await parts.credentials.ofService()).kind === "none") throw error;
        return send(await own());
      }
    },
  );
}

/** A service that the caller names. */
export function targetService(parts: ClientDependencies, target: ServiceTarget): Api {
  const client = once(() => createTargetClient(parts, target));
  return hintedApi(
    () => target.baseUrl,
    client,
    async (_endpoint, send) => send(await client()),
  );
}

function isRefused(error: unknown): boolean {
  return error instanceof AuthError && (error.facts.status === 401 || error.facts.status === 403);
}

/**
 * An API whose 404 has the likely reason where the base URL lacks its version.
 * @param client sends what is no endpoint of amp's
 * @param sending sends an operation with the client that it needs
 */
function hintedApi(
  href: () => string,
  client: () => Promise<Api>,
  sending: <Result>(endpoint: Endpoint, send: (api: Api) => Promise<Result>) => Promise<Result>,
): Api {
  const hint = (error: unknown) => {
    if (!(error instanceof NotFoundError) || error.facts.status !== 404) return;
    const base = href();
    if (/\/v\d+(?:\/|$)/u.test(base)) return;
    const text = `The base URL ${base} has no version such as /v1, which may be why: try --base-url ${base}/v1.`;
    error.setFacts({ remedy: asList(error.facts.remedy, text).join(" ") });
  };
  const sendHinted: typeof sending = async (endpoint, send) => {
    try {
      return await sending(endpoint, send);
    } catch (error) {
      hint(error);
      throw error;
    }
  };
  return {
    call: (endpoint, input) => sendHinted(endpoint, (api) => api.call(endpoint, input)),
    list: (endpoint, input) => sendHinted(endpoint, (api) => api.list(endpoint, input)),
    raw: async (request) => {
      const answer = await (await client()).raw(request);
      hint(answer.error);
      return answer;
    },
  };
}
