// Whether a module was made of what its file holds now.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/build/build.h"

namespace ladder::cli {

/// A module that is newer than its file is no proof that it was made of it: the file may have been saved
/// while the compiler ran, an older version may have been moved back, or the linker may have been killed half
/// way. What was built of other contents, or not to its end, is removed, so that the build makes it anew.
/// Where nothing is known of a module, its time decides as ever. Students' files only: solutions are not
/// edited while they run.
class BuiltOf {
 public:
  /// Removes the modules of @p request that were built of other contents, and notes that a build has begun.
  /// To be made, and kept until the build's end, by one process at a time.
  BuiltOf(const Project& project, const BuildRequest& request);
  /// Notes what the modules are made of, now that they are;
  /// not of a file that was refused or saved meanwhile.
  void done(const BuildResult& result) const;

 private:
  struct Entry {
    std::string rung;
    std::filesystem::path source, stamp;
    std::string hash;
  };
  std::vector<Entry> entries_;
};

}  // namespace ladder::cli
