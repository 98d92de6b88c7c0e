import type { Api } from "../api/api.ts";
import type { CreateInput } from "../api/endpoint.ts";
import { createDestinationRoute, createEventRoute, createTopic } from "../api/endpoints.ts";
import { type Address, destinationAddress, topicAddress } from "./address.ts";
import { sendDestination } from "./send-destination.ts";
import type { Step, StepKind } from "./steps.ts";

/** What the service answered to a create: at least an id. */
export type Created = { readonly id: string } & Readonly<Record<string, unknown>>;

/** Where steps are taken, and the ids of what their routes connect. */
export interface Place {
  readonly api: Api;
  readonly project: string;
  readonly ids: ReadonlyMap<Address, string>;
  /** What goes with the request. */
  readonly more?: CreateInput;
}

type Of<Kind extends StepKind> = Extract<Step, { kind: Kind }>;

/** Sends the one request of a step. */
export function create(step: Step, place: Place): Promise<Created> {
  // The table pairs each kind with its own function; the compiler cannot follow that through.
  return (CREATE[step.kind] as (step: Step, place: Place) => Promise<Created>)(step, place);
}

const CREATE: { [Kind in StepKind]: (step: Of<Kind>, place: Place) => Promise<Created> } = {
  destination: ({ name, part }, place) => sendDestination(place, { ...part, name }),
  topic: ({ name }, { api, project, more }) =>
    api.call(createTopic, { path: { projectIdOrName: project }, body: { name }, ...more }),
  "event-route": ({ topic, event }, { api, project, ids, more }) =>
    api.call(createEventRoute, {
      path: { projectIdOrName: project },
      body: { topicId: idOf(ids, topicAddress(topic)), eventType: event },
      ...more,
    }),
  "destination-route": ({ topic, destination }, { api, project, ids, more }) =>
    api.call(createDestinationRoute, {
      path: { projectIdOrName: project },
      body: {
        topicId: idOf(ids, topicAddress(topic)),
        destinationId: idOf(ids, destinationAddress(destination)),
      },
      ...more,
    }),
};

function idOf(ids: ReadonlyMap<Address, string>, address: Address): string {
  const id = ids.get(address);
  if (id === undefined) throw new Error(`${address} has no id yet`);
  return id;
}
