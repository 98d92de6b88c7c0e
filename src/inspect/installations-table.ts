import { RECORD_FIELDS } from "../api/operations/record-fields.ts";
import { UsageError } from "../errors.ts";
import type { Filter } from "../values/filter.ts";
import { suggest } from "../values/suggested-command.ts";
import type { NamedList } from "../view/list-names.ts";
import { id, table, time } from "../view/view.ts";
import { groupCell, knownStates, stateCell } from "./cells.ts";
import type { NamedInstallation } from "./installations.ts";

/** A list of installations; the names of its columns are those of filters and conditions, too. */
export const INSTALLATIONS_TABLE = table<NamedInstallation>(
  ["installation", "installations"],
  {
    Group: groupCell,
    Provider: ({ config, connection }) => config.content?.provider ?? connection.provider,
    Health: ({ healthStatus }) => stateCell(healthStatus),
    "Last op": ({ lastOperationStatus }) => stateCell(lastOperationStatus),
    Connection: ({ connection }) => stateCell(connection.status),
    Updated: ({ updateTime }) => time(updateTime),
    ID: (installation) => id(installation.id),
    Integration: ({ integrationId, integrationName = "" }) => ({
      text: integrationName,
      raw: integrationId,
    }),
  },
  {
    spare: ["Updated", "Provider"],
    optional: ["Integration"],
    next: suggest("installations get", [{ placeholder: "id" }]),
    tally: { unhealthy: ({ healthStatus }) => healthStatus === "unhealthy" },
  },
);

/** The names that a condition on an installation may use. */
export const INSTALLATION_NAMES: NamedList = {
  view: INSTALLATIONS_TABLE,
  fields: RECORD_FIELDS.installation,
};

/**
 * Refuses a state that amp does not know, and a time that is none: a check for a mistyped one would always pass, and a wait for
 * it never end. In quotes it is any text, as a service may have states that are newer than amp.
 * @param option that the condition was given with
 * @throws {UsageError} with the values that the field can have
 */
export function assertKnownValue({ text, name, operator, wanted }: Filter, option: string): void {
  const isOrder = /^[<>]/u.test(operator);
  if (
    isOrder &&
    wanted.period === undefined &&
    /^(?:updated|(?:create|update)Time)$/iu.test(name)
  ) {
    throw new UsageError(`${option} ${text}: ${JSON.stringify(wanted.text)} is not a time`, {
      remedy: `Compare times with 2h, 3d or a date: '${name}>3d' is in the last 3 days.`,
      done: "Nothing was sent.",
    });
  }
  const states = knownStates(name);
  const isSure = wanted.text === "" || wanted.text === "null" || /["']\s*$/u.test(text);
  if (states === undefined || isSure || !["=", "!="].includes(operator)) return;
  if (states.includes(wanted.text.replaceAll(" ", "_"))) return;
  throw new UsageError(`${option} ${text}: amp knows no ${name} ${JSON.stringify(wanted.text)}`, {
    remedy: `Choose one of: ${states.join(", ")}. If the service has another, quote it: '${name}="${wanted.text}"'.`,
    done: "Nothing was sent.",
  });
}
