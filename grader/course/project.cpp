#include "grader/course/project.h"

#include <cstdlib>

#include "grader/platform/failure.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

bool is_checkout(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "lessons", ignored) &&
         fs::is_regular_file(folder / "CMakeLists.txt", ignored);
}

fs::path upward(fs::path folder) {
  for (;; folder = folder.parent_path()) {
    if (is_checkout(folder)) return folder;
    if (folder == folder.parent_path()) return {};
  }
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

bool packed() { return environment("LADDER_PREBUILT") != nullptr; }  // set by kBundleRun

Project find_project() {
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  Project project;
  if (const char* root = environment("LADDER_ROOT")) {
    project.root = fs::absolute(root).lexically_normal();
    if (!is_checkout(project.root))
      throw Failure(ExitCode::environment,
                    "LADDER_ROOT is " + project.root.string() + ", which holds no lessons folder",
                    "Set it to the checkout of CUDA Ladder, or unset it.");
  } else {
    project.root = upward(fs::current_path());
    if (project.root.empty() && !executable.empty()) project.root = upward(executable.parent_path());
  }
  if (project.root.empty())
    throw Failure(ExitCode::environment, "no CUDA Ladder checkout here",
                  "Change into the folder that you cloned (it holds lessons/), or set LADDER_ROOT to it.");

  if (const char* build = environment("LADDER_BUILD_DIR")) {
    project.build = fs::absolute(build).lexically_normal();
  } else if (const fs::path around = executable.parent_path().parent_path();
             fs::exists(around / "CMakeCache.txt", ignored)) {
    project.build = around;
  } else {
    project.build = project.root / "build";
  }
  return project;
}

}  // namespace ladder::cli
