import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { type Outcome, type RunInput, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** A destination, a topic, two event routes and a destination route. */
export const ROUTING = `version: 1
name: routing
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  lifecycle:
    events: [installation.created, connection.error]
    destinations: [ops]
`;

/** {@link ROUTING} under another name, in another file. */
export const named = (name: string, text = ROUTING) =>
  text.replace("name: routing", `name: ${name}`);

/** What {@link ROUTING} consists of, in the order in which it is made. */
export const ADDRESSES = [
  "destination/ops",
  "topic/lifecycle",
  "event-route/lifecycle/connection.error",
  "event-route/lifecycle/installation.created",
  "destination-route/lifecycle/ops",
] as const;

/** A folder with a routing file, and a service; each call of amp is another process's. */
export interface Place {
  readonly cwd: string;
  readonly sandbox: Sandbox;
  /** `amp notify …` */
  notify(words: string, world?: RunInput): Promise<Outcome>;
  write(file: string, text: string): void;
  read(file: string): string;
  has(file: string): boolean;
}

/** Such a place; in it `routing.yaml` holds {@link ROUTING}. */
export function placeWith(sandbox: Sandbox = sandboxAt()): Place {
  const cwd = temporaryFolder();
  const path = (file: string) => join(cwd, file);
  const place: Place = {
    cwd,
    sandbox,
    notify: (words, world = {}) => run(["notify", ...words.split(" ")], { cwd, sandbox, ...world }),
    write: (file, text) => writeFileSync(path(file), text),
    read: (file) => readFileSync(path(file), "utf8"),
    has: (file) => existsSync(path(file)),
  };
  place.write("routing.yaml", ROUTING);
  return place;
}

/** A service whose lists of routes show none yet: a command then creates a second one. */
export function listingNoRoutes(sandbox: Sandbox): Pick<RunInput, "fetch"> {
  return {
    fetch: async (request) =>
      request.method === "GET" && request.url.includes("-routes")
        ? Response.json([])
        : sandbox.fetch(request),
  };
}

/**
 * A later run: each answer of its service comes after its commit horizon, of one millisecond, so that
 * the lists are newer than what earlier runs did.
 */
export function later(fetch: Sandbox["fetch"]): Pick<RunInput, "env" | "fetch"> {
  return {
    env: { AMP_COMMIT_HORIZON: "1ms" },
    fetch: async (request) => {
      await delay(5);
      return fetch(request);
    },
  };
}

/** What was sent that changes something, by the last part of its path. */
export function writesOf({ requests }: Outcome): string[] {
  return requests
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path.split("/").slice(3).join("/")}`);
}
