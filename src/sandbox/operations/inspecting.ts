import type { ReadObject } from "../../api/schemas/installation.ts";
import { updateInstallationBody } from "../../api/schemas/operation.ts";
import { issueInBody, masked, maskIssues, parseBody } from "../body.ts";
import {
  type Operation,
  type OperationCall,
  ofProject,
  platform,
  queryFilters,
  throwNotFound,
  wholeNumber,
} from "../operation.ts";
import { invalidInput } from "../problem.ts";
import { CAUSES, STORIES, type Story, type StoryName } from "../seed/stories.ts";
import { updateRecord } from "../store.ts";
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
      (body) =>
        maskIssues(body.updateMask, (path) =>
          READ_FIELD.test(path) ? undefined : "must be config.content.read.objects.OBJECT.FIELD",
        ),
    );
    return call.store.change((world) => {
      const fields = withReads(installationOf(call), updateMask, installation);
      return updateRecord(world, "installations", id, fields, call.now());
    });
  }),
  platform(subsystem, `GET ${INSTALLATION}/operations`, page),
  platform(subsystem, `GET ${INSTALLATION}/objects/{objectName}/backfill-progress`, (call) => {
    const object = call.param("objectName");
    const activity = activityIn(call, installationOf(call));
    return backfillOf(activity, object, call.now()) ?? throwNotFound("backfill", object);
  }),
  platform(subsystem, `GET ${ONE}`, (call) => operationOf(...runIn(call), call.now())),
  platform(subsystem, `GET ${ONE}/logs`, (call) => logOf(...runIn(call))),
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
  const end = start + size;
  const runs = activity.runs.toReversed().slice(start, end);
  const isDone = end >= activity.runs.length;
  return {
    results: runs.map((run) => operationOf(activity, run, call.now())),
    pagination: isDone ? { done: true } : { done: false, nextPageToken: String(end) },
  };
}

/** The operation that the path names, in what its installation did. */
function runIn(call: OperationCall): [activity: Activity, run: Run] {
  const id = call.param("operationId");
  const installations = ofProject(call, call.store.world.installations);
  const [, part, position = ""] = /^op_([^_]+)_([0-9a-z]{1,6})$/u.exec(id) ?? [];
  const installation = installations.find((one) => one.id === `ins_${part}`);
  const activity = installation && activityIn(call, installation);
  const run = activity?.runs[Number.parseInt(position, 36)];
  return activity && run ? [activity, run] : throwNotFound("operation", id);
}

const READ_FIELD = /^config\.content\.read\.objects\.(.+)\.([A-Za-z]+)$/u;

function withReads(
  installation: Installation,
  mask: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Installation {
  return mask.reduce((last, path) => {
    const [, name = "", field = ""] = READ_FIELD.exec(path) ?? [];
    if (last.config.content?.read?.objects?.[name] === undefined)
      throw invalidInput([issueInBody(path, null, "is not an object of its config")]);
    return masked(last, ["config", "content", "read", "objects", name, field], given);
  }, installation);
}

/** One moment in which an installation read an object. */
interface Run {
  /** The ID of the operation has it. */
  readonly position: number;
  readonly at: number;
  readonly object: string;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
}

/** The operations of an installation, computed from its story instead of stored. */
interface Activity {
  readonly installation: Installation;
  readonly story: Story;
  /** The runs, oldest first. */
  readonly runs: readonly Run[];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The days before the present of a world that operations are known of. */
const KNOWN_DAYS = 14;

function activityOf(
  installation: Installation,
  name: StoryName | undefined,
  present: Date,
): Activity {
  const story: Story = STORIES[name ?? "fine"];
  const end = present.getTime() - (story.stoppedAgo ?? 0) * HOUR;
  const start = Math.max(Date.parse(installation.createTime), present.getTime() - KNOWN_DAYS * DAY);
  const isSilent = name === undefined || story.isUnused;
  const reads = isSilent ? [] : Object.entries(installation.config.content?.read?.objects ?? {});
  const times = reads.flatMap(([object, read]) => {
    const period = periodOf(read);
    if (period === undefined) return [];
    const first = end - Math.floor((end - start) / period) * period;
    const count = end < start ? 0 : (end - first) / period + 1;
    return Array.from({ length: count }, (_, at) => ({ at: first + at * period, object }));
  });
  times.sort((one, other) => one.at - other.at || (one.object < other.object ? 1 : -1));
  const newest = times.length - 1;
  const runs = times.map(({ at, object }, position): Run => {
    const isOpen = position === newest && story.open !== undefined;
    const failed = !isOpen && isFailed(story, at, position === newest, present);
    return { position, at, object, isOpen, isFailed: failed };
  });
  return { installation, story, runs };
}

function isFailed(story: Story, at: number, isNewest: boolean, present: Date): boolean {
  if (story.failsFor === undefined) return false;
  if (story.failsFor === 0) return isNewest;
  const ago = (present.getTime() - at) / HOUR;
  return ago <= story.failsFor && ago >= (story.untilAgo ?? 0);
}

/** The milliseconds between two reads; undefined for a schedule that never comes. */
function periodOf({ schedule }: ReadObject): number | undefined {
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = (schedule ?? "").split(" ");
  if (minute === "" || (month !== "*" && day === "30")) return undefined;
  const step = (text: string) => Number(text.slice("*/".length));
  if (minute.startsWith("*/")) return (step(minute) * HOUR) / 60;
  if (hour === "*") return HOUR;
  if (hour.startsWith("*/")) return step(hour) * HOUR;
  if (day !== "*") return 30 * DAY;
  return /^\d$/u.test(weekday) ? 7 * DAY : DAY;
}

/** The ID of an operation: that of its installation, and its position in base 36. */
function operationId({ id }: Installation, { position }: Run): string {
  return `op_${id.slice(id.indexOf("_") + 1)}_${position.toString(36)}`;
}

function operationOf(activity: Activity, run: Run, now: Date) {
  const { installation, story } = activity;
  const { object, at, isFailed, isOpen } = run;
  const records = isOpen || isFailed ? 0 : recordsOf(at, object);
  const progress = isOpen ? backfillOf(activity, object, now) : undefined;
  return {
    id: operationId(installation, run),
    projectId: installation.projectId,
    integrationId: installation.integrationId,
    installationId: installation.id,
    configId: installation.config.id,
    actionType: "read",
    status: isOpen ? "in_progress" : isFailed ? "failure" : "success",
    ...(!isOpen && { result: `[${object}] ${resultOf(story, isFailed, records)}` }),
    createTime: new Date(at).toISOString(),
    metadata: {
      objects: [object],
      ...(story.open === "retrying" && isOpen && { retry: retryOf(at) }),
      ...(progress && {
        progress: {
          objectName: object,
          recordsProcessed: progress.recordsProcessed,
          recordsEstimatedTotal: progress.recordsEstimatedTotal,
        },
      }),
    },
  };
}

function resultOf({ cause }: Story, isFailed: boolean, records: number): string {
  if (isFailed) return CAUSES[cause ?? "timeout"].result;
  return records === 0 ? "No new data found" : `${records} records read`;
}

function recordsOf(at: number, object: string): number {
  const mixed = (Math.floor(at / 60_000) * 31 + object.length * 17) % 97;
  return mixed < 60 ? 0 : mixed;
}

function retryOf(at: number) {
  const lastAttempt = new Date(at + 10 * 60_000).toISOString();
  return { attempts: 3, lastAttempt, lastNotified: lastAttempt };
}

/** The lines of the log of an operation, oldest first. */
function logOf({ installation, story }: Activity, run: Run) {
  const { object, at, isFailed, isOpen } = run;
  const cause =
    isFailed || story.open === "retrying" ? CAUSES[story.cause ?? "timeout"] : undefined;
  const line = (seconds: number, severity: string, message: Readonly<Record<string, unknown>>) => ({
    timestamp: new Date(at + seconds * 1000).toISOString(),
    severity,
    message: { ...message, operation_id: operationId(installation, run) },
  });
  const destination = installation.config.content?.read?.objects?.[object]?.destination;
  const lines = [
    line(0, "info", { msg: `Reading ${object}` }),
    line(1, "info", {
      msg: `Requesting page 1 of ${object}`,
      details: { object, connection: installation.connection.id },
    }),
  ];
  if (cause !== undefined) {
    const { error, details } = cause;
    const msg = "The provider answered with an error; trying again";
    lines.push(line(2, "warn", { msg, error }));
    lines.push(line(32, "error", { msg: `Reading ${object} failed`, error, details }));
  }
  if (isOpen) return lines;
  if (!isFailed) {
    const msg = `Delivered ${recordsOf(at, object)} records`;
    lines.push(line(3, "info", { msg, details: { destination } }));
  }
  lines.push(line(isFailed ? 33 : 4, "info", { msg: "The operation has ended" }));
  return lines;
}

const RECORDS_PER_SECOND = 12;

/**
 * The progress of the first read of all records; undefined where an object has none in progress.
 */
function backfillOf({ installation, story, runs }: Activity, object: string, now: Date) {
  const run = runs.at(-1);
  if (!run?.isOpen || run.object !== object || story.open === "retrying") return undefined;
  const isStuck = story.open === "stuck";
  const began = run.at - HOUR;
  const until = isStuck ? run.at : Math.max(run.at, now.getTime());
  const total = 1_200_000;
  const recordsProcessed = Math.min(
    total,
    Math.floor(((until - began) / 1000) * RECORDS_PER_SECOND),
  );
  return {
    installationId: installation.id,
    objectName: object,
    operationId: operationId(installation, run),
    recordsProcessed,
    recordsEstimatedTotal: isStuck ? undefined : total,
    createTime: new Date(began).toISOString(),
    updateTime: new Date(until).toISOString(),
  };
}
