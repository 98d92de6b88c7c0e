import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

/** Where `npm run man` makes them. */
const MAN = "dist/man";

/** A file of a package, by its path below the root. */
export type PackageFile = { readonly path: string } & (
  | { readonly from: string; readonly mode?: number }
  | { readonly bytes: string | Uint8Array }
  | { readonly link: string }
);

/** What a deb and an rpm have alike: the program, its completions and its man pages. */
export function commonFiles(program: string, zsh: string): PackageFile[] {
  const share = "usr/share";
  const bash = `${share}/bash-completion/completions`;
  const fish = `${share}/fish/vendor_completions.d`;
  const pages = readdirSync(MAN).sort();
  return [
    { path: "usr/bin/amp-admin", from: program, mode: 0o755 },
    { path: "usr/bin/amp", link: "amp-admin" },
    // bash and fish look for a file that has the name of the command.
    { path: `${bash}/amp-admin`, from: "completions/amp.bash" },
    { path: `${bash}/amp`, link: "amp-admin" },
    { path: `${fish}/amp-admin.fish`, from: "completions/amp.fish" },
    { path: `${fish}/amp.fish`, link: "amp-admin.fish" },
    { path: `${zsh}/_amp`, from: "completions/_amp" },
    ...pages.map((page) => ({
      path: `${share}/man/man${page.at(-1)}/${page}.gz`,
      bytes: compressed(readFileSync(join(MAN, page))),
    })),
    { path: `${share}/man/man1/amp-admin.1.gz`, link: "amp.1.gz" },
  ];
}

/** With no name and no time in it, so that it is the same each time. */
export function compressed(text: string | Uint8Array): Uint8Array {
  return gzipSync(text, { level: 9 });
}

/** Lays files below a folder, which is made anew. */
export function layFiles(root: string, files: readonly PackageFile[], epoch: number): void {
  rmSync(root, { recursive: true, force: true });
  for (const file of files) {
    const path = join(root, file.path);
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    if ("link" in file) {
      symlinkSync(file.link, path);
      continue;
    }
    if ("from" in file) cpSync(file.from, path);
    else writeFileSync(path, file.bytes);
    chmodSync(path, ("mode" in file ? file.mode : undefined) ?? 0o644);
    utimesSync(path, epoch, epoch);
  }
}
