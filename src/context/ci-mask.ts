import type { Io } from "../io.ts";
import type { Secret } from "../secret.ts";

/**
 * Tells GitHub Actions to hide a secret in its logs, once for each and before anything else can say
 * it. On stderr, where the runner reads commands as well: stdout is data.
 */
export function ciMask({ env, err }: Pick<Io, "env" | "err">): (secret: Secret) => Promise<void> {
  const told = new Set<string>();
  return async (secret) => {
    const value = secret.reveal();
    if (env.GITHUB_ACTIONS !== "true" || told.has(value)) return;
    told.add(value);
    // A secret holds no line breaks; of the runner's escapes only that of the percent sign is left.
    await err.write(`::add-mask::${value.replaceAll("%", "%25")}\n`);
  };
}
