import type { Release } from "./release.ts";

/** Finds the hash of a file of the release. */
export type HashOf = (algorithm: "sha256" | "sha512", file: string) => string;

const SUMMARY = "Command-line admin tool of the integration platform";

/** Where a file of this version is downloaded from: what a recipe names must not change. */
const addressOf = ({ url, version }: Release, file: string) => `${url}/${version}/${file}`;

/** For Homebrew, of the npm archive. */
export function formula(release: Release, archive: string, hashOf: HashOf): string {
  return `class AmpAdmin < Formula
  desc "${SUMMARY}"
  homepage "${release.url}"
  url "${addressOf(release, archive)}"
  sha256 "${hashOf("sha256", archive)}"
  license "${release.licence}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    package = libexec/"lib/node_modules/amp-admin"
    bash_completion.install package/"completions/amp.bash" => "amp"
    fish_completion.install package/"completions/amp.fish"
    zsh_completion.install package/"completions/_amp"
    man1.install package.glob("dist/man/*.1")
    man5.install package.glob("dist/man/*.5")
    man7.install package.glob("dist/man/*.7")
  end

  test do
    assert_equal "amp-admin #{version}", shell_output("#{bin}/amp-admin --version").strip
    assert_match "amp notify apply", shell_output("#{bin}/amp notify --help")
  end
end
`;
}

/** For Scoop. */
export function scoopManifest(
  release: Release,
  archives: Readonly<Record<string, string>>,
  hashOf: HashOf,
): string {
  const architecture = Object.fromEntries(
    Object.entries(archives).map(([name, file]) => [
      name,
      { url: addressOf(release, file), hash: hashOf("sha256", file) },
    ]),
  );
  const manifest = {
    version: release.version,
    description: SUMMARY,
    homepage: release.url,
    license: release.licence,
    architecture,
    bin: ["amp-admin.exe", ["amp-admin.exe", "amp"]],
  };
  return `${JSON.stringify(manifest, undefined, 4)}\n`;
}

/** For Alpine: the program, and what the npm archive has beside it. */
export function apkbuild(
  release: Release,
  files: { readonly archive: string; readonly x64: string; readonly arm64: string },
  hashOf: HashOf,
): string {
  const sums = (program: string) =>
    [files.archive, program].map((file) => `${hashOf("sha512", file)}  ${file}`).join("\n");
  return `# Maintainer: ${release.maintainer}
pkgname=amp-admin
pkgver=${release.version}
pkgrel=0
pkgdesc="${SUMMARY}"
url="${release.url}"
arch="x86_64 aarch64"
license="${release.licence}"
depends="libstdc++"
# strip would cut off the bytecode of amp behind Bun's runtime.
options="!check !strip"
subpackages="$pkgname-doc $pkgname-bash-completion $pkgname-fish-completion $pkgname-zsh-completion"
case "$CARCH" in
aarch64) _program=${files.arm64} ;;
*) _program=${files.x64} ;;
esac
source="${addressOf(release, files.archive)}
	${release.url}/${release.version}/$_program
	"
builddir="$srcdir/package"

package() {
	mkdir -p "$pkgdir"/usr/bin
	gzip -dc "$srcdir/$_program" > "$pkgdir"/usr/bin/amp-admin
	chmod 755 "$pkgdir"/usr/bin/amp-admin
	ln -s amp-admin "$pkgdir"/usr/bin/amp

	install -Dm644 LICENSE -t "$pkgdir"/usr/share/licenses/$pkgname
	for _section in 1 5 7; do
		install -Dm644 dist/man/*.$_section -t "$pkgdir"/usr/share/man/man$_section
	done
	install -Dm644 completions/amp.bash "$pkgdir"/usr/share/bash-completion/completions/amp-admin
	ln -s amp-admin "$pkgdir"/usr/share/bash-completion/completions/amp
	install -Dm644 completions/amp.fish "$pkgdir"/usr/share/fish/vendor_completions.d/amp-admin.fish
	ln -s amp-admin.fish "$pkgdir"/usr/share/fish/vendor_completions.d/amp.fish
	install -Dm644 completions/_amp -t "$pkgdir"/usr/share/zsh/site-functions
}

case "$CARCH" in
aarch64) sha512sums="
${sums(files.arm64)}
" ;;
*) sha512sums="
${sums(files.x64)}
" ;;
esac
`;
}
