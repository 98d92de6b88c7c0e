import {
  addressCell,
  defineCommand,
  file,
  flag,
  sentence,
  table,
  time,
  toned,
} from "../cli/define.ts";
import type { TrustedFile } from "../documents/account.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { commandErrors } from "./errors.ts";

export default defineCommand({
  description:
    "The base URL, profile and state in a project file are used only once you trust the file, because they determine where credentials and records are sent. Read the file first. After a change, you must trust it again. Without a file, uses the nearest .amp.yaml in this folder or above it.",
  args: { file: file("project file (default: the nearest .amp.yaml)") },
  options: {
    revoke: flag("stop trusting the file"),
    list: flag("list the trusted files, and whether they have changed"),
  },
  examples: ["amp trust", "amp trust --list", "amp trust --revoke"],
  fields: RESULT_FIELDS.trustedFile,
  exits: { "not-found": "no project file" },
  run: async ({ args, options, profiles, report, trust: openTrust }) => {
    if (options.list && (options.revoke || args.file !== undefined))
      throw commandErrors.trust_list_alone();
    const trust = await openTrust();
    if (options.list) return trust.list();
    if (options.revoke) return [await trust.revoke(args.file)];
    const file = await trust.add(args.file);
    // Whole, one per line: the columns of a narrow table are cut.
    report.notice(`Requests and credentials now use the settings of ${file.path}:`);
    for (const line of file.sets) report.notice(`  ${line}`);
    const profile = file.sets.find((line) => line.startsWith("profile: "))?.slice(9);
    if (profile !== undefined && !(await profiles.isSaved(profile))) {
      const login = suggest("auth login", [], { profile });
      report.warn(`Profile ${profile} is not saved on this machine. To save it:`, login);
    }
    return [file];
  },
  view: table<TrustedFile>(
    ["project file", "project files"],
    {
      File: ({ path }) => addressCell(path),
      Status: ({ status }) => (status === "trusted" ? status : toned("attention", status)),
      Since: ({ since }) => time(since),
      // Last, where it is wrapped: half of a URL is not what anybody would check.
      Sets: ({ sets }) => sentence(sets.join(", ")),
    },
    { id: ({ path }) => path, whenEmpty: suggest("trust") },
  ),
});
