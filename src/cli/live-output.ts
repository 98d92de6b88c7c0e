import type { OutputSettings } from "../context/output-settings.ts";
import type { Io } from "../io.ts";
import { renderResult } from "../ui/stream.ts";
import { sanitizeLine, truncate } from "../ui/text.ts";
import { inputErrors } from "../values/errors.ts";
import { formatFacts } from "../values/setting.ts";
import type { LiveFrame, LiveOutput, TableView, Tone } from "../view/view.ts";

// The alternate screen leaves the text before it as it was, and a frame is written over the last
// one without a moment in which the screen is empty.
const OPEN = "\u001b[?1049h\u001b[?25l";
const CLOSE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";
const DEFAULT_ROWS = 24;
/** The lines of a frame beside its items: title, two empty ones, status, and one for a wait. */
const OTHER_LINES = 5;

/**
 * Creates the output.
 * @throws {UsageError} for a format of a whole document, which such an output never is
 */
export function createLiveOutput(io: Io, settings: OutputSettings): LiveOutput {
  const format = settings.format();
  const isScreen = settings.forReading() && settings.redraws();
  const { json, isLive } = formatFacts(format);
  const isJson = json !== undefined;
  if (!isScreen && !isJson && !isLive && format !== undefined) {
    throw inputErrors.format_not_supported(
      "--watch",
      format,
      "Use --json for a JSON document per change, or no --output for tab-separated lines.",
      "It writes a line for each change until it is stopped.",
    );
  }
  const fields = settings.fields();
  const paint = settings.paint("out");
  const isSpoken = settings.isSpoken("out") && !isJson;
  const rendered = <Item>(
    result: readonly Item[],
    view: TableView<readonly Item[]>,
    onHidden?: (labels: readonly string[]) => void,
  ) => {
    const as = isScreen || isSpoken ? "table" : isJson ? "ndjson" : "tsv";
    const { isTty: tty, columns: width } = io.out;
    const now = io.now();
    const options = { result, view, fields, format: as, tty, width, paint, now, onHidden } as const;
    return renderResult({ ...options, isSpoken });
  };
  const listLines = async ({ items, view }: LiveFrame<unknown>) => {
    if (items.length === 0) return [];
    let lines = "";
    const onHidden = (labels: readonly string[]) => {
      const text = truncate(`Hidden columns: ${labels.join(", ")}`, io.out.columns);
      lines = `${paint("dim", text)}\n`;
    };
    for await (const chunk of rendered(items, view, onHidden)) lines += chunk;
    return lines.replace(/\n$/u, "").split("\n");
  };
  const frameText = async (frame: LiveFrame<unknown>) => {
    const { rows = DEFAULT_ROWS } = io.out.stream as { readonly rows?: number };
    const list = await listLines(frame);
    const room = Math.max(1, rows - OTHER_LINES);
    const left = list.length - (room - 1);
    const more = paint("dim", `… and ${left} more`);
    const shown = left > 1 ? [...list.slice(0, room - 1), more] : list;
    const line = (tone: Tone, text: string) =>
      paint(tone, truncate(sanitizeLine(text), io.out.columns));
    return [line("strong", frame.title), "", ...shown, "", line(frame.tone ?? "dim", frame.status)];
  };
  let isOpen = false;
  let last: LiveFrame<unknown> | undefined;
  const redraw = async () => {
    if (last === undefined) return;
    const lines = await frameText(last);
    const start = isOpen ? HOME : OPEN + HOME;
    isOpen = true;
    await io.out.write(
      `${start}${lines.map((line) => `${line}${CLEAR_LINE}\n`).join("")}${CLEAR_BELOW}`,
    );
  };
  const onResize = () => void redraw().catch(() => {});
  return {
    isScreen,
    isJson,
    get isClosed() {
      return io.out.closed;
    },
    async draw(frame) {
      if (!isOpen) io.out.stream.on("resize", onResize);
      last = frame as LiveFrame<unknown>;
      await redraw();
    },
    async write(items, view) {
      for await (const chunk of rendered(items, view)) await io.out.write(chunk);
      if (isSpoken) await io.out.write("\n");
    },
    async close() {
      if (!isOpen || last === undefined) return;
      io.out.stream.off("resize", onResize);
      const lines = await frameText(last);
      await io.out.write(`${CLOSE}${lines.join("\n")}\n`);
    },
  };
}
