#!/bin/sh
# Installs lectern for your user: downloads a release, verifies it and only then
# installs it. Root is not needed.
#
#   curl --proto '=https' -fsSL https://github.com/lectern-mcp/lectern/releases/latest/download/install.sh | sh
#
# LECTERN_VERSION  a version such as 1.2.3; default: the newest
# LECTERN_BIN      the folder to install into; default: ~/.local/bin
# LECTERN_MIRROR   an https URL to get releases from
# LECTERN_KEYS     minisign public keys to trust instead of those below
set -eu

# The release keys, current and next; the same as in installer/update.
KEYS=''
RELEASES='https://github.com/lectern-mcp/lectern/releases'

say() { printf '%s\n' "$*" >&2; }
die() {
	say "install lectern: $*"
	say "nothing was installed"
	exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# fetch URL FILE
fetch() {
	protocol='=https'
	case $1 in http://127.0.0.1:*) protocol='=http' ;; esac # for tests
	if have curl; then
		curl --proto "$protocol" --proto-redir "$protocol" --tlsv1.2 -fsSL --max-time 900 --max-filesize 134217728 -o "$2" "$1" ||
			die "cannot get $1; see the message above, or install by hand from ${base%/}"
	elif have wget; then
		case $1 in https://* | http://127.0.0.1:*) ;; *) die "$1 is not https" ;; esac
		wget -q -T 60 -O "$2" "$1" || die "cannot get $1; install by hand from ${base%/}"
	else
		die "this needs curl or wget; install one of them and try again"
	fi
}

sha256() {
	if have sha256sum; then sha256sum "$1"; elif have shasum; then shasum -a 256 "$1"; else
		die "this needs sha256sum or shasum; install one of them and try again"
	fi | cut -d ' ' -f 1
}

# verify checks that the list of checksums is signed by a trusted key, and prints
# for which version.
verify() {
	keys=${LECTERN_KEYS:-$KEYS}
	if [ -z "$keys" ]; then
		say "signature: not checked, this script carries no release key yet; the SHA-256 is checked"
	elif ! have minisign; then
		say "signature: not checked, minisign is not installed; the SHA-256 is checked"
	else
		fetch "$at/checksums.txt.minisig" "$tmp/checksums.txt.minisig"
		for key in $keys; do
			if comment=$(minisign -Q -V -P "$key" -m "$tmp/checksums.txt" 2>/dev/null); then
				say "signature: $comment"
				case $comment in "lectern "*) signed=${comment#lectern } ;; *) die "the signature is for '$comment', not for lectern" ;; esac
				return
			fi
		done
		die "checksums.txt is not signed by a key of lectern: it was changed, or is not from us"
	fi
}

main() {
	base=${LECTERN_MIRROR:-$RELEASES}
	case $base in https://* | http://127.0.0.1:*) ;; *) die "LECTERN_MIRROR is $base; it must be an https URL" ;; esac
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) die "there is no release for $(uname -s); on Windows use install.ps1" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) die "there is no release for $(uname -m); build it: go install github.com/lectern-mcp/lectern/cmd/lectern@latest" ;;
	esac
	version=${LECTERN_VERSION:-}
	case $version in *[!0-9A-Za-z.-]*) die "LECTERN_VERSION is $version; write it as 1.2.3" ;; esac
	if [ -n "$version" ]; then at=${base%/}/download/v$version; else at=${base%/}/latest/download; fi
	bin=${LECTERN_BIN:-$HOME/.local/bin}
	mkdir -p "$bin" || die "cannot create $bin; set LECTERN_BIN to a folder of your own"
	tmp=$(mktemp -d "$bin/.lectern-install-XXXXXX") || die "permission denied: cannot write to $bin; set LECTERN_BIN to a folder of your own"
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 1' INT TERM HUP

	fetch "$at/checksums.txt" "$tmp/checksums.txt"
	signed=
	verify
	line=$(grep -E "^[0-9a-f]{64}  lectern_[0-9A-Za-z.-]+_${os}_${arch}\.tar\.gz\$" "$tmp/checksums.txt") || die "this release has no build for $os/$arch"
	[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || die "checksums.txt names $os/$arch more than once"
	want=${line%% *}
	file=${line##* }
	named=${file#lectern_}
	named=${named%_"$os"_"$arch".tar.gz}
	if [ -n "$version" ] && [ "$named" != "$version" ]; then die "the server sent version $named instead of $version"; fi
	if [ -n "$signed" ] && [ "$named" != "$signed" ]; then die "the list is signed for version $signed, but names $named"; fi

	fetch "${base%/}/download/v$named/$file" "$tmp/$file"
	got=$(sha256 "$tmp/$file")
	[ "$got" = "$want" ] || die "$file has the SHA-256 $got instead of $want: it was changed or damaged in transit; try again, or from another network"
	say "sha-256: $got"
	tar -xzf "$tmp/$file" -C "$tmp" lectern || die "$file does not contain lectern"
	if [ ! -f "$tmp/lectern" ] || [ -L "$tmp/lectern" ]; then die "lectern in $file is not a regular file"; fi
	chmod 755 "$tmp/lectern"
	said=$("$tmp/lectern" version) || die "the new lectern does not run here"
	case $said in "lectern $named "*) ;; *) die "the new lectern reports '$said'" ;; esac
	mv -f "$tmp/lectern" "$bin/lectern"
	say "installed: $bin/lectern ($said)"
	case :$PATH: in *:"$bin":*) ;; *) say "$bin is not on your PATH; add it, for example: export PATH=\"$bin:\$PATH\"" ;; esac
	say "next: lectern"
}

main
