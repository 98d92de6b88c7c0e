import { endpoint } from "../api/operations/endpoint.ts";
import { defineCommand, flag, lines, type RunContext } from "../cli/define.ts";
import type { VersionFacts } from "../documents/account.ts";
import { NotFoundError, TimeoutError } from "../errors.ts";
import { build } from "../runtime/build.ts";
import type { Licence } from "../runtime/licences.ts";
import { runtime } from "../runtime/runtime.ts";
import { version } from "../runtime/version.ts";
import { isJsonObject } from "../values/json.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { commandErrors } from "./errors.ts";

const lookUpNewest = endpoint({
  method: "GET",
  path: "/amp-admin/latest",
  does: "look up the newest version of amp",
  credential: "optional",
});

export default defineCommand({
  description:
    "Include this in bug reports. amp --version prints only amp-admin and the version number, and is faster.",
  options: {
    licences: flag("print the licences of all embedded packages instead"),
    check: flag("ask the npm registry for the newest version"),
  },
  examples: [
    "amp version",
    "amp version --json",
    "amp version --licences",
    { note: "the only request that amp sends for itself", run: "amp version --check" },
  ],
  fields: RESULT_FIELDS.version,
  exits: {
    "not-found": "with --check: the registry does not have amp",
    service: "with --check: the registry did not answer",
  },
  run: async (context): Promise<VersionFacts | readonly Licence[]> => {
    const { options, report } = context;
    if (options.check && options.licences) throw commandErrors.version_choice();
    if (options.check) return { ...versionFacts(), ...(await newestVersion(context)) };
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

/** The newest version at the registry, and how to install it, unless this is it. */
async function newestVersion({
  connect,
  environment: { env, program },
  files,
}: Pick<RunContext, "connect" | "environment" | "files">) {
  const registry = env.AMP_REGISTRY || env.npm_config_registry || "";
  const url = URL.parse(registry);
  // What is not shown may be a password.
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username || url.password)
    throw commandErrors.registry_invalid();
  const api = connect({ baseUrl: registry.replace(/\/+$/u, ""), timeoutMs: 5000, retries: 0 });
  const answer = await api.call(lookUpNewest, {}).catch((error: unknown) => {
    if (error instanceof NotFoundError) throw commandErrors.registry_without_amp(url.host);
    // --timeout is for the service.
    throw error instanceof TimeoutError ? error.setFacts({ remedy: "Try again later." }) : error;
  });
  const { version: newest } = isJsonObject(answer) ? answer : {};
  if (typeof newest !== "string" || !/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/u.test(newest))
    throw commandErrors.registry_answer_invalid(url.host);
  if (!isNewer(newest, version)) return { newest };
  const path = program.at(-1) ?? "";
  const upgrade = upgradeTo(newest, await files.realPath(path).catch(() => path));
  return { newest, upgrade };
}

/** Whether a version is newer than another; a release is newer than its previews. */
export function isNewer(one: string, other: string): boolean {
  const compare = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });
  const [release = "", preview] = one.split(/-(.*)/u);
  const [otherRelease = "", otherPreview] = other.split(/-(.*)/u);
  const order = compare(release, otherRelease);
  if (order !== 0 || otherPreview === undefined) return order > 0;
  return preview === undefined || compare(preview, otherPreview) > 0;
}

function upgradeTo(newest: string, path: string): string {
  if (build.kind === "source") return "git pull && npm ci";
  if (/[/\\]Cellar[/\\]/u.test(path)) return "brew upgrade amp-admin";
  if (/[/\\]scoop[/\\]/u.test(path)) return "scoop update amp-admin";
  if (build.kind === "bundle") return `npm install --global amp-admin@${newest}`;
  if (path.startsWith("/usr/bin/")) return `install the package of amp-admin ${newest} over it`;
  return `run install.sh of the release ${newest}`;
}

function versionLine(facts: VersionFacts): string {
  const { newest, upgrade } = facts;
  if (upgrade !== undefined)
    return `amp ${newest} is available (you have ${facts.version}): ${upgrade}`;
  if (newest !== undefined) return `amp ${facts.version} is the newest version.`;
  const from = facts.commit === undefined ? facts.build : `${facts.build} of ${facts.commit}`;
  const { runtime: on, platform, arch } = facts;
  return `amp ${facts.version} (${from}), ${on.name} ${on.version}, ${platform} ${arch}`;
}

function licenceText(licence: Licence): string {
  return `== ${licence.name} ${licence.version} (${licence.licence})\n\n${licence.text.trim()}`;
}
