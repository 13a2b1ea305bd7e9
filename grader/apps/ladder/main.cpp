// ladder: the command line of CUDA Ladder.
#include "grader/apps/ladder/commands/ladder.h"

int main(int argc, char** argv) { return ladder::cli::run_ladder(argc, argv); }
