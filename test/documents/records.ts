import { RECORD_SCHEMAS } from "../../src/inspect/explained-records.ts";

/** The records of the service: amp prints them as they come, with fields that it does not know. */
export const RECORDS = RECORD_SCHEMAS;
