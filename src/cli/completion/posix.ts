import type { CommandNode, ParamNode } from "../command-node.ts";
import { nodesOf } from "../tree.ts";
import {
  namesOf,
  offeredValues,
  ownArguments,
  ownOptions,
  placeOf,
  sharedOptions,
  spellings,
} from "./offers.ts";

/** A word that bash and zsh read as it is. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Patterns of a `case` that match these words and no others. */
function pattern(...words: string[]): string {
  return words.map(singleQuoted).join("|");
}

/**
 * What bash and zsh share: functions that follow the words of a command line through the tree.
 * They speak through the caller's local variables, since a substitution would start a process.
 */
export function walkFunctions(root: CommandNode): string {
  return `# Moves $place to where a word leads.
__amp_enter() {
  case "$place/$1" in
${entries(root).join("\n")}
    *) return 1 ;;
  esac
}

# Describes an option of $place by $name, $takes (a value), $repeats, $values and $files.
__amp_option() {
  name='' takes='' repeats='' files='' values=()
  case "$place/$1" in
${nodesOf(root).flatMap(optionRows).join("\n")}
    *)
      case "$1" in
${sharedOptions(root).map(globalRow).join("\n")}
        *) return 1 ;;
      esac ;;
  esac
}

# Describes the argument that comes after $count others by $values and $files.
__amp_argument() {
  files='' values=()
  case "$place/$count" in
${nodesOf(root).flatMap(argumentRows).join("\n")}
    *) return 1 ;;
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

function entries(parent: CommandNode): string[] {
  return parent.children.flatMap((child) => {
    const ways = namesOf(child).map((name) => `${placeOf(parent)}/${name}`);
    return [`    ${pattern(...ways)}) place=${singleQuoted(placeOf(child))} ;;`, ...entries(child)];
  });
}

function optionRows(node: CommandNode): string[] {
  return ownOptions(node).map((option) => {
    const ways = spellings(option).map((name) => `${placeOf(node)}/${name}`);
    return `    ${pattern(...ways)}) ${facts(option)} ;;`;
  });
}

function globalRow(option: ParamNode): string {
  return `        ${pattern(...spellings(option))}) ${facts(option)} ;;`;
}

function facts(option: ParamNode): string {
  return [
    `name=${singleQuoted(option.name)}`,
    ...(option.takesValue ? ["takes=1"] : []),
    ...(option.repeats ? ["repeats=1"] : []),
    ...valueFacts(option),
  ].join(" ");
}

function valueFacts(param: ParamNode): string[] {
  const values = offeredValues(param);
  return [
    ...(param.complete === "file" ? ["files=1"] : []),
    ...(values.length > 0 ? [`values=(${values.map(singleQuoted).join(" ")})`] : []),
  ];
}

function argumentRows(node: CommandNode): string[] {
  return ownArguments(node).map((argument, index) => {
    const place = singleQuoted(`${placeOf(node)}/${argument.repeats ? "" : index}`);
    const body = valueFacts(argument).join(" ") || ":";
    return `    ${place}${argument.repeats ? "*" : ""}) ${body} ;;`;
  });
}
