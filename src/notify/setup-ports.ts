import type { Api } from "../api/api.ts";
import type { Prompter } from "../context.ts";
import type { Sources } from "./destination-input.ts";
import type { ReviewPage } from "./review.ts";
import type { SettledStep } from "./settled-step.ts";

/** What a setup takes from the world: the part of a command's context that it uses. */
export interface SetupPorts {
  readonly api: Api;
  readonly project: string;
  readonly prompt: Prompter;
  readonly talk: {
    notice(text: string): void;
    warn(text: string): void;
    show(page: ReviewPage): void;
    step(step: SettledStep): void;
  };
  readonly files: Sources & {
    write(path: string, text: string, options: { overwrite: boolean }): Promise<void>;
  };
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  now(): Date;
}
