import type { AnyCommand } from "../cli/define.ts";
import type { CommandPath, GroupPath } from "../values/command-paths.ts";

/** The parts of the root help, in its order. */
export const SECTIONS = ["Inspect", "Route notifications", "Work locally", "Yourself"] as const;

/** A noun that holds commands or further nouns. */
export interface GroupRoute {
  readonly summary: string;
  /** Only for the top level. */
  readonly section?: (typeof SECTIONS)[number];
  /** The singular; accepted, not shown. */
  readonly alias?: string;
}

/** A command; its record is loaded when it is reached. */
export interface LeafRoute extends GroupRoute {
  readonly load: () => Promise<{ readonly default: AnyCommand }>;
}

/**
 * Groups and commands by path, in the order of help. The compiler compares the paths with the
 * table of targets: each command is in both.
 */
const table = {
  apps: { summary: "provider apps of a project", section: "Inspect", alias: "app" },
  "apps list": {
    summary: "list the provider apps of a project",
    load: () => import("./apps/list.ts"),
  },
  "apps get": { summary: "show one provider app whole", load: () => import("./apps/get.ts") },

  providers: { summary: "the provider catalogue", section: "Inspect", alias: "provider" },
  "providers list": { summary: "list the catalogue", load: () => import("./providers/list.ts") },
  "providers get": {
    summary: "show what a provider needs and supports",
    load: () => import("./providers/get.ts"),
  },

  installations: {
    summary: "who has installed an integration, and how it is doing",
    section: "Inspect",
    alias: "installation",
  },
  "installations list": {
    summary: "list the installations of an integration",
    load: () => import("./installations/list.ts"),
  },
  "installations get": {
    summary: "show one installation: group, health, connection, reads",
    load: () => import("./installations/get.ts"),
  },

  invites: { summary: "invites to an organisation", section: "Inspect", alias: "invite" },
  "invites list": {
    summary: "list the invites of an organisation",
    load: () => import("./invites/list.ts"),
  },
  "invites revoke": { summary: "revoke invites", load: () => import("./invites/revoke.ts") },

  notify: {
    summary: "destinations, topics and routes; setup",
    section: "Route notifications",
  },
  "notify setup": {
    summary: "set up routing from events to a destination",
    load: () => import("./notify/setup.ts"),
  },
  "notify plan": {
    summary: "show what applying a routing file would do",
    load: () => import("./notify/plan.ts"),
  },
  "notify apply": {
    summary: "bring about what a routing file says",
    load: () => import("./notify/apply.ts"),
  },
  "notify status": {
    summary: "show how each part of the routing is",
    load: () => import("./notify/status.ts"),
  },
  "notify resume": {
    summary: "settle what an earlier run left open",
    load: () => import("./notify/resume.ts"),
  },
  "notify import": {
    summary: "take in a thing that exists",
    load: () => import("./notify/import.ts"),
  },
  "notify resolve": {
    summary: "end an unknown outcome by what you saw at the service",
    load: () => import("./notify/resolve.ts"),
  },
  "notify forget": {
    summary: "take a thing out of the state",
    load: () => import("./notify/forget.ts"),
  },
  "notify unlock": {
    summary: "remove the lock of a run on a machine that is gone",
    load: () => import("./notify/unlock.ts"),
  },
  "notify schema": {
    summary: "print the JSON Schema of the routing file",
    load: () => import("./notify/schema.ts"),
  },
  "notify export": {
    summary: "write the routing that exists as a routing file",
    load: () => import("./notify/export.ts"),
  },
  "notify state": { summary: "what amp remembers of a routing" },
  "notify state pull": {
    summary: "print the saved state",
    load: () => import("./notify/state/pull.ts"),
  },
  "notify state push": {
    summary: "save a state that was pulled",
    load: () => import("./notify/state/push.ts"),
  },
  "notify events": {
    summary: "list the event types, with what fires them",
    load: () => import("./notify/events.ts"),
  },
  "notify destinations": { summary: "where notifications are delivered", alias: "destination" },
  "notify destinations create": {
    summary: "create a destination",
    load: () => import("./notify/destinations/create.ts"),
  },
  "notify destinations list": {
    summary: "list the destinations of a project",
    load: () => import("./notify/destinations/list.ts"),
  },
  "notify topics": { summary: "what routes meet in", alias: "topic" },
  "notify topics create": {
    summary: "create a topic",
    load: () => import("./notify/topics/create.ts"),
  },
  "notify topics list": {
    summary: "list the topics of a project",
    load: () => import("./notify/topics/list.ts"),
  },
  "notify event-routes": { summary: "routes from an event type to a topic", alias: "event-route" },
  "notify event-routes create": {
    summary: "route an event type to a topic",
    load: () => import("./notify/event-routes/create.ts"),
  },
  "notify event-routes list": {
    summary: "list the routes from event types to topics",
    load: () => import("./notify/event-routes/list.ts"),
  },
  "notify destination-routes": {
    summary: "routes from a topic to a destination",
    alias: "destination-route",
  },
  "notify destination-routes create": {
    summary: "route a topic to a destination",
    load: () => import("./notify/destination-routes/create.ts"),
  },
  "notify destination-routes list": {
    summary: "list the routes from topics to destinations",
    load: () => import("./notify/destination-routes/list.ts"),
  },

  sandbox: {
    summary: "the platform, embedded, for trying and testing",
    section: "Work locally",
  },
  "sandbox start": {
    summary: "serve the platform on this machine until interrupted",
    load: () => import("./sandbox/start.ts"),
  },

  auth: { summary: "log in, switch between profiles", section: "Yourself" },
  "auth login": {
    summary: "save a credential as a profile",
    load: () => import("./auth/login.ts"),
  },
  "auth logout": { summary: "forget a profile", load: () => import("./auth/logout.ts") },
  "auth list": { summary: "list the profiles", load: () => import("./auth/list.ts") },
  "auth switch": { summary: "choose the active profile", load: () => import("./auth/switch.ts") },
  "auth rename": { summary: "rename a profile", load: () => import("./auth/rename.ts") },
  "auth status": {
    summary: "show who amp acts as, and whether the service agrees",
    load: () => import("./auth/status.ts"),
  },
  "auth token": {
    summary: "print a profile's secret, for use elsewhere",
    load: () => import("./auth/token.ts"),
  },
  api: {
    summary: "any request to the service",
    section: "Yourself",
    load: () => import("./api.ts"),
  },
  completion: {
    summary: "completion for bash, zsh, fish and powershell",
    section: "Yourself",
    load: () => import("./completion.ts"),
  },
  commands: {
    summary: "every command with its options, as data",
    section: "Yourself",
    load: () => import("./commands.ts"),
  },
  version: {
    summary: "what this amp is, and the licences of what it embeds",
    section: "Yourself",
    load: () => import("./version.ts"),
  },
} satisfies Record<CommandPath, LeafRoute> & Record<GroupPath, GroupRoute>;

export const routes: Readonly<Record<string, GroupRoute | LeafRoute>> = table;
