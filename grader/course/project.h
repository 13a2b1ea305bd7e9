// Where things lie: the checkout, its lessons and solutions, the build folder, the student's own state.
#pragma once

#include <filesystem>

namespace ladder::cli {

struct Project {
  std::filesystem::path root;   ///< the checkout; holds lessons/
  std::filesystem::path build;  ///< CMake's build folder
  std::filesystem::path lessons() const { return root / "lessons"; }
  std::filesystem::path solutions() const { return root / "solutions"; }
  std::filesystem::path state() const { return root / ".ladder"; }
  std::filesystem::path backups() const { return state() / "backups"; }
  std::filesystem::path binary(const char* name) const { return build / "bin" / name; }
};

/// Finds the checkout: LADDER_ROOT, else upward from the working directory,
/// else upward from the executable. The build folder is LADDER_BUILD_DIR,
/// else the one this executable lies in (BUILD/bin/ladder), else ROOT/build.
/// @throws Failure (environment) where there is no checkout
Project find_project();

/// Whether this is what `ladder bundle` packed: nothing is built here, and ./run is the only command.
bool packed();

}  // namespace ladder::cli
