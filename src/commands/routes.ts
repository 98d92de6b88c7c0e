import type { GroupRoute, LeafRoute, Routes } from "../cli/define.ts";
import type { CommandPath, GroupPath } from "../values/command-paths.ts";
import { authRoutes } from "./auth/routes.ts";
import { installationRoutes } from "./installations/routes.ts";
import { notifyRoutes } from "./notify/routes.ts";

/**
 * Groups and commands by path, in the order of help. All groups of `amp --help` stand here; the
 * commands of a large one stand in its folder. The compiler compares the paths with the table of
 * targets: each command is in both.
 */
const table = {
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
  ...installationRoutes,

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
  ...notifyRoutes,

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
  ...authRoutes,
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

export const routes: Routes = table;
