import type { Secret } from "../../secrets/secret.ts";

/** Secrets of one destination, by the service's names for them. */
export type Secrets = Readonly<Record<string, Secret>>;

/** The values of secrets, for a check of their form; never for a message. */
export function revealedSecrets(secrets: Secrets): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([name, secret]) => [name, secret.reveal()]),
  );
}

/** Names for variables that stand in for what may not be shown; no two parts get the same. */
export function variableNames(): (...parts: readonly string[]) => string {
  const owners = new Map<string, string>();
  return (...parts) => {
    const owner = JSON.stringify(parts);
    const base = snake(parts);
    let name = base;
    for (let count = 2; (owners.get(name) ?? owner) !== owner; count += 1)
      name = `${base}_${count}`;
    owners.set(name, owner);
    return name;
  };
}

/** `ops-stream`, `awsSecretKey` -> `OPS_STREAM_AWS_SECRET_KEY`. */
function snake(parts: readonly string[]): string {
  const words = parts
    .map((part) => part.replaceAll(/([a-z\d])([A-Z])/gu, "$1_$2"))
    .join("_")
    .replaceAll(/[^A-Za-z\d]+/gu, "_")
    .replaceAll(/^_+|_+$/gu, "")
    .toUpperCase();
  return /^[A-Z]/u.test(words) ? words : `AMP_${words || "SECRET"}`;
}
