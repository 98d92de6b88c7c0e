import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type RunInput, run, sandboxAt } from "../../harness.ts";
import { operator, type Script } from "../../scripted-prompter.ts";

/** The question of the review. */
export const CONSENT = "Create these?";

/** All options of a new routing. */
export const NEW = [
  ...["--destination-name", "ops-webhook", "--destination-type", "webhook"],
  ...["--url", "https://hooks.acme.com/amp", "--topic", "customer-lifecycle"],
  ...["--event", "installation.created", "--event", "connection.error"],
];

/** A service without lists; posts are answered in turn. */
export function noLists(
  post: (nth: number) => Response | Promise<Response>,
): NonNullable<RunInput["fetch"]> {
  let posts = 0;
  return async ({ method, url }) => {
    if (method !== "POST") {
      return url.includes("provider-apps") ? Response.json([]) : Response.json({}, { status: 404 });
    }
    posts += 1;
    return post(posts);
  };
}

/** The answer to a create that went well. */
export const made = (nth: number) => Response.json({ id: `id-${nth}` }, { status: 201 });

/** The answers that are kept in a home for a resume. */
export function unfinished(home: string): string[] {
  const folder = join(home, ".local", "state", "amp-admin");
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith(".setup.yaml")).map((name) => join(folder, name));
}

/** Runs `amp notify setup`. */
export const setup = (args: readonly string[], world: RunInput = {}) =>
  run(["notify", "setup", ...args], world);

/** Somebody at the terminal of a sandbox who plays a script. */
export function atSandbox(script: Script, world: RunInput = {}): RunInput {
  return { ...operator(script), sandbox: sandboxAt(), ...world };
}
