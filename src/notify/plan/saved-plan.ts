import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { SecretReference } from "../../secrets/secret.ts";
import { defined, jsonOf } from "../../values/json.ts";
import type { SuggestedCommand } from "../../values/suggested-command.ts";
import { localTimeText } from "../../values/time.ts";
import { routingErrors } from "../errors.ts";
import { digest } from "../model/canonical.ts";
import { mapTexts, referenceAt, referenceText } from "../model/metadata.ts";
import { canonicalRouting, type NewDestination, type RoutingModel } from "../model/routing.ts";
import { describeTarget, type RoutingState, type StateTarget } from "../state/state.ts";
import type { Plan } from "./plan.ts";
import { hostsOf } from "./plan-document.ts";
import { ACCEPT_WORDS, type PlanChoices } from "./table.ts";

const FORMAT = "amp-routing-plan";
const VERSION = 1;
/** The beginning of a plan of any version, also of one that was cut off. */
const IS_PLAN = /^\s*\{\s*"format":\s*"amp-routing-plan"/u;

const nonEmpty = z.string().min(1);
const digestSchema = z.string().regex(/^[\w-]{22}$/u);

const itemSchema = z.object({
  address: nonEmpty,
  action: nonEmpty,
  id: nonEmpty.exactOptional(),
  fields: z.array(nonEmpty).exactOptional(),
  reason: nonEmpty.exactOptional(),
  /** The digest of the hosts that it delivers to, which the plan showed. */
  hosts: digestSchema.exactOptional(),
});

/** The words of `--accept`, and the one of `--prune`. */
const OPTIONS = ["prune", ...ACCEPT_WORDS] as const;

const savedPlanSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** The key of the digests. */
  salt: nonEmpty,
  made: z.iso.datetime(),
  /** The digest of the service and the project. */
  target: digestSchema,
  /** The digest of the lineage and serial of the state; of null if nothing was saved yet. */
  state: digestSchema,
  /** The digest of the whole routing, with the references of secrets in place of their values. */
  routing: digestSchema,
  /** The digest of the time, the options and the items. */
  plan: digestSchema,
  /** The options that a refusal names. */
  options: z.array(z.enum(OPTIONS)),
  /** What is planned, so that a refusal can name the resources that have changed. */
  items: z.array(itemSchema),
});

type SavedPlan = z.output<typeof savedPlanSchema>;

/** The options by which a plan was made. */
type MadeWith = SavedPlan["options"];

/** The commands that a refusal of a saved plan leads to. */
interface PlanCommands {
  /** Makes the plan anew. */
  readonly again: SuggestedCommand;
  /** Applies the plan with the options that it was made with. */
  readonly asMade: (options: MadeWith) => SuggestedCommand;
}

/** A saved plan that was read. */
export interface ReadPlan extends SavedPlan, PlanCommands {}

/** The basis of a plan, which must be unchanged when it is applied. */
interface PlanBasis {
  readonly model: RoutingModel;
  /** The state; absent, or of serial 0, if nothing was saved yet. */
  readonly state: Pick<RoutingState, "lineage" | "serial"> | undefined;
  readonly target: StateTarget;
  readonly choices: PlanChoices;
}

/**
 * The text of a plan to save. It has digests, never the routing or a value of it.
 * @param made the time of the plan
 */
export function savedPlanText(plan: Plan, basis: PlanBasis, made: Date): string {
  const salt = randomUUID();
  const options = optionsOf(basis.choices);
  const shown = { made: made.toISOString(), options, items: itemsOf(plan, salt) };
  const saved: SavedPlan = {
    format: FORMAT,
    version: VERSION,
    salt,
    ...digestsOf(salt, basis),
    plan: digest(salt, shown),
    ...shown,
  };
  return `${JSON.stringify(saved, undefined, 2)}\n`;
}

/**
 * Reads a text of {@link savedPlanText}.
 * @param name of the path in messages
 * @throws {UsageError} for anything else
 * @throws {ConflictError} for a plan that was edited
 */
export function readSavedPlan(
  source: string,
  path: string,
  commands: PlanCommands,
  name: string = path,
): ReadPlan {
  const { data } = savedPlanSchema.safeParse(jsonOf(source));
  if (data) {
    const saved = { ...data, ...commands };
    const { salt, plan, made, options, items } = data;
    if (plan !== digest(salt, { made, options, items })) {
      throw outdated(saved, "it was edited", saved.again);
    }
    return saved;
  }
  if (source.trim() === "") throw routingErrors.plan_empty(name, commands.again);
  if (IS_PLAN.test(source)) throw routingErrors.plan_of_other_version(name, commands.again);
  // The plan made anew would replace this file, which may be the routing file itself.
  throw routingErrors.plan_not_saved(name, path);
}

/**
 * Checks that the basis of a saved plan is unchanged.
 * @param location the place of the state, as it is shown
 * @throws {ConflictError} naming what changed since
 */
export function checkSavedPlan(saved: ReadPlan, basis: PlanBasis, location: string): void {
  const now = digestsOf(saved.salt, basis);
  const isElsewhere = now.target !== saved.target;
  const hasOtherState = !isElsewhere && now.state !== saved.state;
  if (hasOtherState && versionOf(basis.state) === null) {
    // A new plan is not suggested: without the state it would create everything.
    const remedy = "Pass the state that the plan was made with, with --state.";
    throw outdated(saved, `there is no state at ${location}`, undefined, remedy);
  }
  const moved = [
    ...(isElsewhere ? [`it is not for ${describeTarget(basis.target)}`] : []),
    ...(hasOtherState ? ["the state has changed since"] : []),
    ...(now.routing === saved.routing ? [] : ["the routing file has changed since"]),
  ];
  const options = otherOptions(saved.options, optionsOf(basis.choices));
  const why = [...moved, ...options].join("; ");
  if (moved.length > 0) throw outdated(saved, why, saved.again);
  if (options.length > 0) {
    const remedy = "Apply it with the options that it was made with, or make a new plan.";
    throw outdated(saved, why, saved.asMade(saved.options), remedy);
  }
}

/** What an unknown outcome of a saved plan may turn out to need: the plan says that it is made then. */
const SETTLED: ReadonlySet<string> = new Set(["in_place", "create", "update", "delete"]);

/**
 * Checks that a new plan equals the saved one: the service's resources, and the values that the
 * file refers to, may have changed meanwhile. What was unknown is settled by now.
 * @throws {ConflictError} naming the resources
 */
export function checkPlanned(saved: ReadPlan, plan: Plan): void {
  // An address has two items where it gets another resource, and the old one is deleted.
  const byAddress = (items: SavedPlan["items"]) => Map.groupBy(items, ({ address }) => address);
  const [before, now] = [byAddress(saved.items), byAddress(itemsOf(plan, saved.salt))];
  const isSame = (address: string) => {
    const [then = [], found = []] = [before.get(address), now.get(address)];
    const wasUnknown = then.some(({ action }) => action === "unknown");
    return wasUnknown
      ? found.every(({ action }) => action === "unknown" || SETTLED.has(action))
      : JSON.stringify(then) === JSON.stringify(found);
  };
  const other = [...new Set([...before.keys(), ...now.keys()])].filter((one) => !isSame(one));
  if (other.length === 0) return;
  const why = `existing resources or referenced values have changed since: ${other.join(", ")}`;
  throw outdated(saved, why, saved.again);
}

function itemsOf({ items }: Plan, salt: string): SavedPlan["items"] {
  return items.map((one) => {
    const hosts = one.resource ? hostsOf(one.resource) : [];
    const shown = hosts.length > 0 ? { hosts: digest(salt, hosts) } : {};
    return itemSchema.parse(defined({ ...one, ...shown }));
  });
}

function digestsOf(salt: string, { target, state, model }: PlanBasis) {
  return {
    target: digest(salt, target),
    state: digest(salt, versionOf(state)),
    routing: digest(salt, writtenRouting(model)),
  };
}

function versionOf(state: PlanBasis["state"]) {
  return state === undefined || state.serial === 0
    ? null
    : { lineage: state.lineage, serial: state.serial };
}

function optionsOf(choices: PlanBasis["choices"]): MadeWith {
  return [...(choices.prune ? (["prune"] as const) : []), ...choices.accept];
}

/** A routing as its file has it: what it refers to by its reference, and the rest as it is. */
function writtenRouting(model: RoutingModel) {
  const { name, destinations, topics } = canonicalRouting(model);
  const written = [...destinations].map(([key, part]) => [
    key,
    part.kind === "existing" ? part : writtenDestination(part),
  ]);
  return { name, destinations: written, topics: [...topics] };
}

function writtenDestination({ references, metadata, secrets, ...rest }: NewDestination) {
  const written = (value: unknown, reference: SecretReference | undefined) =>
    reference === undefined ? value : referenceText(reference);
  return {
    ...rest,
    metadata: mapTexts(metadata, (text, path) =>
      written(text, referenceAt(references, path, text)),
    ),
    secrets: Object.fromEntries(
      Object.entries(secrets).map(([name, one]) => [name, written(one, one.reference)]),
    ),
  };
}

/** How the options of a plan differ from others, in words. */
function otherOptions(made: MadeWith, now: MadeWith): string[] {
  return OPTIONS.filter((one) => made.includes(one) !== now.includes(one)).map((one) => {
    const option = one === "prune" ? "--prune" : `--accept ${one}`;
    return `it was made ${made.includes(one) ? "with" : "without"} ${option}`;
  });
}

function outdated({ made }: ReadPlan, why: string, next?: SuggestedCommand, remedy?: string) {
  return routingErrors.plan_outdated(localTimeText(new Date(made), "UTC"), why, next, remedy);
}
