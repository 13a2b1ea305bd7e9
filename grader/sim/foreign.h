// Libraries and functions that the simulator does not have: what to say instead of a linker's complaint.
#pragma once

#include <string>
#include <vector>

namespace ladder::cli {

/// Compiler options without -l of NVIDIA's libraries: they need a real GPU, so their functions are better
/// missed when linking than when running.
std::vector<std::string> without_foreign_libraries(const std::vector<std::string>& options);

/// A source file that defines what a linker missed of NVIDIA's libraries and of the CUDA API: functions that
/// end the program, when it calls them, with a sentence such as "this program uses cublasSgemm (library
/// cuBLAS), which the simulator does not have".
/// @param output  the linker's; empty results where it misses other things too, or nothing of the kind
std::string stubs_for(const std::string& output);

/// A compiler's and linker's output, with what concerns NVIDIA's libraries put in a sentence: a function
/// that is nowhere ("this program uses cublasSgemm (library cuBLAS), which the simulator does not have"), or
/// a header that is not there. Output without such things comes back as it is.
std::string explain_foreign(const std::string& output);

}  // namespace ladder::cli
