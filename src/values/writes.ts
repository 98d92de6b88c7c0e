/** The guards of a profile, which hold back what writes to its service. */
export interface ProfileGuards {
  /** Whether a write needs the profile's name, typed or as `--confirm`. */
  readonly protected?: boolean | undefined;
  /** Whether every write is refused. */
  readonly readOnly?: boolean | undefined;
}

/** The guards in words, `protected, read-only`; undefined without any. */
export function guardText(profile: ProfileGuards): string | undefined {
  const words = [profile.protected && "protected", profile.readOnly && "read-only"];
  return words.filter(Boolean).join(", ") || undefined;
}

/** The fields of the guards that are set, as a profile is saved and shown. */
export function guardFields({ protected: isProtected, readOnly }: ProfileGuards): {
  readonly protected?: true;
  readonly readOnly?: true;
} {
  return { ...(isProtected ? { protected: true } : {}), ...(readOnly ? { readOnly: true } : {}) };
}

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
