#include "grader/cli/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "grader/cli/built_of.h"
#include "grader/cli/failure.h"
#include "grader/cli/files.h"
#include "grader/cli/process.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> tail(const std::vector<std::string>& lines, std::size_t count) {
  return {lines.end() - static_cast<std::ptrdiff_t>(std::min(lines.size(), count)), lines.end()};
}

[[noreturn]] void fail_with(const std::vector<std::string>& lines, const std::string& what) {
  std::string text;
  for (const std::string& line : tail(lines, 20)) text += "  " + without_controls(line) + "\n";
  throw Failure(ExitCode::environment, what,
                text + "./ladder doctor looks at what this machine has and lacks.");
}

/// Keeps the build's output and shows its "[3/11] nvcc 3_interleaved.cu" lines as they pass.
struct Log {
  TransientLine& progress;
  std::vector<std::string> lines;
  void operator()(std::string_view line) {
    lines.emplace_back(line);
    if (line.starts_with('[')) progress.show(fmt::format("building {}", line));
  }
};

/// A compiler that finds no room to write in says all sorts of things.
/// @throws Failure (environment) where a disk that a build needs is full
void expect_room(const Project& project) {
  std::error_code ignored;
  for (const fs::path& folder : {project.build, fs::temp_directory_path(ignored)}) {
    if (fs::space(folder, ignored).available < (1u << 20))
      throw Failure(ExitCode::environment, fmt::format("the disk that {} lies on is full", folder.string()),
                    "Nothing was compiled. Make room and try again.");
  }
}

}  // namespace

const char* to_string(Side side) { return side == Side::student ? "student" : "solution"; }

fs::path source_of(const LessonInfo& lesson, const RungInfo& rung, Side side) {
  return side == Side::student ? lesson.student_file(rung) : lesson.solution_file(rung);
}

fs::path module_of(const Project& project, const LessonInfo& lesson, const RungInfo& rung, Side side) {
  return project.build / "modules" / lesson.name / fmt::format("{}.{}.so", rung.name, to_string(side));
}

fs::path plugin_of(const Project& project, const LessonInfo& lesson) {
  return project.build / "modules" / lesson.name / "lesson.so";
}

namespace {

/// Sorts what could not be made: a rung is refused, a peer left out, anything else ends the command.
void take_failures(const Project& project, const BuildRequest& request, const std::vector<std::string>& lines,
                   BuildResult& result) {
  const LessonInfo& lesson = *request.lesson;
  for (const FailedStep& step : failed_steps(lines)) {
    const std::string file = fs::path(step.output).filename().string();
    const auto rung =
        std::find_if(request.rungs.begin(), request.rungs.end(), [&](const RungInfo* candidate) {
          return step.output.ends_with(
              fmt::format("{}/{}.{}.so", lesson.name, candidate->name, to_string(request.side)));
        });
    if (rung != request.rungs.end()) {
      result.refused[(*rung)->name] =
          read_compiler_output(step.lines, source_of(lesson, **rung, request.side).string());
      result.raw[(*rung)->name] = step.lines;
    } else if (file.starts_with("peer_")) {
      result.peers_left_out.push_back(fs::path(file).stem().string().substr(5));
    } else {
      fail_with(step.lines, fmt::format("{} could not be built", file));
    }
  }
  if (result.refused.empty() && result.peers_left_out.empty()) fail_with(lines, "the build failed");
  for (const auto& [name, messages] : result.refused)
    if (std::none_of(messages.begin(), messages.end(), [](const CompilerMessage& m) { return m.line > 0; }))
      expect_room(project);
}

}  // namespace

BuildResult build(const Project& project, const BuildRequest& request, TransientLine& progress) {
  if (!fs::exists(project.build / "CMakeCache.txt"))
    throw Failure(ExitCode::environment, fmt::format("nothing is built yet in {}", project.build.string()),
                  "./ladder setup builds what is needed.");
  const LessonInfo& lesson = *request.lesson;
  std::vector<std::string> argv = {"cmake", "--build", project.build.string(), "--target"};
  argv.insert(argv.end(), request.also.begin(), request.also.end());
  for (const RungInfo* rung : request.rungs)
    argv.push_back(fmt::format("{}_{}_{}", lesson.short_name, rung->name, to_string(request.side)));
  if (const char* jobs = std::getenv("LADDER_JOBS"); jobs != nullptr && *jobs != '\0')
    argv.insert(argv.end(), {"-j", jobs});
  argv.insert(argv.end(), {"--", "-k"});
  if (fs::exists(project.build / "build.ninja")) argv.push_back("0");

  expect_room(project);
  // Two builds in one folder would write the same files. cmake/setup/build.sh takes the same lock.
  const FileLock turn(project.build / ".lock",
                      [&] { progress.show("waiting for another build in this checkout"); });
  const BuiltOf built_of(project, request);
  Log log{progress, {}};
  progress.show("building");
  const ExitStatus status =
      run_process({argv, {{"NINJA_STATUS", "[%f/%t] "}, {"LC_ALL", "C"}}}, std::ref(log));
  progress.clear();
  BuildResult result;
  if (!status.ok()) take_failures(project, request, log.lines, result);
  built_of.done(result);
  return result;
}

}  // namespace ladder::cli
