#!/usr/bin/env bash
# Installs the Debian packages of scripts/packages.txt that are missing.
# Usage: scripts/install.sh build [test] [long]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

missing=()
while read -r group name _; do
  [[ " $* " == *" $group "* ]] || continue
  dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' ||
    missing+=("$name")
done < <(grep -v '^#' "$here/packages.txt")

if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
echo "installing: ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "these packages are missing and this is no Debian: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "need root or sudo to install them" >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
