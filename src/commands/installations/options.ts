import { flag, integer, text } from "../../cli/define.ts";
import { DEFAULT_LOOKUPS, MAX_LOOKUPS } from "../../inspect/incidents.ts";

/** The arguments and options that say which installations a command lists or counts. */
export const SCOPE_ARGS = {
  integration: text("integration name or ID", { complete: "integration" }),
};
export const SCOPE_OPTIONS = {
  allIntegrations: flag("include the installations of all integrations, whatever a setting names"),
  groupRef: text("include only the installations of this group", { placeholder: "ref" }),
};

/** The sentence of help on the installations that are taken where no integration is named. */
export const SCOPE_TEXT =
  "Without an integration, uses that of AMP_INTEGRATION or the project file, or else all integrations of the project; if the service lists installations only by integration, that of the profile.";

/** The argument that names one installation. */
export const INSTALLATION = text(
  "installation, connection or operation ID, a unique prefix, a name or ref of its owner, or - for standard input",
  { pasted: true, complete: "customer" },
);
/** The option of a command that searches the installations of the project. */
export const SEARCH_OPTIONS = {
  integration: text("search only the installations of this integration", {
    placeholder: "name",
    complete: "integration",
  }),
};

/** The option that limits the requests for causes. */
export const LOOKUPS = lookups(`default ${DEFAULT_LOOKUPS}, for at most 20 s; 0 for none`);
export const ALL_LOOKUPS = lookups("default: as many as a filter or sorting needs");

function lookups(byDefault: string) {
  return integer(`maximum number of requests for causes and times of failures (${byDefault})`, {
    min: 0,
    max: MAX_LOOKUPS,
  });
}
