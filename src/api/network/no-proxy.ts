import { BlockList, isIP } from "node:net";

/**
 * Whether NO_PROXY excludes a host, by the rules of curl and Node: names with or without a leading
 * dot or `*.`, each with its subdomains; `host:port`; addresses, and blocks such as 10.0.0.0/8; `*`
 * for all.
 */
export function isExcludedByNoProxy({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const host = bareHost(hostname);
  const usedPort = port || (protocol === "https:" ? "443" : "80");
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/u)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*" || isInBlock(host, entry)) return true;
      const { name, port: wanted } = hostAndPort(entry);
      if (wanted !== undefined && wanted !== usedPort) return false;
      return name !== "" && (host === name || host.endsWith(`.${name}`));
    });
}

function hostAndPort(entry: string): { readonly name: string; readonly port?: string | undefined } {
  // A colon does not always precede a port: an IPv6 address may be without brackets.
  const found = isIP(entry) === 0 ? /^(?<name>.*?)(?::(?<port>\d+))?$/u.exec(entry)?.groups : {};
  return { name: bareHost(found?.name ?? entry).replace(/^\*?\./u, ""), port: found?.port };
}

function isInBlock(host: string, entry: string): boolean {
  const [, address = "", bits = ""] = /^(.+)\/(\d{1,3})$/u.exec(entry) ?? [];
  const version = isIP(address);
  if (version === 0 || isIP(host) !== version || Number(bits) > (version === 4 ? 32 : 128)) {
    return false;
  }
  const family = version === 4 ? "ipv4" : "ipv6";
  const block = new BlockList();
  block.addSubnet(address, Number(bits), family);
  return block.check(host, family);
}

function bareHost(host: string): string {
  return host.replace(/^\[|\]$/gu, "").replace(/\.$/u, "");
}
