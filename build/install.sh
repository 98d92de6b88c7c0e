#!/bin/sh
# Installs the standalone program of amp.
#
#   sh install.sh [FROM]
#
# FROM: the folder, or the base URL, that holds the programs and their SHA256SUMS; else AMP_INSTALL_FROM,
#       else the folder of this script. A URL is https, or http of this machine.
# PREFIX: where to install; the program becomes PREFIX/bin/amp. Default: ~/.local
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
    *) die "there is no program for $machine." "Use the npm package: it runs wherever Node.js does." ;;
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
    *) die "there is no program for $os here." "On Windows, put amp-windows-x64.exe on the path by hand." ;;
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
        die "neither curl nor wget is here." "Download $from/$1 and SHA256SUMS, and name their folder."
      fi ;;
    *://*) die "$from is not https, and anybody on the way could change it." ;;
    *) cp "$from/$1" "$2" ;;
  esac
}

hash_of() {
  if has sha256sum; then sha256sum <"$1"
  elif has shasum; then shasum -a 256 <"$1"
  elif has openssl; then openssl dgst -sha256 -r <"$1"
  else die "nothing here can check a SHA-256: neither sha256sum, shasum nor openssl."
  fi | cut -d ' ' -f 1
}

main() {
  from=${1:-${AMP_INSTALL_FROM:-}}
  if [ -z "$from" ]; then
    # Read from a pipe, a script has no folder.
    case $0 in */install.sh) from=${0%/*} ;; install.sh) from=. ;; esac
    [ -n "$from" ] && [ -f "$from/SHA256SUMS" ] ||
      die "it is not known where from." "Name a folder or base URL: sh install.sh FROM, or AMP_INSTALL_FROM=…"
  fi
  from=${from%/}
  prefix=${PREFIX:-${HOME:?is not set, and neither is PREFIX}/.local}
  name=amp-$(platform)

  work=$(mktemp -d)
  trap 'rm -rf "$work" ${fresh:+"$fresh"}' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  fetch SHA256SUMS "$work/SHA256SUMS" || die "$from/SHA256SUMS cannot be had."
  wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
  [ -n "$wanted" ] || die "$from has no $name."
  say "Getting $name from $from"
  fetch "$name" "$work/amp" || die "$from/$name cannot be had."
  found=$(hash_of "$work/amp")
  [ "$found" = "$wanted" ] ||
    die "$name is not what SHA256SUMS says." "It has the SHA-256 $found, and should have $wanted. Try again; if it stays so, trust neither."

  chmod 755 "$work/amp"
  version=$("$work/amp" --version) || die "$name does not run on this machine." "Use the npm package: it runs wherever Node.js does."

  mkdir -p "$prefix/bin"
  # Beside its place, then renamed: an amp that runs goes on, and there is never half of one.
  fresh=$prefix/bin/.amp.$$
  cp "$work/amp" "$fresh"
  mv -f "$fresh" "$prefix/bin/amp"
  say "amp $version is in $prefix/bin/amp"

  say
  case ":${PATH:-}:" in
    *":$prefix/bin:"*)
      on_path=$(command -v amp || :)
      [ "$on_path" = "$prefix/bin/amp" ] || say "Another amp goes before it on the path: $on_path" ;;
    *)
      say "It is not on the path yet. Add this to ~/.profile, and open a new terminal:"
      say "  export PATH=\"$prefix/bin:\$PATH\"" ;;
  esac
  say "Next:"
  say "  amp auth login        with an account"
  say "  amp sandbox start     without one"
  say "  amp completion --help"
}

# Last, so that half a download does nothing.
main "$@"
