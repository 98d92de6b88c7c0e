import { thisOwner } from "../../durable/owner.ts";
import { version } from "../../version.ts";
import type { Holder } from "./holder.ts";

/** Terraform's description of a lock, which its state servers keep and show. */
export interface LockInfo {
  readonly ID: string;
  readonly Operation: string;
  readonly Info: string;
  readonly Who: string;
  readonly Version: string;
  /** RFC 3339. */
  readonly Created: string;
  readonly Path: string;
}

/** A lock of this process. */
export function lockInfoOf(command: string): LockInfo {
  const { id, host, pid, since } = thisOwner(command);
  return {
    ID: id,
    Operation: "apply",
    Info: command,
    Who: `process ${pid} on ${host}`,
    Version: `amp ${version}`,
    Created: since,
    Path: "",
  };
}

/**
 * Who holds a lock, by the body of an answer; what is missing there is missing here.
 * @param asker whose request it answers: GitLab fills in what the asker itself said as `Info`
 */
export function holderOf(text: string, asker?: LockInfo): Holder {
  const { ID, Info, Who, Created } = fieldsOf(text);
  const command = Info === asker?.Info && ID !== asker?.ID ? undefined : Info;
  const holder = { id: ID, command, who: Who, since: Created };
  return Object.fromEntries(
    Object.entries(holder).filter(([, value]) => typeof value === "string" && value !== ""),
  );
}

function fieldsOf(text: string): Partial<Record<keyof LockInfo, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
