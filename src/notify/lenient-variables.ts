import type { Sources } from "./destination-input.ts";

/** Variables of which not all need be set. */
export interface LenientVariables extends Pick<Sources, "variable"> {
  /** Those that were asked for, and are not set. */
  readonly unset: ReadonlySet<string>;
}

/** For a look at a routing whose secrets are not sent: `?` stands for what is not at hand. */
export function lenientVariables(sources: Pick<Sources, "variable">): LenientVariables {
  const unset = new Set<string>();
  return {
    unset,
    variable: (name) => {
      const value = sources.variable(name);
      if (!value) unset.add(name);
      return value || "?";
    },
  };
}
