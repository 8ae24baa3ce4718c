// The program reckon-stress: a background load that holds its levels.
#pragma once

namespace reckon::observe {

// reckon-stress --cpu 60 ...; see docs/stress.md. Returns the exit code: 0 it was stopped, 1 the
// load could not be held, 2 the options make no sense.
int RunStressProgram(int argc, char** argv);

}  // namespace reckon::observe
