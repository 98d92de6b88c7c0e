import type { OutputSettings } from "../context/output-settings.ts";
import { UsageError } from "../errors.ts";
import type { Io } from "../io.ts";
import { renderResult } from "../ui/stream.ts";
import { sanitizeLine } from "../ui/text.ts";
import { truncate } from "../ui/width.ts";
import type { LiveFrame, LiveOutput } from "../view/live.ts";
import type { Tone } from "../view/view.ts";

// The alternate screen leaves the text before it as it was, and a frame is written over the last one
// without a moment in which the screen is empty.
const OPEN = "\u001b[?1049h\u001b[?25l";
const CLOSE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";
const DEFAULT_ROWS = 24;
/** The lines of a frame that are no items: title, two empty ones, status, and one for what is waited for. */
const OTHER_LINES = 5;

/**
 * Creates the output.
 * @throws {UsageError} for a format of a whole document, which such an output never is
 */
export function createLiveOutput(io: Io, settings: OutputSettings): LiveOutput {
  const format = settings.format();
  const isScreen = settings.forReading() && io.env.TERM !== "dumb";
  if (settings.count)
    throw new UsageError("--count and --watch conflict", { done: "Nothing was sent." });
  const isJson = format === "json" || format === "ndjson";
  if (!isScreen && !isJson && format !== undefined && format !== "tsv" && format !== "table") {
    throw new UsageError(`--watch does not support --output ${format}`, {
      detail: "It writes a line for each change until it is stopped.",
      remedy: "Use --json for a JSON document per change, or no --output for tab-separated lines.",
      done: "Nothing was sent.",
    });
  }
  const fields = settings.fields();
  let isOpen = false;
  let last: LiveFrame<unknown> | undefined;
  const columns = () => io.out.columns;
  const listText = async (frame: LiveFrame<unknown>) => {
    const { items: result, view } = frame;
    const options = { tty: true, width: columns(), paint: settings.paint("out"), now: io.now() };
    const text = renderResult({ ...options, result, view, fields, format: "table" });
    let lines = "";
    for await (const chunk of text) lines += chunk;
    return lines.replace(/\n$/u, "").split("\n");
  };
  const frameText = async (frame: LiveFrame<unknown>) => {
    const { rows = DEFAULT_ROWS } = io.out.stream as { readonly rows?: number };
    const paint = settings.paint("out");
    const list = frame.items.length > 0 ? await listText(frame) : [];
    const room = Math.max(1, rows - OTHER_LINES);
    const left = list.length - (room - 1);
    const more = paint("dim", `… and ${left} more`);
    const shown = left > 1 ? [...list.slice(0, room - 1), more] : list;
    const line = (tone: Tone, text: string) => paint(tone, truncate(sanitizeLine(text), columns()));
    return [line("strong", frame.title), "", ...shown, "", line(frame.tone ?? "dim", frame.status)];
  };
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
      const text = renderResult({
        result: items,
        view,
        fields,
        format: isJson ? "ndjson" : "tsv",
        tty: io.out.isTty,
        width: columns(),
        paint: settings.paint("out"),
        now: io.now(),
      });
      for await (const chunk of text) await io.out.write(chunk);
    },
    async close() {
      if (!isOpen || last === undefined) return;
      io.out.stream.off("resize", onResize);
      const lines = await frameText(last);
      await io.out.write(`${CLOSE}${lines.join("\n")}\n`);
    },
  };
}
