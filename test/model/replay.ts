import type { Api, Endpoint, WriteInput } from "../../src/api/operations/endpoint.ts";
import { AmpError, NotFoundError, UnknownOutcomeError } from "../../src/errors.ts";
import type { RoutingModel } from "../../src/notify/model/routing.ts";
import { ACCEPT_WORDS } from "../../src/notify/plan/table.ts";
import { resolvePending } from "../../src/notify/state/edit.ts";
import { stateText } from "../../src/notify/state/format.ts";
import type { ServiceClock } from "../../src/values/service-clock.ts";
import { stateOf } from "../notify/engine/engine-world.ts";
import type { Clock } from "../notify/engine/simulated-clock.ts";
import {
  type Disk,
  emptyDisk,
  type Outcome,
  SimulatedProcess,
} from "../notify/engine/simulated-process.ts";

/** A state of `model/resource.qnt`. */
export interface ModelState {
  readonly now: number;
  readonly records: readonly ModelRecord[];
  readonly view: readonly {
    readonly id: number;
    readonly name: string;
    readonly value: number;
    readonly born: number;
  }[];
  readonly file: number;
  readonly entry: { readonly id: number };
  readonly pending: { readonly op: string };
  readonly phase: "idle" | "look" | "intent" | "sent";
  readonly accept: boolean;
  readonly end: string;
}

interface ModelRecord {
  readonly id: number;
  readonly gone: number;
  readonly born: number;
}

/** A step of a trace: what happened, and what the model says of it. */
export interface TraceStep {
  readonly action: string;
  readonly state: ModelState;
}

const TICK_MS = 1_000_000;
/** Three and a half ticks: within one, time passes by what the engine itself waits. */
const HORIZON_MS = 3.5 * TICK_MS;
/** What an engine waits at most between two looks. */
const POLL_MS = 10_000;
/** A save takes less. */
const SAVE_MS = 100;
const GONE = 1000;
const ADDRESS = "destination/a";

/**
 * Replays a trace of the model on the engine: the service answers as the trace says, time passes as
 * it says, and a run is killed where it says.
 * @returns where the engine did otherwise; undefined if it nowhere did
 */
export async function replay(trace: readonly TraceStep[]): Promise<string | undefined> {
  const replayed = new Replay();
  for (const [at, step] of trace.entries()) {
    const before = trace[at - 1]?.state ?? step.state;
    const problem = await replayed.step(step, before);
    if (problem !== undefined) return `step ${at}, ${step.action}: ${problem}`;
  }
  return undefined;
}

class Replay {
  readonly #clock = new HeldClock();
  readonly #service = new HeldService(this.#clock);
  readonly #disk: Disk = emptyDisk();
  #process: SimulatedProcess | undefined;
  #outcome: Outcome<unknown> | undefined;
  /** A run that was started, and has not looked yet. */
  #next: ModelState | undefined;

  /** Does a step. @returns what the engine did otherwise */
  async step({ action, state }: TraceStep, before: ModelState): Promise<string | undefined> {
    this.#service.know(state);
    if (action === "tick") this.#clock.advance(state.now * TICK_MS);
    else if (action === "start") this.#next = state;
    else if (action === "look") await this.#look();
    else if (action === "answer") this.#answer(before, state);
    else if (action === "lose") this.#service.lose();
    else if (action === "kill") this.#kill();
    else if (action === "resolve") this.#resolve(state);
    await this.#clock.settle();
    // A run that has changed something looks once more, and so does one whose answer was lost.
    if (action === "answer" || action === "lose") await this.#list();
    if (action === "answer" || action === "look") await this.#deleteLeft(state);
    return this.#compare(state);
  }

  /** Begins the run that looks now: the time before its lists are asked for counts. */
  #begin({ file, accept }: ModelState): void {
    const options = {
      commitHorizonMs: HORIZON_MS,
      prune: true,
      // A file without anything is meant here.
      accept: accept ? [...ACCEPT_WORDS] : (["takeover"] as const),
    };
    const world = { disk: this.#disk, service: this.#service, clock: this.#clock };
    this.#outcome = undefined;
    const process = new SimulatedProcess(world, {}, options);
    this.#process = process;
    const work = process.engine.apply(fileOf(file));
    void process.outcomeOf(work).then((outcome) => {
      if (this.#process === process) this.#outcome = outcome;
    });
  }

  /** Lets the engine look at the lists; one that sleeps is woken. */
  async #look(): Promise<void> {
    if (this.#next !== undefined) this.#begin(this.#next);
    else this.#clock.wake(POLL_MS);
    this.#next = undefined;
    await this.#clock.settle();
    await this.#list();
  }

  /** What was recreated leaves its old ID, which a prune deletes: it is gone, or should be. */
  async #deleteLeft({ phase, records }: ModelState): Promise<void> {
    if (phase !== "idle" || this.#service.heldWrite !== "delete") return;
    const id = this.#service.heldId;
    const isLive = records.some((one) => idOf(one.id) === id && one.gone === GONE);
    if (isLive) return;
    this.#service.answer(0, false);
    await this.#clock.settle();
    await this.#list();
  }

  async #list(): Promise<void> {
    while (this.#service.list()) await this.#clock.settle();
  }

  #answer({ pending, entry, records }: ModelState, after: ModelState): void {
    const isThere = records.some(({ id, gone }) => id === entry.id && gone === GONE);
    this.#service.answer(pending.op === "create" ? after.entry.id : entry.id, isThere);
  }

  #kill(): void {
    this.#process?.kill();
    this.#process = undefined;
    this.#next = undefined;
    this.#service.forget();
    this.#clock.forget();
  }

  /** Somebody says what became of a create. */
  #resolve({ entry, pending }: ModelState): void {
    const state = stateOf({ disk: this.#disk });
    const id = pending.op === "none" && entry.id !== 0 ? { id: idOf(entry.id) } : "not-created";
    const next = resolvePending(state, ADDRESS, id, this.#clock.now());
    // Otherwise the next run counts its horizon from its own beginning.
    const at = {
      time: this.#clock.now().toISOString(),
      serviceTime: this.#clock.now().toISOString(),
    };
    const entries = new Map(
      [...next.entries].map(([address, entry]) => [
        address,
        { ...entry, ...at, ...(entry.madeAt && { madeAt: at }) },
      ]),
    );
    this.#disk.text = stateText({ ...next, entries, serial: next.serial + 1 });
  }

  #compare({ phase, end, entry, pending }: ModelState): string | undefined {
    const held = this.#service.heldWrite;
    const isWriting = phase === "intent" || phase === "sent";
    if (isWriting !== (held !== undefined) || (isWriting && held !== pending.op)) {
      return `the model ${isWriting ? `sends ${pending.op}` : "sends nothing"}, the engine ${held ?? "nothing"}${this.#ended()}`;
    }
    const isRunning =
      this.#next !== undefined || (this.#process !== undefined && this.#outcome === undefined);
    if (isRunning !== (phase !== "idle")) {
      return `the model ${phase === "idle" ? `ended with ${end}` : "goes on"}, the engine ${isRunning ? "goes on" : "ended"}${this.#ended()}`;
    }
    if (end !== "" && end !== "killed" && !isSameEnd(end, this.#outcome)) {
      return `the model ended with ${end}${this.#ended()}`;
    }
    // A run that was killed has saved its intent, where the model has it.
    if (phase !== "idle" || this.#disk.text === undefined) return undefined;
    const saved = stateOf({ disk: this.#disk }).entries.get(ADDRESS);
    const wanted = { id: entry.id === 0 ? undefined : idOf(entry.id), op: pending.op };
    const has = { id: saved?.id, op: saved?.pending?.op ?? "none" };
    return JSON.stringify(wanted) === JSON.stringify(has)
      ? undefined
      : `the model saved ${JSON.stringify(wanted)}, the engine ${JSON.stringify(has)}`;
  }

  #ended(): string {
    const outcome = this.#outcome;
    if (outcome === undefined || outcome === "killed") return "";
    if ("result" in outcome) return ", the engine with 0";
    const { error } = outcome;
    if (!(error instanceof AmpError)) throw error;
    return `, the engine with ${error.exit}: ${error.message} ${error.facts.detail ?? ""}`;
  }
}

/** Whether a run ended as the model says: in place, refused by a conflict, or otherwise incomplete. */
function isSameEnd(end: string, outcome: Outcome<unknown> | undefined): boolean {
  if (outcome === undefined || outcome === "killed") return false;
  if ("result" in outcome) return end === "0";
  const isConflict = outcome.error instanceof AmpError && outcome.error.exit === "conflict";
  return end !== "0" && isConflict === (end === "5");
}

function idOf(id: number): string {
  return `dst_${id}`;
}

function fileOf(value: number): RoutingModel {
  const metadata = { url: `https://x.example/${value}` };
  const part = { kind: "new", type: "webhook", metadata, secrets: {} } as const;
  return {
    name: "one",
    destinations: new Map(value === 0 ? [] : [["a", part]]),
    topics: new Map(),
  };
}

interface Held {
  readonly method: string;
  readonly isOurs: boolean;
  readonly id: string | undefined;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

const OPS: Readonly<Record<string, string>> = { POST: "create", PATCH: "update", DELETE: "delete" };

interface Input extends WriteInput {
  readonly path?: Readonly<Record<string, string>>;
}

/** A service that answers when it is told to. */
class HeldService {
  readonly #clock: HeldClock;
  #held: Held[] = [];
  #view: ModelState["view"] = [];
  readonly #born = new Map<number, number>();

  constructor(clock: HeldClock) {
    this.#clock = clock;
  }

  /** What the service has now, and shows. */
  know({ view, records }: ModelState): void {
    this.#view = view;
    const time = this.#clock.elapsed();
    for (const { id } of records) if (!this.#born.has(id)) this.#born.set(id, time);
  }

  /** The ID of the write that waits for its answer. */
  get heldId(): string | undefined {
    return this.#held.find(({ method }) => method !== "GET")?.id;
  }

  get heldWrite(): string | undefined {
    const write = this.#held.find(({ method }) => method !== "GET");
    return write && OPS[write.method];
  }

  /** Answers the lists that are asked for. @returns whether there were any */
  list(): boolean {
    const asked = this.#held.filter(({ method }) => method === "GET");
    this.#held = this.#held.filter(({ method }) => method !== "GET");
    for (const { isOurs, resolve } of asked) resolve(isOurs ? this.#shown() : []);
    return asked.length > 0;
  }

  #shown(): readonly object[] {
    return this.#view.map(({ id, name, value }) => ({
      id: idOf(id),
      name,
      type: "webhook",
      metadata: { url: `https://x.example/${value}` },
      createTime: dateOf(this.#born.get(id) ?? 0).toISOString(),
    }));
  }

  answer(id: number, isThere: boolean): void {
    const write = this.#takeWrite();
    if (write.method === "POST") write.resolve({ id: idOf(id), name: "a" });
    else if (isThere) write.resolve(write.method === "PATCH" ? { id: idOf(id) } : undefined);
    else write.reject(new NotFoundError("not found (404)", { status: 404 }));
  }

  lose(): void {
    const lost = "It is unknown whether it was done";
    this.#takeWrite().reject(new UnknownOutcomeError(lost, {}, { reason: "reset" }));
  }

  forget(): void {
    this.#held = [];
  }

  #takeWrite(): Held {
    const write = this.#held.find(({ method }) => method !== "GET");
    if (write === undefined) throw new Error("the engine has sent nothing");
    this.#held = this.#held.filter((one) => one !== write);
    return write;
  }

  api(serviceClock: ServiceClock): Api {
    const call = (endpoint: Endpoint, { path }: Input) => {
      const listen = serviceClock.listen();
      const isOurs = endpoint.path.split("/")[3] === "destinations";
      const answer = new Promise((resolve, reject) => {
        const id = Object.values(path ?? {}).at(-1);
        this.#held.push({ method: endpoint.method, isOurs, id, resolve, reject });
      });
      const dated = () =>
        listen(new Headers({ date: dateOf(this.#clock.elapsed()).toUTCString() }));
      return answer.finally(dated);
    };
    return {
      call: call as Api["call"],
      list: () => Promise.reject(new Error("no long lists here")),
      raw: () => Promise.reject(new Error("no raw requests here")),
    };
  }
}

const START = Date.parse("2026-01-02T03:04:05Z");

function dateOf(elapsed: number): Date {
  return new Date(START + elapsed);
}

/** More turns than promises take until all wait for an answer or for the clock. */
const TURNS = 25;

/** A clock that stands still until it is advanced. */
class HeldClock implements Clock {
  #time = 0;
  #alarms: Alarm[] = [];

  now(): Date {
    return dateOf(this.#time);
  }

  elapsed(): number {
    return this.#time;
  }

  jump(): void {}

  get alarms(): number {
    return this.#alarms.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const alarm = { at: this.#time + ms, isSave: ms < SAVE_MS, ring: resolve };
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      this.#alarms.push(alarm);
    });
  }

  /** Lets all go on that waits for a save alone. */
  async settle(): Promise<void> {
    do {
      for (let turn = 0; turn < TURNS; turn++)
        await new Promise((resolve) => setImmediate(resolve));
    } while (this.#ring(({ isSave }) => isSave));
  }

  /** Rings the next alarm, if it comes so soon. */
  wake(within: number): void {
    this.#ring(({ at }) => at <= this.#time + within);
  }

  /** Time passes, and nobody wakes. */
  advance(time: number): void {
    this.#time = Math.max(this.#time, time);
  }

  /** Nobody waits any more. */
  forget(): void {
    this.#alarms = [];
  }

  #ring(isMeant: (alarm: Alarm) => boolean): boolean {
    const [next] = this.#alarms.filter(isMeant).toSorted((one, other) => one.at - other.at);
    if (next === undefined) return false;
    this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
    this.#time = Math.max(this.#time, next.at);
    next.ring();
    return true;
  }
}

interface Alarm {
  readonly at: number;
  /** Whether it ends a save, which takes next to no time. */
  readonly isSave: boolean;
  readonly ring: () => void;
}
