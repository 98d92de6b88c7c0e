import type { Address } from "../../../src/notify/model/address.ts";

/** A routing file as data. */
export interface Routing {
  /** Absent: a file without a name, which cannot prune. */
  readonly name?: string;
  readonly destinations?: Readonly<Record<string, Destination>>;
  readonly topics?: Readonly<Record<string, Topic>>;
}
/** Its `id` is an address, whose ID the file declares; `from` is its `renamed-from`. */
export interface Destination {
  readonly id?: Address;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
}
interface Topic {
  readonly events: readonly string[];
  readonly to: readonly string[];
  readonly from?: string;
}

export const URLS = ["https://hooks.acme.example/amp", "https://hooks.acme.example/moved"] as const;
const ops = { url: URLS[0] };
const created = { events: ["installation.created"], to: ["ops"] };
const error = { events: ["connection.error"], to: ["ops"] };
const both = { ...created, events: [...created.events, ...error.events] };
const one = { name: "ops", destinations: { ops }, topics: { lifecycle: created } };
const headers = { "X-B": "b", "X-A": "a" };
const a = { ...one, name: "a" };
const b = { name: "b", destinations: { ops }, topics: { trouble: error } };

/** The files that sequences name. */
export const FILES = {
  /** Four creates. */
  ONE: one,
  TWO: { ...one, topics: { lifecycle: created, trouble: error } },
  BOTH: { ...one, topics: { lifecycle: both } },
  MOVED: { ...one, destinations: { ops: { url: URLS[1] } } },
  EMPTY: { name: "ops" },
  RENAMED: { ...one, topics: { customers: created } },
  FROM: { ...one, topics: { customers: { ...created, from: "lifecycle" } } },
  BACK: { ...one, topics: { lifecycle: { ...created, from: "customers" } } },
  HOOK: {
    name: "ops",
    destinations: { hook: ops },
    topics: { lifecycle: { ...created, to: ["hook"] } },
  },
  BY_ID: { ...one, destinations: { ops: { id: "destination/ops" } } },
  NAMELESS: { destinations: one.destinations, topics: one.topics },
  /** Two files with one destination; with one topic, too; of another URL. */
  A: a,
  B: b,
  B_TOO: { ...b, topics: { lifecycle: created, trouble: error } },
  A_LESS: { ...a, topics: {} },
  A_MOVED: { ...a, destinations: { ops: { url: URLS[1] } } },
  B_MOVED: { ...b, destinations: { ops: { url: URLS[1] } } },
  B_BY_ID: { ...b, destinations: { ops: { id: "destination/ops" } } },
  A_EMPTY: { name: "a" },
  B_EMPTY: { name: "b" },
  /** Nothing of what A has. */
  A_OTHER: { name: "a", topics: { other: { events: ["connection.error"], to: [] } } },
  HEADERS: { ...one, destinations: { ops: { url: "https://Hooks.acme.example", headers } } },
  HEADERS_2: {
    ...one,
    destinations: {
      ops: { url: "https://hooks.acme.example/", headers: { ...headers, "X-B": "c" } },
    },
  },
  MANY: {
    name: "ops",
    topics: Object.fromEntries(
      Array.from({ length: 1_020 }, (_, at) => [`topic-${at}`, { events: [], to: [] }]),
    ),
  },
} satisfies Readonly<Record<string, Routing>>;
