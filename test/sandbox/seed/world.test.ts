import { expect, test } from "vitest";
import type * as z from "zod";
import { AUTH_TYPES } from "../../../src/api/catalogue/auth-types.ts";
import {
  CONNECTION_STATUS,
  HEALTH,
  OPERATION_STATUS,
} from "../../../src/api/schemas/installation.ts";
import { INVITE_STATUS, providerApp } from "../../../src/api/schemas/project.ts";
import { provider } from "../../../src/api/schemas/provider.ts";
import { SANDBOX_DEFAULTS } from "../../../src/sandbox/defaults.ts";
import seedProviders from "../../../src/sandbox/seed/providers.json" with { type: "json" };
import { SEED_WORLD } from "../../../src/sandbox/seed/world.ts";
import { worldSchema } from "../../../src/sandbox/world.ts";
import { redactAnswer } from "../../../src/secrets/answer.ts";

const { installations, integrations, projects, orgs, invites, providerApps } = SEED_WORLD;

test("the seeded world is a valid state", () => {
  expect(worldSchema.safeParse(SEED_WORLD).error).toBeUndefined();
});

test("no ID belongs to two records", () => {
  const lists = Object.values(SEED_WORLD).filter((value) => Array.isArray(value));
  const ids = lists.flat().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("the resources of the defaults exist", () => {
  expect(projects.find(({ name }) => name === SANDBOX_DEFAULTS.project)?.orgId).toBe(
    SANDBOX_DEFAULTS.org,
  );
  expect(orgs.map(({ id }) => id)).toContain(SANDBOX_DEFAULTS.org);
  expect(integrations.map(({ id }) => id)).toContain(SANDBOX_DEFAULTS.integration);
});

test("every destination that an installation reads to exists, with topics and routes", () => {
  const { destinations, topics, eventRoutes, destinationRoutes } = SEED_WORLD;
  const reads = installations.flatMap(({ projectId, config }) =>
    Object.values(config.content?.read?.objects ?? {}).map((read) => ({ projectId, ...read })),
  );
  expect(reads.length).toBeGreaterThan(0);
  for (const { projectId, destination } of reads) {
    const found = destinations.find((each) => each.name === destination);
    expect(found?.projectId).toBe(projectId);
    const into = destinationRoutes.filter(({ destinationId }) => destinationId === found?.id);
    expect(into.length).toBeGreaterThan(0);
    for (const { topicId } of into) {
      expect(topics.find(({ id }) => id === topicId)?.projectId).toBe(projectId);
      expect(eventRoutes.some((each) => each.topicId === topicId)).toBe(true);
    }
  }
});

test("the seeded world has two projects, six providers, three integrations, forty installations", () => {
  expect(
    [projects, Object.keys(seedProviders), integrations, installations].map((list) => list.length),
  ).toEqual([2, 6, 3, 40]);
});

test("every value of every closed set occurs", () => {
  const of = <T>(list: readonly T[]) => new Set(list);
  expect(of(Object.values(seedProviders).map(({ authType }) => authType))).toEqual(of(AUTH_TYPES));
  expect(of(installations.map((each) => each.healthStatus))).toEqual(of(HEALTH));
  expect(of(installations.map((each) => each.lastOperationStatus))).toEqual(
    of([...OPERATION_STATUS, undefined]),
  );
  expect(of(installations.map((each) => each.connection.status))).toEqual(of(CONNECTION_STATUS));
  expect(of(invites.map(({ status }) => status))).toEqual(of(INVITE_STATUS));
});

test("the seeded world contains every edge case", () => {
  const some = (test: (each: (typeof installations)[number]) => unknown) =>
    expect(installations.filter((each) => test(each)).length).toBeGreaterThan(0);
  some((each) => each.group === undefined);
  some((each) => each.createdBy.startsWith("builder:"));
  some((each) => each.createdBy.startsWith("consumer:"));
  some((each) => each.config.content?.read === undefined);
  some((each) => each.updateTime === undefined);
  some((each) => /\p{Script=Han}/u.test(each.group?.groupName ?? ""));
  some((each) => (each.group?.groupName ?? "").length > 120);
  some((each) => redactAnswer(each) !== each);
  some((each) => redactAnswer(each) === each);
});

test("each field of spec 2.1 and 2.2 is filled somewhere", () => {
  expect(neverFilled(provider, Object.values(seedProviders))).toEqual([]);
  expect(neverFilled(providerApp, providerApps)).toEqual([]);
});

test("providers with a type of authentication have its options", () => {
  expect(seedProviders.hubspot?.oauth2Opts).toBeDefined();
  expect(seedProviders.stripe?.apiKeyOpts).toBeDefined();
});

/** The fields of a schema that no value has, as paths. */
function neverFilled(schema: z.core.$ZodType, values: readonly unknown[], path = ""): string[] {
  const { def } = schema._zod as unknown as { def: z.core.$ZodTypeDef & Record<string, unknown> };
  const inner = def.innerType ?? def.element;
  const present = values.filter((value) => value !== undefined && value !== null);
  if (present.length === 0) return [path];
  if (inner) {
    const items = def.type === "array" ? present.flat() : present;
    return neverFilled(inner as z.core.$ZodType, items, path);
  }
  if (def.type !== "object") return [];
  return Object.entries(def.shape as Record<string, z.core.$ZodType>).flatMap(([key, field]) =>
    neverFilled(
      field,
      present.map((value) => (value as Record<string, unknown>)[key]),
      path ? `${path}.${key}` : key,
    ),
  );
}
