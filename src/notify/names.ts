/** True, or what is wrong, as prompts want it. */
export type Check = (answer: string) => true | string;

/** The live platform's rules (platform.md, "Names"). Told early by questions, judged by the service. */
const RULES = {
  destination: { pattern: /^[A-Za-z0-9-]+$/u, says: "Only letters, digits and dashes." },
  topic: {
    pattern: /^[A-Za-z0-9-]{1,64}$/u,
    says: "Only letters, digits and dashes, 64 at the most.",
  },
} as const;

/** What can be named. */
export type Named = keyof typeof RULES;

/** A check for the name of something new. */
export function nameCheck(kind: Named, taken: readonly (string | null | undefined)[]): Check {
  return (answer) => {
    const { pattern, says } = RULES[kind];
    if (!pattern.test(answer)) return says;
    return taken.includes(answer) ? `A ${kind} of this name exists already.` : true;
  };
}

/** A check for what must not be empty. */
export const notEmpty: Check = (answer) => answer.trim() !== "" || "It must not be empty.";
