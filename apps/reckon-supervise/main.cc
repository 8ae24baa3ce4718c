#include "app/runs/program.h"

int main(int argc, char** argv) { return reckon::app::RunSuperviseProgram(argc, argv); }
