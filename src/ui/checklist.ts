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
export function checklist<Value>(
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
      if (row.value !== ALL) return setChosen(chosen.symmetricDifference(new Set([row.value])));
      setChosen(new Set(answer.length === every.length ? [] : every.map(({ value }) => value)));
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
