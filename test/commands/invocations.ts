import type { World as SandboxWorld } from "../../src/sandbox/index.ts";
import type { World } from "../harness.ts";

/** One way to call a command so that it succeeds at a fresh sandbox. */
export interface Invocation {
  /** What stands after the command's path. */
  readonly args?: readonly string[] | ((world: SandboxWorld) => readonly string[]);
  readonly world?: () => Pick<World, "stdin" | "signal">;
  /** A profile `mine` is saved before. */
  readonly loggedIn?: true;
  /** Why stdout is no JSON even with --json; absent where it is. */
  readonly noJson?: string;
}

const WEBHOOK = ["--type", "webhook", "--url", "https://hooks.acme.com/amp"];
/** The project of the sandbox that has a routing already. */
const ROUTED = ["--project", "globex-staging"];

const topicOf = ({ topics }: SandboxWorld, name: string) =>
  topics.find((topic) => topic.name === name)?.id ?? "";
const destinationOf = ({ destinations }: SandboxWorld, name: string) =>
  destinations.find((destination) => destination.name === name)?.id ?? "";

/** Every command, by its path: the conventions are tried on each. */
export const INVOCATIONS: Readonly<Record<string, Invocation>> = {
  "apps list": {},
  "apps get": { args: ({ providerApps: [app] }) => [app?.id ?? ""] },
  "providers list": {},
  "providers get": { args: ["hubspot"] },
  "installations list": {},
  "installations get": { args: ({ installations: [installation] }) => [installation?.id ?? ""] },
  "invites list": {},
  "invites revoke": {
    args: ({ invites }) => [invites.find(({ status }) => status === "pending")?.id ?? "", "--yes"],
  },
  "notify setup": {
    args: [
      ...["--destination-name", "ops", "--destination-type", "webhook"],
      ...["--url", "https://hooks.acme.com/amp", "--topic", "lifecycle"],
      ...["--event", "installation.created", "--yes"],
    ],
  },
  "notify events": {},
  "notify destinations create": { args: ["--name", "ops", ...WEBHOOK] },
  "notify destinations list": {},
  "notify topics create": { args: ["--name", "lifecycle"] },
  "notify topics list": {},
  "notify event-routes create": {
    args: (world) => [
      ...[...ROUTED, "--topic-id", topicOf(world, "trouble")],
      ...["--event", "read.backfill.done"],
    ],
  },
  "notify event-routes list": {},
  "notify destination-routes create": {
    args: (world) => [
      ...[...ROUTED, "--topic-id", topicOf(world, "trouble")],
      ...["--destination-id", destinationOf(world, "staging-archive")],
    ],
  },
  "notify destination-routes list": {},
  // It listens until the signal, which has come already.
  "sandbox start": {
    args: ["--port", "0"],
    world: () => ({ signal: AbortSignal.abort("SIGINT") }),
  },
  "auth login": {
    args: [
      ...["--profile", "mine", "--base-url", "http://127.0.0.1:4747/v1"],
      ...["--with-api-key", "-"],
    ],
    world: () => ({ stdin: "sandbox-api-key\n" }),
  },
  "auth logout": { args: ["mine"], loggedIn: true },
  "auth list": {},
  "auth switch": { args: ["mine"], loggedIn: true },
  "auth rename": { args: ["mine", "yours"], loggedIn: true },
  "auth status": {},
  "auth token": {},
  api: { args: ["GET", "/projects/{project}/topics"] },
  completion: { args: ["bash"], noJson: "it prints a script for the shell" },
  commands: {},
};
