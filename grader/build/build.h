// Builds rungs through CMake and turns a compiler's refusal into a verdict.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/build/compiler_output.h"
#include "grader/course/course.h"
#include "grader/course/project.h"
#include "grader/platform/terminal.h"

namespace ladder::cli {

/// Which of a rung's two files is meant.
enum class Side { student, solution };
const char* to_string(Side side);

std::filesystem::path source_of(const LessonInfo& lesson, const RungInfo& rung, Side side);
std::filesystem::path module_of(const Project& project, const LessonInfo& lesson, const RungInfo& rung,
                                Side side);
std::filesystem::path plugin_of(const Project& project, const LessonInfo& lesson);
/// What has been built of the lesson's plugin and that of its blank page, which lies beside it.
std::vector<std::filesystem::path> plugins_of(const Project& project, const LessonInfo& lesson);

/// What a lesson needs besides its rungs.
struct BuildRequest {
  const LessonInfo* lesson = nullptr;
  std::vector<const RungInfo*> rungs;
  Side side = Side::student;
  std::vector<std::string> also;  ///< further targets: the runner, the lesson's plugin, baselines
  std::string arch = {};          ///< virtual architecture, as "80"; empty: what was built for last
  bool beside = false;  ///< the rungs' files lie beside the course: the build tree knows nothing of them
};

struct BuildResult {
  /// Rungs whose module could not be made, by name, with what the compiler said about their file.
  std::map<std::string, std::vector<CompilerMessage>> refused;
  /// Raw output of those, for what the messages do not explain.
  std::map<std::string, std::vector<std::string>> raw;
  /// Baselines that could not be built; the ladder does without them.
  std::vector<std::string> baselines_left_out;
};

/// What is told of a file whose check build is refused,
/// and of one whose check build would be another program.
CompilerMessage no_check_build();
CompilerMessage other_check_build();

/// What is told of a file, by the lines that cmake/nvcc.sh said of it when it made no module.
std::vector<CompilerMessage> messages_of(const std::vector<std::string>& lines, const std::string& source);

/// A call of cmake/nvcc.sh that makes both builds of a file, as far as its own words go: nvcc's follow.
std::vector<std::string> both_builds(const Project& project);

/// Whether cmake/nvcc.sh says that a file has a fast build and no check build.
bool is_without_check(const std::vector<std::string>& lines);
/// Whether cmake/nvcc.sh says that a file is one program in the fast build and another in the check build.
bool are_two_programs(const std::vector<std::string>& lines);

/// Builds what is out of date; other rungs are built although one is refused.
/// @throws Failure (environment) where the build tree is
/// missing or something else than a rung or a baseline fails,
///         Failure (interrupted)
BuildResult build(const Project& project, const BuildRequest& request, TransientLine& progress);

}  // namespace ladder::cli
