import { Secret } from "../secret.ts";
import type { DestinationPart, RoutingModel } from "./model.ts";

/** The same routing with each of its secrets changed. */
export function mapSecrets(model: RoutingModel, change: (secret: Secret) => Secret): RoutingModel {
  const destinations = [...model.destinations].map(([name, part]): [string, DestinationPart] => {
    if (part.kind === "existing") return [name, part];
    const secrets = Object.entries(part.secrets).map(([key, one]) => [key, change(one)]);
    return [name, { ...part, secrets: Object.fromEntries(secrets) }];
  });
  return { ...model, destinations: new Map(destinations) };
}

/** The same routing for a file that stands elsewhere: what `file:` says is relative to its folder. */
export function mapSecretPaths(
  model: RoutingModel,
  change: (path: string) => string,
): RoutingModel {
  return mapSecrets(model, (secret) => {
    const { reference } = secret;
    if (reference?.from !== "file") return secret;
    return new Secret(secret.reveal(), { from: "file", path: change(reference.path) });
  });
}
