// What a campaign's trainings tell about the epochs that an accuracy takes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/table.h"
#include "decide/recommend/epochs_law.h"

namespace reckon::app {

// The images of an update: of all workers together where they go in step, else of one.
double UpdateImages(const std::string& strategy, double batch, double workers);
// Updates of others between reading parameters and sending gradients.
double StalenessOf(const std::string& strategy, double workers);

// One a run of `epochs` (a set NAME.epochs) that tells its accuracy. Between two epochs the
// accuracy is taken to grow evenly.
std::vector<decide::EpochsSeen> EpochsSeenIn(const core::Table& epochs, double accuracy);

// kBadInput: no run tells its accuracy, or none has reached this one (the best is named).
base::Result<decide::EpochsLaw> EpochsLawOf(const core::Table& epochs, double accuracy);

}  // namespace reckon::app
