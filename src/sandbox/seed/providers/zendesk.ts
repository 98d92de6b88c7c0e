import type { Provider } from "../../../api/schemas/provider.ts";
import { docs, media, supports } from "./supports.ts";

/** Basic authentication that carries an API key, and a workspace to be asked for. */
export const zendesk: Provider = {
  name: "zendesk",
  displayName: "Zendesk",
  authType: "basic",
  baseURL: "https://{{.workspace}}.zendesk.com",
  defaultModule: "support",
  support: supports({
    read: true,
    write: true,
    subscribe: true,
    subscribeSupport: { create: true, update: true, delete: false, passThrough: true },
  }),
  basicOpts: {
    apiKeyAsBasic: true,
    apiKeyAsBasicOpts: { fieldUsed: "username", keyFormat: "%s/token" },
    docsURL: docs("zendesk/api-token"),
  },
  authHealthCheck: {
    url: "https://{{.workspace}}.zendesk.com/api/v2/users/me.json",
    method: "GET",
    successStatusCodes: [200],
  },
  media: media("zendesk"),
  subscribeRequirements: { registration: false, maintenance: true, postProcess: false },
  modules: {
    support: {
      baseURL: "https://{{.workspace}}.zendesk.com/api/v2",
      displayName: "Zendesk Support",
      support: supports({ read: true, write: true }),
    },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt: "The part of the address before .zendesk.com",
        defaultValue: "",
        docsURL: docs("zendesk/subdomain"),
        moduleDependencies: { support: {} },
      },
    ],
  },
};
