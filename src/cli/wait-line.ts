import type { OutputSettings } from "../context/output-settings.ts";
import type { Io, Sink } from "../io.ts";
import { spokenText } from "../ui/spoken.ts";
import { sanitizeLine, truncate } from "../ui/text.ts";
import { derived } from "../values/basics.ts";

/** The line on a terminal that says what amp waits for, and goes without a trace. */
export interface WaitLine {
  /** The inputs and outputs for everything else: what is written takes the line away first. */
  readonly io: Io;
  /** Whether the line is shown at all: on a terminal of a person, unless it has another use. */
  isShown(): boolean;
  /**
   * Shows a text while something takes long.
   * @param isWork whether it says how far the work is, which tells more than one request does
   * @returns ends it
   */
  begin(text: string, isWork?: boolean): () => void;
  /** Ends all waits: of several requests at once, one may fail while others still wait. */
  end(): void;
}

/** A wait is shown after this time: whatever is quicker needs no explanation. */
const DELAY_MS = 200;
const FRAME_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** How often a wait is a line of its own, where a terminal is not redrawn. */
const SAID_MS = 30_000;
const ERASE_LINE = "\r\u001b[2K";
const FINISHING = "Finishing the request in flight";

/**
 * Creates the line. It is for a person who sees the terminal and reads no data from it: elsewhere
 * nothing is written.
 * @param settings undefined until they are read
 */
export function createWaitLine(io: Io, settings: () => OutputSettings | undefined): WaitLine {
  const waits = new Map<symbol, { readonly text: string; readonly isWork: boolean }>();
  let timer: NodeJS.Timeout | undefined;
  let frame = 0;
  let isVisible = false;
  let isFinishingSaid = false;

  const redraws = () => settings()?.redraws() === true;
  const isSaid = () => {
    const output = settings();
    if (output === undefined || output.quiet || output.debug) return false;
    // A pager has the screen.
    if (io.protectedWork.isHandedOver) return false;
    return output.messages() === "text" && !io.env.CI && io.err.isTty;
  };
  const isShown = () => redraws() && isSaid();
  const draw = () => {
    timer = undefined;
    const all = [...waits.values()];
    const last = all.findLast(({ isWork }) => isWork) ?? all.at(-1);
    if (last === undefined || !isSaid()) return;
    const shown = io.signal.aborted ? FINISHING : last.text;
    if (!redraws()) {
      if (io.signal.aborted && isFinishingSaid) return;
      isFinishingSaid = io.signal.aborted;
      io.err.write(`${spokenText(sanitizeLine(shown))}\n`).catch(() => {});
      return start(SAID_MS);
    }
    const line = truncate(`${FRAMES[frame]} ${sanitizeLine(shown)}`, io.err.columns - 1);
    frame = (frame + 1) % FRAMES.length;
    isVisible = true;
    io.err.write(`${ERASE_LINE}${line}`).catch(() => {});
    start(FRAME_MS);
  };
  const delay = () => (redraws() ? DELAY_MS : SAID_MS);
  const start = (ms: number) => {
    clearTimeout(timer);
    // The timer does not keep the process alive.
    timer = setTimeout(draw, ms).unref();
  };
  const hide = () => {
    clearTimeout(timer);
    timer = undefined;
    if (isVisible) io.err.write(ERASE_LINE).catch(() => {});
    isVisible = false;
  };
  const guarded = (sink: Sink): Sink =>
    derived(sink, {
      write(text: string | Uint8Array) {
        hide();
        const written = sink.write(text);
        if (waits.size > 0) start(delay());
        return written;
      },
      get stream() {
        hide();
        return sink.stream;
      },
    });

  io.signal.addEventListener("abort", () => {
    // A terminal has echoed `^C` at the cursor: it goes with the line, or the next begins anew.
    const isEchoed = io.signal.reason === "SIGINT" && io.err.isTty;
    const isGone = isVisible || io.protectedWork.isHandedOver;
    hide();
    if (isEchoed && !isGone) io.err.write("\n").catch(() => {});
    // A request that changes something is not cut off: the answer to Ctrl-C is then this line.
    if (waits.size > 0) start(0);
  });
  return {
    io: derived(io, { out: guarded(io.out), err: guarded(io.err) }),
    isShown,
    end() {
      waits.clear();
      hide();
    },
    begin(text, isWork = false) {
      const wait = Symbol("wait");
      waits.set(wait, { text, isWork });
      // A text that changes more often than the line may begin does not put it off.
      const isDue = timer === undefined || io.signal.aborted;
      if (!isVisible && isDue && isSaid()) start(io.signal.aborted ? 0 : delay());
      return () => {
        waits.delete(wait);
        if (waits.size === 0) hide();
      };
    },
  };
}
