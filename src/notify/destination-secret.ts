import type { AnswerOf } from "../api/operations/endpoint.ts";
import { getDestinationSecrets, rotateDestinationSecret } from "../api/operations/endpoints.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { ShownSecrets } from "../documents/notify.ts";
import { AmpError, isKind, PartialError } from "../errors.ts";
import { confirm } from "../questions/confirm.ts";
import { explainNotFound } from "../questions/find.ts";
import { registerSecret } from "../secrets/secret.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Run, withRun } from "./engine/run.ts";
import type { EnginePorts } from "./engine/types.ts";
import { routingErrors } from "./errors.ts";
import { findResource, searchFor } from "./find-resource.ts";
import { listResources } from "./model/operations.ts";
import type { LiveRecord } from "./model/resource.ts";
import { enginePorts, type SessionContext } from "./session.ts";
import {
  changeEntry,
  entriesOfId,
  type Place,
  placesOfId,
  type StateChange,
} from "./state/change.ts";
import { openState, readState, type StateOptions } from "./state/open-backend.ts";

type SecretContext = SessionContext &
  Pick<CommandContext, "dryRun" | "interactive" | "prompt" | "yes">;

/** The advice for receivers during a rotation; the service does not say how long it lasts. */
const BOTH_SECRETS =
  "Receivers need both secrets for a while: during the rotation, messages are signed with the old and the new secret. The service does not report how long it lasts.";

/** Shows the secrets of a destination. */
export async function showSecrets(
  context: SecretContext,
  wanted: string,
  options: StateOptions,
): Promise<ShownSecrets> {
  const { api, project, report } = context;
  const { id, name } = await findDestination(context, wanted);
  const path = { projectIdOrName: project, name };
  const shown = await explainNotFound(
    { suggestion: suggest("notify destinations list") },
    api.call(getDestinationSecrets, { path, query: { includeSecrets: "true" } }),
  );
  const opened = await openState(context, options);
  const { state } = (await readState(opened)) ?? {};
  const entries = state ? entriesOfId(state, "destination", shown.id) : [];
  const since = entries.map(({ rotating }) => rotating).find(Boolean);
  if (since !== undefined) {
    report.warn(
      `The outcome of the rotation started at ${since} was unknown. This is the current secret.`,
    );
    await settleRotation(enginePorts(opened, context, options), shown.id);
  }
  return revealed(shown, { id, name, rotated: false });
}

/**
 * Makes a new signing secret, once that is confirmed.
 * @throws {PartialError} where it may have taken effect: the request is never sent again
 */
export async function rotateSecrets(
  context: SecretContext,
  wanted: string,
  options: StateOptions,
): Promise<ShownSecrets> {
  const destination = await findDestination(context, wanted);
  const { id, name } = destination;
  if (destination.type && destination.type !== "webhook") {
    throw routingErrors.secret_of_webhooks_only(name, destination.type);
  }
  const again = suggest("notify destinations secret", [name]);
  if (context.dryRun) {
    await sendRotation(context, name);
    return { id, name, rotated: false, secrets: {} };
  }
  await confirm(context, {
    message: `Rotate the signing secret of ${name}?`,
    needed: "The rotation needs confirmation",
    done: "Nothing was sent.",
    show: () => context.report.warn(BOTH_SECRETS),
  });
  const ports = enginePorts(await openState(context, options), context, options);
  let isSent = false;
  try {
    const rotated = await rotateSecret(ports, { id, name }, () => {
      isSent = true;
    });
    // The user has seen it at the prompt.
    if (context.yes) context.report.warn(BOTH_SECRETS);
    const shown = revealed(rotated, { id, name, rotated: true });
    if (Object.keys(shown.secrets).length > 0) return shown;
    throw routingErrors.secret_not_returned(again);
  } catch (error) {
    const isOpen = error instanceof PartialError || context.signal.aborted;
    if (!(error instanceof AmpError) || !isOpen || error.facts.suggestion) throw error;
    if (!isSent) throw error.setFacts({ done: "Nothing was sent." });
    throw error.setFacts({
      done: "The secret may have been rotated. The request was not sent again.",
      remedy: "Read the secret: if it differs from the receivers' secret, it was rotated.",
      suggestion: again,
    });
  }
}

/** The destination that a text means; where the service has no list, the text is its name. */
async function findDestination(
  context: SecretContext,
  wanted: string,
): Promise<Pick<LiveRecord, "id" | "type"> & { readonly name: string }> {
  try {
    const all = await listResources(context, "destination");
    const search = {
      ...searchFor("destination"),
      again: (name: string) => suggest("notify destinations secret", [name]),
      exact: true,
    };
    const found = await findResource("destination", wanted, { destination: all }, search, context);
    const { id, name, type } = found;
    const same = all.filter((one) => one.name === name);
    if (name && same.length === 1) return { id, name, type };
    throw routingErrors.secret_name_not_unique(id, name, same.length);
  } catch (error) {
    if (!isKind(error, "operation_missing")) throw error;
    return { id: "", name: wanted, type: undefined };
  }
}

function revealed(
  { id, name, secrets }: DestinationSecrets,
  { rotated, ...known }: Pick<ShownSecrets, "id" | "name" | "rotated">,
): ShownSecrets {
  for (const value of Object.values(secrets ?? {})) {
    // No message of this run may repeat it.
    if (typeof value === "string") registerSecret(value);
  }
  if (known.id !== "" && id !== known.id) throw routingErrors.secret_of_another_destination(id);
  return { id, name: name ?? known.name, rotated, secrets: secrets ?? {} };
}

type DestinationSecrets = AnswerOf<typeof rotateDestinationSecret>;

/** The path takes the name of the destination; the state knows its ID. */
function sendRotation(
  { api, project }: Pick<SecretContext, "api" | "project">,
  name: string,
): Promise<DestinationSecrets> {
  const path = { projectIdOrName: project, name };
  const query = { includeSecrets: "true", rotate: "true" };
  return api.call(rotateDestinationSecret, { path, query });
}

/**
 * Makes a new signing secret. That the rotation begins is saved in every entry of the state that
 * has the ID, before it is sent; it is sent once, and never repeated.
 * @param onSend called once nothing but the request is left to do
 * @throws {PartialError} where it may have taken effect
 */
function rotateSecret(
  ports: EnginePorts,
  { id, name }: Pick<ShownSecrets, "id" | "name">,
  onSend: () => void,
): Promise<DestinationSecrets> {
  return withRun(ports, "person", async (run) => {
    const { manager, locked } = run;
    const places = placesOfId(manager.state, "destination", id);
    await locked.check();
    await ports.assertMayWrite?.();
    await manager.prepare(rotating(places, ports.now().toISOString()));
    // The new secret is worth more than the mark, which the next read takes away.
    const settled = () => manager.note(rotating(places)).catch(() => {});
    try {
      onSend();
      const rotated = await sendRotation(ports, name);
      await settled();
      return rotated;
    } catch (error) {
      if (!(error instanceof AmpError)) throw error;
      const isOpen = error instanceof PartialError || ports.signal.aborted;
      if (!isOpen) await settled();
      throw error;
    }
  });
}

function settleRotation(ports: EnginePorts, id: string): Promise<void> {
  return withRun(ports, "person", ({ manager }: Run) =>
    manager.note(rotating(placesOfId(manager.state, "destination", id))),
  );
}

/** Notes in entries when a rotation began, or that its outcome is known. */
function rotating(places: readonly Place[], since?: string): StateChange {
  return (state) =>
    places.flatMap((place) =>
      changeEntry(place, ({ rotating: _, ...entry }) =>
        since === undefined ? entry : { ...entry, rotating: since },
      )(state),
    );
}
