import type { EngineOptions } from "../../../src/notify/engine/types.ts";
import { type Address, addressOf, addressParts } from "../../../src/notify/model/address.ts";
import {
  ownResources,
  type Resource,
  type RoutingModel,
} from "../../../src/notify/model/routing.ts";
import { ACCEPT_WORDS, NO_CHOICES } from "../../../src/notify/plan/table.ts";
import { modelOfAnswers } from "../../../src/notify/setup/answers.ts";
import { type Entry, ownerOf, type RoutingState } from "../../../src/notify/state/state.ts";
import { type EngineWorld, stateOf } from "./engine-world.ts";
import { answerAsOperator } from "./operator.ts";
import { type Done, type End, emptyFile, IN_PROCESS, type Runner } from "./runner.ts";
import {
  type ApplyStep,
  LONGEST_LAG_MS,
  type PersonStep,
  type Sequence,
  type SetupStep,
  type SingleStep,
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
  /** The single command that it is, in place of an apply. */
  readonly single?: SingleStep | undefined;
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
  /** The writes of the steps. */
  writes: readonly string[] = [];
  readonly #sequence: Sequence;
  readonly #runner: Runner;
  readonly #runs: Run[] = [];
  readonly #written: DoneWrite[] = [];
  /** The IDs of what a person created, or removed from the state; when a person touched what. */
  readonly #strangers = new Set<string>();
  readonly #touchedAt = new Map<string, number>();
  /** What a person deleted: lists may still show it. */
  readonly #removed = new Map<string, StoredRecord>();
  /** What a person and amp both made, where nothing tells whose is whose. */
  readonly #confused = new Set<string>();
  /** The IDs of what single commands made, and of what was removed from the state. */
  readonly #byHand = new Set<string>();
  readonly #forgotten = new Set<string>();
  /** When amp wrote what last. */
  readonly #writtenAt = new Map<string, number>();
  /** The IDs that may be amp's, and were told as such, or cannot be told. */
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
    this.writes = this.#written.map(({ op, id }) => `${op} ${id}`);
    await this.#rest();
  }

  async #do(step: Step): Promise<void> {
    if (step.do === "wait") await this.world.clock.sleep(step.ms);
    else if (step.do === "person") this.#act(step);
    else if (step.do === "undo") await this.#undo(step);
    else if (step.do === "single") await this.#single(step);
    else if (step.do === "setup") await this.#setUp(step);
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
    const options = { prune, accept };
    const work = (process: ProcessFate) =>
      this.#runner.apply(this.world, { model, ...options }, process);
    return this.#applied(work, { model, options }, fate);
  }

  /** Sets up a routing, as an apply of its model. */
  async #setUp({ destination, url, topic, events, ...fate }: SetupStep): Promise<void> {
    const metadata = { url };
    const answers = {
      destination: { kind: "new", name: destination, type: "webhook", metadata, secrets: {} },
      topic: { kind: "new", name: topic },
      events,
    } as const;
    const model = modelOfAnswers(answers, this.#saved());
    const work = (process: ProcessFate) => this.#runner.setUp(this.world, model, process);
    await this.#applied(work, { model, options: NO_CHOICES }, fate);
  }

  async #applied(
    work: (process: ProcessFate) => Promise<End>,
    run: Pick<Run, "model" | "options">,
    fate: Fate,
  ): Promise<End> {
    const began = this.world.clock.elapsed();
    this.#forgetUnlisted((record) => this.#isNamed(run.model, record));
    const end = await this.#ended(work, run, fate);
    if (typeof end === "object" && "done" in end) await this.#judgeEnd(run.model, began, end.done);
    return end;
  }

  /** Runs a single command; what it creates is a person's. */
  async #single(typed: SingleStep): Promise<void> {
    const { op } = typed;
    const address = this.#targetOf(typed);
    const step = { ...typed, address };
    const id = op === "import" ? this.#meant(step) : undefined;
    if (op === "import" && id === undefined) return;
    const before = this.#entries();
    const run = { model: emptyFile(undefined), options: NO_CHOICES, single: step };
    const writes = this.#written.length;
    const from = this.#runs.length;
    if (op === "create")
      this.#forgetUnlisted(
        (one) => addressOf(one.kind, ...this.#namesOf(one).map(String)) === address,
      );
    const command = { ...step, id };
    const work = (process: ProcessFate) => this.#runner.single(this.world, command, process);
    const end = await this.#ended(work, run, step);
    if (op === "forget") this.#forget(before);
    // What an earlier run sent may come while it waits.
    const [made] = this.#written
      .slice(writes)
      .filter((one) => one.op === "create" && one.sender >= from);
    if (op !== "create" || made === undefined || end === "killed" || "failed" in end) return;
    const { owner } = this.#entry(made.id) ?? {};
    if (owner !== "person") this.broken.push(`${address} (${made.id}) is of ${owner}`);
  }

  /** What left the state is nobody's now. */
  #forget(before: readonly Entry[]): void {
    for (const { id = "" } of before) {
      if (this.#entry(id) !== undefined || !this.world.service.records.has(id)) continue;
      this.#strangers.add(id);
      this.#forgotten.add(id);
      // Without lists, a person who looks cannot tell it from what is created in its place.
      const record = this.world.service.records.get(id);
      if (record && !this.#sequence.lists) this.#confused.add(naturalKey(record));
    }
  }

  /** Most commands are about what there is. */
  #targetOf({ op, address, which }: SingleStep): Address {
    if (op === "create" || op === "import" || which === undefined) return address;
    const isMeant = (one: Address) => op !== "update" || addressParts(one).names.length === 1;
    const known = op === "forget" ? [...(this.#saved()?.entries.keys() ?? [])] : this.#addresses();
    const all = known.filter(isMeant);
    return all[which % Math.max(1, all.length)] ?? address;
  }

  #addresses(): readonly Address[] {
    const all = [...this.world.service.records.values()];
    return all.map((one) => addressOf(one.kind, ...this.#namesOf(one).map(String)));
  }

  /** The ID that somebody imports. */
  #meant({ address, which }: SingleStep): string | undefined {
    const { kind, names } = addressParts(address);
    const all = this.world.service.ofKind(kind);
    // A person who imports another one while a create is open says that this is the one.
    const isOpen = this.#saved()?.entries.get(address)?.pending !== undefined;
    // What amp has made and does not know yet is imported where it belongs.
    const isKnown = ({ id }: StoredRecord) => this.#entry(id) ?? this.#strangers.has(id);
    const others = all.filter(isKnown);
    if (which !== undefined && !isOpen) return others[which % Math.max(1, others.length)]?.id;
    const found = all.find((one) => JSON.stringify(this.#namesOf(one)) === JSON.stringify(names));
    if (found && isOpen) this.#confused.add(naturalKey(found));
    return found?.id;
  }

  /** The name of a record, or those of what it connects. */
  #namesOf({ kind, fields }: StoredRecord): readonly unknown[] {
    const { records } = this.world.service;
    const nameOf = (id: unknown) => records.get(String(id))?.fields.name;
    if (kind === "event-route") return [nameOf(fields.topicId), fields.eventType];
    if (kind === "destination-route") return [nameOf(fields.topicId), nameOf(fields.destinationId)];
    return [fields.name];
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
    run: Pick<Run, "model" | "options" | "undoes" | "single">,
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
    this.ends[end === "killed" ? end : "failed" in end ? "failed" : "done"] += 1;
    if (end !== "killed") for (const id of end.told ?? []) this.told.add(id);
    return end;
  }

  /** Without dates, what a person made just before amp, and no list shows yet, is taken as amp's. */
  #forgetUnlisted(isNamed: (record: StoredRecord) => boolean): void {
    if (this.#sequence.dates) return;
    const began = this.world.clock.elapsed();
    for (const id of this.#strangers) {
      const record = this.world.service.records.get(id) ?? this.#removed.get(id);
      const isRecent = (this.#touchedAt.get(id) ?? 0) > began - LONGEST_LAG_MS;
      if (!record || !isRecent || !isNamed(record)) continue;
      this.#strangers.delete(id);
      this.#confused.add(naturalKey(record));
    }
  }

  /** What a person does at the service. */
  #act({ act, which, name }: PersonStep): void {
    const { service, clock } = this.world;
    this.#lastPerson = clock.elapsed();
    // A person who makes the very same while a create is open cannot be told from amp.
    const { metadata } =
      (this.#runs.at(-1)?.model.destinations.get(name) as { metadata?: { url?: string } }) ?? {};
    const isOther = metadata?.url !== undefined && metadata.url !== "https://x.example/1";
    const isOpen = this.#entries().some(({ key, pending }) => pending && key?.[0] === name);
    if (isOpen && !(act === "create" && isOther)) return;
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
      this.#removed.set(id, record);
    } else if (act === "rename" && typeof fields.name === "string") {
      if (this.#named(kind, name).length > 0) return;
      // Nothing but its values, or its time, tells then what a create of unknown outcome has made.
      const { headers, dates } = this.#sequence;
      const isKnown = dates && (kind === "topic" || headers === "shown");
      if (!isKnown && this.#entry(id) === undefined) this.told.add(id);
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
    if (op !== "delete") this.#writtenAt.set(id, this.world.clock.elapsed());
    const is = `${op} of ${id} (${String(record.fields.name ?? record.kind)}) by run ${sender + 1}`;
    if (run.single) {
      this.#judgeSingle(run, run.single, write, is);
      return;
    }
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
      else if (entry.owner === "person" && !run.options.accept.includes("adopt")) {
        this.broken.push(`${is}: a person's`);
      } else if (isStranger && !run.options.accept.includes("adopt") && entry.made !== "found") {
        this.broken.push(`${is}: a stranger's`);
      }
      return;
    }
    const entry = this.#entry(id);
    if (isStranger) this.broken.push(`${is}: a stranger's`);
    if (this.#byHand.has(id) && !undoes && !isBegun)
      this.broken.push(`${is}: made by a single command`);
    if (!run.options.prune && !isBegun) this.broken.push(`${is}: without --prune`);
    const owners = [ownerOf(run.model), ...(undoes ? ["person"] : [])];
    if (!isBegun && (!owners.includes(entry?.owner ?? "") || entry?.made !== "amp")) {
      this.broken.push(`${is}: of ${entry?.owner}, made ${entry?.made}`);
    }
    this.#judgeUsers(run, id, is);
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

  /**
   * What is deleted is in use by nothing, as far as lists or the state could say so: a single command
   * looks for no routes whose create is not settled.
   * Known: what was removed from the state is not waited for here, where lists do not show it yet.
   */
  #judgeUsers(run: Run, id: string, is: string): void {
    const { lists } = this.#sequence;
    const isKnown = (user: string) => {
      const isForgotten = this.#forgotten.has(user);
      if (isForgotten && !(lists && this.#isListed(run, user))) return false;
      if (run.single) return this.#entry(user) !== undefined;
      return !this.#byHand.has(user) || (this.#writtenAt.get(user) ?? 0) < run.began;
    };
    const users = [...this.world.service.records.values()].filter(
      ({ id: user, fields: { topicId, destinationId } }) =>
        (topicId === id || destinationId === id) && isKnown(user),
    );
    if (users.length > 0) this.broken.push(`${is}: used by ${users.map((one) => one.id)}`);
  }

  #judgeCreate(run: Run, record: StoredRecord, is: string): void {
    for (const twin of this.#twins(record)) {
      // Without lists, nobody knows what was forgotten.
      if (!this.#sequence.lists && this.#forgotten.has(twin.id)) continue;
      const touched = this.#touchedAt.get(twin.id);
      const isKnown = touched === undefined || touched < run.began - LONGEST_LAG_MS;
      // A single command may have given it the name of a create that comes late.
      const isLate = run !== this.#runs.at(-1) && (this.#writtenAt.get(twin.id) ?? 0) > run.began;
      if (isKnown && !isLate) this.broken.push(`${is}: beside ${twin.id}`);
    }
  }

  /** A single command does what was typed, to what was named. */
  #judgeSingle(
    run: Run,
    { op, address, references }: SingleStep,
    { op: done, id, record }: DoneWrite,
    is: string,
  ): void {
    const { kind, names } = addressParts(address);
    if (done === "create") {
      this.#byHand.add(id);
      for (const twin of this.#twins(record)) {
        const isRoute = names.length > 1 && this.#sequence.lists;
        // Somebody may ask for a second one of a name, but not twice for the same.
        const isOwn = this.#byHand.has(twin.id) && !this.#strangers.has(twin.id);
        const isLost = isOwn && this.#entry(twin.id) === undefined;
        if (isLost || (isRoute && this.#isListed(run, twin.id))) {
          this.broken.push(`${is}: beside ${twin.id}`);
        }
      }
    }
    if (run.begun.includes(id)) return;
    const isNamed = JSON.stringify(this.#namesOf(record)) === JSON.stringify(names);
    const isMeant = record.kind === kind ? isNamed : op === "delete" && references;
    if (done !== op || (!isMeant && this.#isListed(run, record.id))) {
      this.broken.push(`${is}: by ${op} of ${address}`);
    }
    if (done === "delete") this.#judgeUsers(run, id, is);
  }

  /** Whether all lists showed a record, as it is, before a run. */
  #isListed({ began }: Run, id: string): boolean {
    const last = Math.max(this.#touchedAt.get(id) ?? 0, this.#writtenAt.get(id) ?? 0);
    return last < began - LONGEST_LAG_MS;
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

  #saved(): RoutingState | undefined {
    return this.world.disk.text === undefined ? undefined : stateOf(this.world);
  }

  /** All entries of the state. */
  #entries(): readonly Entry[] {
    const { entries = new Map(), left = new Map() } = this.#saved() ?? {};
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
        // Without lists, a person who looks may have taken it for what was created.
        if (!this.#sequence.lists && this.#confused.has(naturalKey(record))) continue;
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
    const isApply = ({ undoes, single }: Run) => undoes === undefined && single === undefined;
    const names = new Set([
      ...this.#runs.filter(isApply).map(({ model }) => model.name),
      undefined,
    ]);
    for (const name of names) {
      const last = this.#runs.findLast((run) => run.model.name === name && isApply(run));
      const model = last?.model ?? emptyFile(name);
      const end = await this.#untilKnown(model, all);
      if (end === "killed" || "failed" in end) continue;
      await this.#again(model);
    }
    for (const name of names) if (name !== undefined) await this.#empty(name);
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
      for (const { id = "" } of this.#entries().filter((one) => !known.has(one.id))) {
        this.#strangers.delete(id);
        this.#byHand.delete(id);
      }
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
