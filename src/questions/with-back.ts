import type { CommandContext, Prompter, Question } from "../context/command-context.ts";
import { BackError } from "../errors.ts";
import { once } from "../values/basics.ts";

/** What questions with a way back ask, report and request with. */
export interface Returning {
  readonly prompt: Prompter;
  /** Says nothing that is on the screen already, before a question that was returned to. */
  readonly report: Pick<CommandContext["report"], "page" | "warn">;
  /**
   * Does work whose result depends on the answers so far alone, such as a request. It is done again
   * only if one of them was undone.
   */
  remember<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Asks questions, from each of which but the first the user can return to the one before. `ask`
 * then runs again: what was answered before that question is answered alike, and the question has
 * its own answer as the default.
 * @param tell tells of the way back, before the first question that has one
 */
export async function withBack<Answers>(
  { prompt, report }: Pick<Returning, "prompt" | "report">,
  ask: (returning: Returning) => Promise<Answers>,
  tell?: () => void,
): Promise<Answers> {
  const given: GivenAnswer[] = [];
  const undone = new Map<string, Answered<unknown>>();
  const results: Promise<unknown>[] = [];
  let isStillSaid = false;
  const tellOnce = once(() => {
    for (const one of given.slice(-1)) one.isFollowed = true;
    tell?.();
  });
  for (;;) {
    let asked = 0;
    let worked = 0;
    const isRepeated = () => asked < given.length;
    const say = (what: () => void) => {
      if (isRepeated() || isStillSaid) return;
      for (const one of given.slice(-1)) one.isFollowed = true;
      what();
    };
    const question = async <Answer>(
      { message }: Question,
      preset: Answer | undefined,
      put: (way: WayBack, before: Answered<Answer> | undefined) => Promise<Answer>,
    ): Promise<Answer> => {
      if (isRepeated()) return given[asked++]?.answer as Answer;
      isStillSaid = false;
      if (asked > 0 && tell) tellOnce();
      const way = { back: asked > 0, isBelowAnswer: given.at(-1)?.isFollowed === false };
      const answer = await put(way, undone.get(message) as Answered<Answer> | undefined);
      undone.delete(message);
      asked = given.push({ message, answer, preset, worked, isFollowed: false });
      return answer;
    };
    try {
      return await ask({
        prompt: returningPrompter(prompt, question),
        report: {
          warn: (...words) => say(() => report.warn(...words)),
          page: (...words) => say(() => report.page(...words)),
        },
        remember: <Result>(work: () => Promise<Result>) => {
          const result = (results[worked] ?? work()) as Promise<Result>;
          results[worked++] = result;
          return result;
        },
      });
    } catch (error) {
      if (!(error instanceof BackError)) throw error;
      const last = given.pop();
      if (last !== undefined) undone.set(last.message, last);
      results.length = last?.worked ?? 0;
      isStillSaid = last?.isFollowed === false;
      // What was said since is below every answer.
      if (!isStillSaid) for (const one of given) one.isFollowed = true;
    }
  }
}

/** An answer that was undone, and what the question suggested when it was given. */
interface Answered<Answer> {
  readonly answer: Answer;
  readonly preset: Answer | undefined;
}

interface GivenAnswer extends Answered<unknown> {
  readonly message: string;
  /** How much work was done before it. */
  readonly worked: number;
  /** Whether something was said after it, so that it is not in the line above the next question. */
  isFollowed: boolean;
}

type WayBack = Required<Pick<Question, "back" | "isBelowAnswer">>;

type Put = <Answer>(
  question: Question,
  preset: Answer | undefined,
  put: (way: WayBack, before: Answered<Answer> | undefined) => Promise<Answer>,
) => Promise<Answer>;

/** A prompter that gives each question a way back, and what was answered before as its default. */
function returningPrompter(prompt: Prompter, question: Put): Prompter {
  return {
    input: (one) =>
      question(one, one.default, (way, before) => {
        // A suggestion that was taken follows from the answers before, which may be others now.
        const { answer, preset } = before ?? {};
        const isOutdated = answer === preset && one.default !== preset;
        const typed = before === undefined || isOutdated ? one.typed : answer;
        return prompt.input({ ...one, ...way, ...(typed === undefined ? {} : { typed }) });
      }),
    secret: (one) => question<string>(one, undefined, (way) => prompt.secret({ ...one, ...way })),
    confirm: (one) =>
      question<boolean>(one, one.default, (way, before) =>
        prompt.confirm({ ...one, ...way, default: before?.answer ?? one.default ?? true }),
      ),
    select: <Value>(one: Parameters<typeof prompt.select<Value>>[0]) =>
      question<Value>(one, one.default, (way, before) => {
        const focused = before === undefined ? one.default : before.answer;
        return prompt.select({
          ...one,
          ...way,
          ...(focused === undefined ? {} : { default: focused }),
        });
      }),
    checkbox: <Value>(one: Parameters<typeof prompt.checkbox<Value>>[0]) =>
      question<Value[]>(one, [...(one.chosen ?? [])], (way, before) =>
        prompt.checkbox({ ...one, ...way, chosen: chosenAgain(one.chosen ?? [], before) }),
      ),
  };
}

/** What was chosen before; of what the question suggests by itself, only what it suggests now. */
function chosenAgain<Value>(
  suggested: readonly Value[],
  before: Answered<readonly Value[]> | undefined,
): readonly Value[] {
  if (before === undefined) return suggested;
  const { answer, preset = [] } = before;
  const isSame =
    suggested.length === preset.length && suggested.every((one) => preset.includes(one));
  if (isSame) return answer;
  return [...new Set([...suggested, ...answer.filter((one) => !preset.includes(one))])];
}
