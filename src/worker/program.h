// The program reckon-worker: one rank of a run of the built-in trainer.
#pragma once

namespace reckon::worker {

// reckon-worker JOB.json, with the environment that every rank has (docs/job-file.md). Returns the
// exit code: 0 done, 1 the training failed, 2 the job makes no sense.
int RunWorkerProgram(int argc, char** argv);

}  // namespace reckon::worker
