// ladder: the command line of CUDA Ladder.
#include "grader/cli/commands/ladder.h"

int main(int argc, char** argv) { return ladder::cli::run_ladder(argc, argv); }
