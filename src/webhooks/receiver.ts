import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { UsageError } from "../errors.ts";
import { isLoopback } from "../runtime/loopback.ts";

/**
 * The address of a receiver.
 * @throws {UsageError} for what is not an address of HTTP, or has a password in it
 */
export function readReceiverUrl(typed: string): URL {
  const url = URL.parse(typed);
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    throw new UsageError("the URL of the receiver must begin with http:// or https://", {
      remedy: "Enter a full URL, for example http://localhost:3000/amp",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("the URL of the receiver must not contain a user name or password", {
      remedy: "Remove them from the URL; --header sends a header such as Authorization.",
    });
  }
  url.hash = "";
  return url;
}

/** The private addresses (RFC 1918, RFC 4193) and those of this machine. */
const OWN_ADDRESSES = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  OWN_ADDRESSES.addSubnet(network, prefix, "ipv4");
}
OWN_ADDRESSES.addAddress("::1", "ipv6");
OWN_ADDRESSES.addSubnet("fc00::", 7, "ipv6");

/**
 * Whether a receiver is on this machine or in a private network. A name counts as private if all of
 * its addresses are; one that cannot be resolved does, since nothing can then be sent to it.
 */
export async function isPrivateReceiver({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/gu, "");
  if (isLoopback(hostname) || host.endsWith(".localhost")) return true;
  if (isIP(host) > 0) return isOwnAddress(host);
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return addresses.every(({ address }) => isOwnAddress(address));
}

function isOwnAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return OWN_ADDRESSES.check(mapped, "ipv4");
  return OWN_ADDRESSES.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
