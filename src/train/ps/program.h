// The program reckon-ps: one parameter server of a run of the built-in trainer.
#pragma once

namespace reckon::train {

// reckon-ps JOB.json with what ServerPlace names in the environment.
// Returns the exit code: 0 all workers are done, 1 the run cannot go on, 2 bad use.
int RunServerProgram(int argc, char** argv);

}  // namespace reckon::train
