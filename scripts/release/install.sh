#!/bin/sh
# Installs the wharf command of a release on Linux or macOS:
#
#   WHARF_DOWNLOAD_URL=https://downloads.example.com/wharf/0.2.0 sh install.sh
#
# WHARF_DOWNLOAD_URL  address of the release's folder
# WHARF_PUBLIC_KEY    file with the public key of releases: their signature must then be valid
# WHARF_PREFIX        folder that gets bin/wharf: /usr/local for root, otherwise ~/.local
set -eu

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

# download NAME: into the scratch folder. Redirects may not leave TLS.
download() {
  if has curl; then
    curl -fsSL --proto-redir '=https' -o "$scratch/$1" "$url/$1"
  elif has wget; then
    wget -q -O "$scratch/$1" "$url/$1"
  else
    fail 'needs curl or wget'
  fi || fail "cannot download $url/$1"
}

platform() {
  case $(uname -m) in
    x86_64 | amd64) architecture=x64 ;;
    aarch64 | arm64) architecture=arm64 ;;
    *) fail "no release for $(uname -m)" ;;
  esac
  case $(uname -s) in
    Linux)
      if ldd --version 2>&1 | grep -qi musl; then
        fail 'the executable needs glibc: use the npm package or the container image'
      fi
      echo "linux-$architecture"
      ;;
    Darwin) echo "macos-$architecture.tar.gz" ;;
    *) fail "no release for $(uname -s)" ;;
  esac
}

sha256() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  else
    fail 'needs sha256sum or shasum'
  fi | cut -d ' ' -f 1
}

# With a public key, files without a valid signature are rejected.
check_signature() {
  key=${WHARF_PUBLIC_KEY:-}
  if [ -z "$key" ]; then
    echo 'signature not checked: set WHARF_PUBLIC_KEY to the file with the public key of releases' >&2
  elif has cosign; then
    download SHA256SUMS.sigstore.json
    cosign verify-blob --key "$key" --bundle "$scratch/SHA256SUMS.sigstore.json" \
      --insecure-ignore-tlog "$scratch/SHA256SUMS" >&2 || fail 'SHA256SUMS: invalid signature'
  elif has openssl; then
    download SHA256SUMS.sig
    openssl dgst -sha256 -verify "$key" -signature "$scratch/SHA256SUMS.sig" \
      "$scratch/SHA256SUMS" >&2 || fail 'SHA256SUMS: invalid signature'
  else
    fail 'needs cosign or openssl to check the signature'
  fi
}

# Replaces the former files in one step each.
install_executable() {
  chmod 755 "$1"
  mv -f "$1" "$bin/.wharf.new"
  mv -f "$bin/.wharf.new" "$bin/wharf"
  for name in docker-credential-wharf wharf-credential-provider; do
    ln -sf wharf "$bin/$name"
  done
}

install_archive() {
  folder=$prefix/lib/wharf
  mkdir -p "$folder.new"
  tar -xzf "$1" -C "$folder.new" --strip-components 1
  rm -rf "$folder"
  mv "$folder.new" "$folder"
  for name in wharf docker-credential-wharf wharf-credential-provider; do
    ln -sf "../lib/wharf/$name" "$bin/$name"
  done
}

main() {
  url=${WHARF_DOWNLOAD_URL:-}
  url=${url%/}
  [ -n "$url" ] || fail 'set WHARF_DOWNLOAD_URL to the address of the release'
  if [ "$(id -u)" = 0 ]; then prefix=/usr/local; else prefix=$HOME/.local; fi
  prefix=${WHARF_PREFIX:-$prefix}
  bin=$prefix/bin
  suffix=$(platform)

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  download SHA256SUMS
  check_signature
  # The name has no slash: it becomes that of a file.
  line=$(grep -E "^[0-9a-f]{64}  wharf-[0-9][0-9A-Za-z.+-]*-$suffix\$" "$scratch/SHA256SUMS") ||
    fail "SHA256SUMS: no file for $suffix"
  [ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "SHA256SUMS: several files for $suffix"
  file=${line#*  }
  download "$file"
  [ "$(sha256 "$scratch/$file")" = "${line%%  *}" ] || fail "$file: wrong checksum"

  mkdir -p "$bin"
  case $file in
    *.tar.gz) install_archive "$scratch/$file" ;;
    *) install_executable "$scratch/$file" ;;
  esac
  echo "installed ${file%.tar.gz} as $bin/wharf"
  case :$PATH: in
    *:"$bin":*) ;;
    *) echo "add $bin to your PATH" ;;
  esac
}

# The last line: a script that was cut short does nothing.
main
