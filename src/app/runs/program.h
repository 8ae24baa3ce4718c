// The program reckon-supervise: carries out one run to its end, and tells the store.
#pragma once

namespace reckon::app {

// reckon-supervise FOLDER, or --keep for a rank's keeper. For main. Returns the exit code: 0 the
// run finished or was stopped, 1 it failed, 2 the folder is not one of a run.
int RunSuperviseProgram(int argc, char** argv);

}  // namespace reckon::app
