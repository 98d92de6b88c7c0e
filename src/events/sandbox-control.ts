import { type Api, endpoint } from "../api/operations/endpoint.ts";
import type { Acted } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import { readOwnFile } from "../durable/read-file.ts";
import { isLocalName, isLoopback, sandboxTokenFile } from "../runtime/loopback.ts";
import { eventErrors } from "./errors.ts";

/** Does something to a sandbox: below its origin, beside the service. */
const actOnSandbox = endpoint({
  method: "POST",
  path: "/_sandbox/{act}",
  does: "control the sandbox",
  body: async () => (await import("../api/schemas/shape.ts")).anyObject,
  answer: async () => (await import("../api/schemas/sandbox-event.ts")).acted,
});

/** The data of a sandbox as a seed file. */
export const exportSandbox = endpoint({
  method: "GET",
  path: "/_sandbox/world",
  does: "export the data",
  answer: async () => (await import("../api/schemas/shape.ts")).anyObject,
  reveals: true,
});

type Controlling = Pick<CommandContext, "connect" | "environment" | "settings" | "target">;

/**
 * The control of the sandbox that the settings name, by the token of the
 * environment or the one that it keeps for its user.
 * @throws {UsageError} where the user runs no sandbox there
 */
export async function controlOf(context: Controlling): Promise<Api> {
  const { connect, environment, settings, target } = context;
  const { origin, hostname, port } = new URL(target().baseUrl);
  const path = sandboxTokenFile(environment.stateFolder, port || "80");
  const given = isLocalName(hostname) ? settings.get("sandboxToken")?.value : undefined;
  const token = given ?? (isLoopback(hostname) ? await readOwnFile(path) : undefined);
  if (token === undefined) throw eventErrors.sandbox_not_own(origin);
  const name = "the token of the sandbox";
  return connect({ baseUrl: origin, credential: { kind: "access-token", secret: token, name } });
}

/** Does something to a running sandbox. */
export async function act(
  context: Controlling & Pick<CommandContext, "api" | "dryRun">,
  name: string,
  body: object,
): Promise<Acted> {
  // The requests of a dry run are recorded.
  const api = context.dryRun ? context.api : await controlOf(context);
  return api.call(actOnSandbox, { path: { act: name }, body: { ...body } });
}
