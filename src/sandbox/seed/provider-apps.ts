import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import { daysBefore } from "./epoch.ts";
import { PROJECT } from "./scopes.ts";

/** OAuth clients: one with every field, one with the required ones only. */
export const providerApps: World["providerApps"] = [
  {
    id: shortId("providerApps", "hubspot"),
    projectId: PROJECT.main,
    externalRef: "1824471",
    provider: "hubspot",
    clientId: "sandbox-client-hubspot",
    scopes: ["crm.objects.contacts.read", "crm.objects.companies.read", "oauth"],
    metadata: {
      authQueryParams: { optional_scope: ["crm.objects.deals.read", "tickets"] },
      providerParams: { accountRegion: "eu1" },
    },
    createTime: daysBefore(398),
    updateTime: daysBefore(31),
  },
  {
    id: shortId("providerApps", "hubspot", "trial"),
    projectId: PROJECT.main,
    provider: "hubspot",
    clientId: "sandbox-client-hubspot-trial",
    createTime: daysBefore(12),
  },
  {
    id: shortId("providerApps", "ghost"),
    projectId: PROJECT.main,
    externalRef: "ghost-admin",
    provider: "ghost",
    clientId: "sandbox-client-ghost",
    scopes: [],
    createTime: daysBefore(90),
  },
  {
    id: shortId("providerApps", "hubspot", "staging"),
    projectId: PROJECT.second,
    provider: "hubspot",
    clientId: "sandbox-client-hubspot-staging",
    scopes: ["oauth"],
    createTime: daysBefore(150),
  },
];
