import { describe, expect, it } from "vitest";
import type { ItemDocument } from "../../../src/documents/routing.ts";
import type { Address } from "../../../src/notify/model/address.ts";
import type { ResourceKind } from "../../../src/notify/model/resource.ts";
import { blockedError, blockerText, isBlocker } from "../../../src/notify/plan/conflicts.ts";
import { ROWS } from "../../../src/notify/plan/table.ts";
import { CONFLICTS, type ConflictReason } from "../../../src/notify/plan/vocabulary.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";

const OPS = { address: "destination/ops", kind: "destination" } as const;
const URL = {
  field: "metadata.url",
  wanted: "https://hooks.acme.com/b",
  found: "https://hooks.acme.com/a",
};
const CHANGED = '\n  metadata.url: "https://hooks.acme.com/a" → "https://hooks.acme.com/b"';

interface Words {
  readonly of?: { readonly address: Address; readonly kind: ResourceKind };
  /** What the plan says of the item. */
  readonly item: Partial<ItemDocument>;
  readonly text: string;
  readonly remedy: string;
  readonly commands?: readonly string[];
}

const WORDS: Readonly<Record<ConflictReason, readonly Words[]>> = {
  same_id: [
    {
      item: { id: "d_1", elsewhere: "destination/alerts" },
      text: "destination/ops is the same resource as destination/alerts: d_1",
      remedy: "Keep one of the two in the file",
      commands: ["amp notify state forget destination/alerts"],
    },
    {
      item: {
        id: "d_1",
        elsewhere: "destination/alerts",
        differences: [{ field: "id", wanted: "d_1", found: undefined }],
      },
      text: "destination/ops is the same resource as destination/alerts: d_1",
      remedy: "Keep one of the two in the file, with the routes of both.",
    },
  ],
  not_found: [
    {
      item: { id: "d_1", differences: [{ field: "id", wanted: "d_1", found: undefined }] },
      text: "destination/ops has the ID d_1 in the file, which the service does not list",
      remedy: "Correct the ID",
    },
  ],
  both_exist: [
    {
      item: {
        id: "d_2",
        differences: [
          { field: "renamed-from", wanted: "one of them", found: "alerts is d_1, ops is d_2" },
        ],
      },
      text: "destination/ops exists under both names: alerts is d_1, ops is d_2",
      remedy: "take renamed-from out of the file",
    },
  ],
  end_in_conflict: [
    {
      of: { address: "event-route/life/connection.error", kind: "event-route" },
      item: { id: "r_1", elsewhere: "topic/life" },
      text: "event-route/life/connection.error (r_1) needs topic/life, which is in conflict",
      remedy: "",
    },
  ],
  shared: [
    {
      item: { id: "d_1", owners: ["crm"], differences: [URL] },
      text: `destination/ops (d_1) is owned by "crm":${CHANGED}`,
      remedy: 'Use the settings of "crm", or add --accept shared',
    },
    {
      item: { id: "d_1", owners: ["crm"], elsewhere: "destination/old" },
      text: 'destination/ops (d_1) is owned by "crm" as destination/old',
      remedy: 'Use the name that "crm" has for it, or add --accept shared',
    },
    {
      item: { id: "d_1", owners: ["crm"] },
      text: 'destination/ops (d_1) is owned by "crm", and no longer listed',
      remedy: 'Apply the file of "crm", or add --accept shared',
    },
  ],
  name_taken: [
    {
      item: {
        id: "d_1",
        ids: ["d_2"],
        differences: [{ field: "name", wanted: "ops", found: "ops-x" }],
      },
      text: "destination/ops is d_1, which is named ops-x at the service now; d_2 has its name",
      remedy: "Rename or delete one of them at the service.",
      commands: ["amp notify destinations update d_1 --name ops"],
    },
  ],
  ambiguous: [
    {
      item: { ids: ["d_1", "d_2"] },
      text: "destination/ops exists 2 times: d_1, d_2",
      remedy: "Delete all but one at the service, or import the ID of the right one.",
      commands: [
        "amp notify state import destination/ops d_1",
        "amp notify state import destination/ops d_2",
      ],
    },
    {
      of: { address: "event-route/life/connection.error", kind: "event-route" },
      item: { id: "r_0", ids: ["r_1", "r_2"] },
      text: "event-route/life/connection.error (r_0) exists 2 times: r_1, r_2",
      remedy: "Delete all but one at the service.",
      commands: ["amp notify routes delete r_2"],
    },
  ],
  unclear: [
    {
      of: { address: "event-route/life/connection.error", kind: "event-route" },
      item: { ids: ["r_1"] },
      text: "event-route/life/connection.error may be one of these; the list does not show which: r_1",
      remedy: "import its ID",
      commands: ["amp notify state import event-route/life/connection.error r_1"],
    },
  ],
  gone: [
    {
      item: { id: "d_1" },
      text: "destination/ops is no longer listed (ID d_1)",
      remedy: "add --accept recreate, or take it out of the file",
      commands: ["amp notify apply -f <file> --accept recreate"],
    },
  ],
  replaced: [
    {
      item: { id: "d_1", ids: ["d_2"], differences: [URL] },
      text: `destination/ops is listed as d_2, and no longer as d_1:${CHANGED}`,
      remedy: "Add --accept adopt to take that one in its place",
      commands: ["amp notify apply -f <file> --accept adopt"],
    },
  ],
  cannot_change: [
    {
      item: { id: "d_1", differences: [{ field: "type", wanted: "slack", found: "webhook" }] },
      text: 'destination/ops (d_1) cannot be changed in place:\n  type: "webhook" → "slack"',
      remedy: "Give it another name, and prune or delete the old one.",
    },
  ],
  not_managed: [
    {
      item: { id: "d_1", differences: [URL] },
      text: `destination/ops (d_1) exists with different settings:${CHANGED}`,
      remedy: "Add --accept adopt to change its settings, use another name, or reference it by ID.",
    },
  ],
  changed_both: [
    {
      item: { id: "d_1", differences: [URL] },
      text: `destination/ops (d_1) was changed in the file and at the service:${CHANGED}`,
      remedy: "Put the value of the service in the file, or add --accept adopt",
    },
  ],
  in_reads: [
    {
      item: { id: "d_1", uses: ["36 installations deliver to ops"] },
      text: "destination/ops (d_1) is in use: 36 installations deliver to ops",
      remedy: "Keep its name, or add --accept references",
    },
  ],
  takeover: [
    {
      item: { id: "d_1" },
      text: "destination/ops (d_1) would be deleted, but the file declares nothing that its name owns",
      remedy: "add --accept takeover",
    },
  ],
};

const CASES = Object.entries(WORDS).flatMap(([reason, all]) =>
  all.map(({ of = OPS, item, ...says }) => {
    const document = { action: "conflict", reason, ...of, ...item } as ItemDocument;
    return [reason, document, says] as const;
  }),
);

describe("a conflict", () => {
  it.each(CASES)(
    "%s says what is wrong, and each way out",
    (_, item, { text, remedy, commands }) => {
      expect(blockerText(item)).toBe(text);
      const error = blockedError([item]);
      // A route between conflicts is resolved with them.
      expect(isBlocker(item)).toBe(remedy !== "");
      if (remedy === "") return expect(error).toBeUndefined();
      expect(error?.message).toBe(`Conflict: ${item.address}`);
      expect(error?.facts.remedy).toContain(remedy);
      expect(suggestedLines(error?.facts.suggestion)).toEqual(commands ?? []);
    },
  );

  it("that a word resolves names it", () => {
    const words = ROWS.flatMap((row) =>
      "word" in row ? [[row.reason as ConflictReason, row.word] as const] : [],
    );
    expect(words.length).toBeGreaterThan(5);
    for (const [reason, word] of [...words, ["takeover", "takeover"] as const]) {
      const [, item] = CASES.find(([one]) => one === reason) ?? [];
      expect(item && blockedError([item])?.facts.remedy).toContain(`--accept ${word}`);
    }
  });

  it("has words for each reason", () => {
    expect(Object.keys(WORDS).sort()).toEqual(Object.keys(CONFLICTS).sort());
  });

  it("counts without the routes that follow it, and says each remedy once", () => {
    const gone = (name: string) =>
      ({ ...OPS, address: `destination/${name}`, action: "conflict", reason: "gone" }) as const;
    const route = { address: "destination-route/a/b", kind: "destination-route" } as const;
    const follows = { ...route, action: "conflict", reason: "end_in_conflict" } as const;
    const error = blockedError([gone("a"), gone("b"), follows]);
    expect(error?.message).toBe("Conflict: destination/a, destination/b");
    expect(error?.facts.remedy?.match(/recreate/gu)).toHaveLength(1);
    expect(error?.facts.data).toEqual({ conflicts: [gone("a"), gone("b")] });
  });
});
