import { expectTypeOf, test } from "vitest";
import type { Api } from "../../../src/api/operations/endpoint.ts";
import {
  createTopic,
  getProvider,
  listInstallations,
  listTopics,
  revokeInvite,
} from "../../../src/api/operations/endpoints.ts";
import type { Installation } from "../../../src/api/schemas/installation.ts";
import type { Topic } from "../../../src/api/schemas/notification.ts";
import type { Provider } from "../../../src/api/schemas/provider.ts";

declare const api: Api;

// The compiler is the judge: nothing here runs.
async function _calls() {
  expectTypeOf(
    api.call(getProvider, { path: { provider: "x" } }),
  ).resolves.toEqualTypeOf<Provider>();
  expectTypeOf(api.call(listTopics, { path: { projectIdOrName: "p" } })).resolves.toEqualTypeOf<
    Topic[]
  >();
  expectTypeOf(
    api.call(createTopic, { path: { projectIdOrName: "p" }, body: { name: "t" } }),
  ).resolves.toEqualTypeOf<Topic>();
  expectTypeOf(
    api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } }),
  ).resolves.toBeUnknown();

  const path = { projectIdOrName: "p", integrationId: "i" };
  await api.call(listInstallations, { path, query: { groupRef: undefined } });
  // @ts-expect-error a query name that the operation does not have
  await api.call(listInstallations, { path, query: { group: "x" } });
  // @ts-expect-error a path parameter is missing
  await api.call(listInstallations, { path: { projectIdOrName: "p" } });
  // @ts-expect-error the body is missing
  await api.call(createTopic, { path: { projectIdOrName: "p" } });
  // @ts-expect-error a body field of another type
  await api.call(createTopic, { path: { projectIdOrName: "p" }, body: { name: 1 } });
  // @ts-expect-error an operation without a body takes none
  await api.call(listTopics, { path: { projectIdOrName: "p" }, body: {} });
}

test("types name the known fields and nothing else", () => {
  expectTypeOf<keyof Installation>().toEqualTypeOf<
    | "id"
    | "projectId"
    | "integrationId"
    | "healthStatus"
    | "connection"
    | "createTime"
    | "createdBy"
    | "config"
    | "group"
    | "lastOperationStatus"
    | "updateTime"
  >();
  expectTypeOf<Installation["group"]>().toBeNullable();
  // An unknown value is not a type error, and the known ones are offered.
  expectTypeOf<"on fire">().toExtend<Installation["healthStatus"]>();
  expectTypeOf<string>().toExtend<Installation["healthStatus"]>();
});
