import type { ProjectFileUse } from "../account/trust.ts";
import type { Api } from "../api/operations/endpoint.ts";
import type { Annotation, Reporter } from "../context/command-context.ts";
import type { Context } from "../context/context.ts";
import type { OutputSettings } from "../context/output-settings.ts";
import { AmpError, type ExitName, nothingDone } from "../errors.ts";
import type { Io, Sink } from "../io.ts";
import { handleSignals } from "../runtime/end-process.ts";
import { redactLayout, redactLine, redactSecrets } from "../secrets/secret.ts";
import { SETTINGS, type SettingName } from "../settings.ts";
import { renderPage } from "../ui/page.ts";
import { spokenText } from "../ui/spoken.ts";
import { progressLine } from "../ui/status-lines.ts";
import { jsonText, sanitize, sanitizeLine, truncate, wrap } from "../ui/text.ts";
import { derived } from "../values/basics.ts";
import { type CommandTarget, targetOptions } from "../values/command-paths.ts";
import { foldCommand } from "../values/shell.ts";
import { atTarget, type SuggestedCommand, withTypedOptions } from "../values/suggested-command.ts";
import { durationText } from "../values/time.ts";
import { beforeWrite, recordRequests } from "./before-write.ts";
import type { Need, Params, RunContext } from "./define.ts";
import { cliErrors } from "./errors.ts";
import {
  errorAfterSignal,
  finishRun,
  partialResult,
  type Ran,
  untilInterrupted,
} from "./finish-run.ts";
import { rawOutput, rowOutput } from "./raw-output.ts";
import {
  askParams,
  flagIssues,
  type Invocation,
  inputFiles,
  pasteParams,
  type ReadParams,
  readParams,
  repeatedOptions,
} from "./read-params.ts";
import { assertNeedsMet, readRequestedOutput } from "./requested-output.ts";
import type { WaitLine } from "./wait-line.ts";

/** Checks what a command needs, runs it, and writes its output. */
export async function execute(
  io: Io,
  context: Context,
  invocation: Invocation,
): Promise<ExitName | number> {
  const call = { writes: invocation.command.effect === "write" };
  try {
    return await runCommand(io, context, invocation, call);
  } catch (error) {
    const limit = () => context.settings.get("deadline")?.source;
    const reported = context.signal.aborted
      ? errorAfterSignal(context.signal, error, limit())
      : error;
    if (!(reported instanceof AmpError)) throw reported;
    const warnings = context.report.unwritten;
    if (warnings.length > 0) {
      reported.setFacts({ data: { ...reported.facts.data, warnings } });
    }
    if (call.writes && !context.guard.mayHaveWritten()) nothingDone(reported);
    reported.setFacts(
      withTypedOptions(reported.facts, invocation.path, repeatedOptions(invocation)),
    );
    throw flagIssues(reported, invocation.command);
  }
}

async function runCommand(
  io: Io,
  context: Context,
  invocation: Invocation,
  call: { writes: boolean },
): Promise<ExitName | number> {
  const { command } = invocation;
  const { selection, jq } = await readRequestedOutput(io, context, invocation);
  const read = await readInput(context, invocation);
  const { writes, dryRun } = await beforeWrite(context, invocation, read);
  call.writes = writes;
  const recording = dryRun && command.dryRun !== "own" ? recordRequests(context.api) : undefined;
  if (writes && !dryRun) jq?.keepInput();
  const raw = rawOutput(io.out, jq);
  // The result is what the service lists, and nothing is concluded from it.
  const isList = command.view?.kind === "table";
  const { project, ...input } = read;
  const run: RunContext = derived(context, {
    ...input,
    ...(project === undefined ? {} : { project }),
    api: recording?.api ?? (isList && !writes ? showingAll(context) : context.api),
    dryRun,
    write: raw.write,
    writeBody: raw.body,
    writeRow: rowOutput(io, context.output),
    isOutputClosed: () => io.out.closed || io.out.isUnread(),
    requireProject: () => requireProject(context),
    selection,
    live: async () => (await import("./live-output.ts")).createLiveOutput(io, context.output),
    tree: invocation.tree,
  });
  // The record was checked against its needs when it was defined; here its types are not known.
  const running = async () => {
    const result = await command.run(run as RunContext<Params, Params, Need>);
    // A command that ends by a signal has seen it, and one that wrote has something to say.
    if (!writes && !context.signal.aborted) await handleSignals(context.signal);
    return result;
  };
  const ran = await untilInterrupted(context.signal, running(), io.protectedWork)
    .then((result): Ran => ({ result }))
    .catch((error: unknown) => partialResult(error, context.output, io))
    .finally(raw.end);
  const { requests } = recording ?? {};
  return finishRun(io, context, invocation, { ...ran, selection, jq, read, dryRun, requests });
}

/** The service, whose lists are shown in spite of records of other projects, with a warning. */
function showingAll({ api, report }: Pick<Context, "api" | "report">): Api {
  const told = new Set<string>();
  const onForeign = (detail: string) => {
    if (!told.has(detail)) report.warn(detail);
    told.add(detail);
  };
  return {
    call: (endpoint, input) => api.call({ ...endpoint, onForeign }, input),
    list: (endpoint, input) => api.list({ ...endpoint, onForeign }, input),
    raw: (request) => api.raw(request),
  };
}

async function readInput(
  context: Context,
  invocation: Invocation,
): Promise<ReadParams & { readonly project: string | undefined }> {
  await context.acceptProjectFile(projectFileUse(invocation));
  const asked = await askParams(invocation, context);
  const read = readParams(asked, context.settings, context.target);
  assertNeedsMet(invocation);
  const files = inputFiles(invocation, read);
  await pasteParams(invocation, read, context);
  const { needs = [], effect } = invocation.command;
  const isNeeded = needs.includes("project");
  // What works without a service reports a missing file itself.
  if (isNeeded || effect === "write") await assertFilesThere(context, isNeeded, files);
  return { ...read, project: isNeeded ? requireProject(context) : undefined };
}

/**
 * Names a file that is not there before a missing login or project.
 * @throws {UsageError} if it cannot be read
 */
async function assertFilesThere(
  context: Context,
  needsProject: boolean,
  files: readonly string[],
): Promise<void> {
  try {
    context.target();
    if (needsProject) requireProject(context);
  } catch {
    for (const file of files) await context.files.realPath(file);
  }
}

/** The settings of every command that uses a saved state. */
const TUNING = ["commitHorizon", "parallel", "lockWait"] as const satisfies readonly SettingName[];

/**
 * The use that a command makes of the project file. One that uses no service goes on without it,
 * and so do logins, which a broken file of a checkout must not prevent; the doctor examines it.
 */
function projectFileUse({ path, target, command, typedOptions }: Invocation): ProjectFileUse {
  const offlineWith: readonly string[] = command.offlineWith ?? [];
  if (offlineWith.some((option) => typedOptions[option] !== undefined)) {
    return { used: [], withoutFile: true };
  }
  const settings: readonly SettingName[] = targetOptions(path);
  return {
    used: [
      ...settings.filter((name) => target[name as keyof CommandTarget] === undefined),
      ...(settings.includes("state") ? TUNING : []),
    ],
    withoutFile:
      settings.length === 0 ||
      ["auth status", "doctor"].includes(path) ||
      (path.startsWith("auth ") && "notice"),
  };
}

function requireProject(context: Context): string {
  const project = context.settings.get("project");
  if (project !== undefined) return project.value;
  // Without a login, that is the error: a project alone would not suffice.
  context.target();
  throw cliErrors.project_missing();
}

/**
 * The inputs and outputs of a command. In a case, a command that reads the recording has the time
 * when it was made: ages, `--since` and schedules count from then. Others have the clock's.
 */
export function ioAt(io: Io, path: string): Io {
  const recorded = Date.parse(io.env[SETTINGS.caseTime.env] ?? "");
  const isReading = Boolean(io.env[SETTINGS.case.env]) && targetOptions(path).length > 0;
  if (!isReading || Number.isNaN(recorded)) return io;
  const ahead = io.now().getTime() - recorded;
  return derived(io, { now: () => new Date(io.now().getTime() - ahead) });
}

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
  const isSpoken = () => settings.isSpoken("err");
  let hasOutput = false;
  const unwritten: string[] = [];
  const held: (() => void)[] = [];
  let isConversation = false;
  const messages = () => (isConversation ? "text" : settings.messages());
  const say = (line: string) => {
    hasOutput = true;
    // The write is not awaited: a stream keeps its order, and its failure cannot be reported.
    io.err.write(`${line}\n`).catch(() => {});
  };
  const { oneLine, lines } = messageTexts(io.err, target, isSpoken);
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
    void io.err.write(`${jsonText(redactLayout(fields))}\n`).catch(() => {});
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
        const isPiped = !io.err.isTty;
        if (!isPiped) say("");
        const shownPage = atTarget(redactLayout(page), target);
        const options = { paint, width: io.err.columns, now: io.now(), isPiped };
        for (const line of renderPage(shownPage, { ...options, isSpoken: isSpoken() })) {
          say(line);
        }
      });
    },
    debug: (text) => {
      if (settings.debug) say(`debug: ${sanitizeLine(redactSecrets(text))}`);
    },
    progress: (entry) => {
      // A log may be of any width, and nothing is cut in it.
      const width = io.err.isTty ? io.err.columns : Number.POSITIVE_INFINITY;
      if (!settings.isJobLog())
        unlessQuiet(progressLine(redactLayout(entry), { paint, width, isSpoken: isSpoken() }));
    },
    waiting: ({ does, host, received }) =>
      // The count comes early: on a narrow terminal the line is cut.
      waitLine.begin(
        received ? `Receiving from ${host}: ${received} so far` : `Waiting for ${host} to ${does}`,
      ),
    retrying: retryNotes(waitLine, (line) => unlessQuiet(paint("dim", line))),
    working: (text) => waitLine.begin(text, true),
    bell: () => {
      if (io.err.isTty && !settings.quiet) io.err.write("\u0007").catch(() => {});
    },
    event: (fields) => {
      if (messages() === "json-lines") sayJson(fields);
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

/** Says of each request that it is sent again: on a terminal until then, else in a line. */
function retryNotes(
  waitLine: Pick<WaitLine, "begin" | "isShown">,
  say: (line: string) => void,
): Reporter["retrying"] {
  const said = new Set<string>();
  return ({ does, why, waitMs, attempt, attempts }) => {
    const again = `Retrying in ${durationText(waitMs)} (attempt ${attempt} of ${attempts})`;
    if (waitLine.isShown()) {
      setTimeout(waitLine.begin(`${again}: ${why}`, true), waitMs).unref();
      return;
    }
    const same = `${attempt} ${why}`;
    if ((attempt > 2 && waitMs < LONG_WAIT_MS) || said.has(same)) return;
    // Requests fail alike, some after the wait of the first: the line of one is enough.
    said.add(same);
    setTimeout(() => said.delete(same), waitMs + SAID_AGAIN_MS).unref();
    say(shown(`Could not ${does} yet: ${why}. ${again}.`));
  };
}

const shown = (text: string) => sanitize(redactLine(text));

/**
 * A message and its commands as text. A terminal gets wrapped lines; a log keeps them in one line,
 * for searching.
 */
function messageTexts(
  err: Pick<Sink, "isTty" | "columns">,
  target: CommandTarget,
  isSpoken: () => boolean,
) {
  type Commands = readonly SuggestedCommand[];
  const commandLine = (command: SuggestedCommand) => shown(command.at(target).line());
  const oneLine = (text: string, commands: Commands) =>
    [shown(text), ...commands.map(commandLine)].join("  ");
  const lines = (text: string, commands: Commands) => {
    if (!err.isTty && commands.length < 2) return [oneLine(text, commands)];
    if (!err.isTty) return [shown(text), ...commands.map((one) => `  ${commandLine(one)}`)];
    if (isSpoken()) return [spokenText(shown(text)), ...commands.map(commandLine)];
    const folded = commands.flatMap((one) => foldCommand(commandLine(one), err.columns - 2));
    return [...wrap(screenful(shown(text)), err.columns), ...folded.map((part) => `  ${part}`)];
  };
  return { oneLine, lines };
}

const MAX_HELD = 100;

/** A wait that a log says although the request was sent again before. */
const LONG_WAIT_MS = 5_000;

/** A command that runs for days tells again of the same failure after this time. */
const SAID_AGAIN_MS = 60_000;

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
