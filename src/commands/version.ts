import { build } from "../build.ts";
import { defineCommand, flag, lines } from "../cli/define.ts";
import type { Licence } from "../licences.ts";
import { runtime } from "../runtime.ts";
import { version } from "../version.ts";

interface Facts {
  readonly version: string;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly platform: string;
  readonly arch: string;
  readonly build: string;
  readonly commit?: string;
}

export default defineCommand({
  description:
    "What a report of a defect should tell. amp --version prints the number alone, and faster.",
  options: { licences: flag("the licences of everything that is embedded, in place of that") },
  examples: ["amp version", "amp version --json", "amp version --licences"],
  run: async ({ options, talk }): Promise<Facts | readonly Licence[]> => {
    if (!options.licences) return facts();
    const { licences } = await import("../licences.ts");
    if (licences.length === 0) talk.notice("Nothing is embedded: this amp runs from its source.");
    return licences;
  },
  view: lines<Facts | readonly Licence[]>(
    (result) => (isFacts(result) ? told(result) : result.map(toldWhole).join("\n\n")),
    (result) => (isFacts(result) ? result.version : result.map(named).join(" ")),
  ),
});

function facts(): Facts {
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

function isFacts(result: Facts | readonly Licence[]): result is Facts {
  return !Array.isArray(result);
}

function told({ version: number, runtime: { name, version: of }, ...rest }: Facts): string {
  const from = rest.commit === undefined ? rest.build : `${rest.build} of ${rest.commit}`;
  return `amp ${number} (${from}), ${name} ${of}, ${rest.platform} ${rest.arch}`;
}

function named({ name, version: number }: Licence): string {
  return `${name}@${number}`;
}

function toldWhole(licence: Licence): string {
  return `== ${licence.name} ${licence.version} (${licence.licence})\n\n${licence.text.trim()}`;
}
