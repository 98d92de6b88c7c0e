import { defineCommand, flag, lines } from "../cli/define.ts";
import type { VersionFacts } from "../documents/account.ts";
import { build } from "../runtime/build.ts";
import type { Licence } from "../runtime/licences.ts";
import { runtime } from "../runtime/runtime.ts";
import { version } from "../runtime/version.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";

export default defineCommand({
  description:
    "Include this in bug reports. amp --version prints only amp-admin and the version number, and is faster.",
  options: { licences: flag("print the licences of all embedded packages instead") },
  examples: ["amp version", "amp version --json", "amp version --licences"],
  fields: RESULT_FIELDS.version,
  run: async ({ options, report }): Promise<VersionFacts | readonly Licence[]> => {
    if (!options.licences) return versionFacts();
    const { licences } = await import("../runtime/licences.ts");
    if (licences.length === 0)
      report.notice("No packages are embedded: amp is running from its source.");
    return licences;
  },
  view: lines<VersionFacts | readonly Licence[]>(
    (result) => ("version" in result ? versionLine(result) : result.map(licenceText).join("\n\n")),
    (result) =>
      "version" in result
        ? result.version
        : result.map((one) => `${one.name}@${one.version}`).join(" "),
  ),
});

function versionFacts(): VersionFacts {
  const { name, version: number, platform, arch } = runtime;
  const { kind, commit } = build;
  return {
    version,
    runtime: { name, version: number },
    platform,
    arch,
    build: kind,
    ...(commit !== undefined && { commit }),
  };
}

function versionLine(facts: VersionFacts): string {
  const from = facts.commit === undefined ? facts.build : `${facts.build} of ${facts.commit}`;
  const { runtime: on, platform, arch } = facts;
  return `amp ${facts.version} (${from}), ${on.name} ${on.version}, ${platform} ${arch}`;
}

function licenceText(licence: Licence): string {
  return `== ${licence.name} ${licence.version} (${licence.licence})\n\n${licence.text.trim()}`;
}
