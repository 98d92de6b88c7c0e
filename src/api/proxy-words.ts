import type { Call } from "./call.ts";
import type { NetworkFailure } from "./network-failure.ts";
import type { ProxyServer } from "./proxy.ts";
import { type ProxyRefusal, refusalIn } from "./proxy-refusal.ts";

/** What to say of a request that did not reach the service. */
interface Words {
  readonly message: string;
  readonly remedy: string;
}

/** What stands between amp and the service: ` through the proxy proxy.example.com:3128`, or nothing. */
export function wayOf({ proxy }: Call): string {
  return proxy === undefined ? "" : ` through the proxy ${proxy.host}`;
}

/** Says which of the two could not be reached, or did not want; undefined where there is no proxy. */
export function throughProxy(
  call: Call,
  { reason, remedy, connecting }: Pick<NetworkFailure, "reason" | "remedy" | "connecting">,
  error: unknown,
): Words | undefined {
  const { host, proxy } = call;
  if (proxy === undefined) return undefined;
  const { hostname } = new URL(`http://${host}`);
  const around = `NO_PROXY=${hostname} reaches it without the proxy.`;
  const refusal = refusalIn(error);
  if (refusal) return refused(call, proxy, refusal, around);
  if (connecting) {
    return {
      message: `Could not reach the proxy ${proxy.host} on the way to ${host}: ${reason}`,
      remedy: `Check ${proxy.variable}. ${around}`,
    };
  }
  // With a proxy that is spoken to by TLS, nothing tells whose certificate it is.
  const whose =
    proxy.url.protocol === "https:"
      ? reason.replace(/^its TLS certificate/u, "its TLS certificate, or that of the proxy,")
      : reason;
  return {
    message: `Could not reach ${host}${wayOf(call)}: ${whose}`,
    remedy: [remedy, around].filter(Boolean).join(" "),
  };
}

function refused({ host }: Call, proxy: ProxyServer, { status }: ProxyRefusal, around: string) {
  const words = (what: string, remedy: string): Words => ({
    message: `Could not reach ${host}: the proxy ${proxy.host} ${what}`,
    remedy: `${remedy} ${around}`,
  });
  if (status !== 407) {
    return words(`answered ${status}`, "Ask its keepers whether it lets this host through.");
  }
  const form = `${proxy.variable}=${proxy.url.protocol}//USER:PASSWORD@${proxy.host}`;
  const encoded = "special characters percent-encoded (@ is %40)";
  return proxy.url.username + proxy.url.password === ""
    ? words("asks for a login", `Give it as ${form}, ${encoded}.`)
    : words("refuses the login", `Check user name and password in ${form}, ${encoded}.`);
}
