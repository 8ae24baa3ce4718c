#include "observe/stress/program.h"

int main(int argc, char** argv) { return reckon::observe::RunStressProgram(argc, argv); }
