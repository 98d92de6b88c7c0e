import {
  argumentRows,
  type CaseRow,
  hasOneSpelling,
  optionRows,
  sharedRows,
  stepRows,
} from "./case-rows.ts";
import { type Input, isListed, LISTINGS, type Offers } from "./offers.ts";

/** The text as one word of bash and zsh. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * The functions that bash and zsh share: they follow the words of a command line through the tree.
 * They return results in the caller's local variables, since a substitution would start a process.
 */
export function walkFunctions(offers: Offers): string {
  const { placed, named } = optionRows(offers, optionFacts);
  const entering = (name = "$1") => `place="\${place:+$place }${name}"`;
  return `# Sets $place to the command that a word leads to.
__amp_enter() {
  case "$place/$1" in
${rowLines(stepRows(offers.places, entering))}
    *) return 1 ;;
  esac
}

# Sets $name, $takes (a value), $repeats, $values, $files and $listed for an option of $place.
__amp_option() {
  name='' takes='' repeats='' files='' listed='' values=()
  case "$place/$1" in
${rowLines(placed)}
    *)
      case "$1" in
${rowLines(named, "        ")}
        *) return 1 ;;
      esac ;;
  esac
}

# Sets $values, $files and $listed for the argument after $count others.
__amp_argument() {
  files='' listed='' values=()
  case "$place/$count" in
${rowLines(sharedRows(argumentRows(offers.places, (argument) => factsOf(argument, []))))}
    *) return 1 ;;
  esac
}

# Sets $values to a list that several options and arguments offer.
__amp_list() {
  case "$1" in
${offers.lists.map((values, list) => `    ${list}) ${valuesFact(values)} ;;`).join("\n")}
  esac
}

# Prints what amp itself lists as values, one per line.
__amp_listed() {
  case "$listed" in
${rowLines(
  Object.entries(LISTINGS).map(([what, command]) => ({
    words: [what],
    body: `${command} 2> /dev/null`,
  })),
)}
  esac
}

# Follows the words before the cursor to $place and $count, the arguments seen there. $given lists
# the options seen; $waiting is one that still lacks its value; $ended is set after --.
__amp_walk() {
  local word letters
  for word in "$@"; do
    if [[ -n $waiting ]]; then
      waiting=''
    elif [[ -n $ended ]]; then
      (( count += 1 ))
    elif [[ $word == -- ]]; then
      ended=1
    elif [[ $word == --* ]]; then
      if __amp_option "\${word%%=*}"; then
        given="$given$name "
        if [[ -n $takes && $word != *=* ]]; then waiting=$name; fi
      fi
    elif [[ $word == -?* ]]; then
      letters=\${word#-}
      while [[ -n $letters ]] && __amp_option "-\${letters:0:1}"; do
        given="$given$name "
        letters=\${letters:1}
        if [[ -n $takes ]]; then
          if [[ -z $letters ]]; then waiting=$name; fi
          letters=''
        fi
      done
    elif [[ $word == help && -z $place && -z $helping ]] && (( count == 0 )); then
      helping=1
    elif (( count > 0 )) || ! __amp_enter "$word"; then
      (( count += 1 ))
    fi
  done
}
`;
}

function rowLines(rows: readonly CaseRow[], indent = "    "): string {
  return rows
    .map(({ words, body }) => `${indent}${words.map(pattern).join("|")}) ${body} ;;`)
    .join("\n");
}

/** The word as it is, but for a star at its end. */
function pattern(word: string): string {
  return word.endsWith("/*") ? `${singleQuoted(word.slice(0, -1))}*` : singleQuoted(word);
}

function optionFacts(option: Input): string {
  return factsOf(option, [
    // One row then does for all options that take the same.
    hasOneSpelling(option) ? "name=$1" : `name=${singleQuoted(option.name)}`,
    ...(option.takesValue ? ["takes=1"] : []),
    ...(option.repeats ? ["repeats=1"] : []),
  ]);
}

/** The assignments, and those about the values of an input. */
function factsOf({ complete, values, list }: Input, assignments: readonly string[]): string {
  const all = [
    ...assignments,
    ...(complete === "file" ? ["files=1"] : []),
    ...(isListed(complete) ? [`listed=${complete}`] : []),
    ...(values.length > 0 && list === undefined ? [valuesFact(values)] : []),
  ];
  const parts = [all.join(" "), list === undefined ? "" : `__amp_list ${list}`];
  return parts.filter((part) => part !== "").join("; ") || ":";
}

function valuesFact(values: readonly string[]): string {
  return `values=(${values.map(singleQuoted).join(" ")})`;
}
