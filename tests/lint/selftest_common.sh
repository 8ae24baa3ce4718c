# Shared by the self-tests of the lint scripts; sourced, not run. Each copies a small, clean tree to a
# temporary folder, plants one violation at a time and looks at what the script says.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# clean_tree: $work/tree with three layers and a program, in which no script finds anything.
clean_tree() {
  local tree=$work/tree
  rm -rf "$tree"
  mkdir -p "$tree"/src/{base,core,cli} "$tree"/apps/tool "$tree"/tests/unit
  cat > "$tree/src/LAYERS" <<'END'
# A comment.
base:            | fmt
core:  base      | sqlite3.h
cli:   base core |
END
  cat > "$tree/src/base/a.h" <<'END'
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include <fmt/format.h>
END
  cat > "$tree/src/core/b.cc" <<'END'
#include "base/a.h"
#include "core/b.h"
#include <sqlite3.h>
END
  printf '#pragma once\n' > "$tree/src/core/b.h"
  printf '#include "core/b.h"\n' > "$tree/src/cli/c.cc"
  printf '#include <string>\n\n#include "cli/program.h"\n' > "$tree/apps/tool/main.cc"
  printf 'BasedOnStyle: Google\n' > "$tree/.clang-format"
}

# expect_clean SCRIPT WHAT: the script finds nothing.
expect_clean() {
  local output status=0
  output=$("$here/$1" "$work/tree" 2>&1) || status=$?
  if [[ $status -ne 0 ]]; then
    echo "$1: $2: expected no finding, got status $status: $output"
    failures=1
  fi
}

# expect_finding SCRIPT MESSAGE WHAT: the script fails and one of its lines begins with MESSAGE, which
# therefore has path and line in it.
expect_finding() {
  local output status=0
  output=$("$here/$1" "$work/tree" 2>&1) || status=$?
  if [[ $status -ne 1 ]] || ! grep -qF -- "$2" <<< "$output"; then
    echo "$1: $3: expected status 1 and '$2', got status $status: $output"
    failures=1
  fi
}

# plant PATH: replaces the file by standard input in a fresh clean tree.
plant() {
  clean_tree
  mkdir -p "$(dirname "$work/tree/$1")"
  cat > "$work/tree/$1"
}

finish() {
  if [[ $failures -eq 0 ]]; then echo "$(basename "$0"): ok"; fi
  exit "$failures"
}
