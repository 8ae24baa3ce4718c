#!/usr/bin/env bash
# Installs what is missing, builds, and runs every suite: lint, unit (also under the address and
# thread sanitizers), cases, fault, e2e. With --long, in addition: ten minutes of fuzzing a target,
# hundreds of kills, clang-tidy; resumable (what passed for this commit is not run again), output in
# docs/results/.
set -euo pipefail
cd "$(dirname "$0")"

long=0
for argument in "$@"; do
  case "$argument" in
    --long) long=1 ;;
    *) echo "usage: ./test.sh [--long]" >&2; exit 2 ;;
  esac
done

groups=(build test)
[ $long -eq 0 ] || groups+=(long)
scripts/install.sh "${groups[@]}"

step() { printf '\n== %s\n' "$*"; }

step "release: build, then lint, unit, cases and fault suites"
cmake --preset release -DBUILD_TESTING=ON -DRECKON_UNITY_TESTS=ON >/dev/null
cmake --build build
ctest --test-dir build -j "$(nproc)" --output-on-failure --no-tests=error

for sanitizer in asan tsan; do
  step "$sanitizer: build, then the unit suite"
  cmake --preset $sanitizer >/dev/null
  cmake --build build/$sanitizer --target unit_tests
  ctest --test-dir build/$sanitizer -j "$(nproc)" -L unit --output-on-failure --no-tests=error
done

if [ $long -eq 1 ]; then
  step "long suites"
  scripts/long.sh
fi
step "all suites passed"
