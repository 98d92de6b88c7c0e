import { updateInstallationBody } from "../../api/schemas/operation.ts";
import { isJsonObject } from "../../values/json.ts";
import {
  type Activity,
  activityOf,
  backfillOf,
  logOf,
  operationAt,
  readOperationId,
} from "../activity.ts";
import { issueInBody, parseBody } from "../body.ts";
import {
  type Operation,
  type OperationCall,
  ofProject,
  platform,
  projectOf,
  queryFilters,
  throwNotFound,
  wholeNumber,
} from "../operation.ts";
import { invalidInput, type RefusedInput } from "../problem.ts";
import type { World } from "../world.ts";
import { integrationOf } from "./projects.ts";

const INSTALLATION =
  "/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}";
const ONE = "/projects/{projectIdOrName}/operations/{operationId}";
const subsystem = "installations";

type Installation = World["installations"][number];

/** The operations on one installation: its record, what it did, and its update. */
export const inspectingOperations: readonly Operation[] = [
  platform(subsystem, `GET ${INSTALLATION}`, (call) => installationOf(call)),
  platform(subsystem, `PATCH ${INSTALLATION}`, async (call) => {
    const { id } = installationOf(call);
    const { updateMask, installation } = parseBody(
      updateInstallationBody,
      await call.body(),
      (body) => maskIssues(body.updateMask),
    );
    return call.store.change((world) => {
      const updateTime = call.now().toISOString();
      const installations = world.installations.map((one) =>
        one.id === id ? { ...masked(one, updateMask, installation), updateTime } : one,
      );
      const next = { ...world, installations };
      return { world: next, result: installations.find((one) => one.id === id) };
    });
  }),
  platform(subsystem, `GET ${INSTALLATION}/operations`, page),
  platform(subsystem, `GET ${INSTALLATION}/objects/{objectName}/backfill-progress`, (call) => {
    const object = call.param("objectName");
    const activity = activityIn(call, installationOf(call));
    return backfillOf(activity, object, call.now()) ?? throwNotFound("backfill", object);
  }),
  platform(subsystem, `GET ${ONE}`, (call) => {
    const { activity, position, id } = operationOf(call);
    return operationAt(activity, position, call.now()) ?? throwNotFound("operation", id);
  }),
  platform(subsystem, `GET ${ONE}/logs`, (call) => {
    const { activity, position, id } = operationOf(call);
    return logOf(activity, position) ?? throwNotFound("operation", id);
  }),
];

function installationOf(call: OperationCall): Installation {
  const integration = integrationOf(call);
  const id = call.param("installationId");
  const found = ofProject(call, call.store.world.installations).find((one) => one.id === id);
  return found?.integrationId === integration ? found : throwNotFound("installation", id);
}

function activityIn({ store }: OperationCall, installation: Installation): Activity {
  const { activity } = store.world;
  return activityOf(installation, activity.stories[installation.id], new Date(activity.present));
}

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1000;

/** A page of operations, newest first; its token is the number of those before the next page. */
function page(call: OperationCall) {
  const installation = installationOf(call);
  const given = queryFilters(call, ["pageSize", "pageToken"]);
  const size =
    wholeNumber("pageSize", given.pageSize, { least: 1, most: MAX_PAGE_SIZE }) ?? DEFAULT_PAGE_SIZE;
  const start = wholeNumber("pageToken", given.pageToken) ?? 0;
  const activity = activityIn(call, installation);
  const count = activity.runs.length;
  const end = Math.min(count, start + size);
  const positions = Array.from(
    { length: Math.max(0, end - start) },
    (_, at) => count - 1 - start - at,
  );
  return {
    results: positions.map((position) => operationAt(activity, position, call.now())),
    pagination: end < count ? { done: false, nextPageToken: String(end) } : { done: true },
  };
}

/** The operation that the path names, by its installation. */
function operationOf(call: OperationCall) {
  const id = call.param("operationId");
  const { id: project } = projectOf(call);
  const known = readOperationId(id) ?? throwNotFound("operation", id);
  const installation =
    call.store.world.installations.find(
      (one) => one.id === known.installation && one.projectId === project,
    ) ?? throwNotFound("operation", id);
  return { id, position: known.position, activity: activityIn(call, installation) };
}

const READ_FIELD = /^config\.content\.read\.objects\.(.+)\.([A-Za-z]+)$/u;

function maskIssues(mask: unknown): RefusedInput[] {
  if (!Array.isArray(mask)) return [];
  return mask.flatMap((path: unknown, at) =>
    READ_FIELD.test(String(path))
      ? []
      : issueInBody(`updateMask.${at}`, path, "must be config.content.read.objects.OBJECT.FIELD"),
  );
}

/**
 * An installation with the fields of a mask replaced; a field that the request omits is removed.
 */
function masked(
  installation: Installation,
  mask: readonly string[],
  { config }: { readonly config: Readonly<Record<string, unknown>> },
): Installation {
  const objects = { ...installation.config.content?.read?.objects };
  for (const path of mask) {
    const [, name = "", field = ""] = READ_FIELD.exec(path) ?? [];
    const current = objects[name];
    if (current === undefined)
      throw invalidInput([issueInBody(path, null, "is not an object of its config")]);
    const value = ["content", "read", "objects", name, field].reduce<unknown>(
      (at, key) => (isJsonObject(at) ? at[key] : undefined),
      config,
    );
    const { [field as keyof typeof current]: _, ...rest } = current;
    objects[name] = value === undefined ? rest : { ...rest, [field]: value };
  }
  const { content } = installation.config;
  const read = { ...content?.read, objects };
  return { ...installation, config: { ...installation.config, content: { ...content, read } } };
}
