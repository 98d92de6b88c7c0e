import { isDeepStrictEqual } from "node:util";
import { type ExitName, NotFoundError } from "../errors.ts";
import type { Secret } from "../secrets/secret.ts";
import { SETTINGS } from "../settings.ts";
import { asList } from "../values/as-list.ts";
import { firstNames } from "../values/counted.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { addressCell, type Column, id, sentence, type Tone } from "../view/view.ts";
import { withoutDeleted } from "./engine/delete-resources.ts";
import { type FileContext, type FileOptions, readRouting } from "./file/read.ts";
import { mapTexts } from "./model/metadata.ts";
import { type DestinationPart, ownResources, type RoutingModel } from "./model/routing.ts";
import { allSecrets, optionalVariables } from "./model/secrets.ts";
import {
  duplicateRows,
  duplicatesExit,
  duplicatesWarning,
  unmanagedRoutesOf,
  unmanagedRoutesText,
} from "./plan/beyond.ts";
import { NO_CHOICES } from "./plan/choices.ts";
import { MISSING_REMEDY } from "./plan/conflicts.ts";
import { UNSET_VARIABLE } from "./plan/diff.ts";
import { listRouting } from "./plan/live.ts";
import { otherFilesOf } from "./plan/make-plan.ts";
import type { ResourceStatus, StatusRow } from "./plan/plan.ts";
import { NOT_VERIFIED, routingStatus } from "./plan/status.ts";
import type { SessionContext } from "./session.ts";
import { checkSource, withSource } from "./source-path.ts";
import { UNKNOWN_FINGERPRINT } from "./state/fingerprint.ts";
import { openState, readState, type StateOptions } from "./state/open-backend.ts";
import type { RoutingState } from "./state/state.ts";

/**
 * The status of each resource, from file, state and live routing. It changes nothing and sends no
 * secret: one whose variable is not set counts as unchanged, with a warning.
 */
export async function statusOf(
  ports: SessionContext & FileContext,
  options: StateOptions &
    Omit<FileOptions, "file"> & { readonly file: string | undefined; readonly exitCode: boolean },
): Promise<readonly StatusRow[]> {
  const { file } = options;
  const { project, report, files, settings } = ports;
  const { variable, unset } = optionalVariables(files);
  const read =
    file === undefined
      ? undefined
      : await readRouting(
          { project, report, settings, files: { ...files, variable, unset } },
          { ...options, file },
        );
  const secrets = [...unset].filter((name) => isSecretOf(read?.model, name));
  if (secrets.length > 0) {
    report.warn(
      `These variables are not set, so changed secrets are not detected: ${secrets.join(", ")}`,
    );
  }
  const opened = await openState(ports, options);
  const found = await readState(opened);
  const model = read && (await withSource(read, file, ports, opened.backend));
  if (found === undefined && file === undefined) {
    noteMissingState(ports, options, opened.backend.location);
  }
  const live = await listRouting(ports);
  const state = found && withoutDeleted(found.state, live);
  if (model) {
    const otherFiles = otherFilesOf(model, state);
    checkSource(report, { items: [], others: [], otherFiles, choices: NO_CHOICES }, model);
  }
  if (live === undefined) {
    report.warn("This service has no lists: the status is that of the state.");
  }
  const rows = routingStatus({
    model: model && withoutUnset(model, unset),
    state: state && { ...state, records: comparable(state, model, unset) },
    live,
  });
  const warning = duplicatesWarning(duplicateRows(rows));
  if (warning !== undefined) report.warn(warning);
  // The same advice as that of a plan.
  if (file !== undefined && rows.some(isGone)) {
    report.notice(MISSING_REMEDY, ...asList(statusNext(rows, { options })));
  }
  const added = unmanagedRoutesText(unmanagedRoutesOf(rows));
  if (added !== undefined) report.notice(added);
  return rows.map(({ isAddedRoute: _, ...row }) => row);
}

/**
 * Without a file and a state there is nothing to compare the service with.
 * @throws {NotFoundError} for a check, which would hold for every mistyped location
 */
function noteMissingState(
  { report, environment }: Pick<SessionContext, "report" | "environment">,
  { state, exitCode }: StateOptions & { readonly exitCode: boolean },
  location: string,
): void {
  const { AMP_STATE: variable, [SETTINGS.case.env]: inCase } = environment.env;
  const named = state ?? variable;
  // The variable inside a case is that of `amp case open`, which has no state.
  const isNamed = named !== undefined && !(inCase && named === variable);
  const missing = `The state ${location} does not exist`;
  if (exitCode) {
    throw new NotFoundError(missing, {
      detail: "Without a state and a routing file there is nothing to compare the service with.",
      remedy: isNamed
        ? "Correct --state or AMP_STATE, or add -f to compare a routing file."
        : "Name the state with --state or AMP_STATE, or add -f to compare a routing file.",
    });
  }
  if (isNamed) report.warn(`${missing}: everything at the service counts as unmanaged.`);
}

/**
 * The exit code of a status, which reports duplicates, and drift on request: what is neither in
 * place nor owned by others.
 */
export function statusExit(
  rows: readonly StatusRow[],
  { options }: { readonly options: { readonly exitCode: boolean } },
): ExitName {
  const exit = duplicatesExit(
    duplicateRows(rows),
    rows.some(({ status }) => status === "missing"),
  );
  const drifted = rows.some(({ status }) => status !== "in_place" && status !== "unmanaged");
  return exit === "ok" && options.exitCode && drifted ? "check" : exit;
}

/**
 * The command that brings in place what a status found; none for duplicates, or without a file to
 * read again.
 */
export function statusNext(
  rows: readonly StatusRow[],
  {
    options,
  }: { readonly options: Omit<FileOptions, "file"> & { readonly file: string | undefined } },
): SuggestedCommand | undefined {
  const { file: f, allowLiteralSecrets, allowEnv, allowFile } = options;
  if (f === undefined || f === "-" || duplicateRows(rows).length > 0) return undefined;
  const allowed = { allowLiteralSecrets, allowEnv, allowFile };
  return suggest("notify apply", [], { f, recreate: rows.some(isGone), ...allowed });
}

function isGone({ status, id }: StatusRow): boolean {
  return status === "missing" && id !== undefined;
}

/** The differences that a status found: `1 of 5 changed: destination/ops`. */
export function statusReason(rows: readonly StatusRow[]): string {
  const managed = rows.filter(({ status }) => status !== "unmanaged");
  const found = Object.entries(STATUS_WORDS).flatMap(([status, [words]]) => {
    if (status === "in_place" || status === "unmanaged") return [];
    const names = rows.flatMap((row) => (row.status === status ? row.address : []));
    return names.length === 0
      ? []
      : `${names.length} of ${managed.length} ${words}: ${firstNames(names)}`;
  });
  return found.join("; ");
}

/** Whether a variable is that of a secret; reading the file warns of those of the metadata. */
function isSecretOf(model: RoutingModel | undefined, name: string): boolean {
  return [...(model?.destinations.values() ?? [])].some(
    (part) =>
      part.kind === "new" &&
      Object.values(part.secrets).some((secret) => isUnset(secret, new Set([name]))),
  );
}

/** Whether a secret is read from a variable that is not set. */
function isUnset({ reference }: Secret, unset: ReadonlySet<string>): boolean {
  return reference?.from === "env" && unset.has(reference.name);
}

/** A routing whose metadata has no values of variables that are not set. */
function withoutUnset(model: RoutingModel, unset: ReadonlySet<string>): RoutingModel {
  const known = [...model.destinations].map(([name, part]): [string, DestinationPart] => {
    const { references = [] } = part.kind === "new" ? part : {};
    const missing = references.filter(({ secret }) => isUnset(secret, unset));
    if (part.kind !== "new" || missing.length === 0) return [name, part];
    const isMissing = (path: readonly string[]) =>
      missing.some((one) => isDeepStrictEqual(one.path, path));
    const metadata = mapTexts(part.metadata, (text, path) =>
      isMissing(path) ? UNSET_VARIABLE : text,
    );
    return [name, { ...part, metadata }];
  });
  return { ...model, destinations: new Map(known) };
}

/** The records without the fingerprints of bodies whose secrets are not known here. */
function comparable(
  { records }: RoutingState,
  model: RoutingModel | undefined,
  unset: ReadonlySet<string>,
): RoutingState["records"] {
  const changed = new Map(records);
  for (const resource of model ? ownResources(model) : []) {
    const record = records.get(resource.address);
    const isKnown = !allSecrets(resource).some((one) => isUnset(one, unset));
    if (record === undefined || isKnown) continue;
    changed.set(resource.address, { ...record, fingerprint: UNKNOWN_FINGERPRINT });
  }
  return changed;
}

const STATUS_WORDS: Readonly<Record<ResourceStatus, readonly [words: string, tone: Tone]>> = {
  in_place: ["in place", "dim"],
  missing: ["missing", "bad"],
  changed: ["changed", "attention"],
  duplicated: ["duplicated", "bad"],
  unknown: ["unknown", "attention"],
  unmanaged: ["unmanaged", "dim"],
};

/** The columns of a list of statuses. */
export const STATUS_COLUMNS = {
  Address: (row) => addressCell(row.address),
  Status: ({ status }) => {
    const [text, tone] = STATUS_WORDS[status];
    return { text, tone, raw: status };
  },
  ID: (row) => id(row.ids?.join(", ") ?? row.id),
  Note: ({ note, differences = [] }) => {
    const fields = differences.map(({ field }) => field).join(", ");
    // The fields come first on a terminal, where the end of a note may be cut.
    if (fields !== "") {
      return note
        ? { text: `${fields}: ${note}`, raw: `${note}: ${fields}`, wraps: true }
        : sentence(fields);
    }
    // This note is equal for every row, and shown once above them.
    return note === NOT_VERIFIED ? undefined : sentence(note);
  },
} as const satisfies Readonly<Record<string, Column<StatusRow>>>;

/** The counts of the closing line: every status but `in_place`. */
export const STATUS_TALLY: Readonly<Record<string, (row: StatusRow) => boolean>> =
  Object.fromEntries(
    Object.entries(STATUS_WORDS)
      .filter(([status]) => status !== "in_place")
      .map(([status, [words]]) => [words, (row) => row.status === status]),
  );
