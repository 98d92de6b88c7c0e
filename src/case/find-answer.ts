import type { JsonRecord } from "../inspect/installation-diff.ts";
import { tried } from "../values/basics.ts";
import { isJsonObject } from "../values/json.ts";
import type { RecordedAnswer } from "./case-file.ts";

/** The parameters of pages: a case has a list as far as it was read. */
const PAGE_SIZES = ["pageSize", "limit"];

/**
 * The lists that a service filters by a parameter of the query, and the field that each is about.
 */
const FILTERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  installations: { groupRef: ["group", "groupRef"] },
  connections: {
    provider: ["provider"],
    groupRef: ["group", "groupRef"],
    consumerRef: ["consumer", "consumerRef"],
  },
  "notification-event-topic-routes": { topicId: ["topicId"], eventType: ["eventType"] },
  "topic-destination-routes": { topicId: ["topicId"], destinationId: ["destinationId"] },
};

/**
 * The recorded answer to a request; undefined if there is none. A part of a recorded list, and one
 * of its records, are answered from it: a service gives the same records there.
 */
export function findAnswer(
  answers: readonly RecordedAnswer[],
  path: string,
  query: URLSearchParams,
): RecordedAnswer | undefined {
  return (
    answers.find((one) => samePath(one.path, path) && sameQuery(one.query, query)) ??
    partOfList(answers, path, query) ??
    (filtersOf(query).length > 0 ? undefined : recordOfList(answers, path))
  );
}

/** Whether a case has an answer to the same path, for another part of the list. */
export function hasOtherPart(answers: readonly RecordedAnswer[], path: string): boolean {
  return answers.some((one) => samePath(one.path, path));
}

/** The records of a list that a request filters, also the installations of one integration. */
function partOfList(
  answers: readonly RecordedAnswer[],
  path: string,
  query: URLSearchParams,
): RecordedAnswer | undefined {
  const [, project = "", integration, name = ""] =
    /^(\/projects\/[^/]+)(?:\/integrations\/([^/]+)(?=\/installations$))?\/([\w-]+)$/u.exec(path) ??
    [];
  const filters = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (filters === undefined) return undefined;
  const whole = listAt(answers, `${project}/${name}`) ?? listAt(answers, path);
  if (whole === undefined) return undefined;
  const wanted = filtersOf(query);
  if (wanted.some(([key]) => !Object.hasOwn(filters, key))) return undefined;
  const body = whole.body.filter(
    (one) =>
      isJsonObject(one) &&
      (integration === undefined || one.integrationId === decoded(integration)) &&
      wanted.every(([key, value]) => valueAt(one, filters[key] ?? []) === value),
  );
  // Whether an integration exists that no installation names is unknown.
  const isKnown = integration === undefined || wanted.length > 0 || body.length > 0;
  return isKnown ? { ...whole, body } : undefined;
}

/** One record of a list: an installation, an operation or a provider. */
function recordOfList(
  answers: readonly RecordedAnswer[],
  path: string,
): RecordedAnswer | undefined {
  const [, list = "", id = ""] = /^(.*)\/([^/]+)$/u.exec(path) ?? [];
  const name = decoded(id);
  const answerOf = (whole: RecordedAnswer | undefined, body: unknown) => {
    if (whole === undefined || !isJsonObject(body)) return undefined;
    const { of: _, ...answer } = whole;
    return { ...answer, body };
  };
  if (list === "/providers") {
    const whole = answers.find((one) => samePath(one.path, list) && one.status === 200);
    const all = isJsonObject(whole?.body) ? whole.body : {};
    return name !== undefined && Object.hasOwn(all, name) ? answerOf(whole, all[name]) : undefined;
  }
  if (/^\/projects\/[^/]+\/operations$/u.test(list)) {
    const pages = answers.filter((one) => /\/installations\/[^/]+\/operations$/u.test(one.path));
    for (const page of pages) {
      const { results } = isJsonObject(page.body) ? page.body : {};
      const found = recordWithId(Array.isArray(results) ? results : [], name);
      if (found) return answerOf(page, found);
    }
  }
  if (!/\/installations$/u.test(list)) return undefined;
  const whole = partOfList(answers, list, new URLSearchParams());
  return answerOf(whole, recordWithId(whole?.body as readonly unknown[], name));
}

function recordWithId(records: readonly unknown[] | undefined, id: string | undefined) {
  return records?.find((one): one is JsonRecord => isJsonObject(one) && one.id === id);
}

function listAt(answers: readonly RecordedAnswer[], path: string) {
  const found = answers.find(
    (one) =>
      samePath(one.path, path) && sameQuery(one.query, new URLSearchParams()) && one.status === 200,
  );
  const body: unknown = found?.body;
  return found && Array.isArray(body) ? { ...found, body: body as readonly unknown[] } : undefined;
}

function valueAt(record: JsonRecord, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isJsonObject(value) ? value[key] : undefined),
    record,
  );
}

/** The parameters of a query, without the size of its pages. */
function filtersOf(query: Iterable<readonly [string, string]>): (readonly [string, string])[] {
  return [...query].filter(([key, value]) => value !== "" && !PAGE_SIZES.includes(key));
}

function samePath(one: string, other: string): boolean {
  const path = decoded(one);
  return one === other || (path !== undefined && path === decoded(other));
}

function decoded(path: string): string | undefined {
  return tried(() => path.split("/").map(decodeURIComponent).join("\n"));
}

/** Whether a query asks for the same: its pages may have another size, and begin with the first. */
function sameQuery(recorded: Readonly<Record<string, string>>, asked: URLSearchParams): boolean {
  const matters = (query: Iterable<readonly [string, string]>) =>
    filtersOf(query)
      .map((pair) => JSON.stringify(pair))
      .sort()
      .join();
  return matters(Object.entries(recorded)) === matters(asked);
}
