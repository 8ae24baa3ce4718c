#!/usr/bin/env bash
# A lab from up to down, with real namespaces and cgroups: hosts reach each other, bandwidth and CPU
# are limited, cables can be cut and mended, hosts killed, two labs live side by side, and nothing
# stays behind.
# Usage: lab.sh RECKON PROBE
set -u
reckon=$(realpath "$1")
probe=$(realpath "$2")
source "$(dirname "${BASH_SOURCE[0]}")/lab_common.sh"
trap '"$reckon" lab down rkt-a > /dev/null; "$reckon" lab down rkt-b > /dev/null; rm -rf "$work"' EXIT

cat > a.yaml << 'YAML'
name: rkt-a
dilation: 5
hosts:
  - {name: h, count: 2, cpus: 1, memory: 512MiB, bandwidth: 500Mbit}
  - {name: slow, cpus: 0.7, bandwidth: 100Mbit}
YAML
cat > b.yaml << 'YAML'
name: rkt-b
hosts: [{name: h, count: 2, cpus: 0.1, bandwidth: 50Mbit}]
YAML
"$reckon" lab down rkt-a > /dev/null
"$reckon" lab down rkt-b > /dev/null
traces > before

"$reckon" lab up a.yaml > out 2> err
code=$?
check "up exits with 0: $(cat err)" "[ $code = 0 ]"
check "up shows the hosts" "grep -q 'h1 .*500 Mbit/s' out"
"$reckon" lab up a.yaml > out 2> err
code=$?
check "a second up is refused" "[ $code = 2 ] && grep -q 'is there already' err"
"$reckon" lab up b.yaml > out 2> err
code=$?
check "a second lab comes up beside it: $(cat err)" "[ $code = 0 ]"
check "both are listed" "[ \$(\"$reckon\" lab list | grep -c dilation) = 2 ]"
check "their networks differ" "[ $(address rkt-a h0) != $(address rkt-b h0) ]"
check "ip netns shows the hosts" "ip netns list | grep -q '^rk-rkt-a.h0'"

rate=$(mbit rkt-a h0 h1 5000000)
check "500 Mbit/s at dilation 5 are 100, not $rate" "within $rate 85 115"
rate=$(mbit rkt-a slow h1 1000000)
check "a slow host sends 20 Mbit/s, not $rate" "within $rate 15 23"
rate=$(mbit rkt-a h1 slow 1000000)
check "a slow host receives 20 Mbit/s, not $rate" "within $rate 15 23"
rate=$(mbit rkt-b h0 h1 2000000)
check "the other lab has 50 Mbit/s, not $rate" "within $rate 42 58"
machine=$("$reckon" lab status rkt-a | sed -n 's/.*this machine is //p')
"$probe" echo "$machine:7001" &
times=$(on rkt-a h0 "$probe" ping "$machine:7001" 5)
check "hosts reach the machine: $times" "[ -n '$times' ]"
wait
check "congestion control is not the machine's" \
  "[ \$(on rkt-a h0 cat /proc/sys/net/ipv4/tcp_congestion_control) != bbr ]"

# As much CPU time as the quota gives, whatever else the machine does: at most its share.
usage() { on "$1" "$2" bash -c 'timeout 2 bash -c "while :; do :; done"; times' | awk 'NR == 2 { sub(/^0m/, "", $1); sub(/s$/, "", $1); print $1 }'; }
used=$(usage rkt-a h0)
check "one core at dilation 5 uses about 0.4 s of 2, not $used" "within $used 0.25 0.48"

on rkt-a h0 "$probe" echo "$(address rkt-a h0):7002" &
"$reckon" lab cut rkt-a h0 > out
check "cut is shown" "\"$reckon\" lab status rkt-a | grep -q 'h0 .* cut'"
check "a host that is cut off cannot be reached" \
  "! on rkt-a h1 timeout 2 bash -c 'exec 3<> /dev/tcp/$(address rkt-a h0)/7002' 2> /dev/null"
"$reckon" lab mend rkt-a h0 > out
check "a mended one can" \
  "on rkt-a h1 timeout 5 bash -c 'exec 3<> /dev/tcp/$(address rkt-a h0)/7002'"
wait

# A rank may have a cgroup of its own below its host's: it belongs to the host all the same.
below() {
  find /sys/fs/cgroup -maxdepth 2 -name "reckon-lab-$1.$2" | sed 's/$/\/reckon-rank-1/'
}
mkdir $(below rkt-a h1)
# Out of the shell's sight, which would tell of every kill.
{ on rkt-a h1 bash -c 'for group in "$@"; do echo $$ > "$group/cgroup.procs"; done; exec sleep 300' \
  - $(below rkt-a h1); } 2> /dev/null & disown
{ on rkt-a h1 bash -c 'sleep 301 & sleep 302'; } 2> /dev/null & disown
sleep 0.5
check "status counts processes" "\"$reckon\" lab status rkt-a | grep -q 'h1 .* 4\$'"
"$reckon" lab kill rkt-a h1 > out
check "kill ends all of them" "grep -q '4 processes of h1 killed' out && ! running 'sleep 30[012]'"
"$reckon" lab kill rkt-a h9 > out 2> err
code=$?
check "an unknown host is named" "[ $code = 2 ] && grep -q \"no host 'h9'\" err"
limit=$(cat /sys/fs/cgroup/memory/reckon-lab-rkt-a.h0/memory.limit_in_bytes /sys/fs/cgroup/reckon-lab-rkt-a.h0/memory.max 2> /dev/null)
check "memory is limited, to $limit" "[ '$limit' = 536870912 ]"

echo 'trainer: {batch: 100000, data: {images: 100000}}' > job.yaml
"$reckon" run job.yaml --db lab.db --on lab:rkt-a/h0 > out 2> err
code=$?
check "a host's memory is asked before anything starts: $(cat err)" \
  "[ $code = 2 ] && grep -q \"host 'h0' has a memory limit of 537 MB\" err && [ ! -e lab.db ]"

# Whoever still runs there ends with the lab, also what never joined the cgroups.
{ on rkt-a h0 sleep 303; } 2> /dev/null & disown
nsenter --net=/run/netns/rk-rkt-a.h1 sleep 304 & disown
sleep 0.3
"$reckon" lab down a.yaml > out
check "down by file" "grep -q 'is removed' out"
check "down ends what ran there" "! running 'sleep 30[34]'"
check "the other lab is untouched" "\"$reckon\" lab status rkt-b | grep -q 'h1 .* up'"
"$reckon" lab down rkt-b > out
"$reckon" lab down rkt-b > out
code=$?
check "down again is no error" "[ $code = 0 ] && grep -q 'nothing to do' out"
traces > after
check "nothing stays: $(diff before after)" "cmp -s before after"

# Lost records, and devices that would be in the way.
"$reckon" lab up b.yaml > out && rm /run/reckon/labs/rkt-b.json
"$reckon" lab down rkt-b > out
check "down works without the record" "grep -q 'is removed' out"
traces > after
check "nothing stays without a record: $(diff before after)" "cmp -s before after"
setpriv --reuid 65534 --clear-groups "$reckon" lab up b.yaml > out 2> err
code=$?
check "without root: exit 1 and what is needed: $(cat err)" "[ $code = 1 ] && grep -q 'CAP_NET_ADMIN' err"
traces > after
check "nothing stays without root: $(diff before after)" "cmp -s before after"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
