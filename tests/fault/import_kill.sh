#!/usr/bin/env bash
# kill -9 of `reckon import` and `reckon fit` at random moments: the store keeps whole sets only, a
# model file is the old one or the new one. Usage: import_kill.sh RECKON ROUNDS
set -u
reckon=$(realpath "$1")
rounds=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

awk 'BEGIN { print "workers,size,time_s"; for (i = 1; i <= 60000; ++i) print 1 + i % 64 "," i "," i / (1 + i % 64) }' > runs.csv
"$reckon" import runs.csv --name first -q > /dev/null || exit 1
"$reckon" fit --data runs.csv --target time_s --technique tree --out m.json -q > /dev/null || exit 1
cp m.json before.json
failed=0
RANDOM=7
for ((round = 1; round <= rounds; ++round)); do
  sed "s/^1,/2,/; 2s/.*/$round,1,1/" runs.csv > other.csv
  "$reckon" import other.csv --name "set$round" -q > /dev/null 2>&1 &
  importer=$!
  "$reckon" fit --data runs.csv --target time_s --seed "$round" --technique tree --out m.json -q > /dev/null 2>&1 &
  fitter=$!
  sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
  kill -9 $importer $fitter 2> /dev/null
  wait $importer $fitter 2> /dev/null
  ok=1
  "$reckon" predict --model m.json --set workers=4 -q > /dev/null 2>&1 || { echo "round $round: model file damaged"; ok=0; }
  names=$("$reckon" list --json -q | grep -c '"imported_at"') || true
  for name in first "set$round"; do
    rows=$("$reckon" export samples "$name" -q 2> /dev/null | wc -l)
    if [ "$rows" -ne 60001 ] && ! { [ "$name" != first ] && [ "$rows" -eq 0 ]; }; then
      echo "round $round: set $name has $rows lines of 60001"
      ok=0
    fi
  done
  [ "$names" -ge 1 ] || { echo "round $round: the store lists nothing"; ok=0; }
  [ $ok -eq 1 ] || failed=$((failed + 1))
done
# What a killed writer leaves the next writer of the same file removes.
"$reckon" fit --data runs.csv --target time_s --technique tree --out m.json -q > /dev/null || failed=$((failed + 1))
leftovers=$(find . -name '.reckon-*' -o -name 'm.json.*')
[ -z "$leftovers" ] || { echo "temporary files are left: $leftovers"; failed=$((failed + 1)); }
echo "$((rounds - failed)) passed, $failed failed"
[ $failed -eq 0 ]
