import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { ConflictError, UsageError } from "../../errors.ts";

import { defined, jsonOf } from "../../values/json.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { canonicalRouting, type RoutingModel } from "../model/routing.ts";
import type { Secrets } from "../model/secrets.ts";
import { fingerprint } from "../state/fingerprint.ts";
import { describeTarget, type RoutingState, type StateTarget } from "../state/state.ts";
import { ACCEPT_WORDS, acceptedWords, type PlanChoices } from "./choices.ts";
import type { Plan } from "./plan.ts";

const FORMAT = "amp-routing-plan";
const VERSION = 1;
/** The beginning of a plan of any version, also of one that was cut off. */
const IS_PLAN = /^\s*\{\s*"format":\s*"amp-routing-plan"/u;

const nonEmpty = z.string().min(1);

const itemSchema = z.object({
  address: nonEmpty,
  action: nonEmpty,
  id: nonEmpty.exactOptional(),
  ids: z.array(nonEmpty).exactOptional(),
  owners: z.array(nonEmpty).exactOptional(),
  fields: z.array(nonEmpty).exactOptional(),
  previousId: nonEmpty.exactOptional(),
  renamedFrom: nonEmpty.exactOptional(),
});

const savedRoutingSchema = z.object({
  /**
   * The routing file that the plan was made from, relative to the plan's folder; `-` for a pipe.
   */
  file: nonEmpty,
  /** That file as states know it; absent for a pipe. */
  source: z.object({ path: nonEmpty, isUnknown: z.literal(true).exactOptional() }).exactOptional(),
  breakReferences: z.boolean(),
  /** The routing in the form of a routing file, its secrets as references. */
  content: z.record(z.string(), z.unknown()),
});

/** The routing in a saved plan, which is applied without its file. */
export type SavedRouting = z.output<typeof savedRoutingSchema>;

const savedPlanSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  target: z.object({ origin: nonEmpty, basePath: z.string(), project: nonEmpty }),
  /** The version of the state; null if there was none yet. */
  state: z.object({ lineage: nonEmpty, serial: z.int().min(0) }).nullable(),
  /** The fingerprint of the routing, with its own salt. */
  model: z.object({ salt: nonEmpty, fingerprint: nonEmpty }),
  /** The name of the routing; null for one that owns nothing. */
  name: nonEmpty.nullable(),
  prune: z.boolean(),
  /** The words of `--accept`, without `references`, which the routing has. */
  accept: z.array(z.enum(ACCEPT_WORDS)),
  /** Absent where the file has literal secrets. */
  routing: savedRoutingSchema.exactOptional(),
  items: z.array(itemSchema),
  /** The fingerprint of all the rest: an edited plan is not the one that was reviewed. */
  checksum: nonEmpty,
});

type SavedPlan = z.output<typeof savedPlanSchema>;

/** A saved plan that was read. */
export interface ReadPlan extends SavedPlan {
  /** The command that makes the plan anew. */
  readonly again: SuggestedCommand;
  /** Whether it is not as amp wrote it. */
  readonly isEdited: boolean;
  /** Whether it is applied without its routing file. */
  readonly isAlone?: boolean;
}

/** The basis of a plan, which must be unchanged when it is applied. */
export interface PlanBasis {
  readonly model: RoutingModel;
  /** The state; absent, or of serial 0, if nothing was saved yet. */
  readonly state: Pick<RoutingState, "lineage" | "serial"> | undefined;
  readonly target: StateTarget;
  readonly choices: PlanChoices;
  /** The place of the state, as it is shown. */
  readonly location: string;
}

/**
 * The text of a plan to save: it contains no secrets.
 * @param routing the routing, for an apply without the file
 */
export function savedPlanText(
  plan: Plan,
  { model, state, target }: Pick<PlanBasis, "model" | "state" | "target">,
  routing?: SavedRouting,
): string {
  const salt = randomUUID();
  const saved: Omit<SavedPlan, "checksum"> = {
    format: FORMAT,
    version: VERSION,
    target: { origin: target.origin, basePath: target.basePath, project: target.project },
    state: stateOf(state),
    model: { salt, fingerprint: modelFingerprint(model, salt) },
    name: model.name ?? null,
    prune: plan.choices.prune,
    accept: acceptedWords(plan.choices),
    ...defined({ routing }),
    items: itemsOf(plan),
  };
  const whole: SavedPlan = { ...saved, checksum: fingerprint(salt, saved) };
  return `${JSON.stringify(whole, undefined, 2)}\n`;
}

/**
 * Reads a text of {@link savedPlanText}.
 * @param name of the path in messages
 * @throws {UsageError} for anything else
 */
export function readSavedPlan(
  source: string,
  path: string,
  again: SuggestedCommand,
  name: string = path,
): ReadPlan {
  const { data } = savedPlanSchema.safeParse(jsonOf(source));
  if (data) {
    const { checksum, ...rest } = data;
    return { ...data, again, isEdited: checksum !== fingerprint(data.model.salt, rest) };
  }
  const done = "Nothing was sent.";
  const isEmpty = source.trim() === "";
  if (isEmpty || IS_PLAN.test(source)) {
    const problem = isEmpty ? "empty" : "not a plan that this version of amp can apply";
    const remedy = isEmpty ? "Get the plan again, or make a new one." : "Make a new plan.";
    throw new UsageError(`${name} is ${problem}`, { remedy, suggestion: again, done });
  }
  // The plan made anew would replace this file, which may be the routing file itself.
  throw new UsageError(`${name} is not a saved plan`, {
    remedy: "Apply a routing file with -f.",
    suggestion: suggest("notify apply", [], { f: path }),
    done,
  });
}

function itemsOf({ items }: Plan): SavedPlan["items"] {
  return items.map((one) => itemSchema.parse(defined(one)));
}

function stateOf(state: PlanBasis["state"]): SavedPlan["state"] {
  return state === undefined || state.serial === 0
    ? null
    : { lineage: state.lineage, serial: state.serial };
}

/**
 * The fingerprint of a model. Of a secret it contains only the source: the value is not part of a
 * plan.
 */
function modelFingerprint(model: RoutingModel, salt: string): string {
  const { destinations, topics } = canonicalRouting(model);
  return fingerprint(salt, {
    destinations: [...destinations].map(([name, part]) => [
      name,
      part.kind === "new" ? { ...part, secrets: referencesOf(part.secrets) } : part.id,
    ]),
    topics: [...topics],
  });
}

function referencesOf(secrets: Secrets): [string, unknown][] {
  return Object.entries(secrets)
    .map(([name, { reference }]): [string, unknown] => [name, reference ?? "here"])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Checks that a saved plan and its basis are unchanged.
 * @throws {ConflictError} naming what changed since
 */
export function checkSavedPlan(
  saved: ReadPlan,
  { model, state, target, choices, location }: PlanBasis,
): void {
  if (saved.isEdited) throw outdatedError(saved, "it was edited");
  const lineage = saved.state?.lineage;
  const isOther = lineage !== undefined && lineage !== stateOf(state)?.lineage;
  const named = saved.name === null ? "a routing without a name" : `the routing ${saved.name}`;
  const checks: readonly (readonly [holds: boolean, otherwise: string])[] = [
    [isDeepStrictEqual(saved.target, target), `it is for ${describeTarget(saved.target)}`],
    [isOther || isDeepStrictEqual(saved.state, stateOf(state)), "the state has changed since"],
    [
      modelFingerprint(model, saved.model.salt) === saved.model.fingerprint,
      `${saved.isAlone ? "a variable that it reads" : "the routing file"} has changed since`,
    ],
    [saved.name === (model.name ?? null), `it is for ${named}`],
    [choices.prune === saved.prune, madeWith("--prune", saved.prune)],
    ...ACCEPT_WORDS.filter((word) => word !== "references").map((word) => {
      const was = saved.accept.includes(word);
      const is = acceptedWords(choices).includes(word);
      return [is === was, madeWith(`--accept ${word}`, was)] as const;
    }),
  ];
  const moved = checks.flatMap(([holds, otherwise]) => (holds ? [] : otherwise));
  if (isOther && isDeepStrictEqual(saved.target, target)) throw otherStateError(state, location);
  if (moved.length > 0) throw outdatedError(saved, moved.join("; "));
}

function madeWith(option: string, was: boolean): string {
  return `it was made ${was ? "with" : "without"} ${option}`;
}

/**
 * Checks that a new plan equals the saved one: the service's resources may have changed meanwhile.
 * @throws {ConflictError} naming the actions that differ
 */
export function checkPlanned(saved: ReadPlan, plan: Plan): void {
  const before = new Map(saved.items.map((one) => [one.address, JSON.stringify(one)]));
  const now = new Map(itemsOf(plan).map((one) => [one.address, JSON.stringify(one)]));
  const other = [...new Set([...before.keys(), ...now.keys()])].filter(
    (address) => before.get(address) !== now.get(address),
  );
  if (other.length > 0)
    throw outdatedError(saved, `existing resources have changed since: ${other.join(", ")}`);
}

function outdatedError({ again }: ReadPlan, why: string): ConflictError {
  return new ConflictError(`The plan cannot be applied: ${why}`, {
    remedy: "Make a new plan and review it.",
    suggestion: again,
    done: "Nothing was sent.",
  });
}

/**
 * A new plan is not suggested: against a state that is not the routing's it would create
 * everything.
 */
function otherStateError(state: PlanBasis["state"], location: string): ConflictError {
  const why = stateOf(state) === null ? `, and there is none at ${location}` : ` than ${location}`;
  return new ConflictError(`The plan cannot be applied: it was made with another state${why}`, {
    remedy: "Pass the state that the plan was made with, with --state.",
    done: "Nothing was sent.",
  });
}
