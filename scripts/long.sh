#!/usr/bin/env bash
# The long suites of ./test.sh --long. Each one that passed for this commit is remembered in
# build/long/ and not run again, so that an interrupted run can be taken up. Reports go to
# docs/results/long/.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain -- src tests apps cmake CMakeLists.txt 2>/dev/null)" ] || commit+=-changed
done_dir=build/long/$commit
reports=docs/results/long
mkdir -p "$done_dir" "$reports"

export PYTHONDONTWRITEBYTECODE=1

# suite NAME COMMAND...: runs once a commit, keeps the last lines of its output
suite() {
  local name=$1
  shift
  if [ -e "$done_dir/$name" ]; then
    echo "-- $name: passed before for $commit"
    return
  fi
  echo "-- $name: $*"
  local begin=$SECONDS
  if ! "$@" > "build/long/$name.log" 2>&1; then
    tail -n 40 "build/long/$name.log"
    echo "FAILED: $name; whole output in build/long/$name.log" >&2
    exit 1
  fi
  {
    echo "# $name"
    echo "commit $commit, $(nproc) cores, $((SECONDS - begin)) s"
    echo "command: $*"
    echo
    tail -n 25 "build/long/$name.log"
  } > "$reports/$name.txt"
  touch "$done_dir/$name"
}

suite store_kill build/bin/store_kill_test 400 11
suite import_kill tests/fault/import_kill.sh build/bin/reckon 150
# Other moments every time; the seed is in the report, with the command.
seed() { echo $((RANDOM * 32768 + RANDOM)); }
suite run_kill /usr/bin/python3 tests/fault/run_kill.py build/bin/reckon 50 11
suite campaign_kill /usr/bin/python3 tests/fault/campaign_kill.py build/bin/reckon 10 "$(seed)"
suite manager_kill /usr/bin/python3 tests/fault/manager_kill.py build/bin/reckon 160 "$(seed)"
suite update_kill /usr/bin/python3 tests/fault/update_kill.py build/bin/reckon 72 "$(seed)"
suite supervisor_kill build/bin/supervisor_kill_test 200 "$(seed)"
# Without root there are no labs: then it says so and is not counted as done.
if [ "$(id -u)" = 0 ]; then
  suite run_kill_lab /usr/bin/python3 tests/fault/run_kill_lab.py build/bin/reckon 24 11
  suite campaign_kill_lab /usr/bin/python3 tests/fault/campaign_kill.py build/bin/reckon 10 \
    "$(seed)" lab
  suite node_loss /usr/bin/python3 tests/fault/node_loss.py build/bin/reckon 20 "$(seed)"
  suite lab_kill tests/fault/lab_kill.sh build/bin/reckon build/bin/lab_probe 100 "$(seed)"
else
  echo "-- run_kill_lab, campaign_kill_lab, node_loss, lab_kill: skipped, labs need root"
fi

cmake --preset fuzz > /dev/null
cmake --build build/fuzz --target table_reader_fuzz model_reader_fuzz spec_reader_fuzz \
  report_reader_fuzz array_reader_fuzz request_reader_fuzz bundle_reader_fuzz
fuzz() {
  # New finds stay in build/; the corpus in the tree is kept small by hand.
  mkdir -p build/long/corpus_$1
  suite fuzz_$1 build/fuzz/bin/$1_reader_fuzz -max_total_time=600 -max_len=4096 \
    -rss_limit_mb=4096 -timeout=20 -print_final_stats=1 build/long/corpus_$1 tests/fuzz/corpus/$1
}
# Each takes one core for ten minutes.
fuzz_both() {
  local failed=0
  fuzz "$1" & local first=$!
  fuzz "$2" & local second=$!
  wait $first || failed=1
  wait $second || failed=1
  [ $failed -eq 0 ] || exit 1
}
fuzz_both table model
fuzz_both spec report
fuzz_both array request
# The seventh has nobody to share with.
fuzz bundle

tidy() { cmake --preset tidy > /dev/null && cmake --build build/tidy; }
suite tidy tidy
echo "long suites passed for $commit"
