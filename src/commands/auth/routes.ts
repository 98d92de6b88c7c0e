import type { LeafRoute } from "../../cli/define.ts";
import type { CommandPath } from "../../values/command-paths.ts";

/** The commands below `amp auth`. */
export const authRoutes = {
  "auth login": {
    summary: "save a credential as a profile",
    load: () => import("./login.ts"),
  },
  "auth logout": {
    summary: "delete a profile and its credential",
    load: () => import("./logout.ts"),
  },
  "auth list": { summary: "list the profiles", load: () => import("./list.ts") },
  "auth switch": { summary: "set the active profile", load: () => import("./switch.ts") },
  "auth rename": { summary: "rename a profile", load: () => import("./rename.ts") },
  "auth default": {
    summary: "show and set the defaults of a profile",
    load: () => import("./default.ts"),
  },
  "auth protect": {
    summary: "guard a profile against unintended writes",
    load: () => import("./protect.ts"),
  },
  "auth status": {
    summary: "show the active login and check it at the service",
    load: () => import("./status.ts"),
  },
  "auth token": {
    summary: "print the credential of a profile",
    load: () => import("./token.ts"),
  },
} satisfies Partial<Record<CommandPath, LeafRoute>>;
