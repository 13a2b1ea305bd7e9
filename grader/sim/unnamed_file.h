// A file for what a program reports, that nothing is left of.
#pragma once

#include <filesystem>

#include "grader/platform/process/unique_fd.h"

namespace ladder::cli {

/// Has no name any more when the program begins, so that it is gone however this process ends.
class UnnamedFile {
 public:
  /// @throws Failure (environment)
  UnnamedFile();
  /// By which this process and its children can open it.
  std::filesystem::path path() const;

 private:
  UniqueFd fd_;
};

}  // namespace ladder::cli
