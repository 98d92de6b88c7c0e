import type { Api } from "../../api/operations/endpoint.ts";
import type { Installation } from "../../api/schemas/installation.ts";
import { defineCommand, flag, needing, value, written } from "../../cli/define.ts";
import { explainEmpty } from "../../inspect/empty-list.ts";
import { inspectErrors } from "../../inspect/errors.ts";
import { withListedScope } from "../../inspect/find-integration.ts";
import {
  CAUSE_COLUMNS,
  groupOf,
  INSTALLATIONS_TABLE,
  integrationNames,
  LISTED_TABLE,
  scopeText,
  streamInstallations,
  withIntegrationNames,
} from "../../inspect/installations.ts";
import { once } from "../../values/basics.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { formatFacts } from "../../values/setting.ts";
import { suggest } from "../../values/suggested-command.ts";
import { readDuration } from "../../values/time.ts";
import { ALL_LOOKUPS, SCOPE_ARGS, SCOPE_OPTIONS, SCOPE_TEXT } from "./options.ts";

/** The pause between two polls, and the shortest in milliseconds: each requests the whole list. */
const DEFAULT_PAUSE = "10s";
const MIN_PAUSE = 1_000;

function readPause(typed: string): number {
  const pause = readDuration(typed);
  if (pause >= MIN_PAUSE) return pause;
  throw inspectErrors.pause_too_short(typed);
}

export default defineCommand({
  description: `Lists installations. ${SCOPE_TEXT} With --watch, refreshes the list, marks changes, and continues while the service is unavailable; in a pipe, writes a line for each change (with --json, a JSON document). Ctrl-C ends it with exit code 0.`,
  args: SCOPE_ARGS,
  options: {
    ...SCOPE_OPTIONS,
    lookups: ALL_LOOKUPS,
    watch: flag("show changes until you press Ctrl-C"),
    every: needing(
      "watch",
      value(`refresh interval (default ${DEFAULT_PAUSE}, at least 1s)`, "time", readPause),
    ),
  },
  needs: ["project"],
  examples: [
    "amp installations list crm-sync",
    "amp installations list 113e9685-9a51-42cc-8662-9d9725b17f14 --group-ref acme --json",
    "amp installations list --all-integrations",
    { run: "amp installations list --watch --filter health=unhealthy", note: "until Ctrl-C" },
  ],
  fields: RESULT_FIELDS.installation,
  exits: { conflict: "several integrations match" },
  run: (context) =>
    withListedScope(context, "installations list", async (scope) => {
      const { api, project, options, output, selection, report } = context;
      // A filter by the name of an integration needs the names wherever the list goes.
      const isFiltered = selection.uses("Integration");
      const { isRows, isRead } = formatFacts(output.format());
      const isPiped = !output.forReading() && (isRows === true || isRead === "on a terminal");
      // That of a single integration is known to whoever named it on the command line.
      const isTyped = scope.integration !== undefined && scope.source === undefined;
      const isShown = isPiped ? !isTyped : output.forReading() && scope.integration === undefined;
      const isNamed = isFiltered || isShown;
      const loadNames = once(async () => (isNamed ? integrationNames(api, project) : undefined));
      // A table has no title, and what could not be listed is not said to be shown.
      const sayScope = once(() => {
        if (output.forReading() && scope.source === undefined)
          report.notice(`Showing installations of ${scopeText(scope)}.`);
      });
      const load = async (asked: Api) => {
        const [list, names] = await Promise.all([streamInstallations(asked, scope), loadNames()]);
        sayScope();
        const shown =
          names && (isFiltered || isPiped || names.size !== 1)
            ? withIntegrationNames(list, names)
            : list;
        if (!CAUSE_COLUMNS.some(selection.uses)) return shown;
        const { withCauses } = await import("../../inspect/failing.ts");
        return withCauses(context, shown, options.lookups);
      };
      if (!options.watch) {
        const { integration, groupRef } = scope;
        const { allIntegrations } = options;
        const args = integration ? [integration] : [];
        const limited = {
          noun: "installation",
          limits: { groupRef },
          all: () => streamInstallations(api, { ...scope, groupRef: undefined }),
          ownerOf: (one: Installation) => ({ group: groupOf(one) }),
          again: (limits: { readonly groupRef?: string | undefined }) =>
            suggest("installations list", args, { allIntegrations, ...limits }),
        };
        return explainEmpty<Installation>(await load(api), limited, context);
      }
      const { watchInstallations } = await import("../../inspect/watch.ts");
      await watchInstallations(context, {
        load,
        view: INSTALLATIONS_TABLE,
        place: scopeText(scope),
        every: options.every ?? readPause(DEFAULT_PAUSE),
      });
      return written();
    }),
  view: LISTED_TABLE,
});
