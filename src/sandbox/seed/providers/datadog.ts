import type { Provider } from "../../../api/schemas/provider.ts";
import { docs, media, supports } from "./supports.ts";

/** Authentication of the provider's own making: two keys, made into headers. */
export const datadog: Provider = {
  name: "datadog",
  displayName: "Datadog",
  authType: "custom",
  baseURL: "https://api.datadoghq.com",
  defaultModule: "",
  support: supports({ read: true, write: true }),
  customOpts: {
    headers: [
      { name: "DD-API-KEY", valueTemplate: "{{ .apiKey }}" },
      { name: "DD-APPLICATION-KEY", valueTemplate: "{{ .applicationKey }}" },
    ],
    queryParams: [{ name: "site", valueTemplate: "{{ .site }}" }],
    inputs: [
      {
        name: "apiKey",
        displayName: "API key",
        prompt: "Organization settings, API keys",
        docsURL: docs("datadog/keys"),
      },
      { name: "applicationKey", displayName: "Application key", docsURL: docs("datadog/keys") },
      { name: "site", displayName: "Site", prompt: "For example datadoghq.eu" },
    ],
  },
  authHealthCheck: {
    url: "https://api.datadoghq.com/api/v1/validate",
    method: "GET",
    successStatusCodes: [200],
  },
  media: media("datadog"),
};
