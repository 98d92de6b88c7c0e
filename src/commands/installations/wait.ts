import {
  defineCommand,
  duration,
  record,
  required,
  several,
  text,
  withDefault,
} from "../../cli/define.ts";
import type { ExitName } from "../../errors.ts";
import { searchInstallations } from "../../inspect/find-installation.ts";
import { askedOnce } from "../../inspect/patience.ts";
import {
  readConditions,
  type WaitResult,
  waitForInstallation,
  waitPage,
} from "../../inspect/wait.ts";
import { derived } from "../../values/basics.ts";
import { suggest } from "../../values/suggested-command.ts";
import { durationText } from "../../values/time.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

const EXITS = {
  met: "ok",
  failed: "check",
  timeout: "timeout",
} as const satisfies Record<WaitResult["outcome"], ExitName>;

export default defineCommand({
  description:
    "Polls the service, with growing pauses, until all conditions are met. Conditions have the form of --filter: a column of the list or the path of a field, with = != ~ < <= > >=. Temporary failures of the service are retried until --within has passed.",
  args: { installation: required(INSTALLATION) },
  options: {
    for: required(
      several(
        text("condition to wait for, for example health=healthy", { placeholder: "condition" }),
      ),
    ),
    failOn: several(
      text(
        "exit with code 8 as soon as this condition is met, for example connection=bad_credentials",
        { placeholder: "condition" },
      ),
    ),
    within: withDefault(duration("how long to wait before exiting with code 124"), "5m"),
    ...SEARCH_OPTIONS,
  },
  needs: ["project"],
  examples: [
    'amp installations wait "Acme Corp" --for health=healthy',
    "amp installations wait ins_7f3a --for health=healthy --fail-on connection=bad_credentials --within 10m",
    "amp installations wait ins_7f3a --for last-op=success --for 'updated>5m' --json",
  ],
  fields: [
    "outcome",
    "id",
    "integrationId",
    "group",
    "waitedSeconds",
    "polls",
    "conditions",
    "failOn",
  ],
  exits: {
    conflict: "several installations match",
    check: "a condition of --fail-on is met",
    timeout: "the conditions were not met in time",
  },
  run: async (context) => {
    const { args, now, report, settings } = context;
    const { for: conditions, failOn, within: withinMs } = context.options;
    // An invalid condition is refused before anything is sent.
    await readConditions({ conditions, failOn }, now());
    // Other programs call the time of a whole wait so.
    if (settings.get("timeout")?.place === "option") {
      const limit = durationText(withinMs);
      report.notice(`--timeout limits each request; the wait lasts up to ${limit} (--within).`);
    }
    const asking = derived(context, { api: askedOnce(context.api) });
    const find = async () => {
      const { installation } = args;
      const search = await searchInstallations(asking, installation, (name, more) =>
        suggest("installations wait", [name], { ...more, for: conditions }),
      );
      return search.find(installation);
    };
    return waitForInstallation(asking, find, { conditions, failOn, withinMs });
  },
  exit: ({ outcome }) => EXITS[outcome],
  view: record<WaitResult>(waitPage),
});
