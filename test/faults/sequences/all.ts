import { URLS } from "./files.ts";
import { LAG_MS, type Service } from "./service.ts";

/** Commands, one after the other, at a service. */
export interface Sequence {
  /** The kind of trouble: sequences of one kind stand together. */
  readonly group: number;
  readonly name: string;
  readonly services: readonly Service[];
  /** See `stepsOf`. */
  readonly steps: string;
}

const lag = { made: LAG_MS, deleted: LAG_MS, values: LAG_MS };
const FRESH: Service = { name: "at once" };
const BEHIND: Service = { name: "behind", lag };
const NO_LISTS: Service = { name: "no lists", lists: false };
/** Every way in which lists are behind. */
const LAGS: readonly Service[] = [
  FRESH,
  { name: "made missing", lag: { made: LAG_MS } },
  { name: "deleted still shown", lag: { deleted: LAG_MS } },
  { name: "old values", lag: { values: LAG_MS } },
  BEHIND,
  { name: "two replicas, behind first", lag, replicas: "behind first" },
  { name: "two replicas, fresh first", lag, replicas: "fresh first" },
];
const LISTED = [FRESH, BEHIND];
const SOME = [...LISTED, NO_LISTS];
const EVERY = [...LAGS, NO_LISTS];
const NOT_UNIQUE = SOME.map(
  (service): Service => ({
    ...service,
    name: `${service.name}, two of a name`,
    uniqueNames: false,
  }),
);

type Told = Readonly<Record<string, unknown>>;
const TOLD: Readonly<Record<string, (metadata: Told) => Told>> = {
  "in lower case": ({ url, ...rest }) => ({ ...rest, url: String(url).toLowerCase() }),
  "with a slash": ({ url, ...rest }) => ({ ...rest, url: String(new URL(String(url))) }),
  masked: ({ headers, ...rest }) => ({
    ...rest,
    ...(headers ? { headers: { "X-A": "***" } } : {}),
  }),
  "without headers": ({ headers, ...rest }) => rest,
  reversed: (metadata) => Object.fromEntries(Object.entries(metadata).reverse()),
};
/** Those that tell otherwise what they were sent. */
const NORMALISING = LISTED.flatMap((service) =>
  Object.entries(TOLD).map(
    ([what, tell]): Service => ({
      ...service,
      name: `${service.name}, ${what}`,
      shows: ({ metadata, ...rest }) =>
        metadata === undefined ? rest : { ...rest, metadata: tell(metadata as Told) },
    }),
  ),
);

const HIDING = LISTED.map(
  (service): Service => ({
    ...service,
    name: `${service.name}, the ends of routes hidden`,
    shows: ({ topicId, destinationId, ...rest }) => rest,
  }),
);

const LOST = [
  ...["now page", "never page", "now 404", "now 500", "never 500"],
  ...["now reset", "never reset", "late reset"],
];
const each = <One>(all: readonly One[], texts: (one: One) => Readonly<Record<string, string>>) =>
  Object.assign({}, ...all.map(texts)) as Readonly<Record<string, string>>;

type Rows = readonly [
  group: number,
  services: readonly Service[],
  Readonly<Record<string, string>>,
];

const ROWS: readonly Rows[] = [
  [
    1,
    EVERY,
    {
      "undo, apply at once":
        "apply ONE; wait lag; amp undo; holds NOTHING; apply ONE --prune; holds ONE",
      "all at once: undo, apply, undo, apply":
        "apply ONE; amp undo; apply ONE; amp undo; apply ONE; holds ONE",
      "prune, apply at once":
        "apply TWO; wait lag; apply ONE --prune; holds ONE; apply TWO; wait lag; apply EMPTY --prune --accept takeover; " +
        "holds NOTHING; apply ONE",
      "a topic deleted by command, apply at once":
        "apply TWO; wait lag; amp topics delete <topic/lifecycle> --accept references; apply TWO; holds TWO",
    },
  ],
  [
    1,
    LAGS,
    {
      "a route deleted by command, apply at once":
        "apply ONE; wait lag; amp routes delete <event-route/lifecycle/installation.created>; apply ONE",
    },
  ],
  [
    2,
    SOME,
    each(["", "wait lag; "], (age) => {
      const killed = `apply TWO; ${age}apply ONE --prune ! killed`;
      const what = `prune killed${age && " of older records"}`;
      return {
        [`${what}, and again`]: `${killed}; apply ONE --prune; holds ONE`,
        [`${what}, the file taken back`]: `${killed}; apply TWO; holds TWO`,
        [`${what}, the file taken back, pruning`]: `${killed}; apply TWO --prune; holds TWO`,
        [`${what}, all pruned`]: `${killed}; apply EMPTY --prune --accept takeover; holds NOTHING`,
      };
    }),
  ],
  [
    3,
    SOME,
    each(LOST, (lost) => {
      const first = `apply TWO; wait lag; apply ONE --prune ! DELETE topics/* ${lost}`;
      return {
        [`DELETE ${lost}, prune again`]: `${first}; apply ONE --prune; holds ONE`,
        [`DELETE ${lost}, the file taken back`]: `${first}; apply TWO; holds TWO`,
      };
    }),
  ],
  [
    4,
    EVERY,
    {
      "an update, the file before at once": "apply ONE; wait lag; apply MOVED; apply ONE",
      "an update, and back unknown and late":
        "apply ONE; wait lag; apply MOVED; apply ONE ! PATCH destinations/* late reset; apply ONE",
      "an update unknown and late, and back":
        "apply ONE; wait lag; apply MOVED ! PATCH destinations/* late reset; apply ONE",
      "a rename, and back": "apply ONE; wait lag; apply FROM; apply BACK",
      "undo, apply an update": "apply ONE; wait lag; amp undo; apply MOVED; holds MOVED",
    },
  ],
  [
    4,
    SOME,
    {
      "an update killed, and again": "apply ONE; wait lag; apply MOVED ! killed; apply MOVED",
      "an update killed, and back": "apply ONE; wait lag; apply MOVED ! killed; apply ONE",
      "a rename killed, and again": "apply ONE; wait lag; apply FROM ! killed; apply FROM",
      "a rename killed, the file taken back": "apply ONE; wait lag; apply FROM ! killed; apply ONE",
    },
  ],
  [
    5,
    LISTED,
    {
      "a topic renamed by a person and in the file":
        "apply ONE; person renames topic/lifecycle customers; wait lag; apply RENAMED; holds RENAMED",
      "a topic renamed by a person and in the file that prunes":
        "apply ONE; person renames topic/lifecycle customers; wait lag; apply RENAMED --prune; holds RENAMED",
      "a destination renamed by a person and in the file":
        "apply ONE; person renames destination/ops hook; wait lag; apply HOOK; holds HOOK",
      "a topic renamed by a person is renamed back":
        "apply ONE; person renames topic/lifecycle customers; wait lag; apply ONE; holds ONE",
      "forgotten, then renamed in the file":
        "apply ONE; amp state forget topic/lifecycle; apply FROM = 0,5",
      "renamed, a stranger takes the old name":
        "apply ONE; apply FROM; person makes topic/lifecycle; wait lag; apply FROM",
      "a destination killed, done late, renamed by a person":
        "apply ONE ! POST destinations late kill; wait 1000; person renames destination/ops hook; wait lag; " +
        "apply ONE = 9; amp state resolve destination/ops --id <destination/hook>; apply ONE; holds ONE",
      "a topic killed, done late, renamed by a person":
        "keeps topic/customers; apply ONE ! POST topics late kill; wait 1000; " +
        "person renames topic/lifecycle customers; wait lag; apply ONE",
      "declared by its ID, then pruned":
        "keeps destination/ops; apply ONE; apply BY_ID; apply BY_ID --prune; apply EMPTY --prune --accept takeover",
    },
  ],
  [
    5,
    SOME,
    each(["now", "never", "late"], (done) => ({
      [`a create killed, ${done}, then renamed in the file`]: `apply ONE ! POST topics ${done} kill; apply RENAMED --prune; holds RENAMED`,
      [`a create killed, ${done}, then renamed from`]: `apply ONE ! POST topics ${done} kill; apply FROM --prune; holds FROM`,
    })),
  ],
  [
    6,
    SOME,
    {
      "the owner prunes what another file has, too":
        "apply A; apply B; apply A_EMPTY --prune --accept takeover; apply B; apply B_EMPTY --prune --accept takeover; holds NOTHING",
      "another file prunes what the owner has, too":
        "apply A; apply B_TOO; apply B_EMPTY --prune --accept takeover; holds A; apply A",
      "the owner drops a topic that another file has":
        "apply A; apply B_TOO; apply A_LESS --prune; apply B_TOO; holds B_TOO",
      "another file says otherwise":
        "apply A; apply B_MOVED = 5; apply B_MOVED --accept shared; apply A = 5; apply A_MOVED",
      "a name taken over":
        "apply A; apply A_OTHER --prune = 5; holds A; apply A_OTHER --prune --accept takeover; holds A_OTHER",
      "a nameless file, then the same with a name":
        "apply NAMELESS; apply ONE; apply EMPTY --prune --accept takeover; holds NOTHING",
      "one destination in two files, in one by its ID":
        "apply A; apply B_BY_ID; apply A; apply B_EMPTY --prune --accept takeover; holds A",
    },
  ],
  [
    7,
    SOME,
    {
      "undo killed, and again":
        "apply ONE; wait lag; amp undo r1 ! killed; amp undo r1 = 0,3,5; holds NOTHING",
      "undo killed, then apply": "apply ONE; wait lag; amp undo ! killed; apply ONE; holds ONE",
      "undo of the second run killed, apply of the first":
        "apply ONE; apply TWO; wait lag; amp undo ! killed; apply ONE --prune; holds ONE",
    },
  ],
  [7, [FRESH], { "undo of more than the history keeps": "apply MANY; amp undo = 0,3,5,9" }],
  [
    8,
    NORMALISING,
    {
      "applied twice": "apply HEADERS; apply HEADERS",
      "changed, applied twice": "apply HEADERS; apply HEADERS_2; apply HEADERS_2",
      "an unknown update": "apply HEADERS; apply HEADERS_2 ! PATCH * never reset; apply HEADERS_2",
      // Where no list shows the headers, nobody can tell that the record is amp's own.
      "an unknown create":
        "keeps destination/ops; apply HEADERS ! POST destinations now reset; apply HEADERS = 0,5; " +
        "apply HEADERS --accept adopt",
    },
  ],
  [
    8,
    HIDING,
    { "routes by their ends as sent": "apply ONE; apply TWO; apply ONE --prune; holds ONE" },
  ],
  [
    9,
    // Where it is not listed before, nothing tells it from amp's own: it is taken, and pruned.
    [FRESH],
    {
      "a person made the same just before; the answer is lost":
        "person makes topic/lifecycle; apply ONE ! POST topics never reset; apply ONE",
    },
  ],
  [
    9,
    // A 429 is taken at its word, once the lists do not show what was sent: a service that says it after
    // the commit, and lists late or has two of a name, gets it twice.
    [FRESH, ...NOT_UNIQUE.slice(0, 1)],
    each(
      ["destinations", "topics", "notification-event-topic-routes", "topic-destination-routes"],
      (path) => ({
        [`429 after POST ${path}`]: `apply ONE ! POST ${path} now 429; apply ONE; holds ONE`,
      }),
    ),
  ],
  [
    9,
    LISTED,
    {
      "PATCH of what a person has just deleted":
        "apply ONE; apply MOVED ! PATCH * person removes destination/ops; wait lag; apply MOVED = 5; " +
        "apply MOVED --accept recreate; holds MOVED",
      "a person makes the same between plan and apply":
        "apply ONE ! POST topics person makes topic/lifecycle; wait lag; apply ONE",
      "a person deletes what a route needs between plan and apply":
        "apply ONE ! POST topic-destination-routes person removes destination/ops; wait lag; " +
        "apply ONE = 5; apply ONE --accept recreate; holds ONE",
      "a person deletes a topic; recreated; pruned":
        "apply ONE; person removes topic/lifecycle; wait lag; apply ONE = 5; " +
        "apply ONE --accept recreate; apply ONE --prune; holds ONE",
      "a person's route on a topic keeps it from prune":
        "keeps topic/lifecycle; apply ONE; person makes event-route/lifecycle/connection.error; wait lag; " +
        "apply EMPTY --prune --accept takeover",
      "a released route that is gone keeps its topic from prune no longer":
        "apply ONE; person makes event-route/lifecycle/connection.error; wait lag; apply BOTH; " +
        "apply ONE --prune; person removes event-route/lifecycle/connection.error; wait lag; " +
        "apply EMPTY --prune --accept takeover; holds NOTHING",
    },
  ],
  [
    10,
    EVERY,
    {
      "a topic made by command, apply at once": "amp topics create lifecycle; apply ONE",
      "a route made by command, apply at once":
        "keeps topic/lifecycle; apply ONE; wait lag; " +
        "amp routes create --topic <topic/lifecycle> --event connection.error; apply BOTH",
    },
  ],
  [
    10,
    LAGS,
    {
      "an update by command, apply at once": `apply ONE; wait lag; amp destinations update <destination/ops> --url ${URLS[1]}; apply ONE`,
    },
  ],
  [
    10,
    SOME,
    {
      "a topic made by command that is killed, apply":
        "amp topics create lifecycle ! killed; apply ONE",
      "a delete by command that is killed, apply":
        "apply TWO; wait lag; amp topics delete <topic/trouble> --accept references ! killed; apply TWO",
    },
  ],
  [
    10,
    SOME.map(
      (service): Service => ({ ...service, name: `${service.name}, no PATCH`, patch: false }),
    ),
    {
      "an update that the service does not have":
        "apply ONE; apply MOVED = 5,6; apply ONE; holds ONE",
    },
  ],
  [
    10,
    SOME.map(
      (service): Service => ({ ...service, name: `${service.name}, no DELETE`, remove: false }),
    ),
    {
      "a delete that the service does not have":
        "apply TWO; apply ONE --prune = 0,6; apply TWO; holds TWO",
    },
  ],
];

/** All of them. To add one: a line with its name and its steps. */
export const SEQUENCES: readonly Sequence[] = ROWS.flatMap(([group, services, texts]) =>
  Object.entries(texts).map(([name, steps]) => ({ group, name, services, steps })),
);
