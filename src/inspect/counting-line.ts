import type { CommandContext } from "../context/command-context.ts";

/** The line on a terminal that says how far the reading of a long list has come. */
export interface CountingLine {
  show(count: number): void;
  end(): void;
}

/**
 * Creates the line; nothing is shown before the first count.
 * @param does what amp does, for example "Counting the installations"
 * @param of the number that is counted up to, where it is known
 */
export function countingLine(
  report: Pick<CommandContext["report"], "working">,
  does: string,
  of?: number,
) {
  let end = () => {};
  const line: CountingLine = {
    show: (count) => {
      // The new text begins before the old one ends, so that the line stays.
      const next = report.working(`${does}: ${count} ${of === undefined ? "so far" : `of ${of}`}`);
      end();
      end = next;
    },
    end: () => end(),
  };
  return line;
}
