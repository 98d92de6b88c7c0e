import { getSamplePayload, listDeliveries, triggerEvent } from "../api/operations/endpoints.ts";
import type { Triggered } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { EventData } from "../events/payloads.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Cell, type Page, resourceAddress, row, rows, toned } from "../view/view.ts";
import type { Editing } from "./edit.ts";
import { changedData, type PayloadOptions } from "./payload.ts";

/** What `amp trigger` needs of its context. */
export type Triggering = Pick<CommandContext, "api"> & Editing;

/** An event that is to occur in a sandbox. */
export interface TriggerInput extends PayloadOptions {
  readonly type: string;
  readonly project: string;
  readonly installation?: string | undefined;
  readonly repeat?: number | undefined;
}

/**
 * Lets an event occur in the sandbox. A service that is no sandbox is only asked, never written to.
 * @throws {OperationMissingError} where the service is no sandbox
 */
export async function trigger(context: Triggering, input: TriggerInput): Promise<Triggered> {
  const { api, report } = context;
  const { type, project, installation, repeat } = input;
  const path = { projectIdOrName: project };
  if (input.from !== undefined) await api.call(listDeliveries, { path, query: { limit: "1" } });
  const data = await changedData(context, type, input, () => sampleOf(context, input));
  const result = await api.call(triggerEvent, {
    path,
    body: { type, data, installationId: installation, repeat },
  });
  if (result.reaches?.length === 0) {
    report.notice(
      `No destination receives ${type}: no route leads to one.`,
      suggest("notify trace", [type]),
    );
  }
  return result;
}

/** The fields that the sandbox would give an event. */
export async function sampleOf(
  { api }: Pick<CommandContext, "api">,
  { type, project, installation }: Pick<TriggerInput, "type" | "project" | "installation">,
): Promise<EventData> {
  const { data } = await api.call(getSamplePayload, {
    path: { projectIdOrName: project },
    query: { type, installationId: installation },
  });
  return data;
}

/** The page of an event that occurred. */
export function triggeredPage({ type, eventIds, reaches }: Triggered): Page {
  const [first, ...others] = eventIds;
  const events =
    others.length === 0 ? (first ?? "") : `${eventIds.length} events, the first ${first}`;
  const cells = reaches.map((each): readonly Cell[] => [
    each.topicName ?? "",
    resourceAddress(each.destinationName),
    each.destinationType,
    each.obstacle ? toned("attention", `not sent: ${each.obstacle}`) : toned("good", "queued"),
  ]);
  return {
    title: `Triggered ${type}`,
    blocks: [
      rows(row("Event", events)),
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
    ],
  };
}
