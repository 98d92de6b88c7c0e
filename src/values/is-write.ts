/**
 * Whether a request changes something at the service: by its method, or because it rotates a
 * signing key, which the service does for a GET.
 * @param address the URL, or the path with its query
 */
export function isWrite(method: string, address: string | URL): boolean {
  if (!READS.has(method.toUpperCase())) return true;
  return URL.parse(String(address), "http://localhost")?.searchParams.has("rotate") ?? true;
}

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"]);
