#include "grader/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "grader/build/built_of.h"
#include "grader/build/direct.h"
#include "grader/build/toolchain.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/file_lock.h"
#include "grader/platform/process/run_process.h"

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
  return project.tools_folder() / "modules" / lesson.name / "lesson.so";
}

std::vector<fs::path> plugins_of(const Project& project, const LessonInfo& lesson) {
  const fs::path plugin = plugin_of(project, lesson);
  std::vector<fs::path> all{plugin, plugin.parent_path() / "blank_page.so"};
  std::erase_if(all, [](const fs::path& file) { return !fs::exists(file); });
  return all;
}

CompilerMessage no_check_build() {
  CompilerMessage message;
  message.text = "the check build (nvcc -G), in which mistakes are looked for, is refused";
  return message;
}

CompilerMessage other_check_build() {
  CompilerMessage message;
  message.text =
      "the preprocessor makes one program of it for results and another for the check build, in which "
      "mistakes "
      "are looked for";
  return message;
}

namespace {

/// What cmake/nvcc.sh says, before the compiler's words if it has some.
constexpr std::string_view kCheckRefused = "the check build is refused",
                           kCheckDiffers = "the check build would be another program";

bool has_line(const std::vector<std::string>& lines, std::string_view line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

}  // namespace

std::vector<std::string> both_builds(const Project& project) {
  return {"sh", (project.root / "cmake" / "nvcc.sh").string(),
          (project.build / "modules" / "headers" / "").string(), "--shake",
          project.binary("ladder-shake").string()};
}

bool is_without_check(const std::vector<std::string>& lines) { return has_line(lines, kCheckRefused); }

bool are_two_programs(const std::vector<std::string>& lines) { return has_line(lines, kCheckDiffers); }

std::vector<CompilerMessage> messages_of(const std::vector<std::string>& lines, const std::string& source) {
  if (are_two_programs(lines)) return {other_check_build()};
  std::vector<CompilerMessage> messages = read_compiler_output(lines, source);
  if (is_without_check(lines)) messages.insert(messages.begin(), no_check_build());
  return messages;
}

namespace {

/// Whether a step was to make a rung's module; its other products are named behind that.
bool makes_module(const FailedStep& step, const LessonInfo& lesson, const RungInfo& rung, Side side) {
  const std::string module = fmt::format("{}/{}.{}.so", lesson.name, rung.name, to_string(side));
  return (step.output + ' ').find(module + ' ') != std::string::npos;
}

/// Sorts what could not be made: a rung is refused, a baseline left out, anything else ends the command.
/// @return whether some rung's two builds are two programs; these are removed
bool take_failures(const Project& project, const BuildRequest& request, const std::vector<std::string>& lines,
                   BuildResult& result) {
  bool two_programs = false;
  const LessonInfo& lesson = *request.lesson;
  for (const FailedStep& step : failed_steps(lines)) {
    const std::string file = fs::path(step.output).filename().string();
    const auto rung = std::find_if(
        request.rungs.begin(), request.rungs.end(),
        [&](const RungInfo* candidate) { return makes_module(step, lesson, *candidate, request.side); });
    if (rung != request.rungs.end()) {
      const std::string& name = (*rung)->name;
      if (!says_where(step.lines) && tells_of_trouble(step.lines))
        fail_with(step.lines, fmt::format("this machine could not compile {}", name));
      if (are_two_programs(step.lines)) {
        two_programs = true;
        std::error_code ignored;
        fs::path module = module_of(project, lesson, **rung, request.side);
        fs::remove(module, ignored);
        fs::remove(module.replace_extension("check.ptx"), ignored);
      }
      result.refused[name] = messages_of(step.lines, source_of(lesson, **rung, request.side).string());
      result.raw[name] = step.lines;
    } else if (constexpr std::string_view kBaseline = "baseline_"; file.starts_with(kBaseline)) {
      result.baselines_left_out.push_back(fs::path(file).stem().string().substr(kBaseline.size()));
    } else {
      fail_with(step.lines, fmt::format("{} could not be built", file));
    }
  }
  if (result.refused.empty() && result.baselines_left_out.empty()) fail_with(lines, "the build failed");
  for (const auto& [name, messages] : result.refused)
    if (std::none_of(messages.begin(), messages.end(), [](const CompilerMessage& m) { return m.line > 0; }))
      expect_room(project);
  return two_programs;
}

/// Has the modules of a build folder compiled for another architecture from now on.
void configure(const Project& project, const std::string& arch, TransientLine& progress) {
  progress.show(fmt::format("configuring for compute_{}", arch));
  std::vector<std::string> lines;
  const ExitStatus status = run_process(
      {{"cmake", "-DLADDER_ARCH=" + arch, "-S", project.root.string(), "-B", project.build.string()},
       {{"LC_ALL", "C"}}},
      [&](std::string_view line) { lines.emplace_back(line); });
  if (!status.ok()) fail_with(lines, fmt::format("the build cannot be configured for compute_{}", arch));
}

/// A build compiles the rungs of the checkout that it was configured for: another one's would be judged.
void expect_own(const Project& project) {
  const std::string source = toolchain(project).value("source_dir", "");
  std::error_code error;
  if (source.empty() || fs::equivalent(source, project.root, error)) return;
  throw Failure(ExitCode::environment,
                fmt::format("{} was built for the checkout {}, not for {}", project.build.string(), source,
                            project.root.string()),
                "LADDER_BUILD_DIR names a build folder of this checkout; ./ladder setup makes one.");
}

}  // namespace

BuildResult build(const Project& project, const BuildRequest& request, TransientLine& progress) {
  if (request.beside && !project.packaged()) {
    BuildRequest others = request;
    others.rungs.clear();
    others.beside = false;
    build(project, others, progress);
  }
  if (request.beside || project.packaged()) return build_directly(project, request, progress);
  if (!fs::exists(project.build / "CMakeCache.txt"))
    throw Failure(ExitCode::environment, fmt::format("nothing is built yet in {}", project.build.string()),
                  "./ladder setup builds what is needed.");
  expect_own(project);
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
  const std::string built_for = toolchain(project).value("arch", "");
  if (!request.arch.empty() && !built_for.empty() && request.arch != built_for)
    configure(project, request.arch, progress);
  const BuiltOf built_of(project, request);
  BuildResult result;
  for (int builds = 0; builds < 2; ++builds) {  // a file that was saved between its two builds is built again
    Log log{progress, {}};
    progress.show("building");
    const ExitStatus status =
        run_process({argv, {{"NINJA_STATUS", "[%f/%t] "}, {"LC_ALL", "C"}}}, std::ref(log));
    progress.clear();
    result = {};
    if (status.ok() || !take_failures(project, request, log.lines, result)) break;
  }
  built_of.done(result);
  return result;
}

}  // namespace ladder::cli
