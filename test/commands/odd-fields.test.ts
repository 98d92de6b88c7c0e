import { describe, expect, it } from "vitest";
import { ODD_VALUES, type Path, pathsOf, spoilt } from "../api/schemas/odd-values.ts";
import { faultsOf } from "../fuzz/judge.ts";
import { type Outcome, run, sandboxAt } from "../harness.ts";
import { sampleFor } from "../sample.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { INVOCATIONS } from "./invocations.ts";
import { goodArgs, leaves } from "./leaves.ts";

/** Cases of a command in `npm test`; there are up to 2,600. */
const TRIED = 6;
/** The step from one case to the next, so that a few of them are about all parts of the answers. */
const STEP = 7919;

/**
 * Fields by which amp finds records and what belongs to them, and those that a command checks or changes:
 * with another value, another exit code can be right.
 */
const DECISIVE =
  /(?:^|\.)(?:\d+|id|name|\w+Id|provider|authType|done|healthStatus|status|eventType|type|results|pagination)$|^secrets\b|^\d+\.(?:config|metadata|support|connection)\b/u;

const rawJson = (JSON as never as { rawJSON: (text: string) => unknown }).rawJSON;
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === "bigint" ? rawJson(String(item)) : item)) ??
  "null";

/** One field of an answer, in all of its records, and the value in its place. */
interface OddField {
  /** The path of the request. */
  readonly of: string;
  readonly field: Path;
  readonly odd: unknown;
}

/** The answer with the field spoilt in each record that has it: the command may need any of them. */
function spoiltAnswer(answer: unknown, { field, odd }: OddField): unknown {
  const [first, ...below] = field;
  if (!Array.isArray(answer) || typeof first !== "number") return spoilt(answer, field, odd);
  return answer.map((record) => (hasField(record, below) ? spoilt(record, below, odd) : record));
}

function hasField(value: unknown, [key, ...below]: Path): boolean {
  if (key === undefined) return true;
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
  return hasField((value as Record<string | number, unknown>)[key], below);
}

/** The fields of all records of an answer, each once. */
function fieldsOf(answer: unknown): Path[] {
  const records = Array.isArray(answer) ? answer : [answer];
  const paths = records.flatMap((record) => pathsOf(record, Array.isArray(answer) ? [0] : []));
  const fields = new Map(paths.map((path) => [path.join("\n"), path]));
  return [...fields.values()].filter((path) => path.length > 0);
}

describe.each([...leaves.entries()])("%s", (nth, { path, words }) => {
  /** Runs the command as it succeeds, but for one odd field, and notes the answers before it is spoilt. */
  async function attempt(
    seen: Map<string, unknown>,
    odd?: OddField,
    json = false,
  ): Promise<Outcome> {
    const sandbox = sandboxAt();
    const cwd = temporaryFolder();
    await INVOCATIONS[path]?.before?.(cwd, sandbox);
    const fetch = async (request: Request) => {
      const answer = await sandbox.fetch(request);
      const text = await answer.text();
      const { pathname } = new URL(request.url);
      if (request.method !== "GET" || !answer.ok) return new Response(text || null, answer);
      const value: unknown = JSON.parse(text);
      seen.set(pathname, value);
      const body = textOf(odd?.of === pathname ? spoiltAnswer(value, odd) : value);
      return new Response(body, { headers: { "content-type": "application/json" } });
    };
    return run([...words, ...goodArgs(path, sandbox), ...(json ? ["--json"] : [])], {
      ...{ sandbox, cwd, fetch, stdin: "", env: { AMP_RETRIES: "0" } },
      ...INVOCATIONS[path]?.world?.(),
      ...(json ? {} : { tty: { out: true }, columns: 120 }),
    });
  }

  it(`amp ${path} goes on with each odd field of the answers`, async () => {
    const seen = new Map<string, unknown>();
    const { code } = await attempt(seen);
    const cases = [...seen].flatMap(([of, answer]) =>
      fieldsOf(answer).flatMap((field) => ODD_VALUES.map((odd) => ({ of, field, odd }))),
    );
    const mixed = cases.map((one, at) => cases[(at * STEP) % cases.length] ?? one);
    const isJson = INVOCATIONS[path]?.noJson === undefined && path !== "api";
    const broken: unknown[] = [];
    for (const [at, one] of [...sampleFor(nth, TRIED, mixed).entries()]) {
      const json = isJson && at % 3 === 2;
      const outcome = await attempt(new Map(), one, json);
      const faults = faultsOf(outcome, json);
      const field = one.field.join(".");
      if (outcome.code !== code && !DECISIVE.test(field)) faults.push(`exit ${outcome.code}`);
      const what = `${one.of} ${field} = ${one.odd === undefined ? "missing" : textOf(one.odd)}`;
      if (faults.length > 0) broken.push({ what, faults, stderr: outcome.stderr.slice(0, 400) });
    }
    expect(broken.slice(0, 5)).toEqual([]);
  }, 3_600_000);
});
