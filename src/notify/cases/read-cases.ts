import { eventType } from "../../api/catalogue/events.ts";
import { DATA_MESSAGES, isDataMessage } from "../../events/message/payloads.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { asList } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { readDuration } from "../../values/time.ts";
import { type FileIssues, quoted } from "../file/issues.ts";
import { readYaml } from "../file/yaml-text.ts";
import { offsetOf, plainData, type YamlTree } from "../file/yaml-tree.ts";
import { nearestEvent } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import type { CasesFile } from "./schema.ts";
import { type LocalReceiver, localReceivers, type StubBehaviour } from "./stubs.ts";

/** A requirement after an event. */
export interface CaseExpectation {
  readonly kind: "reaches" | "misses" | "disabled";
  readonly destination: string;
  /** The event that it is about; absent: the one of the case. */
  readonly event?: string;
  readonly withinMs?: number;
  readonly signed?: boolean;
  readonly times?: number;
  /** The line of the file, counted from 1. */
  readonly line: number;
}

/** A case: what occurs, and who must hear of it. */
export interface RoutingCase {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly when: string;
  readonly with: Readonly<Record<string, unknown>>;
  readonly receivers: ReadonlyMap<string, StubBehaviour>;
  /** The receivers of the user's own, by destination. */
  readonly to: ReadonlyMap<string, LocalReceiver>;
  readonly expectations: readonly CaseExpectation[];
}

/**
 * Reads a file of test cases, YAML or JSON, about a routing.
 * @param path for messages
 * @param variable reads an environment variable, which may be the secret of a receiver
 * @throws {UsageError} with line and column of each error
 */
export async function readCases(
  text: string,
  path: string,
  model: RoutingModel,
  variable: (name: string) => string | undefined,
): Promise<readonly RoutingCase[]> {
  const { tree, issues } = await readYaml(text, path);
  const { checkCaseForm } = await import("./form.ts");
  const file = checkCaseForm(plainData(tree, isTyped), (at, isKey, message) => {
    issues.error(offsetOf(tree, at, isKey), message);
  });
  const checks = nameChecks(model, tree, issues);
  if (file !== undefined) checkNames(file, checks);
  const to = localReceivers(file?.to, variable, checks.error);
  if (file === undefined) return issues.fail();
  issues.check();
  const lineOf = (at: readonly PropertyKey[]) => issues.placeOf(offsetOf(tree, at)).line;
  return file.cases.map(
    (one, at): RoutingCase => ({
      name: one.name ?? defaultName(one),
      file: path,
      line: lineOf(["cases", at]),
      when: one.when,
      with: one.with ?? {},
      to,
      receivers: new Map(
        Object.entries(one.receiver ?? {}).map(
          ([name, { "webhook-delivery": control, ...rest }]) => [name, { ...rest, control }],
        ),
      ),
      expectations: one.then.flatMap((entry, nth) =>
        expectationsOf(entry, lineOf(["cases", at, "then", nth])),
      ),
    }),
  );
}

/**
 * Whether YAML decides the type of a value: all other values of the file are text.
 * @param path its keys, without the indexes of lists: those of `cases[0].with` are `cases`, `with`
 */
function isTyped([first, second, third, fourth]: readonly string[]): boolean {
  if (first === "version") return true;
  if (first !== "cases") return false;
  if (second === "with") return true;
  if (second === "then") return third === "signed" || third === "times";
  return second === "receiver" && (fourth === "status" || fourth === "times");
}

type CaseEntry = CasesFile["cases"][number];
type ThenEntry = CaseEntry["then"][number];

function defaultName({ when, with: fields = {} }: CaseEntry): string {
  const values = Object.entries(fields).map(([key, value]) => `${key} ${String(value)}`);
  return [when, ...values].join(", ");
}

const KINDS = ["reaches", "misses", "disabled"] as const;

function subjectsOf(entry: ThenEntry): { kind: (typeof KINDS)[number]; names: string[] }[] {
  return KINDS.flatMap((kind) => {
    const names = entry[kind];
    return names === undefined ? [] : [{ kind, names: asList(names) }];
  });
}

function expectationsOf(entry: ThenEntry, line: number): CaseExpectation[] {
  const { event, within, signed, times } = entry;
  return subjectsOf(entry).flatMap(({ kind, names }) =>
    names.map((destination) => ({
      kind,
      destination,
      line,
      ...defined({ event }),
      ...(within === undefined ? {} : { withinMs: readDuration(within) }),
      ...defined({ signed, times }),
    })),
  );
}

function nameChecks(model: RoutingModel, tree: YamlTree, issues: FileIssues) {
  const { destinations } = model;
  const error = (at: readonly PropertyKey[], message: string, isKey = false) =>
    issues.error(offsetOf(tree, at, isKey), message);
  const known = (name: string, at: readonly PropertyKey[], isKey = false) => {
    const problem = unknownDestination(name, destinations);
    if (problem !== undefined) error(at, problem, isKey);
    return problem === undefined;
  };
  const webhook = (name: string, at: readonly PropertyKey[], isKey = false) => {
    if (!known(name, at, isKey)) return;
    const type = destinations.get(name)?.type;
    if (type === undefined || type === "webhook") return;
    error(
      at,
      `destination ${quoted(name)} is of type ${type}, and only webhooks have receivers`,
      isKey,
    );
  };
  const event = (name: string, at: readonly PropertyKey[]) => {
    const problem = unknownEvent(name, model);
    if (problem !== undefined) error(at, problem);
  };
  return { error, known, webhook, event };
}

type NameChecks = ReturnType<typeof nameChecks>;

function checkNames({ cases, to = {} }: CasesFile, checks: NameChecks): void {
  const { error, webhook, event } = checks;
  for (const [name, receiver] of Object.entries(to)) {
    webhook(name, ["to", name], true);
    const isUrl = typeof receiver === "string";
    const url = isUrl ? receiver : receiver.url;
    const host = URL.parse(url)?.hostname;
    if (host === undefined || !isLoopback(host) || !/^https?:/u.test(url)) {
      const place = isUrl ? ["to", name] : ["to", name, "url"];
      error(place, "must be a URL on this machine, for example http://localhost:3000/amp");
    }
  }
  for (const [at, { when, with: fields, receiver = {}, then }] of cases.entries()) {
    const place = ["cases", at] as const;
    event(when, [...place, "when"]);
    if (isDataMessage(when) && typeof fields?.destination !== "string") {
      const needed = "add with: { destination: ops-webhook }";
      error(
        [...place, "when"],
        `${when} is sent to the destination of a customer's read: ${needed}`,
      );
    }
    for (const name of Object.keys(receiver)) webhook(name, [...place, "receiver", name], true);
    for (const [nth, entry] of then.entries()) checkEntry(entry, [...place, "then", nth], checks);
  }
}

function checkEntry(
  entry: ThenEntry,
  place: readonly PropertyKey[],
  { error, known, webhook, event }: NameChecks,
): void {
  if (entry.event !== undefined) event(entry.event, [...place, "event"]);
  if (entry.within !== undefined) {
    checkDuration(entry.within, (problem) => error([...place, "within"], problem));
  }
  for (const { kind, names } of subjectsOf(entry)) {
    const check = kind === "disabled" ? webhook : known;
    const isList = Array.isArray(entry[kind]);
    for (const [index, name] of names.entries()) {
      check(name, isList ? [...place, kind, index] : [...place, kind]);
    }
  }
}

function checkDuration(within: string, refuse: (problem: string) => void): void {
  try {
    readDuration(within);
  } catch (error) {
    refuse(`within: ${(error as Error).message}`);
  }
}

function unknownDestination(
  name: string,
  destinations: RoutingModel["destinations"],
): string | undefined {
  if (destinations.has(name)) return undefined;
  const near = nearest(name, [...destinations.keys()]);
  const hint = near === undefined ? "" : `: did you mean ${quoted(near)}?`;
  return `the routing has no destination ${quoted(name)}${hint}`;
}

/**
 * A type that amp does not know is fine where the routing has it: the list of the platform grows.
 */
function unknownEvent(name: string, { topics }: RoutingModel): string | undefined {
  if (eventType(name) !== undefined || isDataMessage(name)) return undefined;
  if ([...topics.values()].some(({ events }) => events.includes(name))) return undefined;
  const near = nearestEvent(name) ?? nearest(name, Object.keys(DATA_MESSAGES));
  const hint = near === undefined ? "; amp notify events lists them" : `: did you mean ${near}?`;
  return `unknown event type ${quoted(name)}${hint}`;
}
