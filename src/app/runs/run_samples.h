// What a run has measured, as rows of samples.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/runs/run_view.h"
#include "base/json.h"
#include "base/result.h"
#include "core/sample.h"

namespace reckon::app {

// Three sets: "NAME.runs" with a row a run (the stages, means over its steps, what its processes
// used), "NAME.epochs" with a row for every worker and epoch, "NAME.nodes" with a row for every
// host (its state, and what was measured there). docs/job-file.md has the columns. `job` and `plan`
// as the store keeps them.
std::vector<core::CollectedRows> SamplesOf(int64_t run_id, const std::string& name,
                                           const base::Json& job, const base::Json& plan,
                                           const RunView& view);

// Of a run of that name: "NAME.runs", "NAME.epochs", "NAME.nodes".
std::array<std::string, 3> SampleSetsOf(const std::string& run_name);

// Columns of runs that are no measure of the whole job: workers that died on the way, steps that an
// earlier run had done, a machine that others used too. Models are not fitted to such rows.
inline constexpr const char* kLostWorkers = "lost_workers";
inline constexpr const char* kBegunAtStep = "begun_at_step";
// Others kept the machine busy meanwhile, more than the run's campaign allows.
inline constexpr const char* kDisturbed = "disturbed";
// A command ended before the epochs that it was asked for, which only it knows where to find. (Of
// the built-in trainer the row tells the epochs that it had.)
inline constexpr const char* kEndedEarly = "ended_early";
inline constexpr std::array kBlemishes{kLostWorkers, kBegunAtStep, kDisturbed, kEndedEarly};
bool IsBlemished(const core::Table& samples, size_t row);

// Runs without a load of that name had none of it: 0, not unknown.
void FillAbsentLoads(core::Table& samples);

// The columns of such sets that say what was asked for, and so can be asked about before a run: the
// inputs of models. Everything else was measured, follows from them, or only tells rows apart.
bool IsRunInput(std::string_view column);
// Of those, the inputs of a model of `target`: how many epochs there are tells nothing of what one
// of them, or one step, takes.
bool IsRunInputOf(std::string_view target, std::string_view column);

// Whether a column tells the time of one epoch, not of the whole job.
bool IsOfAnEpoch(std::string_view column);
// kBadInput: it tells the time of a step or a part of one, which does not make a job's.
base::Status CheckTimesTheJob(std::string_view target);

// The row of inputs (and some more) that a run of this job will have.
core::Table InputsOf(const base::Json& job, const base::Json& plan);

}  // namespace reckon::app
