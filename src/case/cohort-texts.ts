import { counted, numberText } from "../values/counted.ts";
import type { CaseSummary } from "./case-schema.ts";
import type { Tally } from "./cohort.ts";

/** Whether the headline counts the installations of the provider. */
function isOfProvider({ rule }: CaseSummary): boolean {
  return rule === "provider-wide";
}

/** The installations beside it in counts: those of its integration, and those of its provider. */
export function cohortTexts(summary: CaseSummary): string[] {
  const { cohort, installation } = summary;
  const { integration, provider } = cohort;
  const name = installation.integration ?? "this integration";
  const texts = [cohortText(integration, "installation", ` of ${name}`)];
  if (provider.total !== integration.total && !isOfProvider(summary)) {
    texts.push(cohortText(provider, `${installation.provider ?? "provider"} installation`));
  }
  return texts;
}

/** What else holds, without the counts of its integration where those of the others have them. */
export function furtherTexts(summary: CaseSummary): string[] {
  const isCounted = (rule: string) => isOfProvider(summary) && rule === "integration-wide";
  return summary.also.filter(({ rule }) => !isCounted(rule)).map(({ says }) => says);
}

/** The installations beside it, by their records alone: their operations and logs were not read. */
function cohortText(tally: Tally, noun: string, of = ""): string {
  const { total, lastOperationFailed: lastFailed, fine } = tally;
  if (total === 1) return `there is no other ${noun}${of}`;
  const itself = tally.alike > 0 ? 1 : 0;
  const [failing, alike] = [tally.failing - itself, tally.alike - itself];
  const healthy = fine + lastFailed;
  const unknown = total - 1 - failing - healthy;
  const are = (count: number) => (count === 1 ? "is" : "are");
  const others = `${counted(total - 1, `other ${noun}`)}${of}`;
  return [
    `${failing === 0 ? "none" : numberText(failing)} of ${others} ${are(failing || 1)} reported as failing`,
    alike > 0 &&
      `${alike < failing ? `, ${numberText(alike)} of them` : ""} similarly (cause not compared)`,
    healthy > 0 && `; ${numberText(healthy)} ${are(healthy)} reported healthy`,
    lastFailed > 0 && `, ${numberText(lastFailed)} of them with a failed last operation`,
    unknown > 0 && `; the health of ${numberText(unknown)} is unknown`,
  ]
    .filter(Boolean)
    .join("");
}
