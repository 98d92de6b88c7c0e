import { capitalised } from "../values/counted.ts";
import { isEmptyValue } from "../values/json.ts";
import { oddFieldsOf } from "../values/odd-fields.ts";
import { type Cell, joined, toned } from "../view/view.ts";
import { isPaused, readsNothing, readsOf } from "./config-blocks.ts";
import type { NotedInstallation } from "./read-notes.ts";

/**
 * The likely cause of a stopped sync, as far as the installation itself and the notes on what it
 * reads show it; empty for a state that amp does not know.
 */
export function diagnosis(installation: NotedInstallation): Cell {
  const { connection, healthStatus, lastOperationStatus, readNotes } = installation;
  if (connection.status === "bad_credentials") {
    const provider = connection.provider ?? "The provider";
    return toned(
      "bad",
      `${provider} no longer accepts the credentials; the customer must reconnect`,
    );
  }
  if (connection.status === "created") {
    const unused = toned("attention", "The connection was created but has not been used yet");
    // What needs action comes first: where nothing is read, waiting does not help.
    return quietCause(installation) ?? unused;
  }
  const works = connection.status === "working" ? ", but the connection works" : "";
  if (lastOperationStatus === "failure") {
    const failed = `The last operation failed${works}`;
    return healthStatus === "healthy"
      ? toned("attention", `${failed}; the service still reports the installation as healthy`)
      : toned("bad", failed);
  }
  const firstReads = readNotes?.firstReads ?? [];
  if (healthStatus === "unhealthy") {
    const seen = firstReads.length > 0 ? firstReads.join("; ") : operationText(lastOperationStatus);
    return toned("attention", joined([`Unhealthy${works}`, seen], "; ") ?? "");
  }
  return quietCause(installation) ?? (capitalised(firstReads.join("; ")) || undefined);
}

/** The diagnosis as plain text; empty where nothing is wrong. */
export function diagnosisText(installation: NotedInstallation): string {
  const cell = diagnosis(installation);
  return typeof cell === "object" ? (cell?.text ?? "") : String(cell ?? "");
}

/** Whether a part of the config came, but not as specified. */
export function hasOddConfig(installation: NotedInstallation): boolean {
  return oddFieldsOf(installation).some(
    ({ path, value }) => /^config(?:\.|$)/u.test(path) && !isEmptyValue(value),
  );
}

/** Why it is not known what an installation reads, as a sentence; undefined where it is known. */
export function unknownReads(installation: NotedInstallation): string | undefined {
  if (hasOddConfig(installation)) return "The configuration is not as specified.";
  return installation.config?.content
    ? undefined
    : "The service does not report the configuration.";
}

/** Why nothing is read from an installation of which the service reports no failure. */
function quietCause(installation: NotedInstallation): Cell {
  const { config, readNotes } = installation;
  if (readsNothing(config) && !hasOddConfig(installation)) {
    return toned("attention", "The configuration reads nothing");
  }
  const reads = readsOf(config);
  const named = (wanted: typeof reads) =>
    wanted.map(([name, object]) => object.objectName || name).join(", ");
  const paused = reads.filter(([, object]) => isPaused(object));
  const lost = reads.filter(
    ([, object]) =>
      !isPaused(object) && readNotes?.schedules.get(object.schedule ?? "")?.next === "never",
  );
  const causes = [
    paused.length > 0 ? `paused in the configuration: reading ${named(paused)}` : undefined,
    lost.length > 0 ? `no date fits the schedule of ${named(lost)}, which never runs` : undefined,
  ];
  const text = joined(causes, "; ");
  return text && toned(lost.length > 0 ? "bad" : "attention", capitalised(text));
}

function operationText(status: string | null | undefined): string | undefined {
  if (!status) return "no failed operation is reported";
  if (status === "in_progress") return "an operation is in progress";
  return status === "success" ? "the last operation succeeded" : undefined;
}
