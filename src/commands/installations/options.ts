import { flag, text } from "../../cli/define.ts";

/** The arguments and options that say which installations a command lists or counts. */
export const SCOPE_ARGS = {
  integration: text("integration name or ID", { setting: "integration" }),
};
export const SCOPE_OPTIONS = {
  allIntegrations: flag("take the installations of all integrations, whatever the default"),
  groupRef: text("take only the installations of this group", { placeholder: "ref" }),
};

/** The sentence of help on the installations that are taken where no integration is named. */
export const SCOPE_TEXT =
  "Without an integration, takes the installations of the default integration if there is one, or else of all integrations of the project, if the service supports it.";
