import { readFileSync } from "node:fs";
import type { Target } from "../runtimes.ts";
import type { Release } from "./release.ts";

interface Made {
  readonly files: readonly (readonly [name: string, bytes: number])[];
  /** Of the programs before they were compressed. */
  readonly sizes: ReadonlyMap<Target, number>;
  /** The targets without a program, and why. */
  readonly missing: ReadonlyMap<Target, string>;
}

/** What each file is for, by how its name begins or ends. */
const PURPOSES: readonly (readonly [RegExp, string])[] = [
  [/-action-/u, "repository of the GitHub action, the GitLab component and the hook"],
  [/\.tgz$/u, "npm package, for Node.js 22.19 or newer"],
  [/^amp-.*\.xz$/u, "standalone program"],
  [/^amp-.*\.gz$/u, "the same, where there is no xz"],
  [/\.zip$/u, "standalone program"],
  [/\.deb$/u, "Debian, Ubuntu: program, completion, man pages"],
  [/\.rpm$/u, "Fedora, RHEL, openSUSE: program, completion, man pages"],
  [/^APKBUILD$/u, "recipe for Alpine"],
  [/\.rb$/u, "formula for Homebrew, of the npm package"],
  [/^amp-admin\.json$/u, "manifest for Scoop"],
  [/^install\.sh$/u, "installs the program for Linux or macOS"],
  [/^sbom/u, "bill of materials (CycloneDX)"],
];

/** RELEASE-NOTES.md: what is in the release, and what nobody has run or signed. */
export function notesOf({ name, version, commit, url }: Release, made: Made): string {
  const rows = made.files.map(([file, bytes]) => {
    const target = /^amp-(.+)\.(?:xz|gz|zip)$/u.exec(file)?.[1] as Target | undefined;
    const whole = target && made.sizes.get(target);
    const unpacked = whole === undefined ? "" : megabytes(whole);
    const [, purpose = ""] = PURPOSES.find(([pattern]) => pattern.test(file)) ?? [];
    return `| ${file} | ${megabytes(bytes)} | ${unpacked} | ${purpose} |`;
  });
  const missing = [...made.missing].map(
    ([target, why]) => `- ${target}: not built. ${why.split("\n")[0]}`,
  );
  const isDirty = commit.endsWith("-dirty");
  return `# ${name} ${version}

Built from commit ${commit}${isDirty ? ", with changes that are not committed: do not publish this" : ""}.
\`amp version\` prints it. CHANGELOG.md has what changed; docs/install.md how to install, verify and remove amp.

## Files

| File | Size | Unpacked | For |
|---|---|---|---|
${rows.join("\n")}

SHA256SUMS has the checksums of all files, and provenance.intoto.json says what they were built from.

## Not run, not signed

The build ran only the program for ${process.platform} on ${process.arch}${NOT_RUN}
${missing.join("\n")}${missing.length > 0 ? "\n" : ""}- Nothing is signed by \`npm run release\`. Where the release workflow made it, SHA256SUMS.sigstore.json and
  provenance.sigstore.json are keyless signatures of cosign.
- The programs for macOS have the ad hoc signature that Apple processors require, and are not notarised:
  install.sh is not affected, but a browser's download is (\`xattr -d com.apple.quarantine FILE\`).
- The programs for Windows are not signed: SmartScreen asks before the first start.
- The deb and the rpm have no signature of their own: verify SHA256SUMS.
- The recipes name ${url}/${version}/ as the place of the files.
- The programs for x64 need no AVX2.

Licences of what is embedded: \`amp version --licences\`.
${readFileSync("LICENSE", "utf8").split("\n")[2]}. ${name} is under the MIT licence.
`;
}

const NOT_RUN = `; \`npm run test:release\` runs this release in a
Debian of its own. Programs for other systems and processors were built, and not run:

- linux-arm64, and both for musl (Alpine)
- darwin-x64 and darwin-arm64
- windows-x64 and windows-arm64`;

function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
