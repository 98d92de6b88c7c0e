#!/bin/sh
# Installs the standalone program of amp; --help has the options.
set -eu

usage() {
  cat <<'TEXT'
Installs the standalone program of amp.

  sh install.sh [--force] [--name NAME] [FROM]
  sh install.sh --uninstall | --version | --help

FROM         folder or base URL of the programs and their SHA256SUMS. Default: AMP_INSTALL_FROM, else
             the folder of this script. A URL must be https, or http on this machine. The smallest
             form that this machine can unpack is taken: .xz, .gz or the program itself.
--name NAME  install as NAME only. Default: amp-admin, and amp as a link to it unless another
             program has that name
--force      also replace or remove another program of that name
--uninstall  remove the installed program and its completions; configuration, state and cache are kept
--version    print the version of the installed program

PREFIX: where to install: the program in PREFIX/bin, completions for bash, fish and zsh in
PREFIX/share, unless there is a NAME. Default: ~/.local
In GitHub Actions, PREFIX/bin is added to the PATH of the next steps.
TEXT
}

not_done="amp was not installed"
say() { printf '%s\n' "$*" >&2; }
die() {
  say "$not_done: $1"
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

# The answer of a program to --version, within 2 s.
version_of() {
  "$1" --version </dev/null >"$work/version" 2>/dev/null &
  asked=$! tries=0
  while kill -0 $asked 2>/dev/null; do
    [ $tries -lt 20 ] || kill -9 $asked 2>/dev/null || :
    tries=$((tries + 1))
    sleep 0.1
  done
  wait $asked 2>/dev/null || :
  head -n 1 "$work/version"
}

is_amp() {
  [ -f "$1" ] && [ -x "$1" ] || return 1
  case $(version_of "$1") in "amp-admin "*) ;; *) return 1 ;; esac
}

# may_replace PROGRAM
may_replace() {
  [ -n "$force" ] && [ ! -d "$1" ] || [ ! -e "$1" ] || is_amp "$1"
}

# choose BUILD: sets file and wanted, its name and checksum, and unpack, what reads it
choose() {
  for form in .xz .gz ''; do
    file=$1$form
    wanted=$(awk -v name="$file" '$2 == name || $2 == "*" name { print $1 }' "$work/SHA256SUMS")
    [ -n "$wanted" ] || continue
    case $form in
      .xz) unpack="xz -dc" ;;
      .gz) unpack="gzip -dc" ;;
      *) unpack="cat" ;;
    esac
    if has "${unpack%% *}"; then return; fi
    say "This machine has no ${unpack%% *} to unpack $file."
  done
  die "no form of $1 in $from/SHA256SUMS can be used."
}

# The completions: shell, folder below share, file.
completions() {
  printf '%s\n' "bash bash-completion/completions amp-admin" "bash bash-completion/completions amp" \
    "fish fish/vendor_completions.d amp-admin.fish" "fish fish/vendor_completions.d amp.fish" \
    "zsh zsh/site-functions _amp"
}

is_completion() { head -n 2 "$1" 2>/dev/null | grep -q '^# .* completion for amp, '; }

add_completions() {
  completions | while read -r shell folder one; do
    if [ "$amp" != amp ]; then case $one in amp | amp.fish) continue ;; esac; fi
    "$program" completion "$shell" </dev/null >"$work/completion" 2>/dev/null || continue
    folder=$prefix/share/$folder
    is_completion "$work/completion" || continue
    if [ -e "$folder/$one" ] && ! is_completion "$folder/$one"; then continue; fi
    { mkdir -p "$folder" && cp "$work/completion" "$folder/$one"; } 2>/dev/null ||
      say "Could not write the completion $folder/$one"
  done
}

uninstall() {
  not_done="amp was not removed"
  [ -e "$program" ] || die "$program does not exist."
  may_replace "$program" || die "$program is another program." "To remove it all the same: --force"
  if [ -z "$name" ]; then
    if [ "$prefix/bin/amp" -ef "$program" ]; then rm -f "$prefix/bin/amp"; fi
    completions | while read -r _ folder one; do
      folder=$prefix/share/$folder
      if is_completion "$folder/$one"; then rm -f "$folder/$one"; fi
      # What is empty in ~/.local was made for it.
      [ -n "${PREFIX:-}" ] || rmdir "$folder" "${folder%/*}" 2>/dev/null || :
    done
  fi
  rm -f "$program"
  [ -n "${PREFIX:-}" ] || rmdir "$prefix/bin" "$prefix/share" "$prefix" 2>/dev/null || :
  say "Removed $program. Its configuration, state and cache were kept."
}

main() {
  from='' force='' name='' task=install
  while [ $# -gt 0 ]; do
    case $1 in
      --help | -h) usage; exit ;;
      --version | --uninstall) task=${1#--} ;;
      --force) force=1 ;;
      --name) shift; name=${1:-/} ;;
      --name=*) name=${1#*=} name=${name:-/} ;;
      -*) die "$1 is not a valid option." "See sh install.sh --help" ;;
      *) from=$1 ;;
    esac
    [ $# -eq 0 ] || shift
  done
  case $name in */* | -* | .*) die "--name must be the name of a program." ;; esac
  prefix=${PREFIX:-${HOME:?is not set; set HOME or PREFIX}/.local}
  program=$prefix/bin/${name:-amp-admin}

  work=$(mktemp -d)
  trap 'rm -rf "$work" ${fresh:+"$fresh"}' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  case $task in
    uninstall) uninstall; exit ;;
    version)
      is_amp "$program" || die "$program is not amp."
      cat "$work/version"
      exit ;;
  esac

  from=${from:-${AMP_INSTALL_FROM:-}}
  if [ -z "$from" ]; then
    # A script that is read from a pipe has no folder.
    case $0 in */install.sh) from=${0%/*} ;; install.sh) from=. ;; esac
    [ -n "$from" ] && [ -f "$from/SHA256SUMS" ] ||
      die "no source was given." \
        "Pass a folder or base URL: sh install.sh FROM, or AMP_INSTALL_FROM=…"
  fi
  from=${from%/}
  build=amp-$(platform)
  # Before the download, which is large.
  may_replace "$program" ||
    die "$program is another program." "To replace it: --force. To keep both: --name NAME"

  fetch SHA256SUMS "$work/SHA256SUMS" || die "could not get $from/SHA256SUMS."
  choose "$build"
  say "Installing $file from $from"
  fetch "$file" "$work/$file" || die "could not get $from/$file."
  found=$(hash_of "$work/$file")
  [ "$found" = "$wanted" ] ||
    die "the checksum of $file does not match." \
      "Expected SHA-256 $wanted, got $found. Try again; if it still differs, do not use the file."

  $unpack <"$work/$file" >"$work/amp" || die "could not unpack $file."
  chmod 755 "$work/amp"
  version=$("$work/amp" --version </dev/null) ||
    die "$build does not run on this machine." "Use the npm package with Node.js instead."

  mkdir -p "$prefix/bin"
  # Renamed into place, so that a running amp continues and no partial file is ever run.
  fresh=$program.$$
  cp "$work/amp" "$fresh"
  mv -f "$fresh" "$program"
  say "Installed $version to $program"

  amp=${name:-amp}
  link=$prefix/bin/amp
  if [ -n "$name" ] || [ "$link" -ef "$program" ]; then
    :
  elif may_replace "$link"; then
    rm -f "$link"
    ln -s amp-admin "$link"
  else
    amp=amp-admin
    say "$link is another program, and was left: run amp-admin"
  fi
  [ -n "$name" ] || add_completions

  say
  case ":${PATH:-}:" in
    *":$prefix/bin:"*)
      on_path=$(command -v $amp || :)
      [ "$on_path" = "$prefix/bin/$amp" ] || say "Another $amp comes first on your PATH: $on_path" ;;
    *)
      [ -z "${GITHUB_PATH:-}" ] || printf '%s\n' "$prefix/bin" >>"$GITHUB_PATH"
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
