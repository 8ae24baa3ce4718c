#!/usr/bin/env bash
# Installs what is missing, builds, and makes a forecast from examples/scaling. The results are left
# in run-output/.
set -euo pipefail
cd "$(dirname "$0")"

scripts/install.sh build
cmake --preset release -DBUILD_TESTING=OFF >/dev/null
cmake --build build --target reckon

reckon=build/bin/reckon
data=examples/scaling/epochs.csv
out=run-output
mkdir -p "$out"

say() { printf '\n$ %s\n' "$*"; }
say reckon fit --data $data --target epoch_time_s --extrapolate workers --out $out/model.json
$reckon fit --data $data --target epoch_time_s --extrapolate workers --out $out/model.json
say reckon predict --model $out/model.json --set machine=m-small,m-large --set 'workers=1..64*2' \
  --set batch=64 --set images=240000 --measured $data --plot $out/forecast.svg
$reckon predict --model $out/model.json --set machine=m-small,m-large --set 'workers=1..64*2' \
  --set batch=64 --set images=240000 --measured $data --plot $out/forecast.svg
