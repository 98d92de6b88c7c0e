import { AmpError } from "../../../src/errors.ts";
import type { EngineOptions, Receipt } from "../../../src/notify/engine/types.ts";
import {
  ownResources,
  type Resource,
  type RoutingModel,
} from "../../../src/notify/model/routing.ts";
import { listRouting } from "../../../src/notify/plan/live.ts";
import type { Plan } from "../../../src/notify/plan/plan.ts";
import { ACCEPT_WORDS } from "../../../src/notify/plan/table.ts";
import { type Entry, ownerOf } from "../../../src/notify/state/state.ts";
import { planUndo } from "../../../src/notify/undo.ts";
import { type EngineWorld, newWorld, stateOf } from "./engine-world.ts";
import { answerAsOperator } from "./operator.ts";
import {
  type ApplyStep,
  FILES,
  LONGEST_LAG_MS,
  type PersonStep,
  type Sequence,
  type Step,
  type UndoStep,
} from "./sequences.ts";
import { type ProcessFate, SimulatedProcess } from "./simulated-process.ts";
import {
  type DoneWrite,
  type LostWrite,
  naturalKey,
  type StoredRecord,
} from "./simulated-service.ts";

/** A run, as the service's writes are judged by it. */
interface Run {
  readonly model: RoutingModel;
  readonly options: Pick<EngineOptions, "prune" | "accept">;
  readonly began: number;
  /** The same by the clock, as the history has it. */
  readonly time: string;
  /** The IDs of what an earlier run had begun to write. */
  readonly begun: readonly string[];
  /** Whether anything was begun before it, which it settled first. */
  readonly isOpen: boolean;
  /** The service before it. */
  readonly before: string;
  /** How many writes were done before it. */
  readonly writes: number;
  /** The run that it takes back. */
  readonly undoes?: Run | undefined;
}

/** A run that may be killed, and whose writes may be lost. */
type Fate = Partial<Pick<ApplyStep, "crashAt" | "lost">>;

type End = { readonly result: Receipt } | { readonly error: AmpError } | "killed";

/**
 * Runs a sequence of commands in a simulated world, and judges each write by what the service really
 * has, not by what amp knows: what amp must never do is collected as it happens.
 */
export class Simulation {
  readonly world: EngineWorld;
  /** What amp did, and must not. */
  readonly broken: string[] = [];
  /** How many runs came to their end, and how many of them were an undo that left nothing. */
  readonly ends = { done: 0, failed: 0, killed: 0, undone: 0 };
  readonly #sequence: Sequence;
  readonly #runs: Run[] = [];
  readonly #written: DoneWrite[] = [];
  /** The IDs of what a person created, or renamed, and when. */
  readonly #strangers = new Set<string>();
  readonly #touchedAt = new Map<string, number>();
  /** What a person and amp both made, where nothing tells whose is whose. */
  readonly #confused = new Set<string>();
  /** The IDs that may be amp's, and were told as such. */
  readonly told = new Set<string>();
  #lastPerson = Number.NEGATIVE_INFINITY;
  #lost: ReadonlyMap<number, LostWrite> = new Map();
  #writes = 0;

  constructor(sequence: Sequence) {
    this.#sequence = sequence;
    const { lists, updates, uniqueNames, dates, headers, lags } = sequence;
    let looks = 0;
    this.world = newWorld({
      ...{ lists, updates, uniqueNames },
      dates: dates ? () => 0 : undefined,
      lag: () => lags[looks++ % lags.length] ?? 0,
      asListed: (fields) => withHeaders(fields, headers),
      lose: () => this.#lost.get(++this.#writes),
      done: (write) => this.#judge(write),
    });
  }

  async run(): Promise<void> {
    for (const step of this.#sequence.steps) await this.#do(step);
    await this.#rest();
  }

  async #do(step: Step): Promise<void> {
    if (step.do === "wait") await this.world.clock.sleep(step.ms);
    else if (step.do === "person") this.#act(step);
    else if (step.do === "undo") await this.#undo(step);
    else await this.apply(step.model, step, step);
    // The clock of the service is known to two seconds.
    await this.world.clock.sleep(4_000);
  }

  /** Applies a file, and judges how it ended. */
  async apply(
    model: RoutingModel,
    { prune, accept }: Pick<EngineOptions, "prune" | "accept">,
    fate: Fate = {},
  ): Promise<End> {
    const began = this.world.clock.elapsed();
    const unseen = this.#unseen();
    this.#forgetUnlisted(model, began);
    const process = this.#process(fate, { prune, accept });
    const end = await this.#ended(process, { model, options: { prune, accept } }, fate);
    if (end === "killed" || "error" in end) return end;
    const plan = planOf(process);
    const told = plan?.items.flatMap((item) => ("notKept" in item ? item.address : [])) ?? [];
    this.#judgeEnd(model, began, new Set([...told, ...unseen]));
    return end;
  }

  /** Undoes the last run; where nothing is told as left, the service is as it was before that run. */
  async #undo(fate: UndoStep): Promise<void> {
    if (this.world.disk.text === undefined) return;
    const state = stateOf(this.world);
    const last = [...(state.runs ?? [])].findLast(([, { undoes }]) => undoes === undefined);
    if (last === undefined) return;
    const [id, recorded] = last;
    const { ports } = this.#process({});
    const planning = planUndo(state, id, recorded, () => listRouting(ports));
    const planned = await planning.catch((error: unknown) => {
      if (!(error instanceof AmpError)) throw error;
      return undefined;
    });
    if (planned === undefined) return;
    const { routing: name } = recorded;
    const model = { ...(name && { name }), destinations: new Map(), topics: new Map() };
    const undoes = this.#runs.find(({ time }) => time === recorded.time);
    const options = { prune: true, accept: [] };
    const process = this.#process(fate, { ...options, undo: planned.remove }, { undoes: id });
    const end = await this.#ended(process, { model, options, undoes }, fate);
    const plan = planOf(process);
    if (end === "killed" || "error" in end || undoes === undefined || !plan) return;
    const isReleased = plan.items.some(({ action }) => action === "release");
    if (isReleased || planned.left.length + plan.kept.length + plan.others.length > 0) return;
    this.ends.undone += 1;
    this.#judgeUndo(undoes);
  }

  #process({ crashAt }: Fate, ...options: Tail<ConstructorParameters<typeof SimulatedProcess>>) {
    const fate: ProcessFate = crashAt === undefined ? {} : { crashAt };
    return new SimulatedProcess(this.world, fate, ...options);
  }

  /** Runs a process, whose writes are judged as they are done, to its end. */
  async #ended(
    process: SimulatedProcess,
    run: Pick<Run, "model" | "options" | "undoes">,
    { lost = new Map() }: Fate,
  ): Promise<End> {
    const { service, clock } = this.world;
    this.#lost = lost;
    this.#writes = 0;
    const open = this.#entries().filter(({ pending }) => pending);
    const begun = open.flatMap(({ id }) => id ?? []);
    const isOpen = open.length > 0;
    const [began, time, before] = [clock.elapsed(), clock.now().toISOString(), this.#readable()];
    const sender =
      this.#runs.push({
        ...run,
        began,
        time,
        begun,
        isOpen,
        before,
        writes: this.#written.length,
      }) - 1;
    service.options = { ...service.options, sender };
    const outcome = await process.outcomeOf(process.engine.apply(run.model));
    this.#lost = new Map();
    this.#judgeState();
    if (outcome === "killed") {
      this.ends.killed += 1;
      return outcome;
    }
    if ("error" in outcome) {
      if (!(outcome.error instanceof AmpError)) throw outcome.error;
      this.ends.failed += 1;
      return { error: outcome.error };
    }
    this.ends.done += 1;
    for (const { others = [] } of outcome.result.settled)
      for (const id of others) this.told.add(id);
    return outcome;
  }

  /** Without dates, what a person made just before amp, and no list shows yet, is taken as amp's. */
  #forgetUnlisted(model: RoutingModel, began: number): void {
    if (this.#sequence.dates) return;
    for (const id of this.#strangers) {
      const record = this.world.service.records.get(id);
      const isRecent = (this.#touchedAt.get(id) ?? 0) > began - LONGEST_LAG_MS;
      if (!record || !isRecent || !this.#isNamed(model, record)) continue;
      this.#strangers.delete(id);
      this.#confused.add(naturalKey(record));
    }
  }

  /** What a person does at the service. */
  #act({ act, which, name }: PersonStep): void {
    const { service, clock } = this.world;
    this.#lastPerson = clock.elapsed();
    // A person who makes the very same while a create is open cannot be told from amp.
    if (this.#entries().some(({ key, pending }) => pending && key?.[0] === name)) return;
    if (act === "create") {
      const isTopic = name === "t" || name === "u";
      const fields = { type: "webhook", metadata: { url: "https://x.example/1" } };
      const kind = isTopic ? "topic" : "destination";
      if (service.options.uniqueNames && this.#named(kind, name).length > 0) return;
      const { id } = service.add(kind, { name, ...(isTopic ? {} : fields) });
      this.#strangers.add(id);
      this.#touchedAt.set(id, clock.elapsed());
      return;
    }
    const all = [...service.records.values()];
    const record = all[which % Math.max(1, all.length)];
    if (record === undefined) return;
    const { id, kind, fields } = record;
    this.#touchedAt.set(id, clock.elapsed());
    if (act === "delete") {
      for (const one of all)
        if (one.fields.topicId === id || one.fields.destinationId === id) service.remove(one.id);
      service.remove(id);
    } else if (act === "rename" && typeof fields.name === "string") {
      if (this.#named(kind, name).length > 0) return;
      // Nothing but its values tells then what a create of unknown outcome has made.
      const { headers, dates } = this.#sequence;
      const isKnown = kind === "destination" && headers === "shown" && dates;
      if (!isKnown && this.#entry(id) === undefined) this.#strangers.add(id);
      service.change(id, { name });
    } else if (act === "change" && kind === "destination") {
      const metadata = { ...(fields.metadata as object), url: `https://x.example/${name}` };
      service.change(id, { metadata });
    }
  }

  #named(kind: StoredRecord["kind"], name: string): readonly StoredRecord[] {
    return this.world.service.ofKind(kind).filter(({ fields }) => fields.name === name);
  }

  /** Judges a write when the service does it. */
  #judge(write: DoneWrite): void {
    const { op, sender, id, record } = write;
    this.#written.push(write);
    const run = this.#runs[sender];
    if (run === undefined) return;
    const is = `${op} of ${id} (${String(record.fields.name ?? record.kind)}) by run ${sender + 1}`;
    if (op === "create") {
      this.#judgeCreate(run, record, is);
      return;
    }
    const isStranger = this.#strangers.has(id);
    const { undoes } = run;
    const isBegun = run.begun.includes(id);
    if (undoes && !isBegun && !this.#createdBy(undoes).includes(id)) {
      this.broken.push(`${is}: not created by the run that it takes back`);
    }
    if (op === "update") {
      const entry = this.#entry(id);
      if (entry === undefined) this.broken.push(`${is}: it is in no entry`);
      else if (isStranger && !run.options.accept.includes("adopt") && entry.made !== "found") {
        this.broken.push(`${is}: a stranger's`);
      }
      return;
    }
    const entry = this.#entry(id);
    if (isStranger) this.broken.push(`${is}: a stranger's`);
    if (!run.options.prune && !isBegun) this.broken.push(`${is}: without --prune`);
    if (!isBegun && (entry?.owner !== ownerOf(run.model) || entry.made !== "amp")) {
      this.broken.push(`${is}: of ${entry?.owner}, made ${entry?.made}`);
    }
    const users = [...this.world.service.records.values()].filter(
      ({ fields }) => fields.topicId === id || fields.destinationId === id,
    );
    if (users.length > 0) this.broken.push(`${is}: used by ${users.map((one) => one.id)}`);
    const twins = this.#twins(record);
    if (
      !isBegun &&
      twins.length === 0 &&
      this.#isNamed(run.model, record) &&
      !this.#touchedAt.has(id)
    ) {
      this.broken.push(`${is}: named in the file`);
    }
  }

  #judgeCreate(run: Run, record: StoredRecord, is: string): void {
    for (const twin of this.#twins(record)) {
      const touched = this.#touchedAt.get(twin.id);
      const isKnown = touched === undefined || touched < run.began - LONGEST_LAG_MS;
      if (isKnown) this.broken.push(`${is}: beside ${twin.id}`);
    }
  }

  #createdBy(run: Run): readonly string[] {
    const own = this.#written.filter(
      ({ op, sender }) => op === "create" && this.#runs[sender] === run,
    );
    return own.map(({ id }) => id);
  }

  /** Undone: nothing that the run created is there; and all is as before it, if nobody else wrote since. */
  #judgeUndo(run: Run): void {
    const isTold = (id: string) => this.told.has(id) || this.#strangers.has(id);
    const isLeft = (id: string) => {
      const record = this.world.service.records.get(id);
      return record !== undefined && !isTold(id) && !this.#confused.has(naturalKey(record));
    };
    const left = this.#createdBy(run).filter(isLeft);
    if (left.length > 0) this.broken.push(`undone, and left: ${left}`);
    const from = this.#runs.indexOf(run);
    const isOwn = ({ sender }: DoneWrite) => sender === from || this.#runs[sender]?.undoes === run;
    const since = this.#written.slice(run.writes);
    if (run.isOpen || this.#lastPerson >= run.began || !since.every(isOwn)) return;
    const after = this.#readable();
    if (after !== run.before) this.broken.push(`undone: ${after}, and before ${run.before}`);
  }

  /** What the service has, without IDs. */
  #readable(): string {
    const { records } = this.world.service;
    const named = (value: unknown) => records.get(String(value))?.fields.name ?? value;
    const all = [...records.values()].map(({ kind, fields }) =>
      JSON.stringify([kind, Object.entries(fields).map(([key, value]) => [key, named(value)])]),
    );
    return all.toSorted().join(" ");
  }

  #twins(record: StoredRecord): readonly StoredRecord[] {
    const all = [...this.world.service.records.values()];
    const key = naturalKey(record);
    return all.filter((one) => one.id !== record.id && naturalKey(one) === key);
  }

  #isNamed(model: RoutingModel, { kind, fields }: StoredRecord): boolean {
    const name = String(fields.name);
    return kind === "topic"
      ? model.topics.has(name)
      : kind === "destination" && model.destinations.has(name);
  }

  /** All entries of the state. */
  #entries(): readonly Entry[] {
    if (this.world.disk.text === undefined) return [];
    const { entries, left } = stateOf(this.world);
    return [...entries.values(), ...left.values()];
  }

  #entry(id: string): Entry | undefined {
    return this.#entries().find((entry) => entry.id === id);
  }

  /** The IDs of which no list has shown a field: what somebody changes is not known as such. */
  #unseen(): readonly string[] {
    const isUnseen = ({ fields }: Entry) =>
      Object.values(fields).some(([, shown]) => shown === "unseen");
    return this.#entries().flatMap((entry) => (entry.id && isUnseen(entry) ? entry.id : []));
  }

  /** One ID, one address. */
  #judgeState(): void {
    const ids = this.#entries().flatMap(({ id }) => id ?? []);
    const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
    if (twice.length > 0) this.broken.push(`at two addresses: ${twice}`);
  }

  /**
   * An apply that came to its end left everything as the file says.
   * @param told what the service does not keep, as far as amp can know
   */
  #judgeEnd(model: RoutingModel, began: number, told: ReadonlySet<string>): void {
    if (this.#lastPerson > began - LONGEST_LAG_MS) return;
    for (const resource of ownResources(model)) {
      const id = stateOf(this.world).entries.get(resource.address)?.id ?? "";
      const record = this.world.service.records.get(id);
      if (!record) this.broken.push(`run ${this.#runs.length}: ${resource.address} is not there`);
      else if (
        ![resource.address, id].some((one) => told.has(one)) &&
        !this.#isAsWanted(resource, record)
      ) {
        const is = JSON.stringify(record.fields);
        this.broken.push(`run ${this.#runs.length}: ${resource.address} is ${is}`);
      }
    }
  }

  #isAsWanted({ kind, names, content }: Resource, { fields }: StoredRecord): boolean {
    const nameOf = (id: unknown) => this.world.service.records.get(String(id))?.fields.name;
    const [first, second] = names;
    if (kind === "event-route")
      return nameOf(fields.topicId) === first && fields.eventType === second;
    if (kind === "destination-route") {
      return nameOf(fields.topicId) === first && nameOf(fields.destinationId) === second;
    }
    const wanted = Object.entries((content.metadata ?? {}) as Record<string, unknown>);
    const has = (fields.metadata ?? {}) as Record<string, unknown>;
    const isSame = ([name, value]: [string, unknown]) =>
      JSON.stringify(has[name]) === JSON.stringify(value);
    return fields.name === first && wanted.every(isSame);
  }

  /** All comes to rest: what must hold then. */
  async #rest(): Promise<void> {
    await this.world.clock.sleep(120_000);
    const all = { prune: false, accept: [...ACCEPT_WORDS] };
    for (const name of FILES) {
      const last = this.#runs.findLast(
        ({ model, undoes }) => model.name === name && undoes === undefined,
      )?.model;
      if (last === undefined) continue;
      const end = await this.#untilKnown(last, all);
      if (end === "killed" || "error" in end) continue;
      await this.#again(last);
    }
    for (const name of ["one", "two"]) await this.#empty(name);
    await this.world.clock.sleep(120_000);
    this.#judgeLost();
  }

  /** Applies until no outcome is unknown; where only a person can say it, one does. */
  async #untilKnown(model: RoutingModel, options: Run["options"]): Promise<End> {
    for (let times = 0; ; times++) {
      const end = await this.apply(model, options);
      if (end === "killed" || !("error" in end) || end.error.exit !== "partial") return end;
      if (times > 12) {
        this.broken.push(`no end: ${end.error.message}`);
        return end;
      }
      await answerAsOperator(this.world, end.error);
    }
  }

  /** The second apply writes nothing. */
  async #again(model: RoutingModel): Promise<void> {
    const written: string[] = [];
    const { service } = this.world;
    const { done } = service.options;
    service.options = { ...service.options, done: ({ op, id }) => written.push(`${op} ${id}`) };
    const end = await this.apply(model, { prune: false, accept: [] });
    service.options = { ...service.options, done };
    if (written.length > 0) this.broken.push(`not at rest: ${written}`);
    if (end !== "killed" && "error" in end) this.broken.push(`then: ${textOf(end.error)}`);
  }

  /** An empty file with --prune leaves nothing of its own but what is told as kept. */
  async #empty(name: string): Promise<void> {
    const model = { name, destinations: new Map(), topics: new Map() };
    const end = await this.#untilKnown(model, { prune: true, accept: [...ACCEPT_WORDS] });
    if (end === "killed" || "error" in end) {
      this.broken.push(`pruned: ${end === "killed" ? end : textOf(end.error)}`);
      return;
    }
    const kept = new Set(end.result.kept.map(({ id }) => id));
    for (const { id = "", owner, made } of this.#entries()) {
      if (owner === ownerOf(model) && made === "amp" && !kept.has(id))
        this.broken.push(`left: ${id}`);
    }
  }

  /** No ID that amp made is in no entry, unless amp said so. */
  #judgeLost(): void {
    for (const record of this.world.service.records.values()) {
      const { id } = record;
      const isTold = this.told.has(id) || this.#confused.has(naturalKey(record));
      const isKnown = this.#strangers.has(id) || isTold;
      if (!isKnown && this.#entry(id) === undefined) this.broken.push(`lost: ${id}`);
    }
  }
}

type Tail<List extends readonly unknown[]> = List extends [unknown, unknown?, ...infer Rest]
  ? Rest
  : never;

/** The last plan of a process. */
function planOf({ events }: SimulatedProcess): Plan | undefined {
  return events.findLast((event) => event.type === "planned")?.plan;
}

function textOf({ message, facts }: AmpError): string {
  return [message, facts.detail].filter(Boolean).join(": ");
}

function withHeaders(
  fields: StoredRecord["fields"],
  headers: Sequence["headers"],
): StoredRecord["fields"] {
  const { metadata } = fields as { metadata?: Record<string, unknown> };
  if (metadata?.headers === undefined || headers === "shown") return fields;
  const { headers: _, ...rest } = metadata;
  return {
    ...fields,
    metadata: headers === "masked" ? { ...rest, headers: { team: "***" } } : rest,
  };
}
