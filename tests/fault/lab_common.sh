# What the tests of labs share; sourced. Ends with 77 (skipped) where labs cannot be had.
[ "$(id -u)" = 0 ] || { echo "skipped: labs need root"; exit 77; }
command -v ip > /dev/null && command -v tc > /dev/null || { echo "skipped: no iproute2"; exit 77; }
unshare --net true 2> /dev/null || { echo "skipped: no network namespaces"; exit 77; }
for try in /sys/fs/cgroup /sys/fs/cgroup/cpu; do
  mkdir "$try/reckon-try-$$" 2> /dev/null && rmdir "$try/reckon-try-$$" && writable=yes
done
[ "${writable:-}" = yes ] || { echo "skipped: cgroups cannot be written"; exit 77; }

work=$(mktemp -d)
chmod 755 "$work"  # for the try without root
cd "$work" || exit 1
passed=0
failed=0
check() {
  if eval "$2"; then passed=$((passed + 1)); else echo "FAILED: $1"; failed=$((failed + 1)); fi
}

# on LAB HOST COMMAND...: in the host's cgroups and namespace, as the launcher does it.
on() {
  local lab=$1 host=$2
  shift 2
  (
    for group in /sys/fs/cgroup/*/"reckon-lab-$lab.$host" /sys/fs/cgroup/"reckon-lab-$lab.$host"; do
      if [ -d "$group" ]; then echo "$BASHPID" > "$group/cgroup.procs"; fi
    done
    exec nsenter --net="/run/netns/rk-$lab.$host" "$@"
  )
}

# address LAB HOST
address() { "$reckon" lab status "$1" | awk -v host="$2" '$1 == host { print $2 }'; }

# running PATTERN: whether a process has such a command line. The pattern must not match itself
# ('sleep 30[1]'), since grep is a process too.
running() { cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\0' ' ' | grep -q "$1"; }

# Everything a lab could leave behind.
traces() {
  ls /run/netns 2> /dev/null | sed 's/^/netns /'
  ip -o link show | awk -F': ' '{ print "link", $2 }'
  find /sys/fs/cgroup -maxdepth 2 -name 'reckon-lab-*'
  ls -A /run/reckon/labs 2> /dev/null | grep -v '^[.]lock$' | sed 's/^/record /'
  ip route show | sed 's/^/route /'
}

# mbit LAB FROM TO BYTES: a transfer between two hosts, in Mbit/s.
mbit() {
  local to
  to=$(address "$1" "$3"):7000
  on "$1" "$3" "$probe" sink "$to" > sink.out &
  on "$1" "$2" "$probe" source "$to" "$4"
  wait $!
  cat sink.out
}

within() { awk -v x="$1" -v low="$2" -v high="$3" 'BEGIN { exit !(x >= low && x <= high) }'; }
