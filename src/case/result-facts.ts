import { counted } from "../values/counted.ts";
import type { JudgedOperation, Stream } from "./operation-streams.ts";
import { excerpt, shortTimeText } from "./words.ts";

/** The newest results of an object, in the words of the service. */
export interface ResultFact {
  readonly newest: JudgedOperation;
  /** The oldest one in a row with the same result, where it is not the newest. */
  readonly sameSince?: JudgedOperation | undefined;
  /** The newest with another result, where that of the newest counts no records. */
  readonly before?: JudgedOperation | undefined;
}

/** The objects whose results a case quotes. */
const MAX_OBJECTS = 3;

/**
 * The newest result of each object that was read: a customer asks when data arrived for the last time, and
 * only the text of the service says it.
 */
export function resultFacts(streams: readonly Pick<Stream, "ended">[]): readonly ResultFact[] {
  return streams.flatMap(({ ended }) => {
    const succeeded = ended.filter(({ status, result }) => status === "success" && result);
    const [newest] = succeeded;
    if (newest === undefined) return [];
    const firstOther = succeeded.findIndex(({ result }) => result !== newest.result);
    const oldestSame = succeeded.at(firstOther < 0 ? -1 : firstOther - 1);
    return [
      {
        newest,
        sameSince: oldestSame === newest ? undefined : oldestSame,
        before: countsRecords(newest) ? undefined : succeeded[firstOther],
      },
    ];
  });
}

/** Whether a result has a number, apart from one in the name of its object: "[contacts2] 83 records". */
function countsRecords({ result }: JudgedOperation): boolean {
  return /[1-9]/u.test((result ?? "").replace(/^\[[^\]]*\]/u, ""));
}

/** Results as evidence; of many objects, those of the first and how many more there are. */
export function resultTexts(results: readonly ResultFact[], now: Date): string[] {
  const more = results.length - MAX_OBJECTS;
  return [
    ...results.slice(0, MAX_OBJECTS).map(({ newest, sameSince, before }) => {
      const same =
        sameSince?.createTime && `, the same since ${shortTimeText(sameSince.createTime, now)}`;
      return `${quoted(newest, now, same)}${before ? `; before, ${quoted(before, now)}` : ""}`;
    }),
    ...(more > 0 ? [`and the results of ${counted(more, "more object")}`] : []),
  ];
}

function quoted(
  { id, result, createTime }: JudgedOperation,
  now: Date,
  same?: string | null,
): string {
  const when = createTime && ` (${shortTimeText(createTime, now)}${same ?? ""})`;
  return `${id} "${excerpt(result ?? "")}"${when ?? ""}`;
}
