import type { EngineOptions } from "../../../src/notify/engine/types.ts";
import {
  ownResources,
  type Resource,
  type RoutingModel,
} from "../../../src/notify/model/routing.ts";
import { ACCEPT_WORDS } from "../../../src/notify/plan/table.ts";
import { type Entry, ownerOf } from "../../../src/notify/state/state.ts";
import { type EngineWorld, stateOf } from "./engine-world.ts";
import { answerAsOperator } from "./operator.ts";
import { type Done, type End, emptyFile, IN_PROCESS, type Runner } from "./runner.ts";
import {
  type ApplyStep,
  FILES,
  LONGEST_LAG_MS,
  type PersonStep,
  type Sequence,
  type Step,
  type UndoStep,
} from "./sequences.ts";
import type { ProcessFate } from "./simulated-process.ts";
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
  readonly #runner: Runner;
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

  constructor(sequence: Sequence, runner = IN_PROCESS) {
    this.#sequence = sequence;
    this.#runner = runner;
    const { lists, updates, uniqueNames, dates, headers, lags } = sequence;
    let looks = 0;
    this.world = runner.newWorld({
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
    this.#forgetUnlisted(model, began);
    const options = { prune, accept };
    const work = (process: ProcessFate) =>
      this.#runner.apply(this.world, { model, ...options }, process);
    const end = await this.#ended(work, { model, options }, fate);
    if (typeof end === "object" && "done" in end) await this.#judgeEnd(model, began, end.done);
    return end;
  }

  /** Undoes the last run; where nothing is told as left, the service is as it was before that run. */
  async #undo(fate: UndoStep): Promise<void> {
    if (this.world.disk.text === undefined) return;
    const { runs = new Map() } = stateOf(this.world);
    const last = [...runs].findLast(([, one]) => one.undoes === undefined);
    if (last === undefined) return;
    const [id, { routing, time }] = last;
    const undoes = this.#runs.findLast((run) => run.time <= time);
    const options = { prune: true, accept: [] };
    const work = (process: ProcessFate) => this.#runner.undo(this.world, id, process);
    const end = await this.#ended(work, { model: emptyFile(routing), options, undoes }, fate);
    if (end === "killed" || "failed" in end || undoes === undefined || !end.done.isUndone) return;
    this.ends.undone += 1;
    this.#judgeUndo(undoes);
  }

  /** Runs amp, whose writes are judged as they are done, to its end. */
  async #ended(
    work: (fate: ProcessFate) => Promise<End>,
    run: Pick<Run, "model" | "options" | "undoes">,
    { crashAt, lost = new Map() }: Fate,
  ): Promise<End> {
    const { service, clock } = this.world;
    this.#lost = lost;
    this.#writes = 0;
    const open = this.#entries().filter(({ pending }) => pending);
    const begun = open.flatMap(({ id }) => id ?? []);
    const [began, time, before] = [clock.elapsed(), clock.now().toISOString(), this.#readable()];
    const facts = { began, time, begun, isOpen: open.length > 0, before };
    const sender = this.#runs.push({ ...run, ...facts, writes: this.#written.length }) - 1;
    service.options = { ...service.options, sender };
    const end = await work(crashAt === undefined ? {} : { crashAt });
    this.#lost = new Map();
    this.#judgeState();
    if (end === "killed") this.ends.killed += 1;
    else if ("failed" in end) this.ends.failed += 1;
    else {
      this.ends.done += 1;
      for (const id of end.done.others) this.told.add(id);
    }
    return end;
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

  /** One ID, one address. */
  #judgeState(): void {
    const ids = this.#entries().flatMap(({ id }) => id ?? []);
    const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
    if (twice.length > 0) this.broken.push(`at two addresses: ${twice}`);
  }

  /** An apply that came to its end left everything as the file says, but what amp says is not kept. */
  async #judgeEnd(model: RoutingModel, began: number, { notKept }: Done): Promise<void> {
    if (this.#lastPerson > began - LONGEST_LAG_MS) return;
    for (const resource of ownResources(model)) {
      const { address } = resource;
      const id = stateOf(this.world).entries.get(address)?.id ?? "";
      const record = this.world.service.records.get(id);
      if (!record) this.broken.push(`run ${this.#runs.length}: ${address} is not there`);
      else if (!this.#isAsWanted(resource, record)) {
        if ((await notKept()).includes(address)) continue;
        const is = JSON.stringify(record.fields);
        this.broken.push(`run ${this.#runs.length}: ${address} is ${is}`);
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
      if (end === "killed" || "failed" in end) continue;
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
      if (end === "killed" || !("failed" in end) || end.failed.exit !== "partial") return end;
      if (times > 12) {
        this.broken.push(`no end: ${end.failed.text}`);
        return end;
      }
      const known = new Set(this.#entries().map(({ id }) => id));
      await answerAsOperator(this.world, end.failed);
      // What a person says is amp's counts as amp's.
      for (const { id = "" } of this.#entries()) if (!known.has(id)) this.#strangers.delete(id);
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
    if (end !== "killed" && "failed" in end) this.broken.push(`then: ${end.failed.text}`);
  }

  /** An empty file with --prune leaves nothing of its own but what is told as kept. */
  async #empty(name: string): Promise<void> {
    const model = emptyFile(name);
    const end = await this.#untilKnown(model, { prune: true, accept: [...ACCEPT_WORDS] });
    if (end === "killed" || "failed" in end) {
      this.broken.push(`pruned: ${end === "killed" ? end : end.failed.text}`);
      return;
    }
    const kept = new Set(end.done.kept);
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
