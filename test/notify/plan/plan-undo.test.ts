import { expect, it } from "vitest";
import { type Address, addressOf } from "../../../src/notify/model/address.ts";
import { planUndo } from "../../../src/notify/plan/plan-undo.ts";
import type { RunHistory } from "../../../src/notify/state/history.ts";
import type { KnownRecord } from "../../../src/notify/state/state.ts";

const time = "2026-08-20T12:00:00.000Z";

it.each(["ops", "ops/eu", "100%"])("creates a deleted route to a destination %s again", (name) => {
  const record: KnownRecord = { id: "d1", fingerprint: "f", origin: "created", time };
  const records = new Map<Address, KnownRecord>([[addressOf("destination", name), record]]);
  const address = addressOf("destination-route", "all", name);
  const run = { time, changes: [{ action: "deleted" as const, address, id: "r1" }] };
  const runs: RunHistory = new Map([["r1", run]]);

  const { model, left } = planUndo({ records, runs }, "r1", run);

  expect(left).toEqual([]);
  expect(model.topics.get("all")).toEqual({ events: [], destinations: [name] });
  expect(model.destinations.get(name)).toEqual({ kind: "existing", id: "d1" });
});
