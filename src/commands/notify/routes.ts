import type { GroupRoute, LeafRoute } from "../../cli/define.ts";
import type { CommandPath, GroupPath } from "../../values/command-paths.ts";

/** The groups and commands below `amp notify`. */
export const notifyRoutes = {
  "notify setup": {
    section: "Change",
    summary: "set up the routing of events to a destination",
    load: () => import("./setup.ts"),
  },
  "notify check": {
    section: "Change",
    summary: "check a routing file, or the routing in use",
    load: () => import("./check.ts"),
  },
  "notify plan": {
    section: "Change",
    summary: "show what applying a routing file would change",
    load: () => import("./plan.ts"),
  },
  "notify apply": {
    section: "Change",
    summary: "apply a routing file",
    load: () => import("./apply.ts"),
  },
  "notify state history": {
    summary: "list the runs that changed resources",
    load: () => import("./state/history.ts"),
  },
  "notify undo": {
    section: "Change",
    summary: "delete what a run created",
    load: () => import("./undo.ts"),
  },
  "notify export": {
    section: "Change",
    summary: "write the existing routing as a routing file",
    load: () => import("./export.ts"),
  },
  "notify graph": {
    section: "Look",
    summary: "show which events reach which destinations",
    load: () => import("./graph.ts"),
  },
  "notify test": {
    section: "Look",
    summary: "test a routing file with sample events and receivers",
    load: () => import("./test.ts"),
  },
  "notify schema": {
    section: "Look",
    summary: "print the JSON Schema of the routing file",
    load: () => import("./schema.ts"),
  },
  "notify events": {
    section: "Look",
    summary: "list the event types and what triggers them",
    load: () => import("./events.ts"),
  },
  "notify destinations": {
    section: "Single resources",
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
  "notify topics": {
    section: "Single resources",
    summary: "topics that connect event types to destinations",
    alias: "topic",
  },
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
  "notify routes": {
    section: "Single resources",
    summary: "routes from events to topics, and from topics to destinations",
    alias: "route",
  },
  "notify routes create": {
    summary: "route an event to a topic, or a topic to a destination",
    load: () => import("./routes/create.ts"),
  },
  "notify routes list": {
    summary: "list the routes of a project",
    load: () => import("./routes/list.ts"),
  },
  "notify routes delete": {
    summary: "delete a route",
    load: () => import("./routes/delete.ts"),
  },
  "notify state": {
    section: "State",
    summary: "what amp knows of its resources",
  },
  "notify state list": {
    summary: "list the resources in the state",
    load: () => import("./state/list.ts"),
  },
  "notify state import": {
    summary: "add an existing resource to the state",
    load: () => import("./state/import.ts"),
  },
  "notify state resolve": {
    summary: "resolve an unknown outcome manually",
    load: () => import("./state/resolve.ts"),
  },
  "notify state forget": {
    summary: "remove a resource from the state",
    load: () => import("./state/forget.ts"),
  },
  "notify state unlock": {
    summary: "remove the lock of a run that no longer exists",
    load: () => import("./state/unlock.ts"),
  },
  "notify state pull": {
    summary: "print the saved state",
    load: () => import("./state/pull.ts"),
  },
  "notify state push": {
    summary: "save a previously pulled state",
    load: () => import("./state/push.ts"),
  },
} satisfies Partial<Record<CommandPath, LeafRoute> & Record<GroupPath, GroupRoute>>;
