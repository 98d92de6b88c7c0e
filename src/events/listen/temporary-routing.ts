import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Api } from "../../api/operations/endpoint.ts";
import { getDestinationSecrets } from "../../api/operations/endpoints.ts";
import type { CommandContext } from "../../context/command-context.ts";
import { lockFolder, withLock } from "../../durable/lock.ts";
import { AmpError } from "../../errors.ts";
import { applyReviewed, reviewPlan } from "../../notify/apply.ts";
import type { EngineEvent } from "../../notify/engine/types.ts";
import type { RoutingModel } from "../../notify/model/routing.ts";
import { planPage } from "../../notify/pages/plan.ts";
import { type PlanDocument, planJson } from "../../notify/plan/plan-document.ts";
import { reportEvents } from "../../notify/progress.ts";
import { openEngine, type SessionContext } from "../../notify/session.ts";
import { openState, type StateOptions } from "../../notify/state/open-backend.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { derived } from "../../values/basics.ts";

/** The part of a command's context that temporary routing uses. */
export type TemporaryContext = SessionContext &
  Pick<CommandContext, "dryRun" | "interactive" | "prompt" | "yes">;

/** The options of everything about temporary routing. */
export type TemporaryOptions = StateOptions;

/** A routing to one listener, which is removed at its end. */
export interface TemporaryRouting {
  /** The name of its destination and its topic. */
  readonly name: string;
  /** The name under which it owns them in the state: it says until when. */
  readonly owner: string;
  readonly expires: Date;
}

/** How long a listener lasts at most: what others see in the state must end some day. */
export const LASTS_MS = 8 * 3_600_000;

/** The longest wait for a delete of unknown outcome: the next listener, or --clean, settles the rest. */
const PATIENCE_MS = 5_000;

const PREFIX = "amp-listen-";
/** The name and the time in the name of an owner. */
export const OWNER = /^(amp-listen-[\da-f]+) until (\S+)$/u;

/** Names a new temporary routing. */
export function newTemporaryRouting(now: Date): TemporaryRouting {
  const name = `${PREFIX}${randomBytes(4).toString("hex")}`;
  // Whole seconds: it is read by people.
  const expires = new Date(Math.floor((now.getTime() + LASTS_MS) / 1000) * 1000);
  return { name, owner: `${name} until ${expires.toISOString()}`, expires };
}

function modelOf(
  { name, owner }: TemporaryRouting,
  url: string,
  events: readonly string[],
): RoutingModel {
  return {
    name: owner,
    destinations: new Map([
      [name, { kind: "new", type: "webhook", metadata: { url }, secrets: {} }],
    ]),
    // Data messages come to the destination that a read names, and not through a topic.
    topics: new Map(events.length === 0 ? [] : [[name, { events, destinations: [name] }]]),
  };
}

/** The plan of a temporary routing; nothing is sent. */
export async function planTemporary(
  context: TemporaryContext,
  routing: TemporaryRouting,
  to: { readonly url: string; readonly events: readonly string[] },
  options: TemporaryOptions,
): Promise<PlanDocument> {
  const engine = openEngine(await openState(context, options), context, options);
  const { plan } = await engine.plan(modelOf(routing, to.url, to.events));
  return planJson(plan);
}

/** What may be left of a temporary routing at the service. */
export interface Remainder {
  mayExist: boolean;
}

/**
 * Runs `work` while the lock of a temporary routing is held: another process can tell by it whether
 * this one still runs. The folder of the lock stays where something may be left at the service, as
 * the evidence that its listener ran on this machine and has ended.
 */
export async function withTemporaryLock<Result>(
  context: Pick<TemporaryContext, "environment">,
  { name }: Pick<TemporaryRouting, "name">,
  work: (remainder: Remainder) => Promise<Result>,
): Promise<Result> {
  const path = lockPath(context, name);
  const remainder: Remainder = { mayExist: false };
  try {
    return await withLock(path, { command: context.environment.commandLine }, () =>
      work(remainder),
    );
  } finally {
    if (!remainder.mayExist) await rm(lockFolder(path), { recursive: true, force: true });
  }
}

/**
 * Makes a temporary routing through the engine, so that nothing of it is lost. Notes in `remainder`
 * when the first request that creates may be sent.
 * @returns the signing secrets of the destination; none where the service does not tell them
 */
export async function makeTemporary(
  context: TemporaryContext,
  routing: TemporaryRouting,
  to: { readonly url: string; readonly events: readonly string[] },
  { remainder, ...options }: TemporaryOptions & { readonly remainder: Remainder },
): Promise<readonly string[]> {
  const opened = await openState(context, options);
  const recorded = { ...options, temporary: routing.name };
  const engine = openEngine(opened, context, recorded, quietly(context));
  const isSandbox = isLoopback(new URL(context.target().baseUrl).hostname);
  await applyReviewed(
    context,
    { engine, backend: opened.backend },
    {
      model: modelOf(routing, to.url, to.events),
      warnings: [],
      consent: async (plan) => {
        const page = planPage(planJson(plan));
        const consent = { command: "amp listen with --public-url" };
        if (!isSandbox) await reviewPlan(context, plan, { page, consent });
        remainder.mayExist = true;
      },
    },
  );
  const path = { projectIdOrName: context.project, name: routing.name };
  try {
    const query = { includeSecrets: "true" };
    const { secrets = {} } = await context.api.call(getDestinationSecrets, { path, query });
    return Object.values(secrets ?? {}).filter((one): one is string => typeof one === "string");
  } catch (error) {
    if (!(error instanceof AmpError) || context.signal.aborted) throw error;
    context.report.warn(`Could not read the signing secret of ${routing.name}: ${error.message}`);
    return [];
  }
}

/**
 * Removes a temporary routing, also after a signal: that is how most listeners end.
 * @returns whether nothing of it is left
 */
export async function removeTemporary(
  given: TemporaryContext,
  routing: TemporaryRouting,
  options: TemporaryOptions,
): Promise<boolean> {
  const context = withOwnSignal(given);
  try {
    await deleteOwned(context, routing.owner, options);
    return true;
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    context.report.warn(`Could not remove the temporary routing ${routing.name}: ${error.message}`);
    return false;
  }
}

/** Settles what was begun, then deletes all that only this owner wants. */
export async function deleteOwned(
  context: TemporaryContext,
  owner: string,
  options: TemporaryOptions,
): Promise<void> {
  const opened = await openState(context, options);
  const observe = quietly(context);
  const pruning = {
    ...options,
    prune: true,
    accept: ["takeover", "references"] as const,
    temporary: OWNER.exec(owner)?.[1],
    patienceMs: PATIENCE_MS,
  };
  const model: RoutingModel = { name: owner, destinations: new Map(), topics: new Map() };
  await openEngine(opened, context, pruning, observe).apply(model, async () => {
    await context.guard.assertMayWrite();
  });
}

/** Shows what takes time or needs attention: each part of the routing would hide the messages. */
function quietly(context: TemporaryContext): (event: EngineEvent) => void {
  const tell = reportEvents(context);
  return (event) => {
    if (event.type === "waiting" || event.type === "rescued") tell(event);
  };
}

/** A context whose requests are not ended by the signal that has ended the listener. */
function withOwnSignal(context: TemporaryContext): TemporaryContext {
  const signal = context.urgentSignal;
  const call: Api["call"] = (endpoint, input) =>
    context.api.call(endpoint, { signal, ...input } as typeof input);
  return derived(context, { signal, api: derived(context.api, { call }) });
}

/** Whose lock says whether the process of a listener still runs. */
export function lockPath(
  { environment }: Pick<TemporaryContext, "environment">,
  name: string,
): string {
  return join(environment.stateFolder, "listen", name);
}
