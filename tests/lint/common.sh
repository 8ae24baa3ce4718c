# Shared by the lint scripts; sourced, not run. A script prints "path:line: message" for each
# finding, paths relative to the root, and ends with 1 when there is any.

# lint_root "$1": the root given, or two levels above the script.
lint_root() {
  local root=${1:-"$(dirname "${BASH_SOURCE[1]}")/../.."}
  [[ -d $root/src ]] || { echo "$0: no folder src/ in '$root'" >&2; exit 2; }
  (cd "$root" && pwd)
}

# list_files EXTENSIONS FOLDER...: files with one of the extensions (separated by |) below those of
# the folders that exist, sorted; build trees and packages of others are left out.
list_files() {
  local extensions=$1 folder
  shift
  local present=()
  for folder in "$@"; do [[ -d $folder ]] && present+=("$folder"); done
  [[ ${#present[@]} -eq 0 ]] && return 0
  find "${present[@]}" \( -name build -o -name node_modules -o -name .git -o -name vendor \) -prune -o \
    -type f -regextype posix-extended -regex ".*\.($extensions)" -print | LC_ALL=C sort
}
