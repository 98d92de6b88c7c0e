import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { RoutingModel } from "../../src/notify/model.ts";
import { routingFile } from "../../src/notify/routing-file.ts";
import { Secret } from "../../src/secret.ts";
import { lifecycle, routings } from "./routings.ts";

describe("routingFile", () => {
  it("is the file of provisioning.md", async () => {
    expect(await routingFile(lifecycle, "acme")).toMatchInlineSnapshot(`
      "# A routing: what should exist, by name. Order and repetition do not matter.
      # Secrets stand here as env:NAME or file:PATH, never themselves.

      version: 1
      project: acme
      destinations:
        ops-webhook:
          type: webhook
          metadata:
            url: https://hooks.acme.com/amp
      topics:
        customer-lifecycle:
          events:
            - installation.created
            - installation.deleted
            - connection.error
          destinations:
            - ops-webhook
      "
    `);
  });

  it("holds secrets as references only", async () => {
    const model: RoutingModel = {
      destinations: new Map([
        [
          "ops-stream",
          {
            kind: "new",
            type: "kinesis",
            metadata: { streamName: "amp", region: "eu-central-1" },
            secrets: {
              awsKeyId: new Secret("AKIA-hush", { from: "env", name: "KEY_ID" }),
              awsSecretKey: new Secret("hush"),
              awsSessionToken: new Secret("hush", { from: "file", path: "/run/token" }),
            },
          },
        ],
      ]),
      topics: new Map([["t", { id: "t_1", events: ["a", "a"], destinations: ["ops-stream"] }]]),
    };
    const text = await routingFile(model);
    expect(text).not.toContain("hush");
    expect(text).toContain("# OPS_STREAM_AWS_SECRET_KEY must be set.");
    expect(parse(text)).toEqual({
      version: 1,
      destinations: {
        "ops-stream": {
          type: "kinesis",
          metadata: { streamName: "amp", region: "eu-central-1" },
          secrets: {
            awsKeyId: "env:KEY_ID",
            awsSecretKey: "env:OPS_STREAM_AWS_SECRET_KEY",
            awsSessionToken: "file:/run/token",
          },
        },
      },
      topics: { t: { id: "t_1", events: ["a"], destinations: ["ops-stream"] } },
    });
  });

  it("keeps every name, whatever it is", async () => {
    await fc.assert(
      fc.asyncProperty(routings, async (model) => {
        const read = parse(await routingFile(model), { mapAsMap: true }) as Map<
          string,
          Map<string, unknown>
        >;
        expect([...(read.get("destinations")?.keys() ?? [])]).toEqual([
          ...model.destinations.keys(),
        ]);
        expect([...(read.get("topics")?.keys() ?? [])]).toEqual([...model.topics.keys()]);
      }),
      { numRuns: 60 },
    );
  });
});
