// The program `reckon`: parse, call a use case, print.
#pragma once

namespace reckon::cli {

// Exit codes: 0 done, 1 the work failed, 2 bad use or bad input, 130 interrupted.
int RunProgram(int argc, char** argv);

}  // namespace reckon::cli
