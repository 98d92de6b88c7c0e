import { Chalk } from "chalk";
import type { Io, Sink } from "../io.ts";
import type { Paint, PaintTone } from "../ui/paint.ts";

/** Whether one output gets colour: asked for, or a terminal and nothing against it. */
export function wantsColor(io: Io, sink: Sink, option: boolean | undefined): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (option === false || (NO_COLOR !== undefined && NO_COLOR !== "")) return false;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return sink.isTty && TERM !== "dumb";
}

/** Colour by meaning. Chalk itself looks at neither NO_COLOR nor the right stream. */
export function createPaint(on: boolean): Paint {
  if (!on) return (_tone, text) => text;
  // The sixteen colours that every terminal maps to its own theme, light or dark.
  const chalk = new Chalk({ level: 1 });
  const styles = {
    good: chalk.green,
    attention: chalk.yellow,
    bad: chalk.red,
    dim: chalk.dim,
    strong: chalk.bold,
    title: chalk.bold,
    heading: chalk.bold,
    label: chalk.dim,
  } as const satisfies Record<PaintTone, (text: string) => string>;
  return (tone, text) => (text === "" ? text : styles[tone](text));
}
