/** The JSON of notify setup, plan, apply and what edits the state. */

import * as z from "zod";
import type { Address } from "../notify/model/address.ts";
import { RESOURCE_ORDER } from "../notify/model/resource.ts";
import {
  ACTIONS,
  type ActionWord,
  KEEP_REASONS,
  OUTCOMES,
  type OutcomeWord,
  REASONS,
} from "../notify/plan/vocabulary.ts";
import { commandLine, type DocumentOf, fileRun, maybe, string, strings, words } from "./parts.ts";

const ACTION_WORDS = Object.keys(ACTIONS) as ActionWord[];
const OUTCOME_WORDS = Object.keys(OUTCOMES) as OutcomeWord[];

/** The words of plans and receipts. */
export const WORDS = {
  action: ACTION_WORDS,
  reason: Object.keys(REASONS),
  outcome: OUTCOME_WORDS,
  kept: Object.keys(KEEP_REASONS),
};

const addressText: z.ZodType<Address> = z.templateLiteral([
  z.enum(RESOURCE_ORDER),
  "/",
  z.string().min(1),
]);
const address = addressText.describe("stable name of a resource, for example `topic/lifecycle`");
const kind = z.enum(RESOURCE_ORDER).describe("kind of the resource");
const id = string("ID of the resource at the service");

/** Which resource is meant, in documents. */
export const RESOURCE_FIELDS = { address, kind, id } as const;

const ids = strings("all IDs that match, if there are several");

const difference = z.strictObject({
  field: string("dotted path of the field, for example `metadata.url`"),
  wanted: maybe(
    z
      .unknown()
      .describe(
        "value in the routing file; secrets are redacted; absent if only the state was compared",
      ),
  ),
  found: maybe(z.unknown().describe("value at the service; absent if it has none")),
});

/** A field that differs from the routing. */
export type Difference = DocumentOf<typeof difference>;

const differences = z
  .array(difference)
  .describe("fields that differ; empty if the difference is in something that the service hides");

const duplicate = z.strictObject({ address, ids });

/** A resource that the service has several times. */
export type Duplicate = DocumentOf<typeof duplicate>;

const duplicates = z.array(duplicate).describe("resources that the service has several times");
const lists = z.boolean().describe("whether the service lists what exists");
const warnings = strings("warnings about the routing, as sentences");

const planItem = z.strictObject({
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
    differences.describe(
      "fields, not sent again, that the service does not show as they were sent",
    ),
  ),
  owners: maybe(
    strings("names of the other files that declare it; of a release the one that owns it now"),
  ),
  elsewhere: maybe(
    address.describe(
      "other address with the same ID, or of a route its topic or destination in conflict",
    ),
  ),
  uses: maybe(strings("reads that name it, as lines of text")),
  listed: maybe(
    z
      .strictObject({ name: maybe(z.unknown()), type: maybe(z.unknown()) })
      .describe("what the service lists under the ID of a resource to delete"),
  ),
});

/** An item of a plan: without the resource, which may hold secrets. */
export type ItemDocument = DocumentOf<typeof planItem> & { readonly resource?: never };

/** Who made a resource. */
export const madeBy = words("who made it", {
  amp: "amp created it",
  found: "it was adopted or imported, or is not provably amp's; never pruned",
});

const foundResource = z.strictObject({ address, id });

/** A resource that exists. */
export type FoundResource = DocumentOf<typeof foundResource>;

const removedResource = z.strictObject({
  address,
  id,
  made: madeBy,
  alsoIn: maybe(strings("other files that declare it; `--prune` hands it over to the first")),
});

/** A resource that exists although its routing no longer contains it, because nothing is pruned. */
export type RemovedResource = DocumentOf<typeof removedResource>;

const removedFromFile = z
  .array(removedResource)
  .describe(
    "resources of this file that it no longer declares; they still exist, and `--prune` deletes those that amp created and no other file declares",
  );

const keptResource = z.strictObject({
  address,
  id,
  reason: words("why", KEEP_REASONS),
  routes: strings("IDs of the routes that use it"),
  listedName: maybe(string("name under which the service lists its ID")),
});

/** A resource that the routing no longer names, and that stays although it is pruned. */
export type KeptResource = DocumentOf<typeof keptResource>;

const kept = z
  .array(keptResource)
  .describe("resources that the file no longer declares, and that `--prune` keeps");

const unmanaged = z
  .array(foundResource)
  .describe("routes from topics of the routing that neither it nor the state has; they stay");

const sharedTopic = z.strictObject({
  topic: string("name of the topic"),
  owners: strings("names of the other routings that declare routes at it; none if it is this one"),
  alsoReceive: z
    .array(
      z.strictObject({
        destinations: strings("names of the destinations"),
        events: strings("event types that they receive because both route the topic"),
      }),
    )
    .describe("who receives what beyond the new routes"),
});

/** A topic that others route, too, with who receives more. */
export type SharedTopic = DocumentOf<typeof sharedTopic>;

const sharedTopics = z
  .array(sharedTopic)
  .describe("topics with new routes that other files or setups declare, too");

const planTarget = z.strictObject({
  project: string("name or ID of the project, as it was given"),
  baseUrl: string("base URL of the service"),
  projectFrom: string(
    "what chose the project: `--project`, a variable, a profile or a `.amp.yaml`",
  ),
});

/** The project that a plan is for. */
export type PlanTarget = DocumentOf<typeof planTarget>;

const secretUse = z.strictObject({
  reference: string("`env:NAME` or `file:PATH`"),
  secret: string("secret or field that it is for, by the name of the service"),
  destination: string("name of the destination"),
  deliversTo: strings("hosts, or names of streams, that the destination delivers to"),
  sent: z.boolean().describe("whether applying sends it"),
});

/** A secret that a routing refers to, and where applying the routing sends it. */
export type SecretUse = DocumentOf<typeof secretUse>;

const otherResource = z.strictObject({
  address,
  id,
  owners: strings("names of the files that declare it"),
});

const planFields = {
  pending: z
    .boolean()
    .describe("whether applying would change something, be refused, or look up an outcome"),
  prune: z.boolean().describe("whether it was made with --prune"),
  accept: strings("words of --accept with which it was made"),
  target: maybe(planTarget.describe("what it is a plan for; only from `plan`")),
  all: maybe(z.boolean().describe("whether it was made with --all")),
  lists,
  counts: z
    .record(z.enum(ACTION_WORDS), z.int().min(0))
    .describe("number of items for each action"),
  items: z.array(planItem).describe("what applying does, one item for each resource"),
  secrets: z.array(secretUse).describe("secrets that the routing reads, and who receives them"),
  kept,
  others: z.array(otherResource).describe("resources in the state that do not belong to this file"),
  removedFromFile,
  duplicates,
  unmanaged,
  sharedTopics,
  renamed: z.array(address).describe("resources whose rename is complete: remove `renamed-from`"),
  warnings,
};

const resourceOutcome = z.strictObject({
  address,
  kind,
  outcome: words("outcome", OUTCOMES),
  earlier: maybe(z.literal(true).describe("created by an earlier attempt, and found now")),
  created: maybe(z.literal(true).describe("it was created, and its ID is unknown")),
  id: maybe(id),
  differences: maybe(
    differences.describe(
      "values that the service answered a write with, or lists, and that were not sent",
    ),
  ),
  others: maybe(
    z
      .array(foundResource)
      .describe(
        "new ones of its name with other values, or new topics of another name: it may have become one of them",
      ),
  ),
  requestId: maybe(string("request ID of the service")),
  ms: maybe(z.number().describe("time that it took, in milliseconds; absent for a delete")),
  sent: z.boolean().describe("whether this run sent a request that changes it"),
});

/** The outcome of a resource in a run. */
export type OutcomeDocument = DocumentOf<typeof resourceOutcome>;

const waited = z.strictObject({ address, why: string("what was waited for") });

/** A wait for the service, or for its list. */
export type Waited = DocumentOf<typeof waited>;

const receiptFields = {
  counts: z
    .record(z.enum(OUTCOME_WORDS), z.int().min(0))
    .describe("number of resources for each outcome"),
  settled: z
    .array(resourceOutcome)
    .describe("outcome of each resource; deleted resources are last"),
  duplicates,
  verified: z.boolean().describe("whether amp checked for duplicates at the end"),
  lists,
  kept,
  removedFromFile: maybe(removedFromFile),
  unmanaged: maybe(unmanaged),
  sharedTopics: maybe(sharedTopics),
  waited: maybe(z.array(waited).describe("resources that were waited for")),
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
  command: maybe(commandLine("the non-interactive command")),
  variables: maybe(strings("environment variables that this command needs")),
  savedTo: maybe(string("path of the routing file that was saved")),
  applyCommand: maybe(commandLine("the command that applies this file")),
  listenCommand: maybe(
    commandLine(
      "the command that receives events, where a sandbox does not deliver to the webhook",
    ),
  ),
  triggerCommand: maybe(commandLine("the command that sends a first event")),
  secretCommand: maybe(commandLine("the command that prints the signing secret of a new webhook")),
};

const plan = z.strictObject(planFields);
const receipt = z.strictObject(receiptFields);

/** A plan as JSON output and its page have it. */
export type PlanDocument = DocumentOf<typeof plan>;

const plans = z.strictObject({
  files: z
    .array(z.strictObject({ ...fileRun, plan: maybe(plan) }))
    .describe("several `-f`: each file with its plan, in their order"),
});

/** The plans of several files. */
export type PlansDocument = DocumentOf<typeof plans>;

/** A receipt in JSON. */
export type ReceiptJson = DocumentOf<typeof receipt>;

const setupCommands = z.strictObject(setupFields);

/** What to type after a setup. */
export type SetupCommands = DocumentOf<typeof setupCommands>;

const setupPlan = z.strictObject({ ...planFields, ...setupFields });
const setupReceipt = z.strictObject({ ...receiptFields, ...setupFields });

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
          command: commandLine("command that adds it to the state"),
        }),
      )
      .describe("apply: results that could not be saved in the state"),
  ),
  notTried: maybe(z.array(address).describe("apply: resources that were not tried")),
  conflicts: maybe(z.array(planItem).describe("plan, apply: the items in conflict")),
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
  plans,
  receipt,
  setupPlan,
  setupReceipt,
  progress: progressLine,
} as const;

/** Parts of several of them, by name. */
export const ROUTING_PARTS = {
  planItem,
  difference,
  foundResource,
  removedResource,
  keptResource,
  sharedTopic,
  duplicate,
  secretUse,
  resourceOutcome,
} as const;
