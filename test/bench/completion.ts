import { join } from "node:path";
import { ROOT } from "../built.ts";
import { AMPS, type BenchFixture } from "./fixture.ts";
import { has, type Program, type Scenario, type Target } from "./measure.ts";

const BASH = "bash alone";
const GH = "gh, asked";
const SCRIPT = join(ROOT, "completions/amp.bash");
/** What bash does on TAB behind `PROGRAM installations l`; it fails where nothing is offered. */
const PRESS = `source ${SCRIPT}; COMP_LINE="$1 installations l" COMP_POINT=\${#COMP_LINE}
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'; _amp "$1" 2> /dev/null; [[ "\${COMPREPLY[*]}" == *list* ]]`;

/** A Tab, with the start of the bash that it is pressed in; beside gh, which is asked as well. */
export function completionScenario(fixture: BenchFixture): Scenario {
  const programs = new Map<string, Program>();
  const add = (name: string, ...words: readonly string[]) =>
    programs.set(name, fixture.program(...words));
  const targets: Target[] = [];
  if (has("gh")) add(GH, "gh", "__complete", "issue", "l");
  if (has("bash")) add(BASH, "bash", "--norc", "-c", ":");
  for (const [amp, words] of AMPS) {
    add(`${amp}, asked`, ...words, "__complete", "installations", "l");
    if (!has("bash")) continue;
    // One word, as on a PATH.
    add(`${amp}, bash and a Tab`, "bash", "--norc", "-c", PRESS, "bash", words.at(-1) ?? "");
    const atMost = amp === "standalone" ? 0.35 : 0.95;
    targets.push({ program: `${amp}, asked`, times: GH, atMost });
  }
  return { title: "Completion", programs, yardsticks: [BASH, GH], targets };
}
