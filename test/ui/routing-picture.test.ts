import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { renderRoutingPicture } from "../../src/ui/page.ts";
import { unpainted } from "../../src/ui/paint.ts";
import { type RoutingPicture, routingEdges } from "../../src/view/view.ts";
import { anyText } from "./hostile.ts";

type Topic = RoutingPicture["topics"][number];

const LIFECYCLE: Topic = {
  name: "customer-lifecycle",
  note: "topic",
  events: ["installation.created", "installation.deleted", "connection.error"],
  destinations: [{ name: "ops-webhook", note: "webhook https://hooks.acme.com/amp/lifecycle" }],
};

function drawn(topics: readonly Topic[], width = 80): string {
  return `\n${[...renderRoutingPicture({ topics }, { width, paint: unpainted })].join("\n")}\n`;
}

describe("the routing picture", () => {
  it("joins the events to the topic and the topic to its destination", () => {
    expect(drawn([LIFECYCLE])).toMatchInlineSnapshot(`
      "
        installation.created ─┐
        installation.deleted ─┼─ customer-lifecycle ─── ops-webhook
        connection.error ─────┘  topic                  webhook https://hooks.acme.co…
      "
    `);
  });

  it("joins several destinations, each with its note below", () => {
    const destinations = [
      { name: "ops-webhook", note: "webhook" },
      { name: "archive" },
      { name: "audit", note: "s3 amp-audit" },
    ];
    expect(drawn([{ ...LIFECYCLE, destinations }])).toMatchInlineSnapshot(`
      "
                                                     ┌─ ops-webhook
        installation.created ─┐                      │  webhook
        installation.deleted ─┼─ customer-lifecycle ─┼─ archive
        connection.error ─────┘  topic               └─ audit
                                                        s3 amp-audit
      "
    `);
    expect(
      drawn([{ ...LIFECYCLE, events: ["connection.error"], destinations }]),
    ).toMatchInlineSnapshot(`
      "
                                                 ┌─ ops-webhook
                                                 │  webhook
        connection.error ─── customer-lifecycle ─┼─ archive
                             topic               └─ audit
                                                    s3 amp-audit
      "
    `);
  });

  it("lines several topics up, and measures wide characters", () => {
    const short: Topic = {
      name: "顧客",
      events: ["read.backfill.done", "write.async.done"],
      destinations: [{ name: "倉庫" }, { name: "ops-webhook" }],
    };
    expect(drawn([LIFECYCLE, short])).toMatchInlineSnapshot(`
      "
        installation.created ─┐
        installation.deleted ─┼─ customer-lifecycle ─── ops-webhook
        connection.error ─────┘  topic                  webhook https://hooks.acme.co…

        read.backfill.done ───┬─ 顧客 ───────────────┬─ 倉庫
        write.async.done ─────┘                      └─ ops-webhook
      "
    `);
  });

  it("marks topics without events or without destinations", () => {
    expect(
      drawn([
        { name: "no-events", events: [], destinations: [{ name: "ops-webhook" }] },
        { name: "no-way-out", note: "topic", events: ["a", "b"], destinations: [] },
        { name: "lonely", events: [], destinations: [] },
      ]),
    ).toMatchInlineSnapshot(`
      "
        (no events) ··· no-events ──── ops-webhook

        a ───────────┬─ no-way-out ··· (no destination)
        b ───────────┘  topic

        (no events) ··· lonely ······· (no destination)
      "
    `);
    expect(drawn([])).toBe("\n\n");
  });

  it("becomes a tree where the names do not fit beside each other", () => {
    const empty: Topic = { name: "lonely", events: [], destinations: [] };
    expect(drawn([LIFECYCLE, empty], 40)).toMatchInlineSnapshot(`
      "
        customer-lifecycle
        topic
          ← installation.created
          ← installation.deleted
          ← connection.error
          → ops-webhook
            webhook https://hooks.acme.com/am…

        lonely
          ← (no events)
          → (no destination)
      "
    `);
  });

  it("is never wider than the terminal and escapes control characters", () => {
    const name = anyText;
    const topic = fc.record({
      name,
      note: name,
      events: fc.array(name, { maxLength: 4 }),
      destinations: fc.array(fc.record({ name, note: name }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(
        fc.array(topic, { maxLength: 3 }),
        fc.integer({ min: 20, max: 100 }),
        (topics, width) => {
          for (const line of renderRoutingPicture({ topics }, { width, paint: unpainted })) {
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
            expect(line).not.toMatch(/\p{Cc}|^\s*::/u);
          }
        },
      ),
    );
  });

  it("has its arrows as a list", () => {
    expect(routingEdges({ topics: [LIFECYCLE] })).toEqual([
      ["event-route", "installation.created", "customer-lifecycle"],
      ["event-route", "installation.deleted", "customer-lifecycle"],
      ["event-route", "connection.error", "customer-lifecycle"],
      ["destination-route", "customer-lifecycle", "ops-webhook"],
    ]);
  });
});
