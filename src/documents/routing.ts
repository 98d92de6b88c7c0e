/** The JSON of notify setup, plan, apply and what edits the state. */

import * as z from "zod";
import { ACTIONS, KEEP_REASONS, OUTCOMES, REASONS } from "../notify/plan/vocabulary.ts";
import { maybe, string, strings, words } from "./parts.ts";

/** The words of plans and receipts. */
export const WORDS = {
  action: Object.keys(ACTIONS),
  reason: Object.keys(REASONS),
  outcome: Object.keys(OUTCOMES),
  kept: Object.keys(KEEP_REASONS),
};

const KINDS = ["destination", "topic", "event-route", "destination-route"] as const;

const address = z
  .string()
  .regex(new RegExp(`^(${KINDS.join("|")})/.+`, "u"))
  .describe("stable name of a resource, for example `topic/lifecycle`");
const kind = z.enum(KINDS).describe("kind of the resource");
const id = string("ID of the resource at the service");
const ids = strings("all IDs that match, if there are several");

const differences = z
  .array(
    z.strictObject({
      field: string("dotted path of the field, for example `metadata.url`"),
      wanted: maybe(
        z
          .unknown()
          .describe(
            "value in the routing file; secrets are redacted; absent if only the state was compared",
          ),
      ),
      found: maybe(z.unknown().describe("value at the service; absent if it has none")),
    }),
  )
  .describe("fields that differ; empty if the difference is in something that the service hides");

const duplicates = z
  .array(z.strictObject({ address, ids }))
  .describe("resources that the service has several times");
const lists = z.boolean().describe("whether the service lists what exists");
const warnings = strings("warnings about the routing, as sentences");

const item = z.strictObject({
  address,
  kind,
  action: words("what applying does to it", ACTIONS),
  reason: maybe(words("why it is in conflict, unknown or created again", REASONS)),
  id: maybe(id),
  ids: maybe(ids),
  type: maybe(string("type of a destination to create")),
  deliversTo: maybe(
    z.array(string("host that a destination to create delivers to, or the name of its stream")),
  ),
  previousId: maybe(string("ID in the state of a resource that is created again")),
  differences: maybe(differences),
  fields: maybe(strings("paths of the fields that an update sends, such as `metadata.url`")),
  renamedFrom: maybe(address.describe("address of the resource before its new name")),
  keptFields: maybe(
    strings("fields that were removed from the file; their values at the service are kept"),
  ),
  adopts: maybe(z.literal(true).describe("the update also adds the resource to the state")),
  notKept: maybe(
    differences.describe("fields in place that the service does not show as they were sent"),
  ),
  owners: maybe(
    strings("names of the other files that declare it; of a release the one that owns it now"),
  ),
  elsewhere: maybe(address.describe("other address with the same ID")),
  uses: maybe(strings("reads that name it, as lines of text")),
  listed: maybe(
    z
      .strictObject({ name: maybe(z.unknown()), type: maybe(z.unknown()) })
      .describe("what the service lists under the ID of a resource to delete"),
  ),
});

const made = words("who made it", {
  amp: "amp created it",
  found: "it was adopted or imported, or is not provably amp's; never pruned",
});

const removedFromFile = z
  .array(
    z.strictObject({
      address,
      id,
      made,
      alsoIn: maybe(strings("other files that declare it; `--prune` hands it over to the first")),
    }),
  )
  .describe(
    "resources of this file that it no longer declares; they still exist, and `--prune` deletes those that amp created and no other file declares",
  );

const kept = z
  .array(
    z.strictObject({
      address,
      id,
      reason: words("why", KEEP_REASONS),
      routes: strings("IDs of the routes that use it"),
      listedName: maybe(string("name under which the service lists its ID")),
    }),
  )
  .describe("resources that the file no longer declares, and that `--prune` keeps");

const unmanaged = z
  .array(z.strictObject({ address, id }))
  .describe("routes from topics of the routing that neither it nor the state has; they stay");

const sharedTopics = z
  .array(
    z.strictObject({
      topic: string("name of the topic"),
      owners: strings(
        "names of the other routings that declare routes at it; none if it is this one",
      ),
      alsoReceive: z
        .array(
          z.strictObject({
            destinations: strings("names of the destinations"),
            events: strings("event types that they receive because both route the topic"),
          }),
        )
        .describe("who receives what beyond the new routes"),
    }),
  )
  .describe("topics with new routes that other files or setups declare, too");

const planFields = {
  pending: z
    .boolean()
    .describe("whether applying would change something, be refused, or look up an outcome"),
  prune: z.boolean().describe("whether it was made with --prune"),
  accept: strings("words of --accept with which it was made"),
  target: maybe(
    z
      .strictObject({
        project: string("name or ID of the project, as it was given"),
        baseUrl: string("base URL of the service"),
        projectFrom: string(
          "what chose the project: `--project`, a variable, a profile or a `.amp.yaml`",
        ),
      })
      .describe("what it is a plan for; only from `plan`"),
  ),
  all: maybe(z.boolean().describe("whether it was made with --all")),
  lists,
  counts: z
    .record(z.enum(Object.keys(ACTIONS)), z.int().min(0))
    .describe("number of items for each action"),
  items: z.array(item).describe("what applying does, one item for each resource"),
  secrets: z
    .array(
      z.strictObject({
        reference: string("`env:NAME` or `file:PATH`"),
        secret: string("secret or field that it is for, by the name of the service"),
        destination: string("name of the destination"),
        deliversTo: strings("hosts, or names of streams, that the destination delivers to"),
        sent: z.boolean().describe("whether applying sends it"),
      }),
    )
    .describe("secrets that the routing reads, and who receives them"),
  kept,
  others: z
    .array(
      z.strictObject({
        address,
        id,
        owners: strings("names of the files that declare it"),
      }),
    )
    .describe("resources in the state that do not belong to this file"),
  removedFromFile,
  duplicates,
  unmanaged,
  sharedTopics,
  renamed: z.array(address).describe("resources whose rename is complete: remove `renamed-from`"),
  warnings,
};

const outcome = z.strictObject({
  address,
  kind,
  outcome: words("outcome", OUTCOMES),
  earlier: maybe(z.literal(true).describe("created by an earlier attempt, and found now")),
  created: maybe(z.literal(true).describe("it was created, and its ID is unknown")),
  id: maybe(id),
  differences: maybe(
    differences.describe("values that the service answered a create with, and that were not sent"),
  ),
  requestId: maybe(string("request ID of the service")),
  ms: maybe(z.number().describe("time that it took, in milliseconds")),
  sent: z.boolean().describe("whether this run sent a request that changes it"),
});

const receiptFields = {
  kept,
  removedFromFile: maybe(removedFromFile),
  unmanaged: maybe(unmanaged),
  sharedTopics: maybe(sharedTopics),
  counts: z
    .record(z.enum(Object.keys(OUTCOMES)), z.int().min(0))
    .describe("number of resources for each outcome"),
  settled: z.array(outcome).describe("outcome of each resource; deleted resources are last"),
  duplicates,
  verified: z.boolean().describe("whether amp checked for duplicates at the end"),
  lists,
  waited: maybe(
    z
      .array(z.strictObject({ address, why: string("what was waited for") }))
      .describe("resources that were waited for"),
  ),
  notTried: maybe(z.array(address).describe("resources that a run which ended early did not try")),
  state: z
    .strictObject({
      location: string("where the state is saved"),
      lineage: string("ID of the state"),
      serial: z.int().describe("version of the state; it grows with each save"),
    })
    .describe("the saved state"),
  warnings,
};

const setupFields = {
  command: maybe(string("the non-interactive command")),
  variables: maybe(strings("environment variables that this command needs")),
  savedTo: maybe(string("path of the routing file that was saved")),
  applyCommand: maybe(string("the command that applies this file")),
  listenCommand: maybe(
    string("the command that receives events, where a sandbox does not deliver to the webhook"),
  ),
  triggerCommand: maybe(string("the command that sends a first event")),
  secretCommand: maybe(string("the command that prints the signing secret of a new webhook")),
};

const plan = z.strictObject(planFields);
const receipt = z.strictObject(receiptFields);
const setupPlan = z.strictObject({ ...planFields, ...setupFields });
const setupReceipt = z.strictObject({ ...receiptFields, ...setupFields });

const stateEntry = z.strictObject({
  address,
  kind,
  id: maybe(id),
  made,
  owner: string(
    "who may change it: `file:NAME`, `nameless` (a file without name) or `person` (a single command)",
  ),
  alsoIn: maybe(strings("names of the other files that declare it")),
  time: maybe(string("when amp last did something with it, RFC 3339; absent if it only found it")),
  unknown: maybe(
    z
      .enum(["create", "update", "delete", "rotation"])
      .describe("what was begun, and whose outcome is unknown"),
  ),
});

const recordedRun = z.strictObject({
  run: string("ID of the run, for `amp notify undo`"),
  time: string("when it began, RFC 3339"),
  who: maybe(string("user and process, as far as known")),
  command: maybe(string("command line, without secrets")),
  routing: maybe(string("name of the routing")),
  undoes: maybe(string("ID of the run that it undoes")),
  counts: z
    .strictObject({ created: z.int(), updated: z.int(), deleted: z.int() })
    .describe("number of its changes"),
  changes: z
    .array(
      z.strictObject({
        action: z.enum(["created", "updated", "deleted"]),
        address,
        id,
      }),
    )
    .describe("what it changed at the service"),
  complete: z.boolean().describe("whether all its changes are kept; if not, it cannot be undone"),
});

const checked = z
  .boolean()
  .describe("whether the ID was found in the list of the service; false without a list");
const imported = z.strictObject({ address, id, checked });
const resolved = z.strictObject({
  address,
  created: z.boolean().describe("whether the resource exists; false if it was not created"),
  id: maybe(id),
  checked: maybe(checked),
});
const forgotten = z.strictObject({ address });
const unlocked = z.strictObject({ lock: string("ID of the lock that was removed") });
const pushed = z.strictObject({
  lineage: string("ID of the state"),
  serial: z.int().describe("version under which it was saved"),
});
const eventType = z.strictObject({
  name: string("event type"),
  area: string("what it is about"),
  fires: string("what triggers it"),
  source: string("source of the entry"),
  more: maybe(string("further facts")),
});

const settledFacts = z.strictObject({
  address,
  outcome: words("outcome", OUTCOMES),
  earlier: maybe(z.literal(true)),
  id: maybe(id),
  requestId: maybe(string("request ID of the service")),
});

/** What the error of a plan or an apply has beside the fields of every error. */
export const failureFields = {
  settled: maybe(z.array(settledFacts).describe("apply: resources with a known outcome")),
  failed: maybe(
    z
      .array(
        z.strictObject({
          address,
          outcome: z.literal("failed"),
          message: string("why"),
          status: maybe(z.int()),
          requestId: maybe(string("request ID of the service")),
        }),
      )
      .describe("apply: changes that were not made"),
  ),
  unknown: maybe(
    z
      .array(
        z.strictObject({
          address,
          outcome: z.literal("unknown"),
          created: maybe(z.literal(true).describe("it was created, and its ID is unknown")),
          horizon: maybe(
            string(
              "time after which the lists of the service are reliable for it; absent for a delete",
            ),
          ),
          ids: maybe(ids),
          status: maybe(z.int()),
          requestId: maybe(string("request ID of the service")),
          commands: strings("commands that record what you find at the service"),
        }),
      )
      .describe("apply: changes that may have been made"),
  ),
  rescued: maybe(
    z
      .array(
        z.strictObject({
          address,
          id,
          where: maybe(string("file that has it")),
          command: string("command that adds it to the state"),
        }),
      )
      .describe("apply: results that could not be saved in the state"),
  ),
  notTried: maybe(z.array(address).describe("apply: resources that were not tried")),
  conflicts: maybe(z.array(item).describe("plan, apply: the items in conflict")),
  problems: maybe(
    z
      .array(
        z.strictObject({
          line: z.int().describe("line, counted from 1"),
          column: z.int().describe("column, counted from 1"),
          severity: maybe(z.literal("warning").describe("absent for an error")),
          message: string("what is wrong, and how to fix it"),
        }),
      )
      .describe("routing file: all mistakes, in order; at most 100"),
  ),
};

const time = string("time, RFC 3339");
const line = { address, time };

/** The lines of `--progress json` on stderr, beside the error that ends a run. */
const progressLine = z.discriminatedUnion("amp", [
  z.strictObject({
    amp: z.literal("intent").describe("a create or update is about to be sent"),
    ...line,
    key: string("client request ID, sent as X-Request-Id"),
  }),
  z.strictObject({
    amp: z.literal("result").describe("outcome of a create, update or delete"),
    ...line,
    kind,
    outcome: words("outcome", OUTCOMES),
    earlier: maybe(z.literal(true)),
    created: maybe(z.literal(true).describe("it was created, and its ID is unknown")),
    id: maybe(id),
    requestId: maybe(string("request ID of the service")),
  }),
  z.strictObject({
    amp: z.literal("waiting").describe("the run waits, to look or to send again"),
    ...line,
    ms: z.int().describe("longest time that it waits, in milliseconds"),
    why: string("why it waits"),
  }),
  z.strictObject({
    amp: z.literal("rescued").describe("a result could not be saved in the state"),
    ...line,
    id,
    where: maybe(string("file that has it")),
  }),
  z.strictObject({ amp: z.literal("warning"), message: string("the warning") }),
]);

/** These documents, by name. */
export const ROUTING_DOCUMENTS = {
  plan,
  receipt,
  setupPlan,
  setupReceipt,
  stateEntry,
  recordedRun,
  imported,
  resolved,
  forgotten,
  unlocked,
  pushed,
  eventType,
  progress: progressLine,
} as const;
