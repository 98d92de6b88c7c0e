import { expect, it } from "vitest";
import type { Address } from "../../../src/notify/model/address.ts";
import { ownResources, type RoutingModel } from "../../../src/notify/model/routing.ts";
import { fingerprintOf } from "../../../src/notify/plan/plan-change.ts";
import { Secret } from "../../../src/secrets/secret.ts";

const MODEL: RoutingModel = {
  destinations: new Map([
    [
      "hook",
      {
        kind: "new",
        type: "webhook",
        metadata: { url: "https://hooks.example.com/amp", headers: { "X-Team": "ops" } },
        secrets: {},
      },
    ],
    [
      "stream",
      {
        kind: "new",
        type: "kinesis",
        metadata: { streamName: "amp-events", region: "eu-central-1" },
        secrets: { awsKeyId: new Secret("key-id"), awsSecretKey: new Secret("secret-key") },
      },
    ],
  ]),
  topics: new Map([["lifecycle", { events: ["installation.created"], destinations: ["hook"] }]]),
};

const STATE = { salt: "salt" };

const IDS = new Map<Address, string>([
  ["destination/hook", "d_1"],
  ["topic/lifecycle", "t_1"],
]);

/** Fingerprints as saved states hold them: any other would turn every known record into a conflict. */
const SAVED = {
  "destination/hook": "4a79256a113b11f1e51d299599d904c53b94d9811876f114481c7af0b3f75e26",
  "destination/stream": "34cccc4e2c678503d415a920ce9d1d6b024a40ec7a6e82213bc29fa06fcca292",
  "topic/lifecycle": "f2e105e28f13c94de4ebfd805ba6f67ef21e908c8d98a509fb336a2f92bb9633",
  "event-route/lifecycle/installation.created":
    "496a54896d7543935327ba9cc8f62e70b56c24ae92e347ea9c2bd41e8cae94c1",
  "destination-route/lifecycle/hook":
    "d5e08c02322b8c92f1e1ac975c17d979e68f4dfca70182469713c3ba61574e5e",
};

/** Fingerprints of routes whose dependencies have no IDs yet. */
const WITHOUT_IDS = {
  "event-route/lifecycle/installation.created":
    "0091fcd1c3977d9d57e9027f1f14d109e372d55c5bb7d0c6afd0508b1a49ba69",
  "destination-route/lifecycle/hook":
    "2a1e7d8006270f6e2b733e05d4840d126e14a012212274b8eb2ca152c1f505aa",
};

it("the fingerprint of each kind of resource stays what saved states hold", () => {
  const fingerprints = ownResources(MODEL).map((resource) => [
    resource.address,
    fingerprintOf(STATE, resource, IDS),
  ]);
  expect(Object.fromEntries(fingerprints)).toEqual(SAVED);
});

it("the fingerprint of a route without the IDs of its dependencies stays what saved states hold", () => {
  const fingerprints = ownResources(MODEL)
    .filter(({ kind }) => kind.endsWith("route"))
    .map((resource) => [resource.address, fingerprintOf(STATE, resource, new Map())]);
  expect(Object.fromEntries(fingerprints)).toEqual(WITHOUT_IDS);
});
