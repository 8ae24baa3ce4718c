#include "cli/program.h"

int main(int argc, char** argv) { return reckon::cli::RunProgram(argc, argv); }
