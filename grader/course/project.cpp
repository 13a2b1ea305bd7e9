#include "grader/course/project.h"

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "grader/platform/environment.h"
#include "grader/platform/failure.h"
#include "grader/platform/process/this_program.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// A checkout, a bundle, or a folder that was made of a course which lies elsewhere.
bool is_course(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "lessons", ignored) &&
         (fs::is_regular_file(folder / "CMakeLists.txt", ignored) ||
          fs::exists(folder / ".ladder" / "course", ignored));
}

bool is_own_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "lessons", ignored) && fs::exists(folder / ".ladder" / "course", ignored);
}

fs::path upward(fs::path folder, bool (*fits)(const fs::path&)) {
  for (;; folder = folder.parent_path()) {
    if (fits(folder)) return folder;
    if (folder == folder.parent_path()) return {};
  }
}

/// The simulator is compiled for several generations of CPUs: the newest that this one understands.
fs::path simulator_for_this_cpu([[maybe_unused]] const fs::path& tools) {
  std::error_code ignored;
#if defined(__x86_64__) && defined(__GNUC__) && \
    (!defined(__clang__) || __clang_major__ >= 18)  // which knows the levels
  const std::string wish = environment("LADDER_CPU");
  const auto may = [&](const char* level, bool understood) {
    return understood && (wish.empty() || wish >= level) &&
           fs::exists(tools / level / "bin" / "runner-sim", ignored);
  };
  __builtin_cpu_init();
  if (may("x86-64-v4", __builtin_cpu_supports("x86-64-v4"))) return tools / "x86-64-v4";
  if (may("x86-64-v3", __builtin_cpu_supports("x86-64-v3"))) return tools / "x86-64-v3";
#endif
  return {};
}

/// Of the program of a package, PREFIX/bin/ladder or what it starts, PREFIX/lib/cuda-ladder/bin/ladder-serve;
/// nothing where it is a build's.
std::optional<Project> packaged_project(const fs::path& executable) {
  const fs::path inner = "lib/cuda-ladder";
  fs::path prefix = executable.parent_path().parent_path();
  if (prefix.parent_path().filename() / prefix.filename() == inner)
    prefix = prefix.parent_path().parent_path();
  const fs::path tools = prefix / inner;
  std::error_code ignored;
  if (executable.empty() || !fs::exists(tools / "toolchain.json", ignored)) return std::nullopt;
  Project project;
  project.tools = tools;
  project.simulator = simulator_for_this_cpu(tools);
  if (const std::string root = environment("LADDER_ROOT"); !root.empty())
    project.root = fs::absolute(root).lexically_normal();
  else
    project.root = upward(fs::current_path(ignored), is_own_folder);
  if (project.root.empty()) {
    project.root = prefix / "share" / "cuda-ladder";
    project.own_state = user_cache();
  }
  if (!fs::is_directory(project.lessons(), ignored))
    throw Failure(ExitCode::environment, "there are no lessons in " + project.root.string(),
                  "LADDER_ROOT names a folder that `ladder init` made; or the package is not whole.");
  const std::string build = environment("LADDER_BUILD_DIR");
  project.build = !build.empty()       ? fs::absolute(build).lexically_normal()
                  : project.in_place() ? project.own_state / "build"
                                       : project.root / "build";
  return project;
}

}  // namespace

fs::path user_cache() {
  if (const std::string cache = environment("XDG_CACHE_HOME"); !cache.empty())
    return fs::path(cache) / "cuda-ladder";
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "cuda-ladder";
  return fs::temp_directory_path() / ("cuda-ladder-" + std::to_string(::getuid()));
}

fs::path Project::binary(const char* name) const {
  std::error_code ignored;
  const fs::path here = simulator_folder() / "bin" / name;
  return fs::exists(here, ignored) ? here : tools_folder() / "bin" / name;
}

bool packed() { return !environment("LADDER_PREBUILT").empty(); }  // set by kBundleRun

Project find_project() {
  std::error_code ignored;
  const fs::path executable = this_program();
  if (auto packaged = packaged_project(executable)) return std::move(*packaged);
  Project project;
  if (const std::string root = environment("LADDER_ROOT"); !root.empty()) {
    project.root = fs::absolute(root).lexically_normal();
    if (!is_course(project.root))
      throw Failure(ExitCode::environment,
                    "LADDER_ROOT is " + project.root.string() + ", which holds no lessons folder",
                    "Set it to the checkout of CUDA Ladder, or unset it.");
  } else {
    project.root = upward(fs::current_path(), is_course);
    if (project.root.empty() && !executable.empty())
      project.root = upward(executable.parent_path(), is_course);
  }
  if (project.root.empty())
    throw Failure(ExitCode::environment, "no CUDA Ladder checkout here",
                  "Change into the folder that you cloned (it holds lessons/), or set LADDER_ROOT to it.");

  if (const std::string build = environment("LADDER_BUILD_DIR"); !build.empty()) {
    project.build = fs::absolute(build).lexically_normal();
  } else if (const fs::path around = executable.parent_path().parent_path();
             fs::exists(around / "CMakeCache.txt", ignored)) {
    project.build = around;
  } else {
    project.build = project.root / "build";
  }
  return project;
}

void expect_own_folder(const Project& project) {
  if (project.in_place())
    throw Failure(ExitCode::usage, "this is the course itself and no folder of yours",
                  "ladder init cuda-ladder\nmakes one, with the rungs as files of your own; work there.");
}

void expect_checkout(const Project& project, const char* command) {
  if (project.packaged())
    throw Failure(ExitCode::usage,
                  std::string(command) + " needs a clone of the course: this is a package of it",
                  "A package runs, checks and explains rungs and programs on this machine.");
}

}  // namespace ladder::cli
