import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Api } from "../../api/operations/endpoint.ts";
import { getDestinationSecrets } from "../../api/operations/endpoints.ts";
import type { CommandContext } from "../../context/command-context.ts";
import type { PlanDocument } from "../../documents/routing.ts";
import { lockFolder, withLock } from "../../durable/lock.ts";
import { AmpError, ConflictError, ServiceError } from "../../errors.ts";
import { applyReviewed, reviewPlan } from "../../notify/apply.ts";
import type { EngineEvent } from "../../notify/engine/types.ts";
import type { RoutingModel } from "../../notify/model/routing.ts";
import { keptText, planPage } from "../../notify/pages/plan.ts";
import { planJson } from "../../notify/plan/plan-document.ts";
import { reportEvents } from "../../notify/progress.ts";
import { openEngine, type SessionContext } from "../../notify/session.ts";
import { openState, readState, type StateOptions } from "../../notify/state/open-backend.ts";
import { fileOf, type RoutingState } from "../../notify/state/state.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { derived } from "../../values/basics.ts";

/** The part of a command's context that temporary routing uses. */
export type TemporaryContext = SessionContext &
  Pick<CommandContext, "dryRun" | "interactive" | "prompt" | "yes">;

interface TemporaryRouting {
  /** The name of its destination and its topic. */
  readonly name: string;
  /** The name under which it owns them in the state: it says until when. */
  readonly owner: string;
  readonly expires: Date;
}

/** How long a listener lasts at most: what others see in the state must end some day. */
const LASTS_MS = 8 * 3_600_000;

/** The longest wait for a delete of unknown outcome: the next listener, or --clean, settles the rest. */
const PATIENCE_MS = 5_000;

const OWNER = /^(amp-listen-[\da-f]+) until (\S+)$/u;

/** Names a new temporary routing. */
export function newTemporaryRouting(now: Date): TemporaryRouting {
  const name = `amp-listen-${randomBytes(4).toString("hex")}`;
  // Whole seconds: it is read by people.
  const expires = new Date(Math.floor((now.getTime() + LASTS_MS) / 1000) * 1000);
  return { name, owner: `${name} until ${expires.toISOString()}`, expires };
}

/** Where a temporary routing leads, and the event types that take it. */
interface Way {
  readonly url: string;
  readonly events: readonly string[];
}

function modelOf({ name, owner }: TemporaryRouting, { url, events }: Way): RoutingModel {
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
  way: Way,
  options: StateOptions,
): Promise<PlanDocument> {
  const engine = openEngine(await openState(context, options), context, options);
  return planJson(await engine.plan(modelOf(routing, way)));
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
  way: Way,
  { remainder, ...options }: StateOptions & { readonly remainder: Remainder },
): Promise<readonly string[]> {
  const opened = await openState(context, options);
  const recorded = { ...options, temporary: routing.name };
  const engine = openEngine(opened, context, recorded, quietly(context));
  const isSandbox = isLoopback(new URL(context.target().baseUrl).hostname);
  await applyReviewed(
    context,
    { engine, backend: opened.backend },
    {
      model: modelOf(routing, way),
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
  options: StateOptions,
): Promise<boolean> {
  const context = withOwnSignal(given);
  try {
    const kept = await deleteOwned(context, routing, options);
    if (kept !== undefined) context.report.warn(kept);
    return kept === undefined;
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    context.report.warn(`Could not remove the temporary routing ${routing.name}: ${error.message}`);
    return false;
  }
}

/**
 * Settles what was begun, then deletes all that only this owner wants.
 * @returns why something of it was not deleted; undefined where all was
 */
async function deleteOwned(
  context: TemporaryContext,
  { name, owner }: TemporaryRouting,
  options: StateOptions,
): Promise<string | undefined> {
  const opened = await openState(context, options);
  const onEvent = quietly(context);
  const pruning = {
    ...options,
    prune: true,
    accept: ["takeover", "references"] as const,
    temporary: name,
    patienceMs: PATIENCE_MS,
  };
  const model: RoutingModel = { name: owner, destinations: new Map(), topics: new Map() };
  const { kept } = await openEngine(opened, context, pruning, onEvent).apply(model, async () => {
    await context.guard.assertMayWrite();
  });
  return kept.length === 0 ? undefined : kept.map(keptText).join(" ");
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
function lockPath({ environment }: Pick<TemporaryContext, "environment">, name: string): string {
  return join(environment.stateFolder, "listen", name);
}

interface CleanedUp {
  readonly removed: readonly string[];
  /** The routings that a listener may still use, each with the reason. */
  readonly kept: readonly ({ readonly name: string } & Use)[];
}

interface Use {
  readonly reason: string;
  /** Whether this machine knows no listener of it: only the user can say whether there is one. */
  readonly isElsewhere: boolean;
}

/**
 * Removes the temporary routing of listeners that are gone: killed on this machine, or expired.
 * Sends no request if the state has none.
 */
export async function cleanUp(
  context: TemporaryContext,
  { dryRun = false, ...options }: StateOptions & { readonly dryRun?: boolean },
): Promise<CleanedUp> {
  const saved = await readState(await openState(context, options));
  const removed: string[] = [];
  const kept: ({ name: string } & Use)[] = [];
  for (const routing of saved === undefined ? [] : temporaryIn(saved.state)) {
    const { name } = routing;
    const use = await useOf(context, routing);
    if (use !== undefined) {
      kept.push({ name, ...use });
      continue;
    }
    const reason = dryRun
      ? undefined
      : await withTemporaryLock(context, { name }, async (remainder) => {
          remainder.mayExist = true;
          const why = await deleteOwned(context, routing, options);
          remainder.mayExist = why !== undefined;
          return why;
        });
    if (reason === undefined) removed.push(name);
    else kept.push({ name, reason, isElsewhere: false });
  }
  return { removed, kept };
}

/** Removes the routing of a killed listener; a failure to remove it does not prevent a new one. */
export async function cleanEarlier(ports: TemporaryContext, options: StateOptions): Promise<void> {
  const { report } = ports;
  try {
    const { removed } = await cleanUp(ports, options);
    for (const name of removed) report.notice(`Removed ${name}, left by an earlier listener.`);
  } catch (error) {
    if (!(error instanceof AmpError) || ports.signal.aborted) throw error;
    // If the service cannot be reached, creating new routing would fail, too: one error is enough.
    if (error instanceof ServiceError && error.facts.status === undefined) throw error;
    report.warn(`Could not remove the routing of an earlier listener: ${error.message}`);
  }
}

/** The temporary routings that a state names, also those of which something was only begun. */
function temporaryIn({ entries, left }: RoutingState): TemporaryRouting[] {
  const owners = [...entries.values(), ...left.values()].map(({ owner }) => fileOf(owner) ?? "");
  return [...new Set(owners)].flatMap((owner) => {
    const [, name, until] = OWNER.exec(owner) ?? [];
    return name && until ? [{ name, owner, expires: new Date(until) }] : [];
  });
}

/** Why a temporary routing must stay; undefined where its listener is gone. */
async function useOf(
  context: Pick<TemporaryContext, "environment" | "now">,
  { name, expires }: TemporaryRouting,
): Promise<Use | undefined> {
  const isKnownHere = await readdir(lockFolder(lockPath(context, name))).catch(() => undefined);
  if (isKnownHere === undefined) {
    if (!(expires.getTime() > context.now().getTime())) return undefined;
    const reason = `its listener may be running on another machine; it expires at ${expires.toISOString()}`;
    return { reason, isElsewhere: true };
  }
  try {
    await withLock(lockPath(context, name), {}, async () => {});
    return undefined;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    const reason = `its listener is running: ${error.facts.detail ?? "an unknown process"}`;
    return { reason, isElsewhere: false };
  }
}
