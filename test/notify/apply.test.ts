import { expect, it } from "vitest";
import { applyReviewed } from "../../src/notify/apply.ts";
import { applyPage } from "../../src/notify/pages/apply.ts";

it("counts the waiting of a run, and not the time to answer its question", async () => {
  let ms = 0;
  const pass = (time: number) => {
    ms += time;
  };
  const plan = { items: [{ action: "create", address: "topic/a", kind: "topic" }], kept: [] };
  const settled = [{ address: "topic/a", kind: "topic", outcome: "created", ms: 0, sent: true }];
  const engine = {
    apply: async (_model: unknown, agree: (shown: unknown) => Promise<void>) => {
      pass(2_000);
      await agree(plan);
      pass(100);
      return { settled, duplicates: [], verified: true, lists: true, kept: [] };
    },
  };
  const ports = {
    report: { warn: () => {} },
    guard: { assertMayWrite: async () => {} },
    environment: { ci: true },
    now: () => new Date(ms),
  };
  const where = { engine, backend: { local: false } };
  const request = { model: {}, warnings: [], consent: async () => pass(60_000) };
  const receipt = await applyReviewed(ports as never, where as never, request as never);
  expect(applyPage(receipt).title).toBe("Apply complete in 2.1 s: 1 created");
});
