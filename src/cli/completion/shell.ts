/** The shells that amp writes completion for. */
export const SHELL_NAMES = ["bash", "zsh", "fish", "powershell"] as const;
/** One of {@link SHELL_NAMES}. */
export type Shell = (typeof SHELL_NAMES)[number];
