import { join } from "node:path";
import { ROOT } from "../built.ts";
import type { BenchFixture } from "./fixture.ts";
import { has, type Program, type Scenario } from "./measure.ts";

const TABS = 100;
const BASH = "bash alone";
const SCRIPT = join(ROOT, "completions/amp.bash");
/** What bash does on TAB behind `amp installations l`, so often. */
const PRESS = `COMP_WORDS=(amp installations l); COMP_CWORD=2; COMP_LINE="amp installations l"; COMP_POINT=19
name=$(complete -p amp | sed 's/.*-F \\([^ ]*\\).*/\\1/')
for ((i = 0; i < ${TABS}; i++)); do COMPREPLY=(); "$name" amp l installations; done
[[ "\${COMPREPLY[*]}" == *list* ]]`;

/** Loading the script, and a hundred times TAB; beside gh, which starts a process for each. */
export function completionScenario(fixture: BenchFixture): Scenario {
  const programs = new Map<string, Program>();
  const add = (name: string, ...words: readonly string[]) =>
    programs.set(name, fixture.program(...words));
  if (has("bash")) {
    add(BASH, "bash", "-c", ":");
    add("bash, amp's script loaded", "bash", "-c", `source ${SCRIPT}`);
    add(`bash, ${TABS} times TAB behind amp`, "bash", "-c", `source ${SCRIPT}; ${PRESS}`);
  }
  if (has("gh")) add("gh, one TAB", "gh", "__complete", "issue", "l");
  return { title: "Completion", programs, yardsticks: [BASH], targets: [] };
}
