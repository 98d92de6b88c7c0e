import { defineCommand, flag, inputFile, record, required, text } from "../../cli/define.ts";
import { diffId, diffPage, diffRows } from "../../inspect/diff-page.ts";
import { inspectErrors } from "../../inspect/errors.ts";
import { searchInstallations } from "../../inspect/find-installation.ts";
import {
  compareTwo,
  compareWithSnapshot,
  isOfConfig,
  readSnapshot,
} from "../../inspect/installation-diff.ts";
import { inputErrors } from "../../values/errors.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

export default defineCommand({
  description:
    "Compares two installations, or one with its state in a saved list (amp installations list --json > monday.json): the configuration first, then the status. Installations are found as by amp installations get; if both names have one integration in common, in that. When you compare two installations, fields that always differ are left out: IDs, times, creators, group, consumer and secrets. When you compare one with a saved list, secrets are shown only as added or removed.",
  args: {
    installation: required(INSTALLATION),
    other: text("installation to compare it with, in the same form", { complete: "customer" }),
  },
  options: {
    since: inputFile("compare with this saved list; - reads standard input"),
    all: flag("compare every field of two installations"),
    config: flag("compare only the configuration, which alone decides --exit-code"),
    exitCode: flag("exit with code 8 if there are differences"),
    ...SEARCH_OPTIONS,
  },
  needs: ["project"],
  examples: [
    'amp installations diff "Bluth Company" "Stark Industries"',
    "amp installations diff Cyberdyne --since monday.json",
    "amp installations diff Cyberdyne --since monday.json --exit-code",
  ],
  fields: RESULT_FIELDS.installationDiff,
  exits: {
    conflict: "several installations match",
    check: "there are differences (with --exit-code)",
  },
  run: async (context) => {
    const { args, options, files } = context;
    const { installation, other } = args;
    assertComparable(other, options);
    // A snapshot that cannot be read is refused before anything is sent.
    const snapshot =
      options.since === undefined
        ? undefined
        : readSnapshot(await files.read(options.since), options.since);
    const search = await searchInstallations(context, installation, (name, more, argument) => {
      const names = argument === "<other>" ? [installation, name] : [name, other];
      const args = names.filter((one) => one !== undefined);
      return suggest("installations diff", args, more);
    });
    const diff =
      snapshot === undefined
        ? await compareTwo(search, [installation, other ?? ""], options)
        : await compareWithSnapshot(search, installation, snapshot, context);
    if (!options.config) return diff;
    const leftOut = [diff.leftOut, "status", "connection"].filter(Boolean).join(", ");
    return { ...diff, changes: diff.changes.filter(isOfConfig), leftOut };
  },
  exit: ({ changes }, { options }) => (options.exitCode && changes.length > 0 ? "check" : "ok"),
  view: record(diffPage, ({ changes }) => changes.map(diffId), diffRows),
});

/** @throws {UsageError} if nothing, or too much, is given to compare with */
function assertComparable(
  other: string | undefined,
  { since, all }: { since: string | undefined; all: boolean },
): void {
  if (other !== undefined && since !== undefined)
    throw inputErrors.options_conflict("<other>", "--since");
  if (other === undefined && since === undefined) throw inspectErrors.comparison_missing();
  if (all && since !== undefined)
    throw inputErrors.option_idle(
      ["--all"],
      "with --since: every field is compared",
      "Leave out --all.",
    );
}
