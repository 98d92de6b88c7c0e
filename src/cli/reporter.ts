import type { Annotation, Reporter } from "../context/command-context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import type { Io, Sink } from "../io.ts";
import { redactLayout, redactSecrets } from "../secrets/secret.ts";
import { renderPage } from "../ui/page.ts";
import { progressLine } from "../ui/status-lines.ts";
import { jsonText, sanitize, truncate, wrap } from "../ui/text.ts";
import type { CommandTarget } from "../values/command-paths.ts";
import { durationText } from "../values/duration.ts";
import { foldCommand } from "../values/shell.ts";
import { atTarget, type SuggestedCommand } from "../values/suggested-command.ts";
import type { WaitLine } from "./wait-line.ts";

/**
 * Creates the reporter of one command.
 * @param target the target of the command, which suggested commands use, too
 */
export function createReporter(
  io: Io,
  settings: OutputSettings,
  target: CommandTarget,
  waitLine: Pick<WaitLine, "begin" | "isShown">,
): Reporter {
  const paint = settings.paint("err");
  let hasOutput = false;
  const unwritten: string[] = [];
  const held: (() => void)[] = [];
  let isConversation = false;
  const messages = () => (isConversation ? "text" : settings.messages());
  const say = (line: string) => {
    hasOutput = true;
    // The write is not awaited: a stream keeps its order, and a failure of stderr cannot be
    // reported.
    io.err.write(`${line}\n`).catch(() => {});
  };
  const { oneLine, lines } = messageTexts(io.err, target);
  const unlessQuiet = (line: string) => {
    if (!settings.quiet && messages() === "text") say(line);
  };
  /** Writes something, or keeps it for a question that it may be about. */
  const writeOrHold = (isHeld: boolean, write: () => void) => {
    if (!isHeld) return write();
    held.push(write);
    // A command that runs for days, such as listen, asks nothing.
    if (held.length > MAX_HELD) held.shift();
  };
  // A JSON line does not count as output that an empty line must separate from the result.
  const sayJson = (fields: object) =>
    void io.err.write(`${jsonText(redactSecrets(fields))}\n`).catch(() => {});
  const warn: Reporter["warn"] = (text, ...commands) => {
    const kind = messages();
    const message = oneLine(text, commands);
    if (kind === "json-lines") return sayJson({ amp: "warning", message });
    if (kind === "json") unwritten.push(message);
    writeOrHold(kind === "json", () => {
      for (const line of lines(text, commands)) say(paint("attention", line));
    });
  };
  return {
    notice: (text, ...commands) => {
      writeOrHold(settings.quiet || messages() !== "text", () => {
        for (const line of lines(text, commands)) say(paint("dim", line));
      });
    },
    warn,
    warnAll: (texts, more) => {
      const most = messages() === "text" && io.err.isTty ? MAX_WARNINGS : texts.length;
      for (const text of texts.slice(0, most)) warn(text);
      if (texts.length > most) warn(more(texts.length - most));
    },
    asks: () => {
      isConversation = true;
      unwritten.length = 0;
      for (const write of held.splice(0)) write();
    },
    page: (page, { isWarning = false } = {}) => {
      // The page of a large plan takes long to make.
      writeOrHold(messages() !== "text" || (settings.quiet && !isWarning), () => {
        say("");
        const isPiped = !io.err.isTty;
        const options = { paint, width: io.err.columns, now: io.now(), isPiped };
        for (const line of renderPage(atTarget(redactLayout(page), target), options)) say(line);
      });
    },
    progress: (entry) => {
      // A log may be of any width, and nothing is cut in it.
      const width = io.err.isTty ? io.err.columns : Number.POSITIVE_INFINITY;
      unlessQuiet(progressLine(redactLayout(entry), { paint, width }));
    },
    waiting: ({ does, host, received }) =>
      // The count comes early: on a narrow terminal the line is cut.
      waitLine.begin(
        received ? `Receiving from ${host}: ${received} so far` : `Waiting for ${host} to ${does}`,
      ),
    retrying: ({ does, why, waitMs, attempt, attempts }) => {
      const again = `Retrying in ${durationText(waitMs)} (attempt ${attempt} of ${attempts})`;
      if (waitLine.isShown()) {
        const end = waitLine.begin(`${again}: ${why}`, true);
        setTimeout(end, waitMs).unref();
      } else if (attempt === 2 || waitMs >= LONG_WAIT_MS) {
        unlessQuiet(paint("dim", shown(`Could not ${does} yet: ${why}. ${again}.`)));
      }
    },
    working: (text) => waitLine.begin(text, true),
    event: (fields) => {
      const kind = messages();
      // The log of a CI job outlives its runner: there the lines are between those for people.
      const isLogged = kind === "text" && settings.ci && !settings.quiet;
      if (kind === "json-lines" || isLogged) sayJson(fields);
    },
    annotation: (mark) => {
      // A file is not read by the runner.
      if (io.env.GITHUB_ACTIONS !== "true" || io.err.isFile || !settings.marks()) return;
      say(annotationLine({ ...mark, text: shown(mark.text) }));
    },
    unwritten,
    get hasOutput() {
      return hasOutput;
    },
  };
}

const shown = (text: string) => sanitize(redactSecrets(text));

/**
 * A message and its commands as text. A terminal gets wrapped lines; a log keeps them in one line,
 * for searching.
 */
function messageTexts(err: Pick<Sink, "isTty" | "columns">, target: CommandTarget) {
  type Commands = readonly SuggestedCommand[];
  const commandLine = (command: SuggestedCommand) => shown(command.at(target).line());
  const oneLine = (text: string, commands: Commands) =>
    [shown(text), ...commands.map(commandLine)].join("  ");
  const lines = (text: string, commands: Commands) => {
    if (!err.isTty) return [oneLine(text, commands)];
    const folded = commands.flatMap((one) => foldCommand(commandLine(one), err.columns - 2));
    return [...wrap(screenful(shown(text)), err.columns), ...folded.map((part) => `  ${part}`)];
  };
  return { oneLine, lines };
}

const MAX_HELD = 100;

/** A wait that a log says although the request was sent again before. */
const LONG_WAIT_MS = 5_000;

function annotationLine({ level, title, text, file, line, column }: Annotation): string {
  const data = (value: string) =>
    value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
  const property = (value: string | number) =>
    data(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C");
  const properties = Object.entries({ file, line, col: column, title }).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${property(value)}`,
  );
  return `::${level} ${properties.join(",")}::${data(text)}`;
}

/**
 * The warnings about one file that a terminal shows; more would fill the screen, and hide the plan.
 */
const MAX_WARNINGS = 10;

/**
 * A message of a service or a file may be of any length, and would hide what was said before it.
 */
function screenful(text: string): string {
  const lines = text.split("\n");
  const first = lines.slice(0, SCREEN_LINES).join("\n");
  const shown = truncate(first, SCREEN_LINES * SCREEN_COLUMNS);
  return lines.length > SCREEN_LINES && shown === first ? `${first}\n…` : shown;
}

const SCREEN_LINES = 20;
const SCREEN_COLUMNS = 80;
