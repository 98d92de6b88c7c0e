import type { GroupRoute, LeafRoute, Routes } from "../cli/define.ts";
import type { CommandPath, GroupPath } from "../values/command-paths.ts";

/**
 * Groups and commands by path, in the order of help. The compiler compares the paths with the table
 * of targets: each command is in both.
 */
export const routes: Routes = {
  projects: {
    summary: "projects that the credential has access to",
    section: "Inspect",
    alias: "project",
  },
  "projects list": { summary: "list the projects", load: () => import("./projects/list.ts") },
  "projects get": { summary: "show one project", load: () => import("./projects/get.ts") },

  integrations: {
    summary: "integrations that a project defines",
    section: "Inspect",
    alias: "integration",
  },
  "integrations list": {
    summary: "list the integrations of a project",
    load: () => import("./integrations/list.ts"),
  },
  "integrations get": {
    summary: "show one integration",
    load: () => import("./integrations/get.ts"),
  },

  apps: { summary: "provider apps of a project", section: "Inspect", alias: "app" },
  "apps list": {
    summary: "list the provider apps of a project",
    load: () => import("./apps/list.ts"),
  },
  "apps get": { summary: "show one provider app in full", load: () => import("./apps/get.ts") },
  "apps lint": {
    summary: "check provider apps against their providers",
    load: () => import("./apps/lint.ts"),
  },

  providers: {
    summary: "providers that integrations can connect to",
    section: "Inspect",
    alias: "provider",
  },
  "providers list": {
    summary: "list the provider catalogue",
    load: () => import("./providers/list.ts"),
  },
  "providers get": {
    summary: "show what a provider requires and supports",
    load: () => import("./providers/get.ts"),
  },
  "providers compare": {
    summary: "show what differs between two providers",
    load: () => import("./providers/compare.ts"),
  },

  installations: {
    summary: "installations of integrations, and their health",
    section: "Inspect",
    alias: "installation",
  },
  "installations list": {
    summary: "list installations and their health",
    load: () => import("./installations/list.ts"),
  },
  "installations get": {
    summary: "show one installation: group, health, connection, reads",
    load: () => import("./installations/get.ts"),
  },
  "installations operations": {
    summary: "list the operations of an installation",
    load: () => import("./installations/operations.ts"),
  },
  "installations logs": {
    summary: "show the log of an operation",
    load: () => import("./installations/logs.ts"),
  },
  "installations pause": {
    summary: "pause reading objects of an installation",
    load: () => import("./installations/pause.ts"),
  },
  "installations resume": {
    summary: "resume reading objects of an installation",
    load: () => import("./installations/resume.ts"),
  },
  "installations summary": {
    summary: "count installations by health, connection and more",
    load: () => import("./installations/summary.ts"),
  },
  "installations diff": {
    summary: "compare two installations, or one with a saved list",
    load: () => import("./installations/diff.ts"),
  },
  "installations wait": {
    summary: "wait until an installation meets conditions",
    load: () => import("./installations/wait.ts"),
  },
  "installations check": {
    summary: "exit 8 if too many installations meet a condition",
    load: () => import("./installations/check.ts"),
  },

  case: {
    summary: "evidence about an installation, to analyse and share",
    section: "Inspect",
    alias: "cases",
  },
  "case create": {
    summary: "find out why an installation fails, and who must act",
    load: () => import("./case/create.ts"),
  },
  "case show": { summary: "show a saved case", load: () => import("./case/show.ts") },
  "case open": {
    summary: "run commands against the recorded responses of a case",
    load: () => import("./case/open.ts"),
  },

  connections: {
    summary: "connections of customers to providers",
    section: "Inspect",
    alias: "connection",
  },
  "connections list": {
    summary: "list the connections of a project",
    load: () => import("./connections/list.ts"),
  },
  "connections get": {
    summary: "show one connection",
    load: () => import("./connections/get.ts"),
  },

  invites: { summary: "invites to an organisation", section: "Inspect", alias: "invite" },
  "invites list": {
    summary: "list the invites of an organisation",
    load: () => import("./invites/list.ts"),
  },
  "invites revoke": { summary: "revoke invites", load: () => import("./invites/revoke.ts") },

  notify: {
    summary: "notification routing: destinations, topics and routes",
    section: "Route notifications",
  },
  "notify setup": {
    section: "Change",
    summary: "set up the routing of events to a destination",
    load: () => import("./notify/setup.ts"),
  },
  "notify check": {
    section: "Change",
    summary: "check a routing file, or the routing in use",
    load: () => import("./notify/check.ts"),
  },
  "notify plan": {
    section: "Change",
    summary: "show what applying a routing file would change",
    load: () => import("./notify/plan.ts"),
  },
  "notify apply": {
    section: "Change",
    summary: "apply a routing file",
    load: () => import("./notify/apply.ts"),
  },
  "notify state history": {
    summary: "list the runs that changed resources",
    load: () => import("./notify/state/history.ts"),
  },
  "notify undo": {
    section: "Change",
    summary: "delete what a run created",
    load: () => import("./notify/undo.ts"),
  },
  "notify export": {
    section: "Change",
    summary: "write the existing routing as a routing file",
    load: () => import("./notify/export.ts"),
  },
  "notify graph": {
    section: "Look",
    summary: "show which events reach which destinations",
    load: () => import("./notify/graph.ts"),
  },
  "notify test": {
    section: "Look",
    summary: "test a routing file with sample events and receivers",
    load: () => import("./notify/test.ts"),
  },
  "notify schema": {
    section: "Look",
    summary: "print the JSON Schema of the routing file",
    load: () => import("./notify/schema.ts"),
  },
  "notify events": {
    section: "Look",
    summary: "list the event types and what triggers them",
    load: () => import("./notify/events.ts"),
  },
  "notify destinations": {
    section: "Single resources",
    summary: "destinations that notifications are delivered to",
    alias: "destination",
  },
  "notify destinations create": {
    summary: "create a destination",
    load: () => import("./notify/destinations/create.ts"),
  },
  "notify destinations list": {
    summary: "list the destinations of a project",
    load: () => import("./notify/destinations/list.ts"),
  },
  "notify destinations get": {
    summary: "show one destination with its topics and reads",
    load: () => import("./notify/destinations/get.ts"),
  },
  "notify destinations update": {
    summary: "update a destination in place",
    load: () => import("./notify/destinations/update.ts"),
  },
  "notify destinations delete": {
    summary: "delete a destination",
    load: () => import("./notify/destinations/delete.ts"),
  },
  "notify destinations secret": {
    summary: "show or rotate the signing secret of a webhook",
    load: () => import("./notify/destinations/secret.ts"),
  },
  "notify topics": {
    section: "Single resources",
    summary: "topics that connect event types to destinations",
    alias: "topic",
  },
  "notify topics create": {
    summary: "create a topic",
    load: () => import("./notify/topics/create.ts"),
  },
  "notify topics list": {
    summary: "list the topics of a project",
    load: () => import("./notify/topics/list.ts"),
  },
  "notify topics get": {
    summary: "show one topic with its events and destinations",
    load: () => import("./notify/topics/get.ts"),
  },
  "notify topics update": {
    summary: "rename a topic",
    load: () => import("./notify/topics/update.ts"),
  },
  "notify topics delete": {
    summary: "delete a topic",
    load: () => import("./notify/topics/delete.ts"),
  },
  "notify routes": {
    section: "Single resources",
    summary: "routes from events to topics, and from topics to destinations",
    alias: "route",
  },
  "notify routes create": {
    summary: "route an event to a topic, or a topic to a destination",
    load: () => import("./notify/routes/create.ts"),
  },
  "notify routes list": {
    summary: "list the routes of a project",
    load: () => import("./notify/routes/list.ts"),
  },
  "notify routes delete": {
    summary: "delete a route",
    load: () => import("./notify/routes/delete.ts"),
  },
  "notify state": {
    section: "State",
    summary: "what amp knows of its resources",
  },
  "notify state list": {
    summary: "list the resources in the state",
    load: () => import("./notify/state/list.ts"),
  },
  "notify state import": {
    summary: "add an existing resource to the state",
    load: () => import("./notify/state/import.ts"),
  },
  "notify state resolve": {
    summary: "resolve an unknown outcome manually",
    load: () => import("./notify/state/resolve.ts"),
  },
  "notify state forget": {
    summary: "remove a resource from the state",
    load: () => import("./notify/state/forget.ts"),
  },
  "notify state unlock": {
    summary: "remove the lock of a run that no longer exists",
    load: () => import("./notify/state/unlock.ts"),
  },
  "notify state pull": {
    summary: "print the saved state",
    load: () => import("./notify/state/pull.ts"),
  },
  "notify state push": {
    summary: "save a previously pulled state",
    load: () => import("./notify/state/push.ts"),
  },

  listen: {
    summary: "receive webhooks on this machine and check their signatures",
    section: "Work locally",
    load: () => import("./listen.ts"),
  },
  webhooks: {
    summary: "test webhook receivers and verify signatures",
    section: "Work locally",
    alias: "webhook",
  },
  "webhooks test": {
    summary: "test a webhook receiver with 20 checks",
    load: () => import("./webhooks/test.ts"),
  },
  "webhooks verify": {
    summary: "verify the signature of a captured request",
    load: () => import("./webhooks/verify.ts"),
  },
  trigger: {
    summary: "trigger an event in a sandbox, or send it to a URL",
    section: "Work locally",
    load: () => import("./trigger.ts"),
  },
  sandbox: {
    summary: "a local copy of the platform for trying and testing",
    section: "Work locally",
  },
  "sandbox start": {
    summary: "run the sandbox until you press Ctrl-C",
    load: () => import("./sandbox/start.ts"),
  },
  "sandbox deliveries": {
    summary: "list the delivery attempts of a sandbox",
    load: () => import("./sandbox/deliveries.ts"),
  },
  "sandbox reset": {
    summary: "bring back the data with which the sandbox started",
    load: () => import("./sandbox/reset.ts"),
  },
  "sandbox forward": {
    summary: "set the clock of the sandbox forward",
    load: () => import("./sandbox/forward.ts"),
  },
  "sandbox fail": {
    summary: "fail the next deliveries",
    load: () => import("./sandbox/fail.ts"),
  },
  "sandbox pause": {
    summary: "pause the deliveries to a destination",
    load: () => import("./sandbox/pause.ts"),
  },
  "sandbox resume": {
    summary: "resume the deliveries to a destination",
    load: () => import("./sandbox/resume.ts"),
  },
  "sandbox export": {
    summary: "export the data of the sandbox as a seed file",
    load: () => import("./sandbox/export.ts"),
  },

  auth: { summary: "log in and manage profiles", section: "Account and tools" },
  "auth login": {
    summary: "save a credential as a profile",
    load: () => import("./auth/login.ts"),
  },
  "auth logout": {
    summary: "delete a profile and its credential",
    load: () => import("./auth/logout.ts"),
  },
  "auth list": { summary: "list the profiles", load: () => import("./auth/list.ts") },
  "auth switch": { summary: "set the active profile", load: () => import("./auth/switch.ts") },
  "auth rename": { summary: "rename a profile", load: () => import("./auth/rename.ts") },
  "auth default": {
    summary: "show and set the defaults of a profile",
    load: () => import("./auth/default.ts"),
  },
  "auth protect": {
    summary: "guard a profile against unintended writes",
    load: () => import("./auth/protect.ts"),
  },
  "auth status": {
    summary: "check the login, the settings and this machine",
    load: () => import("./auth/status.ts"),
  },
  "auth token": {
    summary: "print the credential of a profile",
    load: () => import("./auth/token.ts"),
  },
  doctor: {
    summary: "check login, settings and machine; same as amp auth status",
    section: "Account and tools",
    load: () => import("./doctor.ts"),
  },
  trust: {
    summary: "trust a project file to set base URL, profile and state",
    section: "Account and tools",
    load: () => import("./trust.ts"),
  },
  api: {
    summary: "send any request to the service",
    section: "Account and tools",
    load: () => import("./api.ts"),
  },
  explain: {
    summary: "explain a field of a record",
    section: "Account and tools",
    load: () => import("./explain.ts"),
  },
  completion: {
    summary: "generate completion for bash, zsh, fish or PowerShell",
    section: "Account and tools",
    load: () => import("./completion.ts"),
  },
  commands: {
    summary: "list every command with its options",
    section: "Account and tools",
    load: () => import("./commands.ts"),
  },
  version: {
    summary: "show version, build and third-party licences",
    section: "Account and tools",
    load: () => import("./version.ts"),
  },
} satisfies Record<CommandPath, LeafRoute> & Record<GroupPath, GroupRoute>;
