import type { Sourced } from "../context.ts";
import { UsageError } from "../errors.ts";
import { isOfProfile } from "./known.ts";
import type { LoginPorts } from "./ports.ts";
import { verdict } from "./verdict.ts";

/** The address of the service; one that comes from the profile itself is offered for a change. */
export async function askBaseUrl(
  { profiles, prompt, interactive }: LoginPorts,
  known: Sourced<string> | undefined,
): Promise<string> {
  const settled = known !== undefined && (!interactive || !isOfProfile(known));
  const typed = settled
    ? known.value
    : await prompt.input({
        message: "Base URL, for example https://api.example.com/v1",
        flag: "--base-url",
        ...(known === undefined ? {} : { default: known.value }),
        check: (answer) => verdict(() => profiles.readBaseUrl(answer, "This")),
      });
  return profiles.readBaseUrl(typed, settled ? known.source : "The base URL").href;
}

/**
 * Questions an address without a version: the specification's paths stand below one.
 * @throws {UsageError} where nobody can be asked and `--yes` does not say that it is meant
 */
export async function withVersion(ports: LoginPorts, href: string): Promise<string> {
  const { profiles, prompt, interactive, yes, talk } = ports;
  if (profiles.readBaseUrl(href, "The base URL").versioned) return href;
  const usual = `${href}/v1`;
  if (yes) {
    talk.warn(`${href} names no version; the service's operations usually stand below ${usual}.`);
    return href;
  }
  if (!interactive) {
    throw new UsageError(`${href} names no version: the service's operations stand below /v1`, {
      remedy: `Give ${usual}, or add --yes if the address is meant as it is.`,
      done: "Nothing was sent and nothing saved.",
    });
  }
  return prompt.select({
    message: "The address names no version. Which one is meant?",
    flag: "--base-url",
    choices: [
      { value: usual, label: usual },
      { value: href, label: href, note: "as it was typed" },
    ],
  });
}
