#!/usr/bin/env bash
# Ctrl-C in the middle of import and fit: exit code 130, nothing half-written, no temporary file.
# Usage: interrupt.sh RECKON
set -u
reckon=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0
check() {
  if eval "$2"; then passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi
}

awk 'BEGIN { print "workers,size,batch,time_s"; for (i = 1; i <= 400000; ++i) print 1 + i % 64 "," i "," i % 7 "," i / (1 + i % 64) }' > big.csv
# For the import, so much that no machine is done with it before the signal comes.
awk 'BEGIN { print "workers,size,batch,time_s"; for (i = 1; i <= 3000000; ++i) print 1 + i % 64 "," i "," i % 7 "," i / 8 }' > huge.csv
for signal in INT TERM; do
  # A background job of a script ignores SIGINT; a subshell with job control does not.
  code=$(set -m; "$reckon" import huge.csv --name big -q > out 2> err & pid=$!; sleep 0.4; kill -$signal $pid; wait $pid; echo $?)
  check "$signal: import exits with 130, not $code" "[ '$code' = 130 ]"
  check "$signal: import says so" "grep -q 'interrupted' err"
  "$reckon" list -q > list 2> /dev/null
  check "$signal: no set was kept" "! grep -q 'big' list"
  code=$(set -m; "$reckon" fit --data big.csv --target time_s --out m.json -q > out 2> err & pid=$!; sleep 0.6; kill -$signal $pid; wait $pid; echo $?)
  check "$signal: fit exits with 130, not $code" "[ '$code' = 130 ]"
  check "$signal: no model file" "! ls -A | grep -q 'm.json'"
  check "$signal: no temporary file" "! ls -A | grep -q '^[.]reckon-'"
done
"$reckon" import big.csv --name big -q > out
check "the import works afterwards" "grep -q '400000 rows kept' out"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
