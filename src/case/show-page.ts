import { changeDisplayCopy } from "../values/odd-fields.ts";
import type { Page } from "../view/view.ts";
import type { CaseFile } from "./case-schema.ts";
import { casePage, madeBlock } from "./page.ts";
import {
  type ListedRequest,
  listedRequests,
  redactionPage,
  requestPage,
  rulePage,
} from "./parts-page.ts";
import type { CaseSummary } from "./summary.ts";

/** The part of a case to show. */
export type CasePart = "verdict" | "redactions" | "requests" | "rules";

/** A saved case as data; with a part chosen, that part alone. */
export interface ShownCase extends Partial<CaseSummary> {
  /** The path that was given. */
  readonly file: string;
  readonly made: string;
  readonly by: string;
  readonly who: string;
  readonly project: string;
  readonly redactions?: CaseFile["redactions"];
  readonly requests?: readonly ListedRequest[];
  /** Which case is opened where this one is shown; views alone see it. */
  readonly opened?: "this" | "another";
}

/**
 * The data of a case that `amp case show` prints.
 * @param opened the case in which the command runs, where it runs in one
 */
export function shownCase(
  file: string,
  { made, by, who, project, redactions, answers, ...found }: CaseFile,
  part: CasePart | undefined,
  opened: ShownCase["opened"],
): ShownCase {
  const verdict = found.verdict as CaseSummary;
  const requests = listedRequests(answers);
  const { rule, rules, facts, ...meaning } = verdict;
  const parts = {
    verdict: { rule, ...meaning },
    redactions: { redactions },
    requests: { requests },
    rules: { rule, rules, facts },
  };
  const about = { file, made, by, who, project };
  const shown: ShownCase =
    part === undefined
      ? { ...about, ...verdict, redactions, requests }
      : { ...about, ...parts[part] };
  return opened === undefined ? shown : changeDisplayCopy(shown, (one) => ({ ...one, opened }));
}

/** The page of a case, or of the part of it that was chosen. */
export function showPage(shown: ShownCase): Page {
  const { redactions, requests, rules, facts, rule } = shown;
  if (isWhole(shown)) {
    const hasLogs = requests?.some(({ path }) => path.endsWith("/logs")) ?? true;
    const from = { path: shown.file, hasLogs, opened: shown.opened };
    return withOrigin(casePage({ rules: [], facts: [], ...shown }, from), shown);
  }
  if (redactions) return withOrigin(redactionPage(redactions), shown);
  if (requests) return withOrigin(requestPage(requests), shown);
  return withOrigin(
    rulePage({ rule: rule ?? "unexplained", rules: rules ?? [], facts: facts ?? [] }),
    shown,
  );
}

type WithVerdict = ShownCase & Omit<CaseSummary, "rules" | "facts">;

function isWhole(shown: ShownCase): shown is WithVerdict {
  return shown.headline !== undefined;
}

function withOrigin(
  page: Pick<Page, "title" | "blocks" | "aside">,
  { made, by, who }: ShownCase,
): Page {
  const origin = `Case of ${JSON.stringify(who)}, made ${made.slice(0, 16).replace("T", " ")} UTC by amp ${by}.`;
  return { ...page, blocks: [...page.blocks, madeBlock(origin)] };
}
