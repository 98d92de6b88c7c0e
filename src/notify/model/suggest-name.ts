import { AmpError } from "../../errors.ts";

/** The longest name that the live platform takes for a topic. */
const MAX_LENGTH = 64;

/** The nearest name of letters, digits and dashes; `undefined` where none is left or it is the same. */
export function nearestName(name: string): string | undefined {
  const near = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z\d-]+/gu, "-")
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/gu, "");
  return near === "" || near === name ? undefined : near;
}

/**
 * Waits for a create; a refusal of the name gets a better one to try.
 * @param command what to type with it; without, only the option is told
 */
export async function withNameAdvice<Answer>(
  call: Promise<Answer>,
  name: string,
  command?: string,
): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    const near = nearestName(name);
    if (near === undefined || !isAboutName(error)) throw error;
    const { remedy } = error.facts;
    throw command === undefined
      ? error.with({ remedy: remedy ?? `For example --name ${near}.` })
      : error.with({ suggestion: `${command} --name ${near}` });
  }
}

function isAboutName(error: unknown): error is AmpError {
  return (
    error instanceof AmpError && error.facts.issues?.some(({ name }) => name === "name") === true
  );
}
