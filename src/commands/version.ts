import { defineCommand, flag, lines } from "../cli/define.ts";
import { build } from "../runtime/build.ts";
import type { Licence } from "../runtime/licences.ts";
import { runtime } from "../runtime/runtime.ts";
import { version } from "../runtime/version.ts";

interface VersionFacts {
  readonly version: string;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly platform: string;
  readonly arch: string;
  readonly build: string;
  readonly commit?: string;
}

export default defineCommand({
  description:
    "Include this in bug reports. amp --version prints only the version number, and is faster.",
  options: { licences: flag("print the licences of all embedded packages instead") },
  examples: ["amp version", "amp version --json", "amp version --licences"],
  run: async ({ options, report }): Promise<VersionFacts | readonly Licence[]> => {
    if (!options.licences) return facts();
    const { licences } = await import("../runtime/licences.ts");
    if (licences.length === 0)
      report.notice("No packages are embedded: amp is running from its source.");
    return licences;
  },
  view: lines<VersionFacts | readonly Licence[]>(
    (result) => (isFacts(result) ? versionLine(result) : result.map(licenceText).join("\n\n")),
    (result) => (isFacts(result) ? result.version : result.map(licenceName).join(" ")),
  ),
});

function facts(): VersionFacts {
  const { name, version: number, platform, arch } = runtime;
  const { kind, commit } = build;
  return {
    version,
    runtime: { name, version: number },
    platform,
    arch,
    build: kind,
    ...(commit === undefined ? {} : { commit }),
  };
}

function isFacts(result: VersionFacts | readonly Licence[]): result is VersionFacts {
  return !Array.isArray(result);
}

function versionLine({
  version: number,
  runtime: { name, version: of },
  ...rest
}: VersionFacts): string {
  const from = rest.commit === undefined ? rest.build : `${rest.build} of ${rest.commit}`;
  return `amp ${number} (${from}), ${name} ${of}, ${rest.platform} ${rest.arch}`;
}

function licenceName({ name, version: number }: Licence): string {
  return `${name}@${number}`;
}

function licenceText(licence: Licence): string {
  return `== ${licence.name} ${licence.version} (${licence.licence})\n\n${licence.text.trim()}`;
}
