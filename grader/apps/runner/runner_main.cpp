// runner-sim, runner-apart, runner-gpu: what they run on is linked in.
#include "grader/apps/runner/command_line.h"

int main(int argc, char** argv) { return ladder::run_command_line(argc, argv); }
