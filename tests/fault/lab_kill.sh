#!/usr/bin/env bash
# `reckon lab up` killed at random moments, and sometimes `down` after it: a later `down` leaves no
# trace, and the lab can be made again.
# Usage: lab_kill.sh RECKON PROBE [ROUNDS [SEED]]
set -u
reckon=$(realpath "$1")
rounds=${3:-12}
source "$(dirname "${BASH_SOURCE[0]}")/lab_common.sh"
trap '"$reckon" lab down rkt-k > /dev/null; rm -rf "$work"' EXIT
cat > k.yaml << 'YAML'
name: rkt-k
hosts: [{name: h, count: 4, cpus: 0.1, bandwidth: 50Mbit, memory: 64MiB}]
YAML
"$reckon" lab down rkt-k > /dev/null
traces > before
start=$(date +%s%N)
"$reckon" lab up k.yaml > /dev/null
whole=$((($(date +%s%N) - start) / 1000))  # us
"$reckon" lab down rkt-k > /dev/null

RANDOM=${4:-7}
partial=0
for round in $(seq "$rounds"); do
  "$reckon" lab up k.yaml > out 2> err &
  pid=$!
  sleep "$(awk -v r=$RANDOM -v w=$whole 'BEGIN { printf "%.4f", r / 32768 * w / 1e6 }')"
  kill -9 $pid 2> /dev/null
  wait $pid 2> /dev/null
  grep -qs '"finished": false' /run/reckon/labs/rkt-k.json && partial=$((partial + 1))
  if [ $((round % 3)) = 0 ]; then
    "$reckon" lab down rkt-k > /dev/null &
    pid=$!
    sleep "0.0$((RANDOM % 90 + 10))"
    kill -9 $pid 2> /dev/null
    wait $pid 2> /dev/null
  fi
  "$reckon" lab down rkt-k > out 2> err
  code=$?
  check "round $round: down succeeds: $(cat err)" "[ $code = 0 ]"
  traces > after
  check "round $round: nothing stays: $(diff before after)" "cmp -s before after"
done
check "some kills hit a lab half made ($partial of $rounds)" "[ $partial -gt 0 ]"
"$reckon" lab up k.yaml > out 2> err
code=$?
check "the lab can be made again: $(cat err)" "[ $code = 0 ]"

# Ctrl-C, which reaches all of the terminal's group, in the middle removes what was made.
"$reckon" lab down rkt-k > /dev/null
for try in 1 2 3 4 5; do  # earlier each time, since it may be quicker now than it was then
  delay=$(awk -v w=$whole -v n=$try 'BEGIN { printf "%.4f", w / 2e6 / n }')
  code=$(set -m; "$reckon" lab up k.yaml > out 2> err & pid=$!; sleep "$delay"; kill -INT -- -$pid 2> /dev/null; wait $pid; echo $?)
  [ "$code" = 0 ] || break
  "$reckon" lab down rkt-k > /dev/null
done
check "interrupted: exit code 130, not $code" "[ '$code' = 130 ]"
traces > after
check "interrupted: nothing stays: $(diff before after)" "cmp -s before after"
echo "$passed passed, $failed failed; $partial of $rounds kills hit a lab half made"
[ $failed -eq 0 ]
