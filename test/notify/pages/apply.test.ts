import { expect, it } from "vitest";
import { receiptJson } from "../../../src/notify/engine/receipt.ts";
import { applyPage } from "../../../src/notify/pages/apply.ts";

const RECEIPT: Parameters<typeof receiptJson>[0] = {
  settled: [
    { address: "topic/a", kind: "topic", outcome: "created", id: "t_1", ms: 1, sent: true },
    { address: "topic/b", kind: "topic", outcome: "in_place", id: "t_2", ms: 1, sent: false },
  ],
  duplicates: [],
  verified: true,
  lists: true,
  kept: [],
  state: { location: "/state.json", lineage: "", serial: 1 },
};

it.each([
  [undefined, "Apply complete: 1 created, 1 unchanged"],
  [0, "Apply complete: 1 created, 1 unchanged"],
  [1_240, "Apply complete in 1.2 s: 1 created, 1 unchanged"],
  [75_400, "Apply complete in 75 s: 1 created, 1 unchanged"],
])("a receipt says the time of its run, and its JSON does not: %s ms", (ms, title) => {
  const receipt = receiptJson(RECEIPT, [], ms === undefined ? {} : { ms });
  expect(applyPage(receipt).title).toBe(title);
  expect(JSON.stringify(receipt)).not.toContain("1240");
});
