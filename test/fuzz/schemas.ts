import * as z from "zod/mini";
import * as endpoints from "../../src/api/operations/endpoints.ts";
import { destinationRoute, eventRoute } from "../../src/api/schemas/notification.ts";
import { provider } from "../../src/api/schemas/provider.ts";

/** The commands that print an answer of the service as it is, and the operation that gives it. */
const PRINTED = {
  "apps list": endpoints.listProviderApps,
  "providers get": endpoints.getProvider,
  "installations list": endpoints.listProjectInstallations,
  "invites list": endpoints.listInvites,
  "notify destinations list": endpoints.listDestinations,
  "notify topics list": endpoints.listTopics,
} as const;

/** What `--json` of a command may print, by its path. */
export async function answerSchemas(): Promise<
  Readonly<Record<string, z.ZodMiniType | undefined>>
> {
  const loaded = Object.entries(PRINTED).map(
    async ([path, { answer }]): Promise<[string, z.ZodMiniType | undefined]> => [
      path,
      await answer?.(),
    ],
  );
  return {
    ...Object.fromEntries(await Promise.all(loaded)),
    // It comes keyed by name, and is printed as a list.
    "providers list": z.array(provider),
    "notify routes list": z.array(z.union([eventRoute, destinationRoute])),
  };
}
