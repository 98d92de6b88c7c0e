import type { LeafRoute } from "../../cli/define.ts";
import type { CommandPath } from "../../values/command-paths.ts";

/** The commands below `amp installations`. */
export const installationRoutes = {
  "installations list": {
    summary: "list the installations of an integration",
    load: () => import("./list.ts"),
  },
  "installations get": {
    summary: "show one installation: group, health, connection, reads",
    load: () => import("./get.ts"),
  },
  "installations operations": {
    summary: "list the operations of an installation",
    load: () => import("./operations.ts"),
  },
  "installations logs": {
    summary: "show the log of an operation",
    load: () => import("./logs.ts"),
  },
  "installations pause": {
    summary: "pause reading objects of an installation",
    load: () => import("./pause.ts"),
  },
  "installations resume": {
    summary: "resume reading objects of an installation",
    load: () => import("./resume.ts"),
  },
  "installations summary": {
    summary: "count installations by health, connection and more",
    load: () => import("./summary.ts"),
  },
  "installations diff": {
    summary: "compare two installations, or one with a saved list",
    load: () => import("./diff.ts"),
  },
  "installations wait": {
    summary: "wait until an installation meets conditions",
    load: () => import("./wait.ts"),
  },
  "installations check": {
    summary: "exit 8 if too many installations meet a condition",
    load: () => import("./check.ts"),
  },
} satisfies Partial<Record<CommandPath, LeafRoute>>;
