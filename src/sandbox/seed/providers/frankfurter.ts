import type { Provider } from "../../../api/schemas/provider.ts";
import { supports } from "./supports.ts";

/** No authentication, and no field but the required ones: it has not even a display name. */
export const frankfurter: Provider = {
  name: "frankfurter",
  authType: "none",
  baseURL: "https://api.frankfurter.dev",
  defaultModule: "",
  support: supports({ read: true }),
};
