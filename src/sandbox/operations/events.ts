import { PAUSED } from "../../api/catalogue/events.ts";
import { redeliverBody, triggerEventBody } from "../../api/schemas/sandbox-event.ts";
import type { EventData } from "../../events/message/payloads.ts";
import { issueInBody, parseBody } from "../body.ts";
import { type AttemptRecord, type Reach, whyNotSent } from "../events/delivery.ts";
import { builtInSample, type Occurrence, sampleData, typicalOf } from "../events/occurrences.ts";
import {
  type Operation,
  type OperationCall,
  ofProject,
  platform,
  projectOf,
  queryFilters,
  throwNotFound,
  wholeNumber,
} from "../operation.ts";
import { invalidInput, Refusal } from "../problem.ts";

const subsystem = "sandbox";
const PROJECT = "/sandbox/projects/{projectIdOrName}";

const MAX_LISTED = 1000;

/** The operations that only a sandbox has. */
export const eventOperations: readonly Operation[] = [
  platform(subsystem, `POST ${PROJECT}/events`, async (call) => {
    const { id: projectId } = projectOf(call);
    const body = parseBody(triggerEventBody, await call.body());
    const { type, installationId, repeat } = body;
    const data = body.data ?? installationSample(call, { projectId, type, installationId });
    return occur(call, { projectId, type, data }, repeat);
  }),
  platform(subsystem, `GET ${PROJECT}/payload`, (call) => {
    const given = queryFilters(call, ["type", "installationId"]);
    const { type = "installation.created", installationId } = given;
    const { id: projectId } = projectOf(call);
    return { type, data: installationSample(call, { projectId, type, installationId }) };
  }),
  platform(subsystem, `GET ${PROJECT}/deliveries`, (call) => {
    const given = queryFilters(call, ["destination", "after", "limit"]);
    const { destination } = given;
    const after = wholeNumber("after", given.after);
    const limit = wholeNumber("limit", given.limit, { most: MAX_LISTED }) ?? MAX_LISTED;
    const found = ofProject(call, call.events.history.attempts).filter(
      (one) =>
        one.sequence > (after ?? 0) &&
        (destination === undefined ||
          one.destinationId === destination ||
          one.destinationName === destination),
    );
    // Who follows reads on from a place; who looks once wants the last ones.
    const shown = after === undefined ? found.slice(-limit) : found.slice(0, limit);
    return shown.map(shownAttempt);
  }),
  platform(subsystem, `POST ${PROJECT}/redeliveries`, async (call) => {
    const { id: projectId } = projectOf(call);
    const { id } = parseBody(redeliverBody, await call.body());
    const made = await call.events.redeliver(id, projectId);
    return made?.map(shownAttempt) ?? throwNotFound("message or event", id);
  }),
  // The address of a config, which stands in messages: receivers have no API key.
  {
    isPublic: true,
    ...platform(subsystem, "GET /sandbox/events/{eventId}/{field}", (call) => {
      const [eventId, field] = [call.param("eventId"), call.param("field")];
      const replaced = call.events.history.event(eventId)?.replaced ?? {};
      return Object.hasOwn(replaced, field) ? replaced[field] : throwNotFound(field, eventId);
    }),
  },
];

/** What events are made of. */
export type EventParts = Pick<OperationCall, "store" | "events" | "now" | "origin">;

/** Lets an event occur, and says where it goes. */
export async function occur(call: EventParts, event: Occurrence, repeat?: number) {
  const { origin, events } = call;
  const accepted = await events.occur(event, { repeat, origin }).catch((error: Error) => {
    const detail = "The event could not be saved, so it was not triggered.";
    throw new Refusal("not-saved", detail, { causes: [error.message] });
  });
  const reaches = accepted.reaches.map((reach) => shownReach(call, reach));
  const { type, projectId } = event;
  return { type, projectId, eventIds: accepted.eventIds, reaches };
}

function shownAttempt({ exchange, ...attempt }: AttemptRecord) {
  return attempt;
}

/**
 * The fields of an event, from an installation of the project; if it has none, from the sample data.
 * @throws {Refusal} 422, since a client takes 404 for a service that is not a sandbox
 */
export function installationSample(
  { store: { world }, now }: EventParts,
  wanted: { projectId: string; type: string; installationId?: string | undefined },
): EventData {
  const { projectId, type, installationId } = wanted;
  const installations = world.installations.filter((each) => each.projectId === projectId);
  const installation =
    installationId === undefined
      ? typicalOf(installations)
      : installations.find(({ id }) => id === installationId);
  if (installation !== undefined) return sampleData(world, installation, type, now());
  if (installationId === undefined) return { ...builtInSample(type, now()), projectId };
  throw invalidInput([issueInBody("installationId", installationId, "does not exist")]);
}

function shownReach({ store, events }: EventParts, { topicId, destinationId }: Reach) {
  const { topics, destinations } = store.world;
  const destination = destinations.find(({ id }) => id === destinationId);
  return {
    ...(topicId !== undefined && {
      topicId,
      topicName: topics.find((t) => t.id === topicId)?.name,
    }),
    destinationId,
    destinationName: destination?.name ?? destinationId,
    destinationType: destination?.type ?? "unknown",
    reason: events.history.paused.has(destinationId)
      ? PAUSED
      : whyNotSent(destination, {
          isDisabled: events.history.disabled.has(destinationId),
          deliverToAnyHost: events.deliversToAnyHost,
        }),
  };
}
