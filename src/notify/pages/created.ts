import type { SuggestedCommand } from "../../values/suggested-command.ts";
import type { Page } from "../../view/view.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "../model/resource.ts";
import { resourceRows } from "./resource.ts";

/** The page of a created record, with the command that usually follows. */
export function createdPage(kind: ResourceKind, record: LiveRecord, next: SuggestedCommand): Page {
  return {
    title: `Created the ${RESOURCES[kind].words[0]}`,
    blocks: [
      { kind: "rows", rows: resourceRows(kind, record) },
      { kind: "command", heading: "Next", lines: [next] },
    ],
  };
}
