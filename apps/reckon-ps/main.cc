#include "train/ps/program.h"

int main(int argc, char** argv) { return reckon::train::RunServerProgram(argc, argv); }
