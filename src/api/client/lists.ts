import { AmpError, type ServiceError } from "../../errors.ts";
import { whenAborted } from "../../runtime/end-process.ts";
import { redactFacts } from "../../secrets/secret.ts";
import { counted, sizeText } from "../../values/counted.ts";
import { isJsonObject } from "../../values/json.ts";
import { statedProject } from "../../values/odd-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { type HttpAnswer, type OpenBody, OversizeError, parsedJson } from "../answer/answer.ts";
import {
  answerFacts,
  type CheckedAnswer,
  checkedRecords,
  checkedValue,
  type LoadedCheck,
} from "../answer/check.ts";
import { JsonArrayError, recordsOf } from "../answer/json-array.ts";
import { apiErrors } from "../errors.ts";
import type { Endpoint } from "../operations/endpoint.ts";
import type { RequestInfo } from "../request/request-info.ts";
import { isOfOtherProject, projectInPath } from "../request/url.ts";
import type { Policy } from "./policy.ts";
import { interruptedError, requestError, timeoutRemedy } from "./request-failure.ts";

/**
 * The number of bytes up to which a list is read as a whole. Only such a list can be requested
 * again when it is cut off, and refused before any of it was shown.
 */
export const WHOLE_LIST = 256 * 1024;

interface Reading extends Pick<Policy, "signal" | "timeoutMs"> {
  /** Says whether the records of a list are those of several projects. */
  readonly scope: ReturnType<typeof createProjectScope>;
  readonly onForeign?: Endpoint["onForeign"];
}

/** A page of a list: a whole list is one page without a next one. */
interface ListPage {
  readonly records: readonly unknown[] | AsyncIterable<readonly unknown[]>;
  readonly next: URL | undefined;
  /** The bytes of the page that are held in memory. */
  readonly size: number;
  readonly fail: (problem: string) => ServiceError;
}

/** The position of a page in its list. */
export interface PagePlace {
  readonly url: URL;
  /** The number of records on earlier pages. */
  readonly before: number;
}

/** What amp follows of a list that brings nothing new: pages in a row, or seconds of waiting. */
const IDLE = { pages: 100, seconds: 60 };

/**
 * The records of an answer to a request for a list, checked and redacted.
 * @throws {ServiceError} where the list was cut without a next page: a part must not count as the
 * whole; and where it has records of several projects, unless `onForeign` says so
 */
export async function listPage(
  checked: CheckedAnswer,
  check: LoadedCheck,
  { url, before }: PagePlace,
  reading: Reading,
): Promise<ListPage> {
  const { answer } = checked;
  const { results, next } = pageFrame(checked, url);
  const fail = pageError(checked);
  const assertWhole = (count: number) => {
    if (next === undefined && isCut(answer, before, count)) throw fail(INCOMPLETE);
  };
  const assertOwn = (records: readonly unknown[]) => {
    const detail = reading.scope(url, records);
    if (detail === undefined) return;
    if (reading.onForeign) reading.onForeign(detail);
    else throw fail(FOREIGN).setFacts({ detail, suggestion: suggest("projects list") });
  };
  const { open } = answer;
  if (open) {
    assertWhole(Number.POSITIVE_INFINITY);
    const batches = longList(checked, open, check, reading, before);
    async function* records() {
      let count = 0;
      for await (const batch of batches) {
        assertOwn(batch);
        yield batch;
        count += batch.length;
      }
      assertWhole(count);
    }
    // The reader of an open body limits its size itself.
    return { records: records(), next, size: 0, fail };
  }
  const records = results
    ? await checkedRecords(checked, results, check, before)
    : ((await checkedValue(checked, check, before)) as readonly unknown[]);
  assertOwn(records);
  assertWhole(records.length);
  return { records, next, size: answer.text.length, fail };
}

const FOREIGN = "the service listed resources of another project";
const INCOMPLETE = "the list is incomplete but has no link to the next page";

/**
 * Whether the head of a page says that the list has more records, in one of the usual ways.
 * @param count the number of records on the page
 */
function isCut({ status, headers }: HttpAnswer, before: number, count: number): boolean {
  const [, range] = /^(?!bytes)\w+ .*\/(\d+)$/u.exec(headers.get("content-range") ?? "") ?? [];
  const totals = [range, headers.get("x-total-count"), headers.get("x-total")];
  if (totals.some((total) => Number(total) > before + count)) return true;
  if (before === 0 && Number(headers.get("x-total-pages")) > 1) return true;
  return Boolean(headers.get("x-next-page")) || (status === 206 && range === undefined);
}

/**
 * The records of an answer with `{results, pagination}` instead of a list, and the URL of the next
 * page, from there or from a `Link` header.
 * @param url the URL of this page
 */
function pageFrame(
  checked: CheckedAnswer,
  url: URL,
): { readonly results?: readonly unknown[]; readonly next: URL | undefined } {
  const { answer } = checked;
  const fail = pageError(checked);
  const linked = linkedPage(answer.headers, url, fail);
  if (answer.open || !/^\s*(?:\{|null\s*$)/u.test(answer.text)) return { next: linked };
  const value = parsedJson(answer);
  if (value === null) return { results: noRecords(checked, ""), next: linked };
  if (!isJsonObject(value) || !(Array.isArray(value.results) || value.results === null)) {
    return { next: linked };
  }
  const { pagination } = value;
  const results = value.results ?? noRecords(checked, "results");
  const { done, nextPageToken: token } = isJsonObject(pagination) ? pagination : {};
  if (done === true) return { results, next: undefined };
  if (linked) return { results, next: linked };
  const hasToken = token !== "" && ["string", "number", "bigint"].includes(typeof token);
  if (checked.isPaged && !hasToken && (done === undefined || done === null)) {
    // It says neither that there is more nor where. Nothing is created from such a list.
    const problem = `expected boolean, ${done === null ? "received null" : "but it is missing"}`;
    checked.onOddFields?.([{ record: "response", path: "pagination.done", problem, value: done }]);
    return { results, next: undefined };
  }
  if (!hasToken) throw fail(INCOMPLETE);
  const next = new URL(url);
  next.searchParams.set("pageToken", String(token));
  return { results, next };
}

/** The records of `null` in the place of a list, as services written in Go send an empty one. */
function noRecords({ onOddFields }: CheckedAnswer, path: string): readonly unknown[] {
  const problem = "expected array, received null";
  onOddFields?.([{ record: "response", path, problem, value: null }]);
  return [];
}

/** The target of `Link: <…>; rel="next"` (RFC 8288). */
function linkedPage(
  headers: Headers,
  url: URL,
  fail: (problem: string) => ServiceError,
): URL | undefined {
  for (const link of headers.get("link")?.split(/,\s*(?=<)/u) ?? []) {
    const [, target, parameters = link] = /^\s*<([^>]*)>(.*)$/su.exec(link) ?? [];
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]+))/iu.exec(parameters) ?? [];
    if (!(quoted ?? plain ?? "").toLowerCase().split(/\s+/u).includes("next")) continue;
    const next = target === undefined ? null : URL.parse(target, url.href);
    // The credential must not go to another origin than the first page's.
    if (next?.origin !== url.origin) {
      throw fail(`its next page is at ${next?.host ?? "an invalid URL"}; it was not requested`);
    }
    if (isOfOtherProject(next, url)) {
      const problem = "its next page is of another project; it was not requested";
      throw fail(problem).setFacts({ suggestion: suggest("projects list") });
    }
    return next;
  }
  return undefined;
}

/** The error for a list that cannot be read to its end. */
function pageError({ answer, info }: CheckedAnswer): ListPage["fail"] {
  return (problem) => apiErrors.answer_unusable(info.does, problem, answerFacts(answer, info));
}

/**
 * All records of a list with several pages, as they arrive. A list that grows between two pages has
 * the last records of one on the next again.
 * @param limit the maximum bytes of all pages
 * @throws {ServiceError} for pages that do not end; the records before were yielded
 */
export async function* recordsOfPages(
  first: ListPage,
  load: (place: PagePlace) => Promise<ListPage>,
  limit: number,
): AsyncGenerator<readonly unknown[]> {
  const seen = new Set<string>();
  const isNew = createMemory();
  let before = 0;
  let size = 0;
  let earlier = new Set<string>();
  let idle = { pages: 0, ms: 0 };
  for (let page = first; ; ) {
    const ids = new Set<string>();
    let hasNew = false;
    size += page.size;
    if (size > limit) throw page.fail(`the list is larger than ${sizeText(limit)}`);
    const batches = Symbol.asyncIterator in page.records ? page.records : [page.records];
    for await (const batch of batches) {
      const added = batch.filter((record) => {
        const id = idOf(record);
        if (id !== undefined) ids.add(id);
        hasNew = isNew(id ?? JSON.stringify(record)) || hasNew;
        return id === undefined || !earlier.has(id);
      });
      if (added.length > 0) yield added;
      before += batch.length;
    }
    earlier = ids;
    const { next } = page;
    if (next === undefined) return;
    if (seen.has(next.href)) throw page.fail("its pages repeat");
    idle = hasNew ? { pages: 0, ms: 0 } : { ...idle, pages: idle.pages + 1 };
    if (idle.pages >= IDLE.pages || idle.ms >= IDLE.seconds * 1_000) {
      const detail = `${counted(before, "record")} read, nothing new on the last ${counted(idle.pages, "page")}.`;
      throw page.fail("its pages do not end").setFacts({ detail });
    }
    seen.add(next.href);
    const began = performance.now();
    page = await load({ url: next, before });
    idle.ms += performance.now() - began;
  }
}

/**
 * Remembers texts in flat memory, for lists of any length. One that is new may rarely count as
 * known, and never the other way round.
 */
function createMemory(): (text: string) => boolean {
  const bits = new Uint8Array(2 ** 20);
  return (text) => {
    let hash = 0;
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
    const bit = (hash >>> 9) ^ hash;
    const index = (bit >>> 3) & (bits.length - 1);
    const mask = 1 << (bit & 7);
    if (((bits[index] ?? 0) & mask) !== 0) return false;
    bits[index] = (bits[index] ?? 0) | mask;
    return true;
  };
}

/**
 * Remembers the project that the records of each project's lists have: a service that ignores the
 * project of the path lists those of others, too. Its ID is not known where the path has a name,
 * and would cost a request; that all records have the same one costs none.
 */
export function createProjectScope() {
  const known = new Map<string, string>();
  return (url: URL, records: readonly unknown[]): string | undefined => {
    const project = projectInPath(url);
    if (project === undefined) return undefined;
    for (const record of records) {
      const id = statedProject(record);
      if (id === undefined) continue;
      const first = known.get(project) ?? id;
      known.set(project, first);
      if (id === first) continue;
      return `The lists of project ${JSON.stringify(project)} have resources of the projects ${first} and ${id}.`;
    }
    return undefined;
  };
}

function idOf(record: unknown): string | undefined {
  const id = isJsonObject(record) ? record.id : undefined;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/**
 * The records of a list that is too long for the memory, checked and redacted as they arrive.
 * @param recordsBefore the number of records on earlier pages
 * @throws {ServiceError} if the rest does not arrive, or is not JSON; earlier records were yielded
 */
async function* longList(
  checked: CheckedAnswer,
  open: OpenBody,
  check: LoadedCheck,
  reading: Reading,
  recordsBefore: number,
): AsyncGenerator<readonly unknown[]> {
  const { answer, info } = checked;
  let before = recordsBefore;
  try {
    const sizes = { maxRecord: open.limits.single };
    for await (const batch of recordsOf(chunksOf(open, checked, reading), sizes)) {
      yield await checkedRecords(checked, batch, check, before);
      before += batch.length;
    }
  } catch (error) {
    if (!(error instanceof JsonArrayError)) throw error;
    throw apiErrors.answer_unusable(
      info.does,
      `the response ${error.message}`,
      answerFacts(answer, info),
      error,
    );
  }
}

/** The batches of a long list, whose reader may have nothing to show until the last has come. */
export async function* arriving<Batch extends readonly unknown[]>(
  batches: AsyncIterable<Batch>,
  { does }: Pick<RequestInfo, "does">,
  { baseUrl, onWait = () => () => {} }: Pick<Policy, "baseUrl" | "onWait">,
): AsyncGenerator<Batch> {
  const { host } = new URL(baseUrl);
  let received = 0;
  let end = onWait({ does, host, received });
  try {
    for await (const batch of batches) {
      yield batch;
      received += batch.length;
      // The new wait begins before the old one ends, so that the line that shows it stays.
      const next = onWait({ does, host, received });
      end();
      end = next;
    }
  } catch (error) {
    throw redactError(error);
  } finally {
    end();
  }
}

/** Redacts an error of the service, which may echo a secret. */
export function redactError(error: unknown): unknown {
  return error instanceof AmpError ? error.setFacts(redactFacts(error.facts)) : error;
}

/** All bytes of the body. The time-out limits each wait, because the reader sets the speed. */
async function* chunksOf(
  { head, reader, limits }: OpenBody,
  { answer, info }: CheckedAnswer,
  { signal, timeoutMs }: Reading,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for (const chunk of head) {
      size += chunk.byteLength;
      yield chunk;
    }
    for (;;) {
      signal.throwIfAborted();
      const { value } = await inTime(reader.read(), signal, timeoutMs, info);
      if (!value) return;
      size += value.byteLength;
      if (size > limits.stream) throw new OversizeError(limits.stream);
      yield value;
    }
  } catch (error) {
    if (signal.aborted) throw interruptedError(info, signal.reason, { head: answer });
    if (error instanceof AmpError) throw error;
    throw requestError(info, error, { head: answer, outcome: "lost", attempts: 1, timeoutMs });
  } finally {
    // A failed body cannot be cancelled any more.
    await reader.cancel().catch(() => {});
  }
}

async function inTime<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  timeoutMs: number,
  info: RequestInfo,
): Promise<Result> {
  const left = Promise.withResolvers<never>();
  const abort = () => left.reject(signal.reason);
  const late = () =>
    left.reject(apiErrors.answer_stalled(info.url.host, timeoutMs / 1000, timeoutRemedy(info)));
  const timer = setTimeout(late, timeoutMs);
  whenAborted(signal, abort);
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
