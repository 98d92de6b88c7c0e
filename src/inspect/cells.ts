import type { Group, Installation } from "../api/schemas/installation.ts";
import { defined } from "../values/json.ts";
import { oddFieldsOf } from "../values/odd-fields.ts";
import { type Cell, type Tone, valueText } from "../view/view.ts";

/** The tones of the states that need attention, or are over; all others are plain. */
const STATE_TONES = new Map<string, Tone>([
  ["unhealthy", "bad"],
  ["failure", "bad"],
  ["bad_credentials", "bad"],
  ["created", "attention"],
  ["revoked", "dim"],
  ["expired", "dim"],
]);

/** A state as words on a terminal; a pipe gets the value of the service. */
export function stateCell(value: string | null | undefined): Cell {
  if (!value) return undefined;
  // An unknown value is shown as it is: an underscore may be a part of it.
  const isWords = value === "bad_credentials" || value === "in_progress";
  const text = isWords ? value.replace("_", " ") : value;
  return { text, raw: value, kind: "state", ...defined({ tone: STATE_TONES.get(value) }) };
}

type Owned = Pick<Installation, "group" | "connection">;

/** The group that owns an installation, or the group of its connection if only that has one. */
export function groupOf({ group, connection }: Owned): Group | undefined {
  return [group, connection.group].find((one) => one?.groupName || one?.groupRef) ?? undefined;
}

/** The name of the customer's group, or its ref; undefined where it has neither. */
export function groupName(installation: Owned): string | undefined {
  const group = groupOf(installation);
  return group?.groupName || group?.groupRef || undefined;
}

/** The name of the customer's group, or its ref. */
export function groupCell(installation: Owned): Cell {
  const name = groupName(installation) || oddGroupText(installation);
  return name ? name : { text: "(no group)", tone: "dim", raw: "" };
}

function oddGroupText(installation: object): string | undefined {
  const odd = oddFieldsOf(installation).find(({ path, value }) => path === "group" && value);
  return odd && valueText(odd.value);
}

/** Every name of the customer: groups and consumer, name and ref. */
export function ownerNames({ group, connection }: Installation): (string | null | undefined)[] {
  const { consumer } = connection;
  const groups = [group, connection.group].flatMap((one) => [one?.groupName, one?.groupRef]);
  return [...groups, consumer?.consumerName, consumer?.consumerRef];
}

/** The words for `consumer:<id>` or `builder:<id>`. */
export function creatorText(value: string): string {
  const [kind, ...id] = value.split(":");
  return id.length === 0 ? value : `${kind} ${id.join(":")}`;
}
