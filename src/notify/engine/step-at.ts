import { type Address, addressParts } from "../address.ts";
import type { Step, StepKind } from "../steps.ts";

/**
 * A step of which only the address is known: what its natural key needs, and no more. What it would
 * create is not in it.
 */
export function stepAt(address: Address): Step {
  const { kind, names } = addressParts(address);
  const [first = "", second = ""] = names;
  return STEPS[kind](address, first, second);
}

const NOTHING = { kind: "new", type: "", metadata: {}, secrets: {} } as const;

const STEPS: Readonly<Record<StepKind, (address: Address, first: string, second: string) => Step>> =
  {
    destination: (address, name) => ({ kind: "destination", address, name, part: NOTHING }),
    topic: (address, name) => ({ kind: "topic", address, name }),
    "event-route": (address, topic, event) => ({ kind: "event-route", address, topic, event }),
    "destination-route": (address, topic, destination) => ({
      kind: "destination-route",
      address,
      topic,
      destination,
    }),
  };
