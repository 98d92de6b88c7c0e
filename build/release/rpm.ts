import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DESCRIPTION } from "./deb.ts";
import { commonFiles, layFiles, type PackageFile } from "./linux-files.ts";
import { type Release, run } from "./release.ts";

/** What must not differ between two builds, and what must not be changed in the program. */
const SETTINGS = {
  // strip would cut off the bytecode of amp behind Bun's runtime.
  __os_install_post: "%{nil}",
  debug_package: "%{nil}",
  _build_id_links: "none",
  _buildhost: "reproducible",
  use_source_date_epoch_as_buildtime: "1",
  clamp_mtime_to_source_date_epoch: "1",
  _binary_payload: "w4.xzdio",
};

/** The folders that go with the package; others belong to the system. */
const FOLDERS = ["usr/share/licenses/amp-admin", "usr/share/doc/amp-admin"] as const;

/** @returns the name of the package */
export async function makeRpm(
  release: Release,
  program: {
    readonly file: string;
    readonly arch: "x86_64" | "aarch64";
    readonly licences: string;
  },
  folders: { readonly out: string },
): Promise<string> {
  // rpmbuild cannot work below a path with a space.
  const top = mkdtempSync(join(tmpdir(), "amp-rpm-"));
  const root = join(top, "files");
  const [licences, doc] = FOLDERS;
  const files: PackageFile[] = [
    ...commonFiles(program.file, "usr/share/zsh/site-functions"),
    { path: `${licences}/LICENSE`, bytes: readFileSync("LICENSE") },
    { path: `${licences}/third-party-licences`, bytes: program.licences },
    { path: `${doc}/CHANGELOG.md`, bytes: readFileSync("CHANGELOG.md") },
  ];
  layFiles(root, files, release.epoch);
  mkdirSync(join(top, "build"), { recursive: true });
  writeFileSync(join(top, "amp-admin.spec"), spec(release, resolve(root), files));
  const settings = Object.entries({
    ...SETTINGS,
    _topdir: resolve(top, "build"),
    _rpmdir: resolve(top),
    _rpmfilename: "made.rpm",
  }).flatMap(([name, value]) => ["--define", `${name} ${value}`]);
  const target = ["--target", `${program.arch}-linux`];
  await run(["rpmbuild", "-bb", ...target, ...settings, join(top, "amp-admin.spec")], release);
  const name = `${release.name}-${release.version}-1.${program.arch}.rpm`;
  cpSync(join(top, "made.rpm"), join(folders.out, name));
  rmSync(top, { recursive: true });
  return name;
}

function spec(release: Release, root: string, files: readonly PackageFile[]): string {
  const date = new Date(release.epoch * 1000).toUTCString().split(" ");
  const [day = "", number = "", month = "", year = ""] = date;
  const marks = { "usr/share/licenses/": "%license ", "usr/share/doc/": "%doc " };
  const listed = files.map(({ path }) => {
    const [, mark = ""] = Object.entries(marks).find(([start]) => path.startsWith(start)) ?? [];
    return `${mark}/${path}`;
  });
  return `Name: ${release.name}
Version: ${release.version}
Release: 1
Summary: Command-line admin tool of the integration platform
License: ${release.licence}
Group: Applications/System
URL: ${release.url}
Packager: ${release.maintainer}

%description
${DESCRIPTION.join("\n")}

%install
cp -a ${root}/. %{buildroot}/

%files
%defattr(-,root,root)
${FOLDERS.map((folder) => `%dir /${folder}\n`).join("")}${listed.join("\n")}

%changelog
* ${day.replace(",", "")} ${month} ${number} ${year} ${release.maintainer} - ${release.version}-1
- Release ${release.version}, built from commit ${release.commit}.
`;
}
