import type { RequestNote } from "../api/client-options.ts";
import type { Io } from "../io.ts";
import { REDACTED, withoutSecrets } from "../secret.ts";
import { display } from "../ui/text.ts";

/**
 * What `--debug` tells, and the only one who does: what was sent where, what came back and how long
 * it took. Never a header or a body, and of an address no user info and no value of a query.
 */
export function debugWriter({ err }: Pick<Io, "err">): (note: RequestNote) => void {
  return ({ method, url, status, failure, ms, attempt, proxy, ...ids }) => {
    const { requestId, clientRequestId } = ids;
    const parts = [
      method,
      shownAddress(url),
      status ?? failure,
      `${Math.round(ms)} ms`,
      proxy && `through the proxy ${proxy}`,
      attempt > 1 && `attempt ${attempt}`,
      requestId && `request ${requestId}`,
      clientRequestId && clientRequestId !== requestId && `sent as ${clientRequestId}`,
    ];
    const line = withoutSecrets(parts.filter(Boolean).join(" "));
    err.write(`debug: ${display(line, { inCell: true })}\n`).catch(() => {});
  };
}

/** The query of a request of the user's own may hold anything; that of amp's own holds identifiers. */
const HARMLESS = new Set(["groupRef", "cursor", "pageToken", "limit"]);

function shownAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return REDACTED;
  const user = url.username === "" && url.password === "" ? "" : `${REDACTED}@`;
  const query = [...url.searchParams].map(([name, value]) => {
    const shown = HARMLESS.has(name) ? encodeURIComponent(value) : REDACTED;
    return `${encodeURIComponent(name)}=${shown}`;
  });
  const tail = query.length === 0 ? "" : `?${query.join("&")}`;
  return `${url.protocol}//${user}${url.host}${url.pathname}${tail}`;
}
