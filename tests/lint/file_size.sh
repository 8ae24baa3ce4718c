#!/bin/bash
# No source file has more than 800 lines; above 400 one is asked what wants to leave it (a warning).
#
#   tests/lint/file_size.sh [ROOT]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
root=$(lint_root "${1:-}")
cd "$root"

mapfile -t sources < <(list_files 'h|hpp|cc|cpp|py|js|mjs|ts|css|html|sh|awk|sql|proto|cmake' \
                         src apps tests bench web python)
[[ ${#sources[@]} -eq 0 ]] && exit 0
awk '
FNR == 1 { files[++count] = FILENAME }
{ lines[FILENAME] = FNR }
END {
  for (i = 1; i <= count; ++i) {
    n = lines[files[i]]
    if (n > 800) {
      printf "%s:801: %d lines; the limit is 800: split the file\n", files[i], n
      findings = 1
    } else if (n > 400) {
      printf "%s:401: warning: %d lines; above 400 ask what wants to leave\n", files[i], n
    }
  }
  exit findings
}
' "${sources[@]}"
