import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { ACCEPT_WORDS } from "../../../src/notify/plan/table.ts";
import {
  type ApplyStep,
  LONGEST_LAG_MS,
  type PersonStep,
  type Sequence,
  type SingleStep,
  type Step,
} from "./sequences.ts";
import { Simulation } from "./simulation.ts";

/** A sequence that chance has found, or that it would find too rarely. */
export interface Known {
  readonly about: string;
  readonly steps: readonly Step[];
  /** How its service differs from one that shows all at once. */
  readonly service?: Partial<Sequence>;
  /** The writes of its steps. */
  readonly writes?: readonly string[];
  /** How many undos ended with 0, and how many IDs were told. */
  readonly undone?: number;
  readonly told?: number;
}

const NAMELESS = "";
const ONE = "https://x.example/1";
const TWO = "https://x.example/2";
const NO_LAG = { created: 0, deleted: 0, values: 0 };
const LATE_VALUES = { ...NO_LAG, values: LONGEST_LAG_MS };
const LATE_CREATES = { ...NO_LAG, created: LONGEST_LAG_MS };
/** An apply looks at four lists. */
const EVERY_OTHER_LOOK = [LATE_VALUES, NO_LAG].flatMap((lag) => [lag, lag, lag, lag]);
/** The horizon passes. */
const LONG = { do: "wait", ms: 70_000 } as const;
const UNDO = { do: "undo", crashAt: undefined, lost: new Map() } as const;
const NEVER_DONE = new Map([[1, { doneAfter: undefined }]]);
const DONE_UNHEARD = new Map([[1, { doneAfter: 0 }]]);
const DONE_LATE = new Map([[1, { doneAfter: 40_000 }]]);

/** All of them. */
export const KNOWN: readonly Known[] = [
  {
    about: "what a killed run made is not taken for another of its creates under a new name",
    steps: [webhooks({ a: { url: ONE }, b: { url: ONE } }, { crashAt: 26, lost: NEVER_DONE })],
    writes: ["create destination-1"],
  },
  {
    about: "a killed delete of what was just found is not done because a list does not show it yet",
    service: { lags: [NO_LAG, LATE_CREATES, NO_LAG] },
    steps: [
      person("create", "b"),
      webhooks({ b: { url: ONE } }, { accept: ACCEPT_WORDS }),
      single("delete", "destination/b", 16),
      topics([], { name: NAMELESS }),
      webhooks({ b: { url: ONE } }),
    ],
    writes: [],
  },
  {
    about:
      "a new name by command of unknown outcome is not created beside by a file, without lists",
    service: { lists: false, uniqueNames: false },
    steps: [
      webhooks({ b: { url: ONE } }, { name: "other" }),
      { ...single("update", "destination/a"), name: "a", which: 0, lost: DONE_UNHEARD },
      webhooks({ a: { url: ONE } }),
    ],
    writes: ["create destination-1", "update destination-1"],
  },
  {
    about: "a route by command waits for a killed delete of its end, which would come later",
    service: { lists: false, uniqueNames: false },
    steps: [
      applied(
        {
          destinations: webhooks({ b: { url: ONE } }).model.destinations,
          topics: topics(["u"]).model.topics,
        },
        {},
      ),
      { ...single("delete", "destination/b", 16), references: true },
      single("create", "destination-route/u/b"),
    ],
  },
  {
    about: "a person's change before a list shows a destination is told beside an update, too",
    steps: [
      webhooks({ b: { url: ONE } }, { crashAt: 22 }),
      person("change", "a"),
      webhooks(
        { b: { url: ONE, headers: { team: "1" } } },
        { name: NAMELESS, accept: ACCEPT_WORDS, crashAt: 1 },
      ),
    ],
  },
  {
    about: "a list from before two updates is not believed, though it shows what the last one sent",
    steps: [
      webhooks({ b: { url: TWO } }, { name: "two" }),
      LONG,
      webhooks({ b: { url: TWO, headers: { team: "1" } } }, { name: "two" }),
      LONG,
      webhooks(
        { b: { url: ONE, headers: { team: "2" } } },
        { name: NAMELESS, accept: ACCEPT_WORDS },
      ),
      webhooks({ b: { url: TWO } }, { accept: ACCEPT_WORDS }),
      webhooks({ b: { url: TWO, headers: { team: "1" } } }, { name: "two", accept: ACCEPT_WORDS }),
    ],
    service: { lags: [LATE_VALUES, NO_LAG, NO_LAG] },
  },
  {
    about: "an undo tells what its run has begun",
    steps: [webhooks({ a: {}, b: {} }, { crashAt: 28, lost: DONE_LATE }), UNDO, UNDO],
    undone: 1,
  },
  {
    about: "an undo tells an update that no list shows",
    steps: [
      webhooks({ b: { url: ONE } }),
      webhooks({ b: { url: ONE, headers: { team: "1" } } }),
      UNDO,
    ],
    service: { headers: "left out" },
    undone: 0,
  },
  {
    about: "an undo tells an update that one list shows, and a later one does not",
    steps: [
      {
        ...{ do: "setup", destination: "a", url: ONE, topic: "t", events: ["connection.error"] },
        ...{ crashAt: undefined, lost: new Map([[1, { doneAfter: 2_000 }]]) },
      },
      webhooks({ a: { url: ONE, headers: { team: "1" } } }, { accept: ["shared"] }),
      UNDO,
    ],
    service: { lags: [NO_LAG, NO_LAG, { ...NO_LAG, values: 15_000 }] },
    undone: 0,
  },
  {
    about: "an undo tells an update whose answer was lost",
    steps: [
      webhooks({ b: { url: ONE } }),
      webhooks({ a: { url: ONE }, b: { url: TWO } }, { lost: DONE_UNHEARD }),
      UNDO,
    ],
    undone: 0,
  },
  {
    about: "an undo tells what was removed from the state and no list shows yet",
    steps: [topics(["t"]), forget("topic/t"), UNDO],
    service: { lags: [LATE_CREATES] },
    undone: 0,
  },
  {
    about: "an undo tells a new name, while lists still show the one before",
    steps: [topics(["u"]), topics(["t"], { renamedFrom: "u" }), UNDO],
    service: { lags: [LATE_VALUES] },
    undone: 0,
  },
  {
    about: "what was undone is created again, while lists still show it",
    steps: [topics(["t"]), UNDO, topics(["t"])],
    service: { lags: [{ ...NO_LAG, deleted: LONGEST_LAG_MS }] },
    writes: ["create topic-1", "delete topic-1", "create topic-2"],
  },
  {
    about: "a topic that a person renamed is at one address after a refused create, lists behind",
    steps: [topics(["t"]), person("rename", "u"), topics(["u"]), person("rename", "u")],
    service: { uniqueNames: true, lags: [LATE_VALUES, NO_LAG, NO_LAG] },
  },
  {
    about: "a destination that came late, was changed by a person and left the file is told",
    steps: [
      webhooks({ b: { url: ONE } }, { name: "two", crashAt: 112, lost: DONE_LATE }),
      person("create", "u"),
      { ...person("change", "a"), which: 3 },
      webhooks({}, { name: "two" }),
    ],
    told: 1,
  },
  {
    about: "a create of unknown outcome that a person has renamed is not sent again",
    steps: [
      webhooks({ a: { url: ONE } }, { lost: DONE_LATE, crashAt: 22 }),
      LONG,
      person("rename", "x"),
      webhooks({ a: { url: ONE } }),
    ],
    writes: ["create destination-1"],
  },
  {
    about: "what a person made before a lost create, and no list showed, is not pruned",
    steps: [
      person("create", "a"),
      webhooks({ a: { url: ONE } }, { lost: NEVER_DONE }),
      LONG,
      webhooks({ a: { url: ONE } }),
      webhooks({}, { prune: true, accept: ACCEPT_WORDS }),
    ],
    service: { lags: [LATE_CREATES] },
    writes: [],
  },
  {
    about: "what a person made with other values after a lost create is not pruned",
    steps: [
      webhooks({ a: { url: TWO } }, { lost: NEVER_DONE }),
      person("create", "a"),
      LONG,
      webhooks({ a: { url: TWO } }),
      webhooks({}, { prune: true, accept: ACCEPT_WORDS }),
    ],
    writes: [],
  },
  {
    about: "an update that comes late is waited for, though a list shows the value before it",
    steps: [
      webhooks({ a: { url: ONE } }),
      webhooks({ a: { url: TWO } }),
      webhooks({ a: { url: ONE } }, { lost: DONE_LATE }),
    ],
    service: { lags: EVERY_OTHER_LOOK },
  },
  {
    about: "a renamed destination is renamed, and not created again",
    steps: [
      webhooks({ a: { url: ONE } }),
      webhooks({ b: { url: ONE } }, { renamedFrom: "a" }),
      webhooks({ b: { url: ONE } }, { prune: true }),
    ],
    writes: ["create destination-1", "update destination-1"],
  },
  {
    about:
      "what amp found and a person deleted is created without a word, once the file had left it",
    steps: [person("create", "t"), topics(["t"]), person("delete", "t"), topics([]), topics(["t"])],
    writes: ["create topic-2"],
  },
  {
    about: "what a person deleted is not created again without a word",
    steps: [topics(["t"]), person("delete", "t"), LONG, topics(["t"])],
    writes: ["create topic-1"],
  },
];

/** A known sequence that was not played yet. */
export function simulated({ steps, service }: Pick<Known, "steps" | "service">): Simulation {
  return new Simulation({
    ...{ lists: true, updates: true, uniqueNames: false, dates: true, headers: "shown" },
    lags: [NO_LAG],
    ...service,
    steps,
  });
}

/** Plays a known sequence. @returns what is broken, or otherwise than expected */
export async function playKnown(known: Known): Promise<readonly string[]> {
  const { writes, undone, told } = known;
  const simulation = simulated(known);
  await simulation.run();
  const { broken, ends } = simulation;
  const expect = (is: unknown, wanted: unknown, what: string) =>
    wanted === undefined || String(is) === String(wanted) ? [] : [`${what}: ${is}, not ${wanted}`];
  return [
    ...broken,
    ...expect(simulation.writes, writes, "writes"),
    ...expect(ends.undone, undone, "undone"),
    ...expect(simulation.told.size, told, "told"),
  ];
}

function person(act: PersonStep["act"], name: string): PersonStep {
  return { do: "person", act, which: 0, name };
}

function forget(address: SingleStep["address"]): SingleStep {
  return single("forget", address);
}

/** A single command, which may be killed. */
export function single(
  op: SingleStep["op"],
  address: SingleStep["address"],
  crashAt?: number,
): SingleStep {
  return {
    ...{ do: "single", op, address, url: ONE, name: undefined },
    ...{ references: false, which: undefined, crashAt, lost: new Map() },
  };
}

type Typed = Partial<ApplyStep> & { readonly name?: string; readonly renamedFrom?: string };

/** An apply of a file with topics alone. */
export function topics(names: readonly string[], { renamedFrom, ...typed }: Typed = {}): ApplyStep {
  const renamed = renamedFrom === undefined ? {} : { renamedFrom };
  const parts = names.map((name) => [name, { events: [], destinations: [], ...renamed }] as const);
  return applied({ destinations: new Map(), topics: new Map(parts) }, typed);
}

/** An apply of a file with webhooks alone. */
function webhooks(
  all: Readonly<Record<string, object>>,
  { renamedFrom, ...typed }: Typed = {},
): ApplyStep {
  const renamed = renamedFrom === undefined ? {} : { renamedFrom };
  const parts = Object.entries(all).map(
    ([name, metadata]) =>
      [name, { kind: "new", type: "webhook", metadata, secrets: {}, ...renamed }] as const,
  );
  return applied({ destinations: new Map(parts), topics: new Map() } as RoutingModel, typed);
}

function applied(parts: Omit<RoutingModel, "name">, { name = "one", ...typed }: Typed): ApplyStep {
  const model = { ...parts, ...(name === NAMELESS ? {} : { name }) };
  const fate = { crashAt: undefined, lost: new Map() };
  return { do: "apply", prune: false, accept: [], ...fate, ...typed, model };
}
