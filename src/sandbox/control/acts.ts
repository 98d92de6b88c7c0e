import { randomUUID } from "node:crypto";
import * as z from "zod";
import { MAX_REPEAT } from "../../api/catalogue/events.ts";
import { eventMistake } from "../../api/catalogue/mistakes.ts";
import { redeliverBody, triggerEventBody } from "../../api/schemas/sandbox-event.ts";
import { UsageError } from "../../errors.ts";
import { readDuration } from "../../values/time.ts";
import type { AppParts } from "../app.ts";
import { type BodyRules, issueInBody, parseBody } from "../body.ts";
import { SANDBOX_DEFAULTS } from "../defaults.ts";
import type { FaultScript } from "../faults/script.ts";
import { projectNamed, throwNotFound } from "../operation.ts";
import { type EventParts, installationSample, occur } from "../operations/events.ts";
import { invalidInput } from "../problem.ts";
import type { World, WorldProject } from "../world.ts";
import { shownFaults, TRIGGERABLE_TYPES } from "./state.ts";

/** The rules of a fault script for requests of the API. */
export type FaultRules = NonNullable<FaultScript["faults"]>;

const text = z.string().min(1);

const triggerBody = z.strictObject({ ...triggerEventBody.shape, project: text.optional() });
/** The rule for an event type: no near miss of a known one. */
const eventTypeRules: BodyRules = ({ type }) => {
  const mistake = typeof type === "string" ? eventMistake(type, TRIGGERABLE_TYPES) : undefined;
  return mistake?.allow ? [issueInBody("type", type, mistake.message)] : [];
};
const failBody = z.strictObject({
  destination: text.optional(),
  next: z.int().min(1).max(MAX_REPEAT).optional(),
  kind: z.enum(["status", "timeout", "reset"]),
  status: z.int().min(300).max(599).optional(),
});
const scriptBody = z.strictObject({ faults: z.array(z.unknown()) });
const clockBody = z.strictObject({ forward: text });
const pauseBody = z.strictObject({ destination: text, paused: z.boolean() });
const resetBody = z.strictObject({});

/** What can be done to a running sandbox, beyond the platform's own operations. */
export type Acts = ReturnType<typeof createActs>;

/**
 * The acts of a sandbox. Each takes an unchecked body, and answers what it did.
 * @param follow replaces the faults of requests to the API
 */
export function createActs(parts: AppParts, follow: (rules: FaultRules) => void) {
  const { events, store } = parts;
  const began = store.world;
  return {
    trigger: async (given: unknown, origin: string) => {
      const body = parseBody(triggerBody, given, eventTypeRules);
      const { project, type, installationId, data, repeat } = body;
      const { id: projectId } = projectOrMain(parts, project);
      const about = { ...parts, origin };
      const sample = installationSample(about, { projectId, type, installationId });
      return occur(about, { projectId, type, data: { ...sample, ...data } }, repeat);
    },
    redeliver: async (given: unknown) => {
      const { id } = parseBody(redeliverBody, given);
      const made = await events.redeliver(id);
      return { attempts: made?.length ?? throwNotFound("message or event", id) };
    },
    faults: async (given: unknown) => {
      if (given !== null && typeof given === "object" && "faults" in given) {
        const { faults } = parseBody(scriptBody, given);
        refusing("faults", faults, () => follow(faults as FaultRules));
        return { faults };
      }
      const { destination, next, kind, status } = parseBody(failBody, given);
      const destinationId = destination && destinationNamed(store.world, destination).id;
      events.fail({ destinationId, kind, status, left: next ?? 1 });
      return { faults: shownFaults(parts) };
    },
    clock: async (given: unknown) => {
      const { forward } = parseBody(clockBody, given);
      await events.forward(refusing("forward", forward, () => readDuration(forward)));
      return { now: parts.now().toISOString() };
    },
    pause: async (given: unknown) => {
      const { destination, paused } = parseBody(pauseBody, given);
      const { id, name } = destinationNamed(store.world, destination);
      await events.pause(id, paused);
      return { name, destination: id, paused };
    },
    reset: async (given: unknown) => {
      parseBody(resetBody, given);
      follow([]);
      // Clients know a world by its ID: what they remember of the other one is no longer there.
      await store.replace({ ...began, ...(began.id && { id: randomUUID() }) });
      await events.reset();
      return { world: store.world.id, now: parts.now().toISOString() };
    },
  };
}

/**
 * The project of a name or ID; by default the main one.
 * @throws {Refusal} 404
 */
export function projectOrMain(parts: Pick<EventParts, "store">, wanted?: string): WorldProject {
  const { projects } = parts.store.world;
  const main = projects.find(({ name }) => name === SANDBOX_DEFAULTS.project) ?? projects[0];
  return projectNamed(parts, wanted ?? main?.name ?? SANDBOX_DEFAULTS.project);
}

/**
 * The destination of an ID or name.
 * @throws {Refusal} 422, since a client takes 404 for a service that is not a sandbox
 */
function destinationNamed({ destinations }: World, wanted: string) {
  const named = destinations.filter(({ name }) => name === wanted);
  const byId = destinations.find(({ id }) => id === wanted);
  const [found, another] = byId ? [byId] : named;
  if (found !== undefined && another === undefined) return found;
  const detail = found ? "several projects have one: give its ID" : "does not exist";
  throw invalidInput([issueInBody("destination", wanted, detail)]);
}

/** @throws {Refusal} 422 for what is not valid */
function refusing<Result>(name: string, value: unknown, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw invalidInput([issueInBody(name, value, error.message)]);
  }
}
