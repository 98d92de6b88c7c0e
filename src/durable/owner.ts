import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { tried } from "../values/basics.ts";

/** The place of a process. An unknown field is undefined: outside Linux, all but the host are. */
interface ProcessPlace {
  readonly host: string;
  /** The ID of the boot, different after a restart of the machine. */
  readonly bootId: string | undefined;
  /** The namespace of the pid: containers of one machine have different ones. */
  readonly pidNamespace: string | undefined;
}

/** The holder of a lock, with enough facts to find out later whether its process is gone. */
export interface Owner extends ProcessPlace {
  /** The ID of the acquisition. */
  readonly id: string;
  readonly pid: number;
  /** The start of the process in the kernel's ticks: a recycled pid has another one. */
  readonly started: string | undefined;
  /** The command of the process, for messages. */
  readonly command: string;
  /** The time when the process took the lock: RFC 3339. */
  readonly since: string;
  /** The CI job of the process, which is found when its machine is gone. */
  readonly job?: string | undefined;
}

/**
 * Describes this process as the owner of a lock that it is about to take.
 * @param id of the acquisition
 * @param job the CI job that runs the process
 */
export function thisOwner(command: string, id: string = randomUUID(), job?: string): Owner {
  const started = statOf("self")?.started;
  const since = new Date().toISOString();
  return { id, pid: process.pid, started, ...currentPlace(), command, since, job };
}

/** Reads the record of an owner; undefined if the text is not one. */
export function parseOwner(text: string): Owner | undefined {
  const value = tried(() => JSON.parse(text) as Partial<Record<keyof Owner, unknown>> | null);
  if (typeof value !== "object" || value === null) return undefined;
  const { id, pid, started, host, bootId, pidNamespace, command, since, job } = value;
  const whole =
    [id, host, command, since].every((field) => typeof field === "string") &&
    [started, bootId, pidNamespace, job].every((field) => typeof (field ?? "") === "string") &&
    Number.isSafeInteger(pid) &&
    Number(pid) > 0;
  return whole ? (value as Owner) : undefined;
}

/**
 * Whether the owner is gone for good. False if that cannot be proved: on another host or another
 * boot, in another container, or if the system reports too little.
 */
export function isProvablyDead(owner: Owner): boolean {
  return lifeOf(owner) === "dead";
}

/** Whether the owner still runs, for certain. False if that cannot be proved. */
export function isProvablyAlive(owner: Owner): boolean {
  return lifeOf(owner) === "alive";
}

function lifeOf(owner: Owner): "alive" | "dead" | "unknown" {
  const here = currentPlace();
  const isHere = (["host", "bootId", "pidNamespace"] as const).every(
    (field) => owner[field] === here[field],
  );
  if (!isHere) return "unknown";
  if (!exists(owner.pid)) return "dead";
  const stat = statOf(owner.pid);
  if (stat === undefined || owner.started === undefined) return "unknown";
  // Z: a zombie; the process has ended, and its parent has not collected it yet.
  return stat.started !== owner.started || stat.state === "Z" ? "dead" : "alive";
}

/**
 * Describes the CI job, process and machine of an owner. A machine of this one's name with another
 * boot is this one before a restart, or another one: containers and virtual machines share names.
 */
export function describeOwner({ pid, host, bootId, job }: Owner): string {
  const here = currentPlace();
  const isOtherBoot = host === here.host && bootId !== here.bootId;
  const where = isOtherBoot ? ` (before a restart, or another machine of this name)` : "";
  return `${job === undefined ? "" : `${job}, `}process ${pid} on ${host}${where}`;
}

function currentPlace(): ProcessPlace {
  return {
    host: hostname(),
    bootId: tried(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: tried(() => readlinkSync("/proc/self/ns/pid")),
  };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** The fields 3 and 22 of /proc/<pid>/stat; field 2, the name in brackets, may contain anything. */
function statOf(pid: number | "self"): { state: string; started: string } | undefined {
  const stat = tried(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, started] = [fields?.[0], fields?.[19]];
  return state === undefined || started === undefined ? undefined : { state, started };
}
