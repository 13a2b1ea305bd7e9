// All commands under one name.
#pragma once

namespace ladder::cli {

/// Reads the command line, runs the command that it names and says why that failed. @return the exit status
int run_ladder(int argc, char** argv);

}  // namespace ladder::cli
