import { isJsonObject, plainText } from "../../values/json.ts";

/**
 * The authentication types of spec 2.2, in its order. They are in a small module because help and
 * completion load it.
 */
export const AUTH_TYPES = ["oauth2", "apiKey", "basic", "jwt", "custom", "none"] as const;

/** The options that spec 2.2 requires a provider to have for its authentication type. */
const REQUIRED_OPTIONS: Readonly<Record<string, string>> = {
  oauth2: "oauth2Opts",
  apiKey: "apiKeyOpts",
} satisfies Partial<Record<(typeof AUTH_TYPES)[number], string>>;

/** The remark on a provider without the options that its authentication type requires. */
export function missingAuthOptions(name: string, provider: unknown): string | undefined {
  if (!isJsonObject(provider)) return undefined;
  const type = plainText(provider.authType);
  const options = Object.hasOwn(REQUIRED_OPTIONS, type) ? REQUIRED_OPTIONS[type] : undefined;
  if (options === undefined || (provider[options] ?? undefined) !== undefined) return undefined;
  return `Provider ${name} has no ${options}, which the specification requires for authType ${type}`;
}
