import type { Page } from "../cli/view.ts";
import type { Prompter } from "../context.ts";
import type { Sources } from "./destination-input.ts";
import type { ObserverPorts } from "./observe.ts";
import type { SessionPorts } from "./session.ts";

/** What a setup takes from the world: the part of a command's context that it uses. */
export interface SetupPorts extends SessionPorts {
  readonly prompt: Prompter;
  readonly talk: ObserverPorts["talk"] & { show(page: Page): void };
  readonly files: Sources & {
    write(path: string, text: string, options: { overwrite: boolean }): Promise<void>;
  };
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
}
