#!/bin/bash
# format.sh finds what clang-format would change, and says so when there is no clang-format.
source "$(dirname "${BASH_SOURCE[0]}")/selftest_common.sh"

# Without clang-format: a PATH that has everything else.
clean_tree
mkdir "$work/bin"
for tool in bash dirname cat sed sort git find mktemp rm xargs; do
  ln -sf "$(command -v "$tool")" "$work/bin/$tool"
done
status=0
output=$(PATH=$work/bin "$here/format.sh" "$work/tree" 2>&1) || status=$?
if [[ $status -ne 2 || $output != *"clang-format is not installed"* ]]; then
  echo "format.sh: without clang-format: status $status: $output"
  failures=1
fi
command -v clang-format > /dev/null || { echo "format_selftest.sh: skipped the rest: no clang-format"; exit "$failures"; }

formatted() { clang-format -i -style=Google "$work"/tree/*/*/*.{h,cc}; }

clean_tree
formatted
expect_clean format.sh "clean tree"

plant src/base/x.cc <<< $'int a;\nint   b;'
formatted_except=$work/keep
cp "$work/tree/src/base/x.cc" "$formatted_except"
formatted
cp "$formatted_except" "$work/tree/src/base/x.cc"
expect_finding format.sh "src/base/x.cc:2: not formatted" "bad spacing"

# In a git checkout ignored files do not count, new ones do.
git -C "$work/tree" init -q
echo /ignored.cc > "$work/tree/.gitignore"
cp "$formatted_except" "$work/tree/ignored.cc"
expect_finding format.sh "src/base/x.cc:2: not formatted" "new file in a checkout"
rm "$work/tree/src/base/x.cc"
expect_clean format.sh "ignored file in a checkout"

finish
