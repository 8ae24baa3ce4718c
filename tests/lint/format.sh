#!/bin/bash
# C++ is formatted as .clang-format says. Looks at the files git knows or could know (everything in
# the folders when this is no git checkout).
#
#   tests/lint/format.sh [ROOT]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$(lint_root "${1:-}")
cd "$root"

if ! command -v clang-format > /dev/null; then
  echo "format.sh: clang-format is not installed; on Debian: apt install clang-format" >&2
  exit 2
fi
[[ -f .clang-format ]] || { echo ".clang-format:1: missing"; exit 1; }

if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
  mapfile -t sources < <(git ls-files --cached --others --exclude-standard -- '*.h' '*.hpp' '*.cc' '*.cpp' |
    while read -r path; do [[ -f $path ]] && echo "$path"; done | LC_ALL=C sort -u)
else
  mapfile -t sources < <(list_files 'h|hpp|cc|cpp' src apps tests bench)
fi
[[ ${#sources[@]} -eq 0 ]] && exit 0

# A file of messages for each batch: written to one pipe, lines of two batches would mix.
messages=$(mktemp -d)
trap 'rm -rf "$messages"' EXIT
printf '%s\0' "${sources[@]}" | MESSAGES=$messages xargs -0 -n 16 -P 2 \
  bash -c 'clang-format --dry-run -Werror "$@" 2> "$MESSAGES/$$" || touch "$MESSAGES/failed"' _
[[ -e $messages/failed ]] || exit 0

# One line a place instead of clang-format's three; anything else it says is passed on.
cat "$messages"/* |
  sed -nE 's/^([^:]+:[0-9]+):[0-9]+: error: .*/\1: not formatted; run clang-format -i on the file/p
           /^(clang-format|Error|error|No such)/p' | LC_ALL=C sort -u -t: -k1,1 -k2,2n
exit 1
