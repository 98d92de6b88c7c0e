import type { Provider } from "../../../api/schemas/provider.ts";
import { media, supports } from "./supports.ts";

/** A JWT that is signed with the customer's key. */
export const ghost: Provider = {
  name: "ghost",
  displayName: "Ghost",
  authType: "jwt",
  baseURL: "https://{{.domain}}/ghost/api/admin",
  defaultModule: "",
  support: supports({ read: true, write: true, delete: true }),
  media: media("ghost"),
  labels: { category: "publishing" },
  metadata: { input: [{ name: "domain", displayName: "Domain of the site" }] },
};
