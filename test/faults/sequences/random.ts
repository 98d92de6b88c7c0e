import { numbersOf } from "../cases/kills.ts";
import type { Sequence } from "./all.ts";
import { URLS } from "./files.ts";
import { LAG_MS } from "./service.ts";

/** The group of random sequences. */
export const RANDOM = 11;

/** Parts of steps, of which one is drawn; what is written twice is drawn twice as often. */
const OWN = [
  "ONE",
  "ONE",
  "TWO",
  "BOTH",
  "MOVED",
  "RENAMED",
  "FROM",
  "BACK",
  "HOOK",
  "BY_ID",
  "EMPTY",
];
const OTHERS = [
  "A",
  "A_LESS",
  "A_MOVED",
  "A_EMPTY",
  "B",
  "B_TOO",
  "B_MOVED",
  "B_EMPTY",
  "NAMELESS",
];
const COMMANDS = [
  "undo",
  "undo",
  "topics create lifecycle",
  "topics create customers",
  "topics update <topic/lifecycle> --name customers",
  "topics delete <topic/lifecycle> --accept references",
  "topics delete <topic/trouble> --accept references",
  `destinations create --name ops --type webhook --url ${URLS[0]}`,
  `destinations update <destination/ops> --url ${URLS[1]}`,
  "destinations delete <destination/ops> --accept references",
  "routes create --topic <topic/lifecycle> --event connection.error",
  "routes delete <event-route/lifecycle/installation.created>",
  "routes delete <destination-route/lifecycle/ops>",
  "state forget topic/lifecycle",
  "state forget destination/ops",
];
/** Nothing that cannot be told from what amp makes. */
const MAKERS = [
  "makes destination/ops",
  "makes topic/theirs",
  "makes event-route/lifecycle/read.triggered.done",
];
const PERSONS = [
  ...MAKERS,
  "renames topic/lifecycle customers",
  "renames topic/customers lifecycle",
  "renames destination/ops hook",
  "removes topic/lifecycle",
  "removes destination/ops",
  "removes event-route/lifecycle/installation.created",
  "removes destination-route/lifecycle/ops",
];
const WORDS = ["recreate", "adopt", "shared", "references"];
const WRITES = ["POST", "PATCH", "DELETE"];
const GETS = ["kill", "kill", "reset", "page", "429", "500"];

/** A sequence and a service that a seed draws; equal ones for equal seeds. */
export function randomSequence(seed: number): Sequence {
  const random = numbersOf(seed);
  const one = <Each>(all: readonly Each[]): Each => all[Math.floor(random() * all.length)] as Each;
  const chance = (share: number) => random() < share;
  const lag = () => (chance(0.5) ? LAG_MS : 0);
  const fault = () => {
    if (!chance(0.3)) return "";
    const method = one(WRITES);
    const gets = one(GETS);
    // Nothing has told who said 429 that it is done, if a service means what it says.
    const done = gets === "429" ? "never" : one(["now", "never", "late"]);
    return ` ! ${method} * ${done} ${gets}`;
  };
  const apply = () => {
    const prune = chance(0.4);
    const files = chance(0.6) ? OWN : OTHERS;
    const file = one(prune ? files.filter((name) => name !== "NAMELESS") : files);
    const words = WORDS.filter(() => chance(0.3));
    const accept = words.length > 0 ? ` --accept ${words.join(",")}` : "";
    return `apply ${file}${prune ? " --prune" : ""}${accept}${fault()} = any`;
  };
  const step = () => {
    const what = random();
    if (what < 0.55) return apply();
    if (what < 0.75) return `amp ${one(COMMANDS)}${fault()} = any`;
    // Nobody is told of it before lists show it, and without lists never of what is gone.
    if (what < 0.9) return `perhaps ${one(service.lists === false ? MAKERS : PERSONS)}; wait lag`;
    return `wait ${one(["500", "lag", "horizon"])}`;
  };
  const service = {
    lag: { made: lag(), deleted: lag(), values: lag() },
    ...(chance(0.3) ? { replicas: one(["behind first", "fresh first"] as const) } : {}),
    ...(chance(0.3) ? { lists: false as const } : {}),
    ...(chance(0.1) ? { patch: false as const } : {}),
    ...(chance(0.1) ? { remove: false as const } : {}),
    uniqueNames: chance(0.5),
  };
  const steps = Array.from({ length: 4 + Math.floor(random() * 6) }, step);
  const last = one(["ONE", "TWO", "MOVED", "HOOK", "RENAMED"]);
  // A service without updates may say so only when it is asked for one.
  const exits = service.patch === false ? "0,5,6,8" : "0,5,8";
  return {
    group: RANDOM,
    name: `seed ${seed}`,
    services: [{ name: JSON.stringify(service), ...service }],
    steps: [...steps, "wait horizon", `apply ${last} --accept ${WORDS.join(",")} = ${exits}`].join(
      "; ",
    ),
  };
}
