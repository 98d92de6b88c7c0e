import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Address } from "../../../src/notify/model/address.ts";
import type { World } from "../../../src/sandbox/world.ts";
import { startAmp } from "../process.ts";
import { routingOf } from "../routing.ts";
import type { Bench } from "../workbench.ts";
import type { Destination, Routing } from "./files.ts";
import { type Fault, idsOf, LAG_MS, type misbehaving } from "./service.ts";
import type { Command, Step } from "./steps.ts";

type Truth = ReturnType<typeof misbehaving>;

/** A run that fails for a reason that goes is repeated, as its error says. */
const REPEATED = new Set([6, 7, 9]);
const MOST_RUNS = 4;
/** Runs that may delete only what an apply made, and what is an apply of a file with a name. */
const PLANNED = /^notify (?:apply|undo) /u;
const NAMED = /^notify apply -f (?!nameless)/u;

/**
 * Takes the steps of a sequence, and notes in `truth.broken` what must not be.
 * @param isHelped a person resolves unknown outcomes where a run stops for them
 */
export function judgeOf(bench: Bench, truth: Truth, isHelped: boolean, slow: number) {
  const { broken, log, byPerson, renamed } = truth;
  const world = () => bench.sandbox.world;
  /** The files that were last applied with success and still hold, with their words. */
  const applied = new Map<string, { readonly routing: Routing; readonly words: string }>();
  const names = new Set<string>();
  const runs: { readonly words: string; readonly end: string }[] = [];
  /** What amp may change: it has made it, or found it in place. */
  const trusted = new Set<string>();
  const forgotten = new Set<string>();
  /** What each file named when it was last applied with success: it may be handed over to that. */
  const named = new Map<string, ReadonlySet<string>>();
  /** What a file has declared by its ID: a person's from then on. */
  const released = new Set<string>();
  const keeps: Address[] = [];
  let isDisturbed = false;
  let isAtEnd = false;
  let isAtOnce = true;

  /** What such runs have made and what is there. */
  function made(by: RegExp): string[] {
    const ids = log.flatMap((one) =>
      by.test(runs[one.run - 1]?.words ?? "") ? (one.made ?? []) : [],
    );
    return ids.filter((id) => idsOf(world()).has(id) && !forgotten.has(id));
  }

  /** Whether `--prune` of a file may leave what amp made: it is others' by now, or theirs uses it. */
  function isKept(id: string, but?: string): boolean {
    const { eventRoutes, destinationRoutes } = world();
    const own = new Set(made(NAMED));
    const isOthers = ([route = "", ...ends]: readonly string[]) =>
      !own.has(route) || ends.some((end) => renamed.has(end));
    const others = [
      ...eventRoutes.map((route) => [route.id, route.topicId]),
      ...destinationRoutes.map((route) => [route.id, route.topicId, route.destinationId]),
    ].filter(isOthers);
    return (
      !truth.deletes ||
      renamed.has(id) ||
      released.has(id) ||
      [...named].some(([path, ids]) => path !== but && ids.has(id)) ||
      others.some((ids) => ids.includes(id)) ||
      keeps.some((address) => routingOf(world()).get(address)?.includes(id))
    );
  }

  /** One process, and what no process may ever do. */
  async function run(words: string, fault?: Fault): Promise<number | null> {
    truth.arm(fault, { atOnce: isAtOnce, planned: PLANNED.test(words) });
    isAtOnce = true;
    runs.push({ words, end: "" });
    const { code, stderr } = await bench.run(words.split(" "));
    const number = runs.length;
    runs[number - 1] = { words, end: `exit ${code}\n${stderr.trim()}`.replaceAll("\n", "\n  | ") };
    if (!PLANNED.test(words)) return code;
    for (const id of made(PLANNED)) trusted.add(id);
    const sent = log.filter((one) => one.run === number && /^P/u.test(one.method));
    const own = sent.filter(({ answer }) => answer !== "by a person");
    for (const { method, path, answer } of own) {
      const id = path.split("/").at(-1) ?? "";
      if (method !== "PATCH" || !answer.startsWith("2") || trusted.has(id)) continue;
      if (!words.includes("adopt")) broken.push(`run ${number} changed a stranger's ${id}`);
    }
    if (code === 5 && own.length > 0 && own.every(({ answer }) => answer.startsWith("2"))) {
      broken.push(`run ${number} is a conflict, and has sent ${own.length} writes`);
    }
    return code;
  }

  /** Runs until it succeeds where something was disturbed before. */
  async function runToEnd(words: string, { exits, fault }: Command): Promise<number | null> {
    const right = fault && exits === undefined ? "any" : (exits ?? [0]);
    if (fault !== undefined) isDisturbed = true;
    for (let count = 1; ; count += 1) {
      const code = await run(words, fault);
      // 1 is a mistake in amp; null is a kill.
      if (right === "any" ? code !== 1 : right.includes(code ?? -1)) return code;
      if (!isDisturbed || fault || count === MOST_RUNS || !REPEATED.has(code ?? -1)) {
        broken.push(`run ${runs.length}, amp ${words}, exits ${code}`);
        return code;
      }
      if (isHelped) await resolveLost();
    }
  }

  /** A person looks, and says what became of creates without an answer. */
  async function resolveLost(): Promise<void> {
    await truth.idle();
    const seen = new Set<string>();
    for (const { method, path, body, made: id, answer } of log.toReversed()) {
      if (method !== "POST" || !/\[\w+, (?!answered)/u.test(answer)) continue;
      const address = addressOf(path, JSON.parse(body), world());
      if (seen.has(address)) continue;
      seen.add(address);
      const isThere = id !== undefined && idsOf(world()).has(id);
      // What a person says is amp's need not count as made by amp.
      if (isThere) {
        forgotten.add(id);
        trusted.add(id);
      }
      await run(`notify state resolve ${address} ${isThere ? `--id ${id}` : "--not-created"}`);
    }
  }

  async function apply(routing: Routing, step: Command): Promise<void> {
    const { words } = step;
    const path = `${routing.name ?? "nameless"}.yaml`;
    if (routing.name !== undefined) names.add(routing.name);
    await writeFile(join(bench.folder, path), textOf(routing, world()));
    applied.delete(path);
    // What is done late may be done in the middle of another run; what others have is taken if asked.
    if (step.fault?.done === "late" || /shared|takeover/u.test(words)) applied.clear();
    // What a file without a name made is taken by the first one with a name.
    const others = [...applied].filter(([other]) => other !== "nameless.yaml");
    const from = log.length;
    const code = await runToEnd(`notify apply -f ${path} --yes ${words}`.trim(), step);
    if (code === 0 || code === 8) {
      const { ids, reasons } = compared(routing, world());
      for (const id of ids) trusted.add(id);
      named.set(path, ids);
      for (const { id } of Object.values(routing.destinations ?? {})) {
        for (const each of (id && routingOf(world()).get(id)) ?? []) released.add(each);
      }
      broken.push(...reasons.map((reason) => `run ${runs.length} exits ${code}, but ${reason}`));
      applied.set(path, { routing, words: words.replace(/--accept \S+/u, "").trim() });
    }
    if (code === 0 && words.includes("--prune") && !isAtEnd) {
      const ids = made(RegExp(`^notify apply -f ${path}`, "u"));
      const left = ids.filter((id) => !(named.get(path)?.has(id) || isKept(id, path)));
      broken.push(...left.map((id) => `run ${runs.length} prunes, and leaves ${id}`));
    }
    const gone = log.slice(from).flatMap((one) => one.gone ?? []);
    for (const [other] of others) {
      const lost = gone.filter((id) => named.get(other)?.has(id));
      broken.push(...lost.map((id) => `run ${runs.length} deletes what ${other} declares: ${id}`));
    }
    // Its owner may have changed what others declare, too.
    dropOutdated();
  }

  /** Forgets files that no longer hold, by somebody's wish. */
  function dropOutdated(): void {
    for (const [path, { routing }] of applied) {
      if (compared(routing, world()).reasons.length > 0) applied.delete(path);
    }
  }

  async function wait(ms: number): Promise<void> {
    await pause(ms);
    isAtOnce = ms < LAG_MS * slow;
  }

  function holds(routing: Routing): void {
    const { ids, reasons } = compared(routing, world());
    const more = made(PLANNED).filter((id) => !ids.has(id));
    const all = [...reasons, ...more.map((id) => `${id} is there`)];
    broken.push(...all.map((reason) => `after run ${runs.length}: ${reason}`));
  }

  async function command(step: Command): Promise<void> {
    const ids = routingOf(world());
    const words = step.words.replace(/<(.*)>/u, (_, at: Address) => ids.get(at)?.[0] ?? at);
    const [, address] = /^state forget (\S+)/u.exec(words) ?? [];
    if (address !== undefined) await truth.idle();
    for (const id of ids.get(address as Address) ?? []) {
      forgotten.add(id);
      byPerson.add(id);
    }
    await runToEnd(`notify ${words} --yes`, step);
    dropOutdated();
  }

  return {
    async step(one: Step): Promise<void> {
      if ("waitMs" in one) await wait(one.waitMs);
      else if ("holds" in one) holds(one.holds);
      else if ("keeps" in one) keeps.push(one.keeps);
      else if ("words" in one) await (one.file ? apply(one.file, one) : command(one));
      else {
        await truth.person(one.person).catch((error: unknown) => {
          if (!one.isPerhaps) throw error;
        });
        dropOutdated();
      }
    },
    /** Each file applied again sends nothing, once the lists have caught up. */
    async rest(): Promise<void> {
      await truth.idle();
      await wait(LAG_MS * slow);
      isDisturbed = false;
      for (const { routing, words } of [...applied.values()]) {
        const from = log.length;
        await apply(routing, { words, exits: [0, 8] });
        const writes = log.slice(from).filter(({ method }) => method !== "GET").length;
        if (writes > 0) broken.push(`at rest, run ${runs.length} sends ${writes} writes`);
      }
    },
    /** Empty files that prune leave nothing that amp made for them; and no stranger's is gone. */
    async empty(): Promise<void> {
      const left = () => made(NAMED).filter((id) => !isKept(id));
      const words = `--prune ${await takeover(bench)}`.trim();
      applied.clear();
      isDisturbed = true;
      isAtEnd = true;
      const exits = truth.deletes ? [0, 8] : [0, 6, 8];
      for (let round = 0; round < 2 && (round === 0 || left().length > 0); round += 1) {
        for (const name of names) await apply({ name }, { words, exits });
      }
      broken.push(...left().map((id) => `left by --prune of an empty file: ${id}`));
      const planned = log.filter((one) => PLANNED.test(runs[one.run - 1]?.words ?? ""));
      const own = new Set(planned.map((one) => one.made));
      for (const { run: by, path, gone = [] } of planned) {
        // Without lists nobody is told of a stranger's route that goes with its topic.
        const told = gone.filter((id) => truth.lists || path.endsWith(id));
        const theirs = told.filter((id) => !own.has(id));
        broken.push(...theirs.map((id) => `run ${by} deleted a stranger's ${id}`));
      }
    },
    exchange: () =>
      runs
        .map(({ words, end }, at) => {
          const sent = log.filter((one) => one.run === at + 1);
          const rows = sent.map(
            (one) =>
              `  ${one.atMs} ms ${one.method} ${one.path} ${one.body}: ${one.answer}${one.made ? ` +${one.made}` : ""}\n`,
          );
          return `run ${at + 1}: amp ${words}\n${rows.join("")}  ${end}`;
        })
        .join("\n"),
  };
}

/** `--accept takeover`, which an empty file needs, where the program knows the word. */
let word: Promise<string> | undefined;
function takeover({ folder, env }: Bench): Promise<string> {
  const args = ["notify", "apply", "--help"];
  word ??= startAmp({ args, cwd: folder, env }).ended.then(({ stdout }) =>
    stdout.includes("takeover") ? "--accept takeover" : "",
  );
  return word;
}

function addressOf(path: string, body: Record<string, string>, world: World): string {
  const names = new Map([...world.destinations, ...world.topics].map(({ id, name }) => [id, name]));
  const nameOf = (id: string | undefined) => names.get(id ?? "") ?? id;
  const topic = nameOf(body.topicId);
  if (path === "destinations") return `destination/${body.name}`;
  if (path === "topics") return `topic/${body.name}`;
  if (body.eventType !== undefined) return `event-route/${topic}/${body.eventType}`;
  return `destination-route/${topic}/${nameOf(body.destinationId)}`;
}

/** A routing file as text: JSON is YAML. IDs are those that the addresses have now. */
function textOf({ name, destinations = {}, topics = {} }: Routing, world: World): string {
  const ids = routingOf(world);
  const renamed = (from: string | undefined) =>
    from === undefined ? {} : { "renamed-from": from };
  const each = <From, To>(all: Readonly<Record<string, From>>, to: (one: From) => To) =>
    Object.fromEntries(Object.entries(all).map(([key, one]) => [key, to(one)]));
  return JSON.stringify({
    version: 1,
    ...(name && { name }),
    destinations: each(destinations, (one) => {
      const { from, id, ...metadata } = one;
      if (id !== undefined) return { id: ids.get(id)?.[0] };
      return { type: "webhook", metadata, ...renamed(from) };
    }),
    topics: each(topics, ({ events, to, from }) => ({
      events,
      destinations: to,
      ...renamed(from),
    })),
  });
}

/** How the truth differs from a routing; and the records that it names. */
function compared(routing: Routing, world: World) {
  const ids = routingOf(world);
  const reasons: string[] = [];
  const named = new Set<string>();
  const one = (address: Address) => {
    const found = ids.get(address) ?? [];
    for (const id of found) named.add(id);
    if (found.length === 0) reasons.push(`there is no ${address}`);
    return found;
  };
  for (const [name, wanted] of Object.entries(routing.destinations ?? {})) {
    const found = one(wanted.id ?? `destination/${name}`);
    const all = world.destinations.filter(({ id }) => found.includes(id));
    const isRight = ({ url, headers }: Destination) =>
      (wanted.url === undefined || spelt(url ?? "") === spelt(wanted.url)) &&
      (wanted.headers === undefined || isDeepStrictEqual(headers, wanted.headers));
    // A person may have made another one of the name.
    if (found.length === 0 || all.some(({ metadata }) => isRight(metadata))) continue;
    reasons.push(`destination/${name} has ${JSON.stringify(all.map(({ metadata }) => metadata))}`);
  }
  const { destinations = {}, topics = {} } = routing;
  const nameOf = (key: string) => destinations[key]?.id?.split("/")[1] ?? key;
  for (const [name, { events, to }] of Object.entries(topics)) {
    one(`topic/${name}`);
    for (const event of events) one(`event-route/${name}/${event}`);
    for (const key of to) one(`destination-route/${name}/${nameOf(key)}`);
  }
  return { reasons, ids: named };
}

function spelt(url: string): string {
  return new URL(url).href.replace(/\/$/u, "");
}
