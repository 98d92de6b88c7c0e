#!/bin/sh
# Installs the standalone program of amp.
#
#   sh install.sh [FROM]
#
# FROM: folder or base URL of the programs and their SHA256SUMS. Default: AMP_INSTALL_FROM, else the
#       folder of this script. A URL must be https, or http on this machine.
# PREFIX: where to install; the program becomes PREFIX/bin/amp-admin, and amp a link to it unless
#         another program has that name. Default: ~/.local
set -eu

say() { printf '%s\n' "$*" >&2; }
die() {
  say "amp was not installed: $1"
  [ $# -lt 2 ] || say "$2"
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

platform() {
  os=$(uname -s) machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) die "$machine is not supported." "Use the npm package with Node.js instead." ;;
  esac
  case $os in
    Linux)
      # The C library decides which program runs; musl's loader has its name.
      if ls /lib/ld-musl-* >/dev/null 2>&1; then machine=$machine-musl; fi
      printf 'linux-%s' "$machine" ;;
    Darwin)
      # A shell that Rosetta translates says x86_64 on an Apple processor.
      if [ "$(sysctl -n hw.optional.arm64 2>/dev/null || :)" = 1 ]; then machine=arm64; fi
      printf 'darwin-%s' "$machine" ;;
    *) die "$os is not supported." "On Windows, put amp-windows-x64.exe on your PATH." ;;
  esac
}

# fetch NAME FILE
fetch() {
  case $from in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*)
      if has curl; then
        curl --fail --silent --show-error --location --proto-redir '=https' --output "$2" "$from/$1"
      elif has wget; then
        wget -q -O "$2" "$from/$1"
      else
        die "curl or wget is required." "Or download $1 and SHA256SUMS, and pass their folder."
      fi ;;
    *://*) die "$from must use https: anyone on the network path can change an http download." ;;
    *) cp "$from/$1" "$2" ;;
  esac
}

hash_of() {
  if has sha256sum; then sha256sum <"$1"
  elif has shasum; then shasum -a 256 <"$1"
  elif has openssl; then openssl dgst -sha256 -r <"$1"
  else die "sha256sum, shasum or openssl is required to verify the download."
  fi | cut -d ' ' -f 1
}

main() {
  from=${1:-${AMP_INSTALL_FROM:-}}
  if [ -z "$from" ]; then
    # A script that is read from a pipe has no folder.
    case $0 in */install.sh) from=${0%/*} ;; install.sh) from=. ;; esac
    [ -n "$from" ] && [ -f "$from/SHA256SUMS" ] ||
      die "no source was given." \
        "Pass a folder or base URL: sh install.sh FROM, or AMP_INSTALL_FROM=…"
  fi
  from=${from%/}
  prefix=${PREFIX:-${HOME:?is not set; set HOME or PREFIX}/.local}
  name=amp-$(platform)

  work=$(mktemp -d)
  trap 'rm -rf "$work" ${fresh:+"$fresh"}' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  fetch SHA256SUMS "$work/SHA256SUMS" || die "could not get $from/SHA256SUMS."
  wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
  [ -n "$wanted" ] || die "$name is not listed in $from/SHA256SUMS."
  say "Installing $name from $from"
  fetch "$name" "$work/amp" || die "could not get $from/$name."
  found=$(hash_of "$work/amp")
  [ "$found" = "$wanted" ] ||
    die "the checksum of $name does not match." \
      "Expected SHA-256 $wanted, got $found. Try again; if it still differs, do not use the file."

  chmod 755 "$work/amp"
  version=$("$work/amp" --version) ||
    die "$name does not run on this machine." "Use the npm package with Node.js instead."

  mkdir -p "$prefix/bin"
  # Renamed into place, so that a running amp continues and no partial file is ever run.
  program=$prefix/bin/amp-admin
  fresh=$program.$$
  cp "$work/amp" "$fresh"
  mv -f "$fresh" "$program"
  say "Installed amp $version to $program"

  amp=amp
  ln -s amp-admin "$prefix/bin/amp" 2>/dev/null || [ "$prefix/bin/amp" -ef "$program" ] || {
    amp=amp-admin
    say "$prefix/bin/amp is another program, and was left: run amp-admin"
  }

  say
  case ":${PATH:-}:" in
    *":$prefix/bin:"*)
      on_path=$(command -v $amp || :)
      [ "$on_path" = "$prefix/bin/$amp" ] || say "Another $amp comes first on your PATH: $on_path" ;;
    *)
      say "$prefix/bin is not on your PATH. Add this line to ~/.profile, then open a new terminal:"
      say "  export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  say "Next:"
  say "  $amp auth login        with an account"
  say "  $amp sandbox start     without one"
  say "  $amp completion --help"
}

# The call is last, so that a truncated download does nothing.
main "$@"
