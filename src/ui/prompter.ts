import { emitKeypressEvents, type Interface } from "node:readline";
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isUpKey,
  makeTheme,
  Separator,
  useEffect,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from "@inquirer/core";
import { confirm, input, password, search, select } from "@inquirer/prompts";
import type { Choice, Prompter, Question } from "../context/command-context.ts";
import { BackError } from "../errors.ts";
import { redactLine } from "../secrets/secret.ts";
import { withoutAccents } from "../values/nearest.ts";
import {
  type BackKeys,
  ESCAPE_MS,
  type PromptCall,
  type PromptTerminal,
  STRAY_KEYS,
  untilAnswered,
} from "./prompt-keys.ts";
import { displayWidth, pad, sanitizeLine, truncate, widest, wrap } from "./text.ts";

/** Questions at a terminal, through the prompts library. */
export function createPrompter(terminal: PromptTerminal): Prompter {
  const columns = () => terminal.output.columns || terminal.columns;
  const { theme, listTheme } = themesOf(terminal.paint, columns);
  // The first decoder of a stream is the one that stays: by default it waits half a second after
  // Esc for the rest of a longer sequence.
  emitKeypressEvents(terminal.input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
  /**
   * Of each answer that was not returned from, whether it is in one line, with nothing below it.
   */
  const answered: boolean[] = [];
  const ask = async <Answer>(
    { message, back, isBelowAnswer }: Question,
    keys: Omit<BackKeys, "back">,
    prompt: PromptCall<Answer>,
    textOf: (answer: Answer) => string,
  ) => {
    try {
      const answer = await untilAnswered(terminal, { ...keys, back }, prompt);
      const line = `✓ ${safeText(message)} ${safeText(textOf(answer))}`;
      answered.push(displayWidth(line) < columns());
      return answer;
    } catch (error) {
      if (error instanceof BackError) {
        if (answered.pop() && isBelowAnswer) terminal.output.write(ERASE_LINE_ABOVE);
        // What is left there is below the answers before.
        else answered.fill(false);
      }
      throw error;
    }
  };
  // A list longer than the screen would scroll its own question away.
  const pageSize = () => Math.max(5, (terminal.output.rows || 24) - 6);
  return {
    input(question) {
      const { message, typed, default: preset, check: validate = () => true } = question;
      const prefill = typed === undefined ? ("tab" as const) : ("editable" as const);
      const shown = typed ?? preset;
      // The Tab key would write the default to the terminal unescaped.
      const isSafe = shown !== undefined && sanitizeLine(shown) === shown;
      const config = { message, theme, ...(isSafe && { default: shown, prefill }) };
      const left = typed === undefined ? "until typed" : "never";
      const put: PromptCall<string> = (context, leave) =>
        input({ ...config, validate: (answer) => orLeave(leave, () => validate(answer)) }, context);
      return ask(question, { left }, put, (answer) => answer);
    },
    secret(question) {
      const { message, check: validate = () => true } = question;
      const hidden = { ...theme, style: { ...theme.style, maskedText: "(hidden)" } };
      const { check, clear } = clearedWhenRefused(terminal, validate);
      // A key that shows the secret would be another way to leak it.
      const config = { message, theme: hidden, validate: check, toggleMask: false };
      const put: PromptCall<string> = (context) => {
        terminal.input.prependListener("keypress", clear);
        return password(config, context).finally(() => terminal.input.off("keypress", clear));
      };
      return ask(question, { left: "until typed" }, put, () => "(hidden)");
    },
    confirm(question) {
      const { message, default: preset = true } = question;
      const put: PromptCall<boolean> = (context) =>
        confirm({ message, theme, default: preset }, context);
      return ask(question, { left: "until typed" }, put, (answer) => (answer ? "Yes" : "No"));
    },
    select(question) {
      const { message, choices, default: preset, isSearched = false } = question;
      const labelOf = (answer: unknown) =>
        choices.find(({ value }) => value === answer)?.label ?? "";
      const room = { columns: columns(), indent: 2 };
      const isTyped = isSearched || choices.length > pageSize();
      const config = {
        message,
        theme: listTheme(question, isTyped),
        pageSize: pageSize(),
        ...(preset !== undefined && { default: preset }),
      };
      if (!isTyped) {
        const list = { ...config, loop: false, choices: groupedChoices(choices, room) };
        const keys = { left: "always", stray: STRAY_KEYS } as const;
        return ask(question, keys, (context) => select(list, context), labelOf);
      }
      let initialValue = "";
      let shown = choices.length;
      const countText = () =>
        shown < MAX_SHOWN ? `${shown} of ${choices.length}` : String(choices.length);
      const source = (text = "") => {
        initialValue = text;
        const found = choicesFound(choices, text, room);
        shown = found.filter(isRow).length;
        return found;
      };
      // The whole note of a choice is shown below the list.
      const listed = { theme: listTheme(question, true, countText), source };
      const list = { ...config, ...listed, pageSize: Math.max(5, pageSize() - 3) };
      const keys = { left: "until typed", stray: /^tab$/u } as const;
      return ask(question, keys, (context) => search({ ...list, initialValue }, context), labelOf);
    },
    checkbox(question) {
      const { message, choices, all, chosen = [], changed = () => {} } = question;
      const room = () => ({ columns: columns(), indent: 3 });
      const textOf = (rows: readonly { readonly short: string }[]) => {
        const names = rows.map((row) => row.short).join(", ");
        const fits = displayWidth(`✓ ${message} ${names}`) < columns();
        return fits ? names : `${rows.length} selected`;
      };
      const config = {
        message,
        all: safeText(all),
        theme: listTheme(question, true),
        pageSize,
        output: terminal.output,
        chosen,
        changed,
        rowsOf: (text: string) =>
          text === "" ? groupedChoices(choices, room()) : choicesFound(choices, text, room()),
        textOf,
      };
      const keys = { left: "until typed" } as const;
      // What it shows fits its line.
      return ask(
        question,
        keys,
        (context) => checklist(config, context),
        () => "",
      );
    },
  };
}

/** The columns that the longest line of keys takes. */
const WIDE_KEYS = 80;

/** How questions look, and those with a list of choices. */
function themesOf(paint: PromptTerminal["paint"], columns: () => number) {
  const theme = {
    prefix: { idle: paint("strong", "?"), done: paint("good", "✓") },
    style: {
      message: (text: string) => paint("strong", safeText(text)),
      answer: (text: string) => safeText(text),
      error: (text: string) => `  ${paint("bad", safeText(text))}`,
      highlight: (text: string) => paint("strong", text),
      help: (text: string) => paint("dim", text),
      defaultAnswer: (text: string) => paint("dim", `(${safeText(text)})`),
      searchTerm: (text: string) => safeText(text),
      description: (text: string) => paint("dim", text),
    },
  };
  const icon = { checked: paint("good", "◉"), unchecked: "◯", cursor: "›" };
  const listTheme = ({ back }: Question, isTyped = false, countText?: () => string) => {
    const keysHelpTip = (keys: [string, string][]) => {
      const esc = ["esc", back ? "back" : "cancel"];
      // A narrow line has no room for arrows, which are tried anyway.
      const told = isTyped && columns() < WIDE_KEYS ? keys.filter(([key]) => key !== "↑↓") : keys;
      const keyTexts = [...told, esc].map(([key, action]) => `${key} ${action}`);
      const typed = isTyped ? ["type to search"] : [];
      const counts = countText === undefined ? [] : [countText()];
      return paint("dim", [...counts, ...typed, ...keyTexts].join(" · "));
    };
    return { ...theme, icon, style: { ...theme.style, keysHelpTip } };
  };
  return { theme, listTheme };
}

/**
 * The check of a hidden answer, and a listener that takes away one that it refused: the library
 * puts it back, and nobody would see that more is appended to it.
 */
function clearedWhenRefused<Verdict>(
  { input }: PromptTerminal,
  validate: (answer: string) => Verdict,
) {
  let isRefused = false;
  const check = (answer: string) => {
    const verdict = validate(answer);
    isRefused = verdict !== true;
    return verdict;
  };
  const clear = () => {
    if (!isRefused) return;
    isRefused = false;
    input.emit("keypress", undefined, { name: "u", ctrl: true });
  };
  return { check, clear };
}

const ERASE_LINE_ABOVE = "\u001B[1A\u001B[2K\r";

/** Ends a question whose check throws: the library would not catch it. */
async function orLeave(
  leave: (error: unknown) => void,
  check: () => true | string | Promise<true | string>,
) {
  try {
    return await check();
  } catch (error) {
    leave(error);
    // The library would write to its line, which is closed by then, once it had an answer.
    return new Promise<never>(() => {});
  }
}

/**
 * Sanitizes the text of questions, choices, defaults and errors, which may come from the service.
 */
function safeText(text: string): string {
  return sanitizeLine(redactLine(text));
}

interface Room {
  readonly columns: number;
  /** The cells that the library puts before a choice. */
  readonly indent: number;
}

/** The width of a column of notes below which they are placed under the labels. */
const MIN_NOTE_WIDTH = 16;
/** The part of a line for labels where some are so long that they leave no room for notes. */
const LABEL_PART = 0.6;

/** The choices of a list, with aligned notes and the headings of their groups. */
function groupedChoices<Value>(all: readonly Choice<Value>[], room: Room) {
  const nameOf = naming(all, room);
  return all.flatMap((choice) => {
    const { value, label, group } = choice;
    const item = { value, name: nameOf(choice), short: safeText(label) };
    return group === undefined ? [item] : [new Separator(safeText(group)), item];
  });
}

/** The matches that a search shows: the library lays out each of them at each key. */
const MAX_SHOWN = 100;

/**
 * The choices whose label, note or group has all words of a text, below the headings of their
 * groups; neither case nor accents matter. Notes are cut to one line, and the chosen one has its
 * whole note below the list.
 */
function choicesFound<Value>(
  all: readonly Choice<Value>[],
  text: string,
  { columns, indent }: Room,
) {
  const wanted = withoutAccents(text).split(/\s+/u).filter(Boolean);
  let heading = "";
  const withHeadings = all.map((choice) => {
    heading = choice.group ?? heading;
    return { ...choice, heading };
  });
  const found = withHeadings.filter(({ label, note = "", heading }) => {
    const searched = withoutAccents(`${label} ${note} ${heading}`);
    return wanted.every((word) => searched.includes(word));
  });
  const shown = found.slice(0, MAX_SHOWN);
  const nameOf = naming(shown, { columns, indent, isShort: true });
  const items = shown.flatMap((choice, at) => {
    const { value, label, note = "", heading } = choice;
    const description = wrap(safeText(note), columns - 1).join("\n");
    const item = { value, name: nameOf(choice), short: safeText(label), description };
    const isFirst = heading !== "" && heading !== shown[at - 1]?.heading;
    return isFirst ? [new Separator(safeText(heading)), item] : [item];
  });
  const left = found.length - shown.length;
  return left > 0
    ? [...items, new Separator(`and ${left} more: type to narrow the search`)]
    : items;
}

/**
 * Lays out a choice among others: labels of one width, notes beside or below them. Labels are
 * wrapped and never cut, for two of them may differ at their ends only.
 */
function naming<Value>(
  all: readonly Choice<Value>[],
  { columns, indent, isShort = false }: Room & { readonly isShort?: boolean },
) {
  const room = columns - indent - 1;
  const most = widest(all.map(({ label }) => safeText(label)));
  const leavesRoom = room - most - 2 >= MIN_NOTE_WIDTH;
  const width = leavesRoom ? most : Math.floor(room * LABEL_PART);
  const isBeside = room - width - 2 >= MIN_NOTE_WIDTH;
  const before = isBeside ? width + 2 : 2;
  const noteLines = (note: string) => {
    const text = safeText(note);
    return isShort ? [truncate(text, room - before)] : wrap(text, Math.max(1, room - before));
  };
  return ({ label, note }: Choice<Value>): string => {
    const labels = wrap(safeText(label), isBeside && note !== undefined ? width : room);
    const notes = note === undefined ? [] : noteLines(note);
    const lines = isBeside
      ? Array.from({ length: Math.max(labels.length, notes.length) }, (_, at) =>
          `${pad(labels[at] ?? "", width)}  ${notes[at] ?? ""}`.trimEnd(),
        )
      : [...labels, ...notes.map((line) => pad("", before) + line)];
    return lines.join(`\n${pad("", indent)}`);
  };
}

/** A row that can be chosen, as the library's own lists have it. */
interface Row<Value> {
  readonly value: Value;
  readonly name: string;
  readonly short: string;
}

interface ChecklistConfig<Value> {
  readonly message: string;
  readonly theme: {
    readonly icon: Readonly<Record<"checked" | "unchecked" | "cursor", string>>;
    readonly style: { readonly keysHelpTip: (keys: [string, string][]) => string };
  };
  readonly pageSize: () => number;
  readonly output: NodeJS.WritableStream;
  /** The row that chooses all others, or none; it is shown where nothing is typed. */
  readonly all: string;
  readonly chosen: readonly Value[];
  readonly changed: (chosen: readonly Value[]) => void;
  /** The rows that match what was typed, below the headings of their groups. */
  readonly rowsOf: (typed: string) => readonly (Row<Value> | Separator)[];
  /** The answer as its line shows it. */
  readonly textOf: (chosen: readonly Row<Value>[]) => string;
}

const CLEAR_SCREEN = "\u001b[H\u001b[2J";
const ALL: unique symbol = Symbol("all");

type Item<Value> = Row<Value> | Row<typeof ALL> | Separator;

function isRow<One extends object>(item: One | Separator): item is Exclude<One, Separator> {
  return !(item instanceof Separator);
}

/**
 * Asks for several choices of a list: typed letters filter it, and Space chooses. The library's own
 * list takes letters as commands.
 */
function checklist<Value>(
  ...[config, context]: Parameters<ReturnType<typeof promptOf<Value>>>
): Promise<Value[]> {
  return promptOf<Value>()(config, context);
}

function promptOf<Value>() {
  return createPrompt<Value[], ChecklistConfig<Value>>((config, done) => {
    const theme = makeTheme(config.theme);
    const { checked, unchecked, cursor } = config.theme.icon;
    const [status, setStatus] = useState("idle");
    const prefix = usePrefix({ status, theme });
    const [typed, setTyped] = useState("");
    const [chosen, setChosen] = useState<ReadonlySet<Value>>(new Set(config.chosen));
    const [active, setActive] = useState(0);
    const [problem, setProblem] = useState("");
    const [, redraw] = useState({});
    useEffect(() => {
      // Where the terminal has put the lines that it wrapped anew, and the cursor, is not known.
      const onResize = () => {
        config.output.write(CLEAR_SCREEN);
        redraw({});
      };
      config.output.on("resize", onResize);
      return () => config.output.off("resize", onResize);
    }, []);
    const every = config.rowsOf("").filter(isRow);
    const found = config.rowsOf(typed);
    const all: Row<typeof ALL> = { value: ALL, name: config.all, short: config.all };
    const items: readonly Item<Value>[] = typed === "" ? [all, ...found] : found;
    const rows = items.filter(isRow);
    const answer = every.filter(({ value }) => chosen.has(value));
    useKeypress((key, line) => {
      if (isEnterKey(key)) {
        // The library has cleared its line.
        line.write(typed);
        const [only] = typed !== "" && rows.length === 1 ? rows : [];
        const taken = every.filter(({ value }) => value === only?.value || chosen.has(value));
        if (taken.length === 0) return setProblem("Select at least one.");
        setStatus("done");
        setChosen(new Set(taken.map(({ value }) => value)));
        return done(taken.map(({ value }) => value));
      }
      setProblem("");
      if (isUpKey(key)) return setActive(Math.max(0, active - 1));
      if (isDownKey(key)) return setActive(Math.max(0, Math.min(rows.length - 1, active + 1)));
      if (!isSpaceKey(key)) {
        const now = line.line.replaceAll(/\s/gu, "");
        if (now !== typed) setActive(0);
        return setTyped(now);
      }
      line.clearLine(0);
      line.write(typed);
      const row = rows[active];
      if (row === undefined) return;
      const isEvery = answer.length === every.length;
      const now =
        row.value === ALL
          ? new Set(isEvery ? [] : every.map(({ value }) => value))
          : chosen.symmetricDifference(new Set([row.value]));
      setChosen(now);
      config.changed(every.flatMap(({ value }) => (now.has(value) ? [value] : [])));
    });
    const message = theme.style.message(config.message, status);
    const isChosen = ({ value }: { readonly value: Value | typeof ALL }) =>
      value === ALL ? answer.length === every.length : chosen.has(value);
    const page = usePagination({
      items: items.length === 0 ? [new Separator("no matches")] : items,
      active: items.indexOf(rows[active] ?? all),
      renderItem: ({ item, isActive }) => {
        if (!isRow(item)) return ` ${item.separator}`;
        const text = `${isActive ? cursor : " "}${isChosen(item) ? checked : unchecked} ${item.name}`;
        return isActive ? theme.style.highlight(text) : text;
      },
      pageSize: config.pageSize(),
      loop: false,
    });
    if (status === "done") {
      return [prefix, message, theme.style.answer(config.textOf(answer))].join(" ");
    }
    const keys = config.theme.style.keysHelpTip([
      ["↑↓", "move"],
      ["space", "select"],
      ["⏎", "done"],
    ]);
    const said = problem === "" ? [] : [theme.style.error(problem)];
    return [`${prefix} ${message} ${typed}`.trimEnd(), [page, "", ...said, keys].join("\n")];
  });
}
