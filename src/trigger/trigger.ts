import { getSamplePayload, listDeliveries, triggerEvent } from "../api/operations/endpoints.ts";
import type { Triggered } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { EventData } from "../events/payloads.ts";
import { isJsonObject } from "../values/json.ts";
import { suggest } from "../values/suggested-command.ts";
import { addressCell, type Cell, type Page, row, rows, toned } from "../view/view.ts";
import type { Editing } from "./edit.ts";
import { changedData, type PayloadOptions } from "./payload.ts";

/** The part of the context that `amp trigger` needs. */
type Triggering = Pick<CommandContext, "api"> & Editing;

/** An event that is to occur in a sandbox. */
interface TriggerInput extends PayloadOptions {
  readonly type: string;
  readonly project: string;
  readonly installation?: string | undefined;
  readonly repeat?: number | undefined;
}

/**
 * Triggers an event in the sandbox. A service other than a sandbox is only read, never written to.
 * @throws {OperationMissingError} where the service is no sandbox
 */
export async function trigger(context: Triggering, input: TriggerInput): Promise<Triggered> {
  const { api, report } = context;
  const { type, project, installation, repeat } = input;
  const path = { projectIdOrName: project };
  if (input.given !== undefined) await api.call(listDeliveries, { path, query: { limit: "1" } });
  const data = await changedData(context, input, () => sampleOf(context, input));
  const result = await api.call(triggerEvent, {
    path,
    body: { type, data, installationId: installation, repeat },
  });
  // A dry run has no answer, and the answer of a service may be odd: neither says whom it reaches.
  if (isJsonObject(result) && Array.isArray(result.reaches) && result.reaches.length === 0) {
    report.notice(
      `No destination receives ${type}. To find out why:`,
      suggest("notify graph", [type]),
    );
  }
  return result;
}

/** The fields that the sandbox would give an event. */
export async function sampleOf(
  { api }: Pick<CommandContext, "api">,
  { type, project, installation }: Pick<TriggerInput, "type" | "project" | "installation">,
): Promise<EventData> {
  const answer: unknown = await api.call(getSamplePayload, {
    path: { projectIdOrName: project },
    query: { type, installationId: installation },
  });
  return isJsonObject(answer) && isJsonObject(answer.data) ? answer.data : {};
}

/** A list of an answer, which may be odd. */
function listOf<Name extends "eventIds" | "reaches">(
  result: Triggered,
  name: Name,
): readonly Triggered[Name][number][] {
  const list: unknown = isJsonObject(result) ? result[name] : [];
  return Array.isArray(list) ? list : [];
}

/** The IDs of the events that occurred. */
export function eventIdsOf(result: Triggered): readonly string[] {
  return listOf(result, "eventIds").map(String);
}

/** The page of an event that occurred. */
export function triggeredPage(result: Triggered): Page {
  const ids = eventIdsOf(result);
  const [first = "", ...others] = ids;
  const events = others.length === 0 ? first : `${ids.length}, the first ${first}`;
  const reaches = listOf(result, "reaches");
  const cells = reaches.map((each): readonly Cell[] => [
    each?.topicName ?? "",
    addressCell(String(each?.destinationName ?? "")),
    String(each?.destinationType ?? ""),
    deliveryCell(each?.reason),
  ]);
  const notSent = Map.groupBy(
    reaches.filter((each) => each?.reason),
    ({ reason }) => String(reason),
  );
  return {
    title: `Triggered ${isJsonObject(result) ? String(result.type ?? "") : ""}`,
    blocks: [
      rows(row(others.length === 0 ? "Event" : "Events", events)),
      ...(cells.length === 0
        ? []
        : [
            {
              kind: "grid" as const,
              heading: "Goes to",
              columns: ["Topic", "Destination", "Type", "Delivery"],
              rows: cells,
            },
          ]),
      // Below the table, since a narrow terminal would cut them there.
      ...[...notSent].map(([reason, all]) => {
        const names = new Set(all.map(({ destinationName }) => destinationName));
        const text = `Not sent to ${[...names].join(", ")}: ${reason}.`;
        // One beside others is of little interest: the table has its state.
        const isAll = reaches.every((each) => each?.reason);
        const tone = isAll ? ("attention" as const) : ("dim" as const);
        return { kind: "text" as const, text, tone };
      }),
    ],
  };
}

/** The state of a message; a pipe has the reason beside it. */
function deliveryCell(reason: string | null | undefined): Cell {
  if (!reason) return toned("good", "queued");
  return { text: "not sent", raw: `not sent: ${reason}`, tone: "attention" };
}
