import fc from "fast-check";
import { type Address, addressOf } from "../../../src/notify/model/address.ts";
import type {
  DestinationPart,
  RoutingModel,
  TopicPart,
} from "../../../src/notify/model/routing.ts";
import { ACCEPT_WORDS, type AcceptWord } from "../../../src/notify/plan/table.ts";
import type { Lag, LostWrite } from "./simulated-service.ts";

/** The longest that a list is behind; an act and a list together stay within the horizon of 60 s. */
export const LONGEST_LAG_MS = 15_000;
const LONGEST_COMMIT_MS = 40_000;

/** Two files with a name, and one without. */
export const FILES = ["one", "two", undefined] as const;

/** Somebody applies a file. */
export interface ApplyStep {
  readonly do: "apply";
  readonly model: RoutingModel;
  readonly prune: boolean;
  readonly accept: readonly AcceptWord[];
  /** The step of the process at which it is killed. */
  readonly crashAt: number | undefined;
  /** The writes whose answers are lost, by their number. */
  readonly lost: ReadonlyMap<number, LostWrite>;
}

/** Somebody takes back the last run that is not an undo. */
export interface UndoStep extends Pick<ApplyStep, "crashAt" | "lost"> {
  readonly do: "undo";
}

/** Somebody runs a single command, as a script does. */
export interface SingleStep extends Pick<ApplyStep, "crashAt" | "lost"> {
  readonly do: "single";
  readonly op: "create" | "update" | "delete" | "import" | "forget";
  readonly address: Address;
  /** The URL of a destination, and the new name of an update. */
  readonly url: string;
  readonly name: string | undefined;
  /** Whether `--accept references` is typed. */
  readonly references: boolean;
  /** Which one is meant, of all that there are; undefined: that of the address. */
  readonly which: number | undefined;
}

/** Somebody runs a setup without questions, with all options. */
export interface SetupStep extends Pick<ApplyStep, "crashAt" | "lost"> {
  readonly do: "setup";
  readonly destination: string;
  readonly url: string;
  readonly topic: string;
  readonly events: readonly string[];
}

/** Somebody changes something in a UI. */
export interface PersonStep {
  readonly do: "person";
  readonly act: "create" | "change" | "rename" | "delete";
  /** Which one, of all. */
  readonly which: number;
  readonly name: string;
}

/** Time passes. */
export interface WaitStep {
  readonly do: "wait";
  readonly ms: number;
}

export type Step = ApplyStep | UndoStep | SingleStep | SetupStep | PersonStep | WaitStep;

/** A service, and what is done to it. */
export interface Sequence {
  readonly lists: boolean;
  readonly updates: boolean;
  readonly uniqueNames: boolean;
  /** Whether answers have a date, and records the time at which they were made. */
  readonly dates: boolean;
  /** How lists show headers. */
  readonly headers: "shown" | "masked" | "left out";
  /** How far behind the lists are, one after the other; then again from the first. */
  readonly lags: readonly Lag[];
  readonly steps: readonly Step[];
}

const NAMES = ["a", "b"];
const TOPICS = ["t", "u"];
const EVENTS = ["connection.error", "installation.created"];

const url = fc.constantFrom("https://x.example/1", "https://x.example/2");

const settings = fc.record(
  {
    url,
    headers: fc.constantFrom({ team: "1" }, { team: "2" }),
    renamedFrom: fc.constantFrom(...NAMES),
  },
  { requiredKeys: ["url"] },
);

const someOf = <T>(all: readonly T[]) => fc.subarray([...all]);

/** Small routings with the same few names, so that they meet. */
const models: fc.Arbitrary<RoutingModel> = fc
  .record({
    name: fc.constantFrom(...FILES),
    destinations: someOf(NAMES),
    settings: fc.tuple(settings, settings),
    topics: someOf(TOPICS),
    routes: fc.tuple(
      ...TOPICS.map(() => fc.record({ events: someOf(EVENTS), destinations: someOf(NAMES) })),
    ),
    renamed: fc.constantFrom(undefined, undefined, ...TOPICS),
  })
  .map(({ name, destinations, settings: each, topics, routes, renamed }): RoutingModel => {
    const renamedFrom = (own: string, from: string | undefined) =>
      from !== undefined && from !== own ? { renamedFrom: from } : {};
    return {
      ...(name === undefined ? {} : { name }),
      destinations: new Map(
        destinations.map((own, at): [string, DestinationPart] => {
          const { renamedFrom: from, ...metadata } = each[at] ?? { url: "" };
          const base = { kind: "new", type: "webhook", metadata, secrets: {} } as const;
          const isFree = from !== undefined && !destinations.includes(from);
          return [own, { ...base, ...(isFree ? renamedFrom(own, from) : {}) }];
        }),
      ),
      topics: new Map(
        topics.map((own, at): [string, TopicPart] => {
          const { events = [], destinations: ends = [] } = routes[at] ?? {};
          const isFree = renamed !== undefined && !topics.includes(renamed);
          return [
            own,
            {
              events,
              destinations: ends.filter((end) => destinations.includes(end)),
              ...(isFree ? renamedFrom(own, renamed) : {}),
            },
          ];
        }),
      ),
    };
  });

const lostWrites = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 8 }),
      fc.constantFrom<LostWrite["doneAfter"]>(undefined, 0, 2_000, LONGEST_COMMIT_MS),
    ),
    { maxLength: 2 },
  )
  .map((all) => new Map(all.map(([nth, doneAfter]) => [nth, { doneAfter }])));

const crashAt = fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined, freq: 2 });

const applies: fc.Arbitrary<ApplyStep> = fc.record({
  do: fc.constant("apply" as const),
  model: models,
  prune: fc.boolean(),
  accept: fc.oneof(fc.constant([]), fc.constant([...ACCEPT_WORDS]), someOf(ACCEPT_WORDS)),
  crashAt,
  lost: lostWrites,
});

const undos: fc.Arbitrary<UndoStep> = fc.record({
  do: fc.constant("undo" as const),
  crashAt,
  lost: lostWrites,
});

const ALL_NAMED = [
  ...NAMES.map((name) => addressOf("destination", name)),
  ...TOPICS.map((name) => addressOf("topic", name)),
];
const ALL_ROUTES = TOPICS.flatMap((topic) => [
  ...EVENTS.map((event) => addressOf("event-route", topic, event)),
  ...NAMES.map((name) => addressOf("destination-route", topic, name)),
]);

const singleOf = (op: SingleStep["op"], addresses: readonly Address[]) =>
  fc.record<SingleStep>({
    do: fc.constant("single"),
    op: fc.constant(op),
    address: fc.constantFrom(...addresses),
    url,
    name: fc.constantFrom(undefined, undefined, ...NAMES, ...TOPICS, "x"),
    references: fc.boolean(),
    which: fc.option(fc.nat(7), { nil: undefined, freq: 2 }),
    crashAt: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined, freq: 2 }),
    lost: lostWrites,
  });

const singles = fc.oneof(
  { weight: 3, arbitrary: singleOf("create", [...ALL_NAMED, ...ALL_ROUTES]) },
  { weight: 2, arbitrary: singleOf("update", ALL_NAMED) },
  { weight: 2, arbitrary: singleOf("delete", [...ALL_NAMED, ...ALL_ROUTES]) },
  { weight: 1, arbitrary: singleOf("import", [...ALL_NAMED, ...ALL_ROUTES]) },
  { weight: 1, arbitrary: singleOf("forget", [...ALL_NAMED, ...ALL_ROUTES]) },
);

const setups: fc.Arbitrary<SetupStep> = fc.record({
  do: fc.constant("setup" as const),
  destination: fc.constantFrom(...NAMES),
  url,
  topic: fc.constantFrom(...TOPICS),
  events: fc.subarray(EVENTS, { minLength: 1 }),
  crashAt,
  lost: lostWrites,
});

const persons: fc.Arbitrary<PersonStep> = fc.record({
  do: fc.constant("person" as const),
  act: fc.constantFrom("create", "change", "rename", "delete"),
  which: fc.nat(7),
  name: fc.constantFrom("a", "b", "t", "u", "x"),
});

const waits: fc.Arbitrary<WaitStep> = fc.record({
  do: fc.constant("wait" as const),
  ms: fc.constantFrom(1_000, LONGEST_LAG_MS, 70_000),
});

const lag = fc.constantFrom(0, 3_000, LONGEST_LAG_MS);

/** Sequences of commands, on a service of any kind. */
export function sequences({ lists }: Pick<Sequence, "lists">): fc.Arbitrary<Sequence> {
  const steps: fc.Arbitrary<Step> = lists
    ? fc.oneof(
        { weight: 5, arbitrary: applies },
        { weight: 1, arbitrary: undos },
        { weight: 3, arbitrary: singles },
        { weight: 1, arbitrary: setups },
        { weight: 2, arbitrary: persons },
        { weight: 1, arbitrary: waits },
      )
    : fc.oneof(
        { weight: 6, arbitrary: applies },
        { weight: 1, arbitrary: undos },
        { weight: 3, arbitrary: singles },
        { weight: 1, arbitrary: setups },
        { weight: 1, arbitrary: waits },
      );
  return fc.record({
    lists: fc.constant(lists),
    updates: fc.constantFrom(true, true, false),
    uniqueNames: fc.boolean(),
    dates: fc.constantFrom(true, true, false),
    headers: fc.constantFrom("shown", "masked", "left out"),
    lags: fc.array(fc.record({ created: lag, deleted: lag, values: lag }), {
      minLength: 1,
      maxLength: 5,
    }),
    steps: fc.array(steps, { minLength: 2, maxLength: 8 }),
  });
}
