#!/bin/bash
# file_size.sh fails above 800 lines, warns above 400, and leaves foreign code alone.
source "$(dirname "${BASH_SOURCE[0]}")/selftest_common.sh"

clean_tree
expect_clean file_size.sh "clean tree"

for path in src/base/long.cc apps/tool/long.h tests/unit/long.cc web/app.js python/long.py bench/long.cc; do
  plant "$path" < <(yes '' | head -801)
  expect_finding file_size.sh "$path:801: 801 lines; the limit is 800" "long file"
done

plant src/base/long.cc < <(yes '' | head -800)
expect_clean file_size.sh "800 lines"
if ! "$here/file_size.sh" "$work/tree" | grep -q 'src/base/long.cc:401: warning: 800 lines'; then
  echo "file_size.sh: no warning for 800 lines"
  failures=1
fi

plant src/base/long.cc < <(yes '' | head -400)
if [[ -n $("$here/file_size.sh" "$work/tree") ]]; then
  echo "file_size.sh: a warning for 400 lines"
  failures=1
fi

plant web/node_modules/lib/long.js < <(yes '' | head -5000)
expect_clean file_size.sh "packages of others"

finish
