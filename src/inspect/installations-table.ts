import { RECORD_FIELDS } from "../api/operations/record-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import type { NamedList } from "../view/list-names.ts";
import { id, table, time } from "../view/view.ts";
import { groupCell, stateCell } from "./cells.ts";
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
    whenEmpty: suggest("integrations list"),
    tally: { unhealthy: ({ healthStatus }) => healthStatus === "unhealthy" },
  },
);

/** The names that a condition on an installation may use. */
export const INSTALLATION_NAMES: NamedList = {
  view: INSTALLATIONS_TABLE,
  fields: RECORD_FIELDS.installation,
};
