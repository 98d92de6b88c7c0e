import {
  answerText,
  type CheckVerdict,
  isRedirect,
  type ReceiverAnswer,
  type ReceiverCheck,
} from "./check.ts";

/** The platform waits so long for an answer, in milliseconds. */
export const ANSWER_LIMIT_MS = 15_000;

/** From here on a receiver is slow enough that a busy day makes it too slow. */
const SLOW_MS = 5_000;

/** The checks of the answers to all messages; they send none of their own. */
export const BEHAVIOUR_CHECKS: readonly ReceiverCheck[] = [
  behaves("no-redirect", {
    title: "No response is a redirect",
    advice:
      "The receiver redirects. The platform does not follow redirects, and counts a 3xx as a failure: register the URL that it redirects to.",
    judge: (all) => {
      const redirect = all.find(isRedirect);
      if (redirect === undefined) return { outcome: "pass" };
      return failed("no-redirect", `${answerText(redirect)} for ${redirect.message.what}`);
    },
  }),
  behaves("in-time", {
    title: "Every response arrives within 15 s",
    advice:
      "The receiver processes the message before it responds. After 15 s the platform counts a failure and sends the message again: respond first, then process the message.",
    judge: (all) => {
      const late = all.find(({ failure }) => failure?.kind === "late");
      if (late !== undefined) {
        return failed("late", `${answerText(late)} for ${late.message.what}`);
      }
      const note = `p95 ${timeText(percentile95(all))}`;
      if (percentile95(all) <= SLOW_MS) return { outcome: "pass", note };
      const message = `${note}: the platform waits 15 s`;
      return { outcome: "warn", message, symptoms: ["slow"] };
    },
  }),
  behaves("no-delivery-control", {
    title: "No response controls the deliveries of the platform",
    advice:
      "The receiver sends the header webhook-delivery, which makes the platform disable the destination or drop the message. Remove the header.",
    judge: (all) => {
      const controlling = all.find(({ control }) => control !== undefined);
      if (controlling === undefined) return { outcome: "pass" };
      const header = `webhook-delivery: ${controlling.control}`;
      return failed(
        "no-delivery-control",
        `the header ${header} in the response to ${controlling.message.what}`,
      );
    },
  }),
];

function behaves(
  name: string,
  check: Pick<ReceiverCheck, "title" | "advice"> & {
    readonly judge: (all: readonly ReceiverAnswer[]) => CheckVerdict;
  },
): ReceiverCheck {
  const { judge, ...facts } = check;
  return {
    name,
    kind: "behaviour",
    severity: "error",
    ...facts,
    send: () => [],
    judge: (_own, all) => judge(all),
  };
}

function failed(symptom: string, message: string): CheckVerdict {
  return { outcome: "fail", message, symptoms: [symptom] };
}

/** The time within which 95 of 100 answers came, in milliseconds. */
function percentile95(answers: readonly ReceiverAnswer[]): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
}

function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
