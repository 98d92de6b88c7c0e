import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commonFiles, compressed, layFiles, type PackageFile } from "./linux-files.ts";
import { type Release, run } from "./release.ts";

/** What lintian says of the program that cannot be otherwise, and why. */
const OVERRIDES = `# The program is Bun's runtime, as it comes from its makers, with the bytecode of amp behind it.
# strip would cut that off; how the runtime was linked, what is linked into it and the spelling of its
# texts are not amp's.
amp-admin: unstripped-binary-or-object [usr/bin/amp-admin]
amp-admin: hardening-no-bindnow [usr/bin/amp-admin]
amp-admin: hardening-no-pie [usr/bin/amp-admin]
amp-admin: hardening-no-relro [usr/bin/amp-admin]
amp-admin: embedded-library * [usr/bin/amp-admin]
amp-admin: spelling-error-in-binary * [usr/bin/amp-admin]
`;

/** @returns the name of the package */
export async function makeDeb(
  release: Release,
  program: { readonly file: string; readonly arch: "amd64" | "arm64"; readonly licences: string },
  folders: { readonly stage: string; readonly out: string },
): Promise<string> {
  const root = join(folders.stage, `deb-${program.arch}`);
  const doc = "usr/share/doc/amp-admin";
  const files: PackageFile[] = [
    ...commonFiles(program.file, "usr/share/zsh/vendor-completions"),
    { path: `${doc}/copyright`, bytes: readFileSync("LICENSE") },
    { path: `${doc}/third-party-licences.gz`, bytes: compressed(program.licences) },
    { path: `${doc}/changelog.gz`, bytes: compressed(changelog(release)) },
    { path: "usr/share/lintian/overrides/amp-admin", bytes: OVERRIDES },
  ];
  layFiles(root, files, release.epoch);
  control(release, program.arch, root, files);
  const name = `${release.name}_${release.version}_${program.arch}.deb`;
  // One thread: the bytes must not depend on how many there are.
  const options = ["--root-owner-group", "-Zxz", "-z4", "--threads-max=1"];
  await run(["dpkg-deb", ...options, "--build", root, join(folders.out, name)], release);
  return name;
}

function control(release: Release, arch: string, root: string, files: readonly PackageFile[]) {
  const real = files.filter((file) => !("link" in file)).map(({ path }) => path);
  const size = real.reduce(
    (sum, path) => sum + Math.ceil(statSync(join(root, path)).size / 1024),
    0,
  );
  const sums = real.sort().map((path) => {
    const hash = createHash("md5")
      .update(readFileSync(join(root, path)))
      .digest("hex");
    return `${hash}  ${path}\n`;
  });
  const fields = [
    `Package: ${release.name}`,
    `Version: ${release.version}`,
    `Architecture: ${arch}`,
    `Maintainer: ${release.maintainer}`,
    `Installed-Size: ${size}`,
    "Depends: libc6 (>= 2.17)",
    "Suggests: bash-completion",
    "Section: admin",
    "Priority: optional",
    "Description: command-line admin tool of the integration platform",
    ...DESCRIPTION.map((line) => ` ${line}`),
  ];
  mkdirSync(join(root, "DEBIAN"), { mode: 0o755 });
  chmodSync(join(root, "DEBIAN"), 0o755);
  writeFileSync(join(root, "DEBIAN/control"), `${fields.join("\n")}\n`);
  writeFileSync(join(root, "DEBIAN/md5sums"), sums.join(""));
}

/** What a deb and an rpm say about amp. */
export const DESCRIPTION = [
  "amp lists provider apps, providers, installations and invites, finds out why",
  "the sync of a customer stopped, and sets up notification routing. It includes",
  "a local copy of the platform for trying and testing.",
];

/** In the form of Debian. */
function changelog({ name, version, maintainer, epoch, commit }: Release): string {
  const date = new Date(epoch * 1000).toUTCString().replace("GMT", "+0000");
  return `${name} (${version}) unstable; urgency=medium

  * Release ${version}, built from commit ${commit}.

 -- ${maintainer}  ${date}
`;
}
