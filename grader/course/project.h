// Where things lie: the checkout, its lessons and solutions, the build folder, the student's own state.
#pragma once

#include <filesystem>

namespace ladder::cli {

struct Project {
  std::filesystem::path root;   ///< the checkout, or the folder of a student; holds lessons/
  std::filesystem::path build;  ///< CMake's build folder, or what a package compiles into
  /// Where a package has its programs, the lessons' references and toolchain.json; empty: in the build
  /// folder.
  std::filesystem::path tools = {};
  std::filesystem::path simulator =
      {};  ///< of the programs there those for this CPU; empty: there is one for all
  std::filesystem::path own_state =
      {};  ///< where root is a package's and nobody's own: what is kept for this user

  std::filesystem::path lessons() const { return root / "lessons"; }
  std::filesystem::path solutions() const { return root / "solutions"; }
  std::filesystem::path skeletons() const { return root / "skeletons"; }
  std::filesystem::path state() const { return own_state.empty() ? root / ".ladder" : own_state; }
  std::filesystem::path backups() const { return state() / "backups"; }
  const std::filesystem::path& tools_folder() const { return tools.empty() ? build : tools; }
  const std::filesystem::path& simulator_folder() const {
    return simulator.empty() ? tools_folder() : simulator;
  }
  std::filesystem::path binary(const char* name) const;
  /// Whether a package brought the programs: nothing of them is built here.
  bool packaged() const { return !tools.empty(); }
  /// Whether this is a package's course, used where it lies: nobody's rungs are here.
  bool in_place() const { return !own_state.empty(); }
};

/// Finds the checkout: LADDER_ROOT, else upward from the working directory,
/// else upward from the executable. The build folder is LADDER_BUILD_DIR,
/// else the one this executable lies in (BUILD/bin/ladder), else ROOT/build.
/// A program of a package (PREFIX/bin/ladder, PREFIX/lib/cuda-ladder) looks upward for a folder that `ladder
/// init` made, else takes PREFIX/share/cuda-ladder as it is.
/// @throws Failure (environment) where there is no checkout
Project find_project();

/// What a package keeps for this user beside the folders that `ladder init` makes:
/// XDG_CACHE_HOME/cuda-ladder.
std::filesystem::path user_cache();

/// @throws Failure (usage) where there are no rungs of one's own: in_place()
void expect_own_folder(const Project& project);

/// @throws Failure (usage) where a package is what runs @p command, which a clone alone can
void expect_checkout(const Project& project, const char* command);

/// Whether this is what `ladder bundle` packed: nothing is built here, and ./run is the only command.
bool packed();

}  // namespace ladder::cli
