#!/bin/bash
# Downloads fastctl's package, checks it and unpacks it; action.yml runs this. Everything comes in variables.
#
#   VERSION    the version, with or without a leading v
#   DOWNLOAD   the address of a folder with the packages of that version and their SHA256SUMS; if empty, the version's
#              release in REPOSITORY, an address
#   SHA256     the package's checksum, from a source that you trust; if empty, SHA256SUMS decides
#   FOLDER     where the package goes; it must not exist
#
# Nothing is unpacked from a package with another checksum, and nothing stays in FOLDER after a failure. FOLDER/bin is
# appended to $GITHUB_PATH, and its program to $GITHUB_OUTPUT.
set -euo pipefail
umask 022

fail() {
    if [ -n "${GITHUB_ACTIONS:-}" ]; then printf '::error title=fastctl is not installed::%s\n' "$*"; fi
    printf 'fastctl is not installed: %s\n' "$*" >&2
    exit 1
}

given=${VERSION:-}
version=${given#v}
if ! [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    fail "'${given//[^[:alnum:]._-]/?}' is not a version; use the action by a tag such as v0.1.0, or set the input 'version'"
fi
source=${DOWNLOAD:-${REPOSITORY:-}/releases/download/v$version}
source=${source%/}
# A checksum from the same place proves nothing if others can change both on the way.
if ! [[ $source =~ ^https://[!-~]+$ || $source =~ ^http://127\.0\.0\.1:[0-9]+(/[!-~]*)?$ ]]; then
    fail "the address of the packages must begin with https://"
fi
if [ -n "${SHA256:-}" ] && ! [[ $SHA256 =~ ^[0-9a-f]{64}$ ]]; then
    fail "the input 'sha256' must have 64 hexadecimal digits in lower case"
fi
[ ! -e "$FOLDER" ] || fail "$FOLDER exists already; remove it, or set another folder"
for tool in curl sha256sum tar zstd; do
    command -v "$tool" >/dev/null || fail "$tool is missing; install the Debian packages ca-certificates, curl, tar and zstd"
done

work=$(mktemp -d)
done=false
# Called when the script ends.
clean() {
    rm -rf "$work"
    if [ "$done" = false ]; then rm -rf "$FOLDER"; fi
}
trap clean EXIT

archive=fastctl-$version-linux-$(uname -m).tar.zst
fetch() {
    curl --fail --silent --show-error --location --proto-redir =https --retry 2 --max-time 300 --max-filesize 268435456 \
        --output "$work/$1" "$source/$1" 2>"$work/errors" || fail "$source/$1: $(tail -n 1 "$work/errors")"
}

expected=${SHA256:-}
if [ -z "$expected" ]; then
    fetch SHA256SUMS
    expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
    [[ $expected =~ ^[0-9a-f]{64}$ ]] || fail "$source/SHA256SUMS has no checksum of $archive"
fi
fetch "$archive"
actual=$(sha256sum <"$work/$archive" | cut -d ' ' -f 1)
if [ "$actual" != "$expected" ]; then
    fail "$archive has the SHA-256 checksum $actual, not $expected; it was not unpacked"
fi

mkdir -p "$FOLDER"
zstd --quiet --decompress --stdout "$work/$archive" |
    tar --extract --strip-components=1 --no-same-owner --directory "$FOLDER" || fail "$archive cannot be unpacked"
program=$FOLDER/bin/fastctl
if ! found=$("$program" version 2>"$work/errors"); then
    reason=$(tail -n 1 "$work/errors")
    # The package's own script finds every reason, in sentences.
    check=$FOLDER/share/fastctl/check-system
    if [ -x "$check" ] && ! reasons=$("$check" 2>&1); then reason=$(paste -sd ' ' <<<"$reasons"); fi
    fail "$program does not start: $reason (see 'The tarball' in Documentation/Guide/Installing.md)"
fi
[ "$found" = "fastctl $version" ] || fail "the package contains '$found', not version $version"

done=true
printf '%s from %s, SHA-256 %s\n' "$found" "$archive" "$actual"
if [ -n "${GITHUB_PATH:-}" ]; then printf '%s\n' "$FOLDER/bin" >>"$GITHUB_PATH"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then printf 'program=%s\n' "$program" >>"$GITHUB_OUTPUT"; fi
