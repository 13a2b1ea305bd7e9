// The process that simulates for a rung in another one. It takes orders from the judge, and calls of the CUDA
// runtime from the rung, which it believes nothing.
#pragma once

namespace ladder {

/// Runs on the descriptors it was started with, until the judge hangs up.
/// @return exit status of the process
int simulator_main();

}  // namespace ladder
