// The command line of runner-sim, runner-apart and runner-gpu, judge and worker alike.
#pragma once

namespace ladder {

/// Does what the words say; grader/judge/README.md lists them. @return the exit status
int run_command_line(int argc, char** argv);

}  // namespace ladder
