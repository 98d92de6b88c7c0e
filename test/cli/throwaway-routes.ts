import type { Routes } from "../../src/cli/define.ts";
import { type AnyCommand, defineCommand } from "../../src/cli/define.ts";

/** A tree with one command, `amp probe`, which the test writes. */
export function only(command: AnyCommand): Routes {
  return { probe: { summary: "what a test tries", load: async () => ({ default: command }) } };
}

/** The same, of which only what it does matters. */
export function doing(run: AnyCommand["run"]): Routes {
  return only(defineCommand({ examples: ["amp probe"], run }) as AnyCommand);
}
