import { readFileSync } from "node:fs";

/** The file of each shell, which asks the program that is completed. */
export const STUB_FILES = {
  bash: "amp.bash",
  zsh: "_amp",
  fish: "amp.fish",
  powershell: "amp.ps1",
} as const;

/** The text of a file in `completions`; a build replaces this file by all of them. */
export function stubOf(shell: keyof typeof STUB_FILES): string {
  return readFileSync(
    new URL(`../../../completions/${STUB_FILES[shell]}`, import.meta.url),
    "utf8",
  );
}
