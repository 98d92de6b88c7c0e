import { missing } from "../find.ts";
import { found, type Operation } from "../operation.ts";

/** The catalogue. Reading it needs no credential, and one that is presented is not looked at. */
export const providerOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/providers/{provider}",
    source: "spec",
    credential: "none",
    subsystem: "catalogue",
    handle: ({ catalogue, param }) => {
      const name = param("provider");
      return found(catalogue.get(name) ?? missing("provider", name));
    },
  },
  {
    method: "GET",
    path: "/providers",
    source: "platform",
    credential: "none",
    subsystem: "catalogue",
    handle: ({ catalogue }) => found(Object.fromEntries(catalogue)),
  },
];
