#include "app/runs/job_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/machine.h"
#include "train/check_job.h"

namespace reckon::app {

// Of workers on different hosts the smallest counts: the others wait for it.
base::Json PlanOf(const std::string& engine_name, const Engine& engine, const core::Job& job) {
  base::Json plan;
  plan["engine"] = engine_name;
  const Seats seats = Seat(job, engine.places);
  double cpus = std::numeric_limits<double>::infinity();
  double host_cpus = cpus;
  for (const PlannedPlace* seat : seats.workers) {
    cpus = std::min(cpus, CpusOfWorker(job, *seat));
    host_cpus = std::min(host_cpus, seat->cpus > 0 ? seat->cpus : MachineCpus());
  }
  plan["cpus_per_worker"] = cpus;
  plan["host_cpus"] = host_cpus;
  plan["dilation"] = engine.dilation;
  return plan;
}

base::Result<TrainerNeeds> CheckTrainer(const core::Job& job,
                                        const std::vector<PlannedPlace>& places, base::Json& plan) {
  RECKON_ASSIGN(const train::CheckedJob checked,
                train::CheckJob(*job.trainer, static_cast<size_t>(job.workers)));
  auto fits = CheckMemory(Seat(job, places), checked.memory_bytes);
  if (!fits.ok()) return std::move(fits).error().About("trainer");
  const train::ImageShape& image = checked.image;
  plan["image"] = fmt::format("{}x{}x{}", image.channels, image.height, image.width);
  plan["knobs"] = checked.network.knobs;
  plan["parameters"] = checked.network.parameters();
  plan["multiply_adds"] = checked.network.multiply_adds();
  plan["activations"] = checked.network.activations();
  plan["images"] = checked.dealing.rows();
  plan["steps_per_epoch"] = checked.dealing.steps();
  return TrainerNeeds{checked.memory_bytes * static_cast<uint64_t>(job.workers) +
                      checked.servers_memory_bytes};
}

}  // namespace reckon::app
