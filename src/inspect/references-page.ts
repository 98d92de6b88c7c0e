import { counted, numberText } from "../values/counted.ts";
import { type Block, type Cell, joined, row, rows } from "../view/view.ts";
import type { DestinationReads, IntegrationReads, References } from "./references.ts";

/** The reads into one destination, or why they are not known: what JSON output says of it. */
export type ReadsInto =
  | ({ readonly checked: true; readonly searched: number } & DestinationReads)
  | { readonly checked: false; readonly why: string };

/** The references to one destination. */
export function readsInto(references: References, destination: string): ReadsInto {
  if (!references.checked) return references;
  const { searched, reads } = references;
  const found = reads.get(destination) ?? { installations: 0, objects: 0, integrations: [] };
  return { checked: true, searched, ...found };
}

/** The reads into a destination as a part of a page, by integration. */
export function readsBlock(reads: ReadsInto): Block {
  const heading = "Read by";
  if (!reads.checked) return rows([["Could not check", reads.why]], heading);
  if (reads.installations === 0) {
    const text = `No read delivers to it (${counted(reads.searched, "installation")} searched).`;
    return { kind: "text", text, tone: "dim" };
  }
  return rows(
    reads.integrations.flatMap((one) =>
      row(one.integrationName ?? one.integrationId, integrationLines(one)),
    ),
    heading,
  );
}

function integrationLines({ installations, first }: IntegrationReads): Cell[] {
  const left = installations - first.length;
  return [
    counted(installations, "installation"),
    ...first.map(({ id, group, objects }) =>
      joined([group ?? id, objects.join(", "), group && id]),
    ),
    left > 0 ? `and ${numberText(left)} more` : undefined,
  ].filter((line) => line !== undefined);
}
