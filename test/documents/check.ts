import * as z from "zod";
import type { CommandPath } from "../../src/values/command-paths.ts";
import { routes } from "../harness.ts";
import { DOCUMENTS, isRecord, SCHEMAS, type SchemaName } from "./documents.ts";

/** What a run wrote. */
interface Written {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The ways in which the JSON that a run wrote is not as `docs/json.md` says.
 * @param isSpecified whether the service is one whose records are as specified
 */
export function oddDocuments(
  argv: readonly string[],
  { stdout, stderr }: Written,
  isSpecified: boolean,
): string[] {
  const path = pathOf(argv);
  const format = formatOf(argv);
  const isCut = argv.some((word) => /^--(fields|count|help|version|licences|patch)\b/u.test(word));
  if (path === undefined || format === undefined || isCut) return [];
  const { one, list, plan, watch } = DOCUMENTS[path];
  if (watch !== undefined && argv.includes("--watch")) {
    const problems = jsonOf(stdout, "ndjson").flatMap((item) => problemsOf(watch, item, true));
    return problems.map((problem) => `amp ${argv.join(" ")}: ${problem}`);
  }
  const isUnsent = argv.includes("--dry-run") && plan === undefined;
  const name = isUnsent ? "unsentRequest" : (one ?? list);
  const results = name === undefined ? [] : jsonOf(stdout, format);
  const items = list !== undefined || isUnsent ? results.flat() : results;
  return [
    ...items.flatMap((item) => {
      const isOther = plan !== undefined && problemsOf(plan, item, isSpecified).length === 0;
      return isOther ? [] : problemsOf(name ?? "error", item, isSpecified);
    }),
    ...messagesOf(stderr, argv).flatMap((line) => {
      const isError = typeof line === "object" && line !== null && "error" in line;
      return problemsOf(isError ? "error" : "progress", line, isSpecified);
    }),
  ].map((problem) => `amp ${argv.join(" ")}: ${problem}`);
}

/** The exit codes of a run that was refused. */
const REFUSED = [2, 4, 5];

/**
 * The refusals of a command that writes which do not say that nothing was done, although it sent
 * nothing that writes.
 */
export async function silentRefusals(
  argv: readonly string[],
  { stderr }: Pick<Written, "stderr">,
  methods: readonly string[],
): Promise<string[]> {
  const path = pathOf(argv);
  if (path === undefined || methods.some((method) => method !== "GET")) return [];
  const route = routes[path];
  if (route === undefined || !("load" in route)) return [];
  const { effect, writes } = (await route.load()).default;
  // A call of the others may only read.
  if (effect !== "write" || writes !== undefined) return [];
  const errors = messagesOf(stderr, argv).flatMap((line) => {
    const { error } = line as { readonly error?: { readonly exitCode: number; done?: string } };
    return error !== undefined && REFUSED.includes(error.exitCode) ? error : [];
  });
  return errors
    .filter(({ done }) => done === undefined)
    .map((error) => `amp ${argv.join(" ")}: does not say what was done: ${JSON.stringify(error)}`);
}

function problemsOf(name: SchemaName, value: unknown, isSpecified: boolean): string[] {
  if (isRecord(name) && !isSpecified) return [];
  const { error } = z.core.safeParse(SCHEMAS[name] as z.core.$ZodType, value);
  if (error === undefined) return [];
  const issues = error.issues.filter(
    // A login shows records of the service too.
    ({ path: [first] }) => isSpecified || first !== "projects",
  );
  return issues.length === 0
    ? []
    : [`${name}: ${z.core.prettifyError({ ...error, issues } as never)}`];
}

function pathOf(argv: readonly string[]): CommandPath | undefined {
  const paths = Object.keys(DOCUMENTS) as CommandPath[];
  return paths.find((path) => path.split(" ").every((word, at) => argv[at] === word));
}

function formatOf(argv: readonly string[]): "json" | "ndjson" | undefined {
  const at = argv.findLastIndex((word) => word === "-o" || word === "--output");
  const typed = at < 0 ? undefined : argv[at + 1];
  if (typed === "json" || typed === "ndjson") return typed;
  return typed === undefined && argv.includes("--json") ? "json" : undefined;
}

/** The documents of a text; none where it is cut off. */
function jsonOf(text: string, format: "json" | "ndjson"): unknown[] {
  const parts = format === "json" ? [text] : text.split("\n");
  return parts.flatMap((part) => {
    try {
      return part.trim() === "" ? [] : [JSON.parse(part)];
    } catch {
      return [];
    }
  });
}

/** The documents of stderr: the error, or the lines of `--progress json`. */
function messagesOf(stderr: string, argv: readonly string[]): unknown[] {
  if (argv.includes("--progress")) return jsonOf(stderr, "ndjson");
  return stderr.startsWith("{") ? jsonOf(stderr, "json") : [];
}
