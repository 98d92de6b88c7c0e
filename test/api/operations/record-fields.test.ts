import { expect, it } from "vitest";
import { RECORD_FIELDS } from "../../../src/api/operations/record-fields.ts";
import { installation, listedConnection } from "../../../src/api/schemas/installation.ts";
import {
  destination,
  destinationRoute,
  eventRoute,
  topic,
} from "../../../src/api/schemas/notification.ts";
import { backfillProgress, logEntry, operation } from "../../../src/api/schemas/operation.ts";
import { integration, invite, project, providerApp } from "../../../src/api/schemas/project.ts";
import { provider } from "../../../src/api/schemas/provider.ts";

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
