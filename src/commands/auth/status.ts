import { checked, checkLimits, readLoginStatus, worstError } from "../../account/login/status.ts";
import { defineCommand, id, type Page, record, row, rows, time, toned } from "../../cli/define.ts";
import type { LoginStatus, StatusCheck } from "../../documents/account.ts";
import { describeState } from "../../notify/state/state-check.ts";
import { CREDENTIAL_NAMES } from "../../settings.ts";
import { capitalised, counted } from "../../values/counted.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { guardText } from "../../values/writes.ts";
import type { Block } from "../../view/view.ts";

export default defineCommand({
  description:
    "Checks at the service that the credential works, and everything else that commands need: the proxy, certificates, the clock, the keyring, the configured state, the amp on PATH and shell completion. Nothing is changed, and no login is needed. Lists each setting with its source and the sources that it overrides.",
  takes: ["project"],
  examples: ["amp auth status", "amp auth status --profile staging --json", "amp doctor"],
  fields: RESULT_FIELDS.loginStatus,
  exits: {
    usage: "a setting, variable or file is not valid",
    "not-found": "the profile or project does not exist, or the base URL has no such API",
    auth: "not logged in, or the service does not accept the credential",
    service: "the service or the state server does not answer",
  },
  run: (context) =>
    readLoginStatus(
      context,
      checked("state", async () => {
        const text = await describeState(context, checkLimits(context.settings));
        return text === undefined ? [] : [{ check: "state", outcome: "ok", text }];
      }),
    ),
  exit: (status) => worstError(status)?.exit ?? "ok",
  reason: worstError,
  view: record<LoginStatus>(statusPage, ({ profile }) => profile ?? ""),
});

/** The label of a check: its name but for one, which says more. */
function labelOf({ check }: StatusCheck): string {
  return check === "path" ? "On PATH" : capitalised(check);
}

/** The title, which is the problem itself where there is only one, and what follows it. */
function opening(status: LoginStatus): { title: string; blocks: Block[] } {
  const { checks, profile, baseUrl, project, credential, credentialSource } = status;
  const problems = checks.filter(({ outcome }) => outcome === "problem");
  const warnings = checks.filter(({ outcome }) => outcome === "warning");
  if (problems.length > 0) {
    // The commands of warnings are left out: what does not work comes first.
    const rest = warnings.map(({ next, ...warning }) => warning);
    const [first, ...blocks] = [...problems, ...rest].flatMap(findingBlocks);
    if (problems.length === 1 && first?.kind === "text") return { title: first.text, blocks };
    const names = new Set(problems.map((problem) => labelOf(problem).toLowerCase()));
    const title = `${counted(problems.length, "problem")}: ${[...names].join(", ")}`;
    return { title, blocks: first ? [first, ...blocks] : [] };
  }
  const who = credentialSource === `profile ${profile}` ? `${profile} at ` : "";
  const where = project === undefined ? "no project" : `project ${project}`;
  const left = warnings.length === 0 ? "" : ` (${counted(warnings.length, "warning")})`;
  const title = `Ready: ${who}${baseUrl} as ${CREDENTIAL_NAMES[credential ?? "api-key"]}, ${where}${left}`;
  return { title, blocks: warnings.flatMap(findingBlocks) };
}

function statusPage(status: LoginStatus): Page {
  const { ready, checks, notes, settings, expires, projects } = status;
  const { title, blocks } = opening(status);
  return {
    title: toned(ready ? "strong" : "bad", title),
    blocks: [
      ...blocks,
      rows([
        ...row("Guard", guardText(status)),
        ...checks
          .filter(({ outcome }) => outcome === "ok")
          .flatMap((one) => row(labelOf(one), one.text)),
        ...row("Expires", time(expires)),
        ...row(
          "Access to",
          projects?.map(({ id, name }) => (name ? `${name} (${id})` : id)),
        ),
      ]),
      {
        kind: "grid",
        columns: ["Setting", "Value", "Source"],
        rows: settings.map(({ setting, value, source = "", shadows }) => [
          setting,
          id(value),
          shadows ? `${source} (overrides ${shadows.join(", ")})` : source,
        ]),
      },
      ...notes.map((text): Block => ({ kind: "text", text, tone: "dim" })),
    ],
  };
}

/** What was found, with what to do and the command for it. */
function findingBlocks(found: StatusCheck): Block[] {
  const { outcome, text, remedy, next } = found;
  const said = [`${labelOf(found)}: ${text}`, remedy].filter(Boolean).join(". ");
  const sentence = said.replaceAll(/([.!?])\. /gu, "$1 ").replace(/(?<![.!?])$/u, ".");
  return [
    { kind: "text", text: sentence, tone: outcome === "problem" ? "bad" : "attention" },
    ...(next === undefined ? [] : [{ kind: "command", lines: [next] } as const]),
  ];
}
