#!/bin/bash
# Small things a reviewer should not have to say: no tabs in C++, no trailing blanks, no mark of work
# left to do without a sentence that explains it, #pragma once in every header.
#
#   tests/lint/words.sh [ROOT]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$(lint_root "${1:-}")
cd "$root"

mapfile -t sources < <(list_files 'h|hpp|cc|cpp|py|js|mjs|ts|css|html|sh|awk|sql|proto|cmake' \
                         src apps tests bench cmake web python)
[[ ${#sources[@]} -eq 0 ]] && exit 0
# The names are in pieces because this file is checked as well.
awk -v todo='TO''DO' -v fixme='FIX''ME' '
function report(path, line, message) {
  printf "%s:%d: %s\n", path, line, message
  findings = 1
}
FNR == 1 {
  is_cpp = FILENAME ~ /\.(h|hpp|cc|cpp)$/
  if (FILENAME ~ /\.(h|hpp)$/) headers[++header_count] = FILENAME
}
is_cpp && /\t/ { report(FILENAME, FNR, "tab") }
/[ \t\r]$/ { report(FILENAME, FNR, "trailing blank") }
/^#pragma once$/ { has_pragma[FILENAME] = 1 }
{
  if (match($0, "(^|[^A-Za-z_])(" todo "|" fixme ")([^A-Za-z_]|$)")) {
    rest = substr($0, RSTART + RLENGTH - 1)
    # "(who):" or ":" and at least three words.
    if (rest !~ /^(\([^)]+\))?: *[^ ]+ +[^ ]+ +[^ ]+/) {
      report(FILENAME, FNR, todo " without an explanation; write \"" todo ": what and why\"")
    }
  }
}
END {
  for (i = 1; i <= header_count; ++i) {
    if (!(headers[i] in has_pragma)) report(headers[i], 1, "header without #pragma once")
  }
  exit findings
}
' "${sources[@]}"
