#!/usr/bin/env bash
# Installs what is missing, builds, and does the main job on this machine: trains a small network a
# few times, fits a model of the times, forecasts a configuration that was not measured, trains that
# one, and holds the forecast against what it took. The results are left in run-output/.
set -euo pipefail
cd "$(dirname "$0")"

scripts/install.sh build
cmake --preset release -DBUILD_TESTING=OFF >/dev/null
cmake --build build --target reckon

reckon=build/bin/reckon
job=examples/digits/job.yaml
out=run-output
rm -rf "$out"
mkdir -p "$out"
export RECKON_DB=$out/reckon.db

say() { printf '\n$ %s\n' "$*"; }
cores=$(nproc)
most=$((cores < 2 ? 1 : 2))
say "reckon run $job --set num_nodes=... --set trainer.batch=... --set trainer.data.images=..."
for workers in $(seq 1 $most); do
  for batch in 32 128; do
    for images in 2000 4000 8000; do
      $reckon run $job --quiet --set num_nodes=$workers --set trainer.batch=$batch \
        --set trainer.data.images=$images --set trainer.epochs=2 | sed -n 1p |
        sed "s/\$/ ($workers workers, batch $batch, $images images)/"
    done
  done
done
say reckon fit --samples digits.runs --target training_loop_s --extrapolate images --out $out/model.json
$reckon fit --samples digits.runs --target training_loop_s --extrapolate images --out $out/model.json
say reckon predict --model $out/model.json --set workers=$most --set batch=96 \
  --set images=2000..14000:2000 --plot $out/forecast.svg
$reckon predict --model $out/model.json --set workers=$most --set batch=96 \
  --set images=2000..14000:2000 --plot $out/forecast.svg
say reckon run $job --model $out/model.json --set num_nodes=$most --set trainer.batch=96 \
  --set trainer.data.images=14000 --set trainer.epochs=2
$reckon run $job --model $out/model.json --set num_nodes=$most --set trainer.batch=96 \
  --set trainer.data.images=14000 --set trainer.epochs=2
