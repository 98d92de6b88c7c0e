import type { Configuration } from "./traces.ts";

/** A configuration of a model, and whether what must hold does hold in it. */
export interface Judged extends Configuration {
  readonly about: string;
  readonly holds: boolean;
}

const RESOURCE = { LAG: 2, LATE: 2, HORIZON: 4, LISTS: true, WITHOUT: "" };
const SERVER = { MACHINES: 2, STRICT: true, ORDERED: true, FORCE: true, ENDS: true, WITHOUT: "" };
const FILE = { ...SERVER, STRICT: false, FORCE: false };

const resource = (about: string, holds: boolean, constants: Partial<typeof RESOURCE>): Judged => ({
  ...{ about, holds, model: "resource" },
  constants: { ...RESOURCE, ...constants },
});
const lock = (about: string, holds: boolean, constants: Partial<typeof SERVER>): Judged => ({
  ...{ about, holds, model: "lock" },
  constants: { ...SERVER, ...constants },
});
const owners = (about: string, holds: boolean, without: string): Judged => ({
  ...{ about, holds, model: "owners" },
  constants: { WITHOUT: without },
});

/** A resource as amp decides about it, at a service with lists. */
export const WITH_LISTS: Judged = resource("a resource, with lists", true, {});

/** What holds as it is, and what does not hold once a wait is shorter or a guard is left out. */
export const CONFIGURATIONS: readonly Judged[] = [
  WITH_LISTS,
  resource("a resource, without lists", true, { LISTS: false }),
  resource("a horizon that is one tick shorter", false, { HORIZON: 3 }),
  // Without lists, only the lateness of writes is waited for.
  resource("without lists, one that is shorter than writes are late", false, {
    HORIZON: 1,
    LISTS: false,
  }),
  resource("lists that are one tick later", false, { LAG: 3 }),
  resource("writes that are one tick later", false, { LATE: 3 }),
  resource("the marks of what was deleted are left out", false, { WITHOUT: "marks" }),
  resource("A2 is left out: own acts do not outrank a list", false, { WITHOUT: "young" }),
  resource("N7 is left out: what was found is pruned", false, { WITHOUT: "found" }),
  resource("U1 is left out: an update is settled within the horizon", false, { WITHOUT: "U1" }),
  resource("D3 is left out: a delete is settled within the horizon", false, { WITHOUT: "D3" }),
  resource("what was made before the intent counts as new", false, { WITHOUT: "since" }),
  resource("what no list has shown is not sent again", false, { WITHOUT: "again" }),
  lock("a state server", true, {}),
  lock("a state file", true, FILE),
  lock("a state server that does not compare the ID of a save", false, { STRICT: false }),
  lock("a state server that does an earlier save after a later one", false, {
    MACHINES: 1,
    ENDS: false,
    ORDERED: false,
  }),
  lock("the lock is not checked before a save", false, { WITHOUT: "check" }),
  lock("what others have saved is not compared", false, { WITHOUT: "base" }),
  lock("a create is sent before its intent is saved", false, { WITHOUT: "intent" }),
  owners("owners of resources", true, ""),
  owners("K2 is left out: another file's entry is moved", false, "K2"),
  owners("T3 is left out: another file's settings are changed", false, "T3"),
  owners("N3 is left out: another file's resource is pruned", false, "N3"),
  owners("N6 is left out: what another file declares is pruned", false, "N6"),
  owners("N7 is left out: what was found is pruned", false, "N7"),
];
