# Makes epochs.csv: epoch times of a data-parallel job by a known law, so that everybody can see how
# near a forecast comes. Usage: awk -f generate.awk > epochs.csv
#
#   epoch time = 4 + steps * (compute + all-reduce), steps = images / (workers * batch)
#   compute    = (20 ms + 1.5 ms * batch) / speed of the machine type
#   all-reduce = 2 (n-1)/n * 8 MB / bandwidth + 2 (n-1) * 0.4 ms for n workers
#
# and 3 % of noise. Bandwidth and speed: m-small 120 MB/s, 1; m-large 600 MB/s, 2.6.
function uniform() {            # minimal standard generator (Park and Miller 1988)
  state = (16807 * state) % 2147483647
  return state / 2147483647
}
function normal() {
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())
}
BEGIN {
  state = 20240501
  print "machine,workers,batch,images,epoch_time_s"
  split("m-small m-large", machines, " ")
  speed["m-small"] = 1; bandwidth["m-small"] = 120
  speed["m-large"] = 2.6; bandwidth["m-large"] = 600
  split("1 2 4 6 8 12 16", workers, " ")
  split("32 64 128", batches, " ")
  split("60000 120000 240000", sizes, " ")
  for (m = 1; m <= 2; ++m) for (s = 1; s <= 3; ++s) for (b = 1; b <= 3; ++b) for (w = 1; w <= 7; ++w)
    for (repeat = 1; repeat <= 2; ++repeat) {
      n = workers[w]; type = machines[m]
      compute = (0.02 + 0.0015 * batches[b]) / speed[type]
      reduce = 2 * (n - 1) / n * 8 / bandwidth[type] + 2 * (n - 1) * 0.0004
      time = 4 + sizes[s] / (n * batches[b]) * (compute + reduce)
      printf "%s,%d,%d,%d,%.2f\n", type, n, batches[b], sizes[s], time * exp(0.03 * normal())
    }
}
