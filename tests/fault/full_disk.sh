#!/bin/sh
# A disk without room. An import says so, exits 1, keeps what was there, leaves no half set; a run
# that filled it ends as it should.
#
#   full_disk.sh RECKON      exit 0: passed, 77: this machine does not let us mount (skipped)
#
# The disk is a tmpfs of 256 KiB in a mount namespace of our own.
set -u

if [ "${1:-}" != --inside ]; then
  program=$(realpath "$1") || exit 2
  mode=-m
  [ "$(id -u)" = 0 ] || mode=-rm
  # In a chroot "/" is no mount whose propagation could be changed.
  unshare $mode true 2>/dev/null || mode="$mode --propagation unchanged"
  unshare $mode true 2>/dev/null || { echo "skipped: unshare $mode is not allowed"; exit 77; }
  exec unshare $mode sh "$0" --inside "$program"
fi

reckon=$2
passed=0
failed=0
check() { # check WHAT COMMAND...: the command succeeds
  what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
    cat "$work/out" "$work/err" 2>/dev/null
  fi
}

work=$(mktemp -d) || exit 2
disk=$work/disk
mkdir "$disk" || exit 2
mount -t tmpfs -o size=256k none "$disk" 2>/dev/null || {
  echo "skipped: cannot mount a tmpfs"
  rm -rf "$work"
  exit 77
}
trap 'umount "$disk"; rm -rf "$work"' EXIT

table() { # table ROWS
  awk -v rows="$1" 'BEGIN { print "workers,batch,time"
    for (i = 0; i < rows; ++i) print i % 32 + 1 "," i ",", 100 / (i + 1) }' | tr -d ' '
}
table 20 >"$work/small.csv"
table 21 >"$work/other.csv"
table 20000 >"$work/large.csv"
run() { "$reckon" "$@" >"$work/out" 2>"$work/err"; }
import_fails() { run "$@"; [ $? -eq 1 ]; }
fingerprint() { md5sum <"$1"; }

check "a small import fits" run import "$work/small.csv" --db "$disk/reckon.db" --name small
before=$(fingerprint "$disk/reckon.db")
check "a large import exits 1" \
  import_fails import "$work/large.csv" --db "$disk/reckon.db" --name large
check "the message says why" grep -q "disk is full" "$work/err"
check "the store is as it was" [ "$(fingerprint "$disk/reckon.db")" = "$before" ]
check "its log is gone" [ ! -s "$disk/reckon.db-wal" ]
check "the name is free and there is room again" \
  run import "$work/other.csv" --db "$disk/reckon.db" --name large

# No room even for the file itself.
rm -f "$disk"/*
dd if=/dev/zero of="$disk/filler" bs=1k count=1000 2>/dev/null
check "a new store on a full disk exits 1" \
  import_fails import "$work/small.csv" --db "$disk/new.db" --name small
check "the message says why" grep -q "disk is full" "$work/err"
rm "$disk/filler"
check "with room again the same command works" \
  run import "$work/small.csv" --db "$disk/new.db" --name small

# Every amount of room between none and enough.
room=0
while [ $room -le 200 ]; do
  rm -f "$disk"/*
  dd if=/dev/zero of="$disk/filler" bs=1k count=$((256 - room)) 2>/dev/null
  if run import "$work/small.csv" --db "$disk/new.db" --name small; then
    check "with $room KiB the import is there" [ -s "$disk/new.db" ]
  else
    check "with $room KiB the message says why" grep -q "disk is full" "$work/err"
  fi
  rm -f "$disk/filler"
  run import "$work/other.csv" --db "$disk/new.db" --name again
  check "after $room KiB the store works" [ $? -eq 0 ]
  room=$((room + 4))
done

# A run that fills the disk before it ends: its end is written all the same, and the store is told
# as soon as there is room.
umount "$disk" && mount -t tmpfs -o size=1m none "$disk" || exit 2
cat >"$disk/job.yaml" <<'END'
name: filler
run: dd if=/dev/zero of=filler bs=1k count=2000 2>/dev/null; sleep 1; exit 0
END
(cd "$disk" && "$reckon" run job.yaml -q >"$work/out" 2>"$work/err")
check "the store could not be told" grep -q "disk is full" "$work/err"
rm "$disk/filler"
(cd "$disk" && "$reckon" status >"$work/out" 2>"$work/err")
check "the run has finished" grep -q "'filler': finished" "$work/out"
(cd "$disk" && "$reckon" export samples filler.runs >"$work/out" 2>"$work/err")
check "and is a sample" grep -q "^1,local,1" "$work/out"
check "nothing is kept in reserve" [ ! -e "$disk/reckon.runs/1/reserve" ]

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
