import type { Input, Offers, Place } from "./offers.ts";

/** The words of a `case`, and what the script does for them. */
export interface CaseRow {
  readonly words: readonly string[];
  readonly body: string;
}

/** One row for all words that do the same: most options are in several places. */
export function sharedRows(rows: readonly CaseRow[]): CaseRow[] {
  return [...Map.groupBy(rows, ({ body }) => body)].map(([body, same]) => ({
    words: same.flatMap(({ words }) => words),
    body,
  }));
}

/**
 * The rows that lead to a command, from the place above, a slash, and the word typed.
 * @param enter what the script does, by the command's name; undefined where it is the word itself
 */
export function stepRows(
  places: readonly Place[],
  enter: (name: string | undefined) => string,
): CaseRow[] {
  const rows = places
    .slice(1)
    .flatMap(({ name, steps: [own = "", ...aliases] }) => [
      { words: [own], body: enter(undefined) },
      ...aliases.map((alias) => ({ words: [alias], body: enter(name.split(" ").at(-1)) })),
    ]);
  return sharedRows(rows);
}

/**
 * The rows of the options: of those whose meaning depends on the place, and of those found by their
 * name alone. The latter are also recognised where the command has no such option: it refuses them
 * itself.
 */
export function optionRows(
  { places, everywhere }: Offers,
  bodyOf: (option: Input) => string,
): { placed: CaseRow[]; named: CaseRow[] } {
  const own = places.flatMap(({ name, options }) =>
    options.map((option) => ({ option, place: name, meaning: meaningOf(option) })),
  );
  const taken = new Set(everywhere.flatMap(({ spellings }) => spellings));
  const meanings = Map.groupBy(
    own.flatMap(({ option, meaning }) =>
      option.spellings.map((spelling) => ({ spelling, meaning })),
    ),
    ({ spelling }) => spelling,
  );
  const isPlaced = ({ spellings }: Input) =>
    spellings.some((spelling) => {
      const ways = new Set(meanings.get(spelling)?.map(({ meaning }) => meaning));
      return taken.has(spelling) || ways.size > 1;
    });
  const rowOf = (option: Input, before: string) => ({
    words: option.spellings.map((spelling) => before + spelling),
    body: bodyOf(option),
  });
  const named = new Map(
    own.flatMap(({ option, meaning }) => (isPlaced(option) ? [] : [[meaning, option]])),
  );
  return {
    placed: sharedRows(
      own.flatMap(({ option, place }) => (isPlaced(option) ? [rowOf(option, `${place}/`)] : [])),
    ),
    named: sharedRows([...named.values(), ...everywhere].map((option) => rowOf(option, ""))),
  };
}

/** A row for each argument; a star stands for any number of those before. */
export function argumentRows(
  places: readonly Place[],
  bodyOf: (argument: Input) => string,
): CaseRow[] {
  return places.flatMap(({ name, args }) =>
    args.map((argument, index) => ({
      words: [`${name}/${argument.repeats ? "*" : index}`],
      body: bodyOf(argument),
    })),
  );
}

/** Whether an option is typed in no other way than by its name. */
export function hasOneSpelling({ name, spellings }: Input): boolean {
  return spellings.length === 1 && spellings[0] === name;
}

function meaningOf({ spellings, takesValue, repeats, complete, values }: Input): string {
  return JSON.stringify([spellings, takesValue, repeats, complete, values]);
}
