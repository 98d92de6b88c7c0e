import type { GroupRoute, LeafRoute } from "../../cli/define.ts";
import type { CommandPath, GroupPath } from "../../values/command-paths.ts";

/** The groups and commands below `amp notify`. */
export const notifyRoutes = {
  "notify setup": {
    summary: "set up the routing of events to a destination",
    load: () => import("./setup.ts"),
  },
  "notify validate": {
    summary: "check a routing file offline",
    load: () => import("./validate.ts"),
  },
  "notify plan": {
    summary: "show what applying a routing file would change",
    load: () => import("./plan.ts"),
  },
  "notify apply": { summary: "apply a routing file", load: () => import("./apply.ts") },
  "notify status": {
    summary: "show the status of each resource of the routing",
    load: () => import("./status.ts"),
  },
  "notify history": {
    summary: "list the runs that changed resources",
    load: () => import("./history.ts"),
  },
  "notify undo": {
    summary: "undo the changes of a run",
    load: () => import("./undo.ts"),
  },
  "notify resume": {
    summary: "resolve outcomes that an earlier run left unknown",
    load: () => import("./resume.ts"),
  },
  "notify import": {
    summary: "add an existing resource to the state",
    load: () => import("./import.ts"),
  },
  "notify resolve": {
    summary: "resolve an unknown outcome manually",
    load: () => import("./resolve.ts"),
  },
  "notify forget": {
    summary: "remove a resource from the state",
    load: () => import("./forget.ts"),
  },
  "notify unlock": {
    summary: "remove the lock of a run that no longer exists",
    load: () => import("./unlock.ts"),
  },
  "notify schema": {
    summary: "print the JSON Schema of the routing file",
    load: () => import("./schema.ts"),
  },
  "notify export": {
    summary: "write the existing routing as a routing file",
    load: () => import("./export.ts"),
  },
  "notify graph": {
    summary: "draw which events reach which destinations",
    load: () => import("./graph.ts"),
  },
  "notify trace": {
    summary: "show where an event is delivered",
    load: () => import("./trace.ts"),
  },
  "notify check": {
    summary: "check a routing against rules, for example in CI",
    load: () => import("./check.ts"),
  },
  "notify test": {
    summary: "test a routing file with sample events and receivers",
    load: () => import("./test.ts"),
  },
  "notify state": { summary: "the saved routing state" },
  "notify state pull": {
    summary: "print the saved state",
    load: () => import("./state/pull.ts"),
  },
  "notify state push": {
    summary: "save a previously pulled state",
    load: () => import("./state/push.ts"),
  },
  "notify events": {
    summary: "list the event types and what triggers them",
    load: () => import("./events.ts"),
  },
  "notify destinations": {
    summary: "destinations that notifications are delivered to",
    alias: "destination",
  },
  "notify destinations create": {
    summary: "create a destination",
    load: () => import("./destinations/create.ts"),
  },
  "notify destinations list": {
    summary: "list the destinations of a project",
    load: () => import("./destinations/list.ts"),
  },
  "notify destinations get": {
    summary: "show one destination with its topics and reads",
    load: () => import("./destinations/get.ts"),
  },
  "notify destinations update": {
    summary: "update a destination in place",
    load: () => import("./destinations/update.ts"),
  },
  "notify destinations delete": {
    summary: "delete a destination",
    load: () => import("./destinations/delete.ts"),
  },
  "notify destinations secret": {
    summary: "show or rotate the signing secret of a webhook",
    load: () => import("./destinations/secret.ts"),
  },
  "notify topics": { summary: "topics that connect event types to destinations", alias: "topic" },
  "notify topics create": {
    summary: "create a topic",
    load: () => import("./topics/create.ts"),
  },
  "notify topics list": {
    summary: "list the topics of a project",
    load: () => import("./topics/list.ts"),
  },
  "notify topics get": {
    summary: "show one topic with its events and destinations",
    load: () => import("./topics/get.ts"),
  },
  "notify topics update": {
    summary: "rename a topic",
    load: () => import("./topics/update.ts"),
  },
  "notify topics delete": {
    summary: "delete a topic",
    load: () => import("./topics/delete.ts"),
  },
  "notify event-routes": { summary: "routes from event types to topics", alias: "event-route" },
  "notify event-routes create": {
    summary: "route an event type to a topic",
    load: () => import("./event-routes/create.ts"),
  },
  "notify event-routes list": {
    summary: "list the event routes of a project",
    load: () => import("./event-routes/list.ts"),
  },
  "notify event-routes get": {
    summary: "show one event route",
    load: () => import("./event-routes/get.ts"),
  },
  "notify event-routes delete": {
    summary: "delete an event route",
    load: () => import("./event-routes/delete.ts"),
  },
  "notify destination-routes": {
    summary: "routes from topics to destinations",
    alias: "destination-route",
  },
  "notify destination-routes create": {
    summary: "route a topic to a destination",
    load: () => import("./destination-routes/create.ts"),
  },
  "notify destination-routes list": {
    summary: "list the destination routes of a project",
    load: () => import("./destination-routes/list.ts"),
  },
  "notify destination-routes get": {
    summary: "show one destination route",
    load: () => import("./destination-routes/get.ts"),
  },
  "notify destination-routes delete": {
    summary: "delete a destination route",
    load: () => import("./destination-routes/delete.ts"),
  },
} satisfies Partial<Record<CommandPath, LeafRoute> & Record<GroupPath, GroupRoute>>;
