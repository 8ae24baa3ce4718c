#!/usr/bin/env bash
# Measures how true a lab is; prints the tables of docs/lab.md. Run it on an idle machine.
# Usage: lab_measure.sh RECKON PROBE [bandwidth|cpu|steps|latency ...]
set -u
reckon=$(realpath "$1")
probe=$(realpath "$2")
shift 2
parts=${*:-bandwidth cpu steps latency}
source "$(dirname "${BASH_SOURCE[0]}")/lab_common.sh"
trap '"$reckon" lab down rkt-m > /dev/null; rm -rf "$work"' EXIT

# make DILATION HOST...
make() {
  { echo "name: rkt-m"; echo "dilation: $1"; echo "hosts:"; shift; printf '  - {%s}\n' "$@"; } > m.yaml
  "$reckon" lab down rkt-m > /dev/null
  "$reckon" lab up m.yaml > /dev/null 2> err || { cat err; exit 1; }
}
median() { sort -g | awk '{ x[NR] = $1 } END { print (NR % 2) ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }

bandwidth() {
  echo "| bandwidth | dilation | asked, Mbit/s | measured, Mbit/s | ratio |"
  echo "|---|---|---|---|---|"
  for case in 10Mbit:10:1 100Mbit:100:1 500Mbit:500:1 1Gbit:1000:1 2.5Gbit:2500:1 10Gbit:10000:1 \
              1Gbit:1000:2.5 1Gbit:1000:5 1Gbit:1000:10; do
    IFS=: read -r text rate dilation <<< "$case"
    make "$dilation" "name: h, count: 2, cpus: $(awk -v k="$dilation" 'BEGIN { print 2 * k }'), bandwidth: $text"
    asked=$(awk -v r="$rate" -v k="$dilation" 'BEGIN { print r / k }')
    bytes=$(awk -v r="$asked" 'BEGIN { printf "%.0f", r * 1e6 / 8 * 2 }')
    got=$(for _ in 1 2 3; do mbit rkt-m h0 h1 "$bytes"; done | median)
    echo "| $text | $dilation | $asked | $got | $(awk -v a="$asked" -v g="$got" 'BEGIN { printf "%.3f", g / a }') |"
  done
}

# The same computation in turns, so that both see the same weather; the quickest of five runs each.
# The share is CPU time by time, which holds also where the processor itself changes its speed.
cpu() {
  echo "| dilation | 1 core, s | 0.7 cores, s | times (1.429 is right) | shares (0.7 is right) | full share |"
  echo "|---|---|---|---|---|---|"
  for dilation in 1 2.5 5 10; do
    make "$dilation" "name: full, cpus: 1" "name: part, cpus: 0.7"
    rounds=$(awk -v k="$dilation" 'BEGIN { printf "%.0f", 7000000 / k }')
    for _ in 1 2 3 4 5; do
      on rkt-m full "$probe" compute "$rounds" >> "full$dilation"
      on rkt-m part "$probe" compute "$rounds" >> "part$dilation"
    done
    paste "full$dilation" "part$dilation" | awk -v k="$dilation" '
      { if (NR == 1 || $1 < f) f = $1; if (NR == 1 || $3 < p) p = $3; sf += $2 / $1; sp += $4 / $3 }
      END { printf "| %s | %.3f | %.3f | %.3f | %.3f | %.4f |\n", k, f, p, p / f, sp / sf, sf / NR }'
  done
}

# ring HOSTS ROUNDS FLOATS STEPS: the median step of all hosts together, ms
ring() {
  local addresses=() pids=()
  for ((i = 0; i < $1; ++i)); do addresses+=("$(address rkt-m "h$i")"); done
  for ((i = 0; i < $1; ++i)); do
    on rkt-m "h$i" "$probe" ring "$i" 7100 "$4" "$2" "$3" "${addresses[@]}" > "ring$i" &
    pids+=($!)
  done
  wait "${pids[@]}"
  cat ring0
}

steps() {
  echo "| hosts | work | dilation | step, ms | step / dilation, ms |"
  echo "|---|---|---|---|---|"
  for hosts in 2 4; do
    # Computing alone, communicating alone, and both: 390000 numbers as in a small network.
    for work in compute:60000:8 talk:1:390000 both:60000:390000; do
      IFS=: read -r label rounds floats <<< "$work"
      for dilation in 2.5 5 10; do
        make "$dilation" "name: h, count: $hosts, cpus: 1, bandwidth: 1Gbit"
        got=$(for _ in 1 2 3; do ring "$hosts" "$rounds" "$floats" 25; done | median)
        echo "| $hosts | $label | $dilation | $got | $(awk -v k="$dilation" -v g="$got" 'BEGIN { printf "%.2f", g / k }') |"
      done
    done
  done
}

latency() {
  echo "| dilation | traffic | round trip, ms: median | worst | median / dilation |"
  echo "|---|---|---|---|---|"
  for dilation in 1 5; do
    make "$dilation" "name: h, count: 4, cpus: $dilation, bandwidth: 1Gbit"
    target=$(address rkt-m h1)
    for traffic in none sending receiving; do
      on rkt-m h1 "$probe" echo "$target:7001" &
      pids=($!)
      case $traffic in
        sending) pairs="h0:h2" ;;          # the pinging host's own queue
        receiving) pairs="h2:h1 h3:h1" ;;  # two senders fill the answering host's queue
        *) pairs="" ;;
      esac
      port=7200
      for pair in $pairs; do
        port=$((port + 1))
        to=$(address rkt-m "${pair#*:}"):$port
        on rkt-m "${pair#*:}" "$probe" sink "$to" > /dev/null &
        pids+=($!)
        on rkt-m "${pair%:*}" "$probe" source "$to" $((400000000 / dilation)) &
        pids+=($!)
      done
      sleep 0.5
      read -r middle worst <<< "$(on rkt-m h0 "$probe" ping "$target:7001" 100)"
      wait "${pids[@]}"
      echo "| $dilation | $traffic | $middle | $worst | $(awk -v k="$dilation" -v g="$middle" 'BEGIN { printf "%.3f", g / k }') |"
    done
  done
}

echo "processors: $(nproc), load before: $(cut -d' ' -f1 /proc/loadavg)"
for part in $parts; do
  echo
  $part
done
