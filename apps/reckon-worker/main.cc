#include "worker/program.h"

int main(int argc, char** argv) { return reckon::worker::RunWorkerProgram(argc, argv); }
