import { expect, it } from "vitest";
import { RECORD_FIELDS } from "../../../src/api/operations/record-fields.ts";
import { listedConnection } from "../../../src/api/schemas/connection.ts";
import { installation } from "../../../src/api/schemas/installation.ts";
import { invite } from "../../../src/api/schemas/invite.ts";
import {
  destination,
  destinationRoute,
  eventRoute,
  topic,
} from "../../../src/api/schemas/notification.ts";
import { backfillProgress, logEntry, operation } from "../../../src/api/schemas/operation.ts";
import { integration, project } from "../../../src/api/schemas/project.ts";
import { provider } from "../../../src/api/schemas/provider.ts";
import { providerApp } from "../../../src/api/schemas/provider-app.ts";

const SCHEMAS = {
  providerApp,
  provider,
  installation,
  project,
  integration,
  connection: listedConnection,
  operation,
  logEntry,
  backfillProgress,
  invite,
  destination,
  topic,
  eventRoute,
  destinationRoute,
} satisfies Record<keyof typeof RECORD_FIELDS, unknown>;

it.each(Object.entries(SCHEMAS))(
  "the fields of a record are those of the schema %s",
  (name, schema) => {
    const listed = RECORD_FIELDS[name as keyof typeof RECORD_FIELDS];
    expect([...listed].sort()).toEqual(Object.keys(schema.shape).sort());
  },
);
