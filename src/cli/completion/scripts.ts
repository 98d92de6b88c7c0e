import type { CommandNode } from "../define.ts";
import { bash } from "./bash.ts";
import { fish } from "./fish.ts";
import { powershell } from "./powershell.ts";
import { zsh } from "./zsh.ts";

/** The completion script of each shell, and the name of the file that holds it. */
export const SHELLS = {
  bash: { file: "amp.bash", script: bash },
  zsh: { file: "_amp", script: zsh },
  fish: { file: "amp.fish", script: fish },
  powershell: { file: "amp.ps1", script: powershell },
} as const satisfies Record<string, { file: string; script: (root: CommandNode) => string }>;
