// Where the program lies that runs this: what is built or installed beside it is found from there.
#pragma once

#include <filesystem>
#include <system_error>

namespace ladder {

/// @return its file; empty where the system does not tell
inline std::filesystem::path this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace ladder
