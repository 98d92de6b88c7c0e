import { expect, test } from "vitest";
import { AUTH_SCHEMES, CONNECTION_STATUS } from "../../../src/api/schemas/installation.ts";
import { SANDBOX_DEFAULTS } from "../../../src/sandbox/defaults.ts";
import { isJsonObject } from "../../../src/values/json.ts";
import { ask, fresh } from "../ask.ts";

const PROJECT = "/projects/acme";
const PARTY = ["projectId", "createTime"];

/**
 * What the records of the live platform always hold, beyond the specification: the fields of all
 * objects at each place of an answer. A `*` stands for each item or field; what is absent on the way
 * is not looked at.
 */
const ALWAYS: readonly (readonly [request: string, place: string, fields: readonly string[]])[] = [
  [
    "/providers",
    "*.oauth2Opts",
    [
      "grantType",
      "tokenURL",
      "explicitScopesRequired",
      "explicitWorkspaceRequired",
      "tokenMetadataFields",
    ],
  ],
  ["/providers", "*.oauth2Opts.accessTokenOpts", ["attachmentType"]],
  ["/providers", "*.apiKeyOpts", ["attachmentType"]],
  ["/providers", "*.apiKeyOpts.query", ["name"]],
  ["/providers", "*.apiKeyOpts.header", ["name"]],
  ...["*.support", "*.modules.*.support"].map(
    (place) =>
      [
        "/providers",
        place,
        ["bulkWrite", "proxy", "read", "subscribe", "write", "delete", "search"],
      ] as const,
  ),
  ["/projects", "*", ["id", "name", "appName", "orgId", "createTime"]],
  [
    `${PROJECT}/integrations`,
    "*",
    ["id", "name", "projectId", "provider", "createTime", "latestRevision"],
  ],
  [`${PROJECT}/integrations`, "*.latestRevision", ["id", "specVersion", "createTime", "content"]],
  [
    `${PROJECT}/installations`,
    "*.connection",
    ["id", "projectId", "provider", "group", "consumer", "authScheme", "status", "createTime"],
  ],
  ...["*.group", "*.connection.group"].map(
    (place) => [`${PROJECT}/installations`, place, ["groupRef", "groupName", ...PARTY]] as const,
  ),
  [`${PROJECT}/installations`, "*.connection.consumer", ["consumerRef", "consumerName", ...PARTY]],
  [`${PROJECT}/installations`, "*.config.content", ["provider"]],
  [`${PROJECT}/installations`, "*.config.content.proxy", ["enabled"]],
  [
    `${PROJECT}/installations`,
    "*.config.content.read.objects.*",
    ["selectedFields", "selectedFieldMappings", "objectName", "schedule", "destination"],
  ],
  [
    `/orgs/${SANDBOX_DEFAULTS.org}/invites`,
    "*",
    ["id", "invitedEmail", "parentType", "parentId", "status", "createTime"],
  ],
];

/** The values that a field may have, where the platform has a closed set. */
const CLOSED: readonly (readonly [request: string, place: string, values: readonly string[]])[] = [
  [
    "/providers",
    "*.oauth2Opts.grantType",
    ["authorizationCode", "authorizationCodePKCE", "clientCredentials", "password"],
  ],
  ["/providers", "*.oauth2Opts.accessTokenOpts.attachmentType", ["accessTokenHeaderAttachment"]],
  ["/providers", "*.apiKeyOpts.attachmentType", ["header", "query"]],
  [`${PROJECT}/installations`, "*.connection.status", CONNECTION_STATUS],
  [`${PROJECT}/installations`, "*.connection.authScheme", AUTH_SCHEMES],
];

/** The values at a place, with the path of each. */
function valuesAt(value: unknown, place: readonly string[], path = ""): [string, unknown][] {
  const [name, ...rest] = place;
  if (value === undefined || name === undefined) return value === undefined ? [] : [[path, value]];
  const fields = Object.entries(value as object);
  return fields
    .filter(([field]) => name === "*" || field === name)
    .flatMap(([field, next]) => valuesAt(next, rest, `${path}.${field}`));
}

async function valuesOf(request: string, place: string) {
  const { body } = await ask(fresh(), `GET ${request}`);
  const values = valuesAt(body, place.split("."));
  // A place without any value would hold without being looked at.
  expect(values.length).toBeGreaterThan(0);
  return values;
}

test.each(ALWAYS)("%s: %s always has %j", async (request, place, fields) => {
  for (const [path, value] of await valuesOf(request, place)) {
    for (const field of fields) {
      const has = isJsonObject(value) && (value[field] ?? undefined) !== undefined;
      expect.soft(has, `${path}.${field}`).toBe(true);
    }
  }
});

test.each(CLOSED)("%s: %s is one of %j", async (request, place, values) => {
  for (const [path, value] of await valuesOf(request, place)) {
    expect.soft(values, path).toContain(value);
  }
});
