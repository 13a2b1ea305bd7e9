#include "grader/run/runner_call.h"

#include <algorithm>

namespace ladder::cli {
namespace fs = std::filesystem;

std::vector<std::string> baseline_names(const LessonInfo& lesson) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(lesson.folder / "baselines", missing))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path baseline_module(const Project& project, const LessonInfo& lesson, const std::string& baseline) {
  return project.build / "modules" / lesson.name / ("baseline_" + baseline + ".so");
}

RunnerCall call_for(const Project& project, const Selection& selection, const LessonRunOptions& options,
                    const Runner& runner, const BuildResult& built,
                    const std::vector<std::string>& baselines) {
  const LessonInfo& lesson = *selection.lesson;
  RunnerCall call;
  call.runner = project.binary(runner.target);
  RunRequest& request = call.request;
  request.lesson_path = plugin_of(project, lesson);
  request.lesson_name = lesson.name;
  request.check_only = options.check_only;
  request.quick = options.quick;
  request.seed = options.seed;
  if (options.call_seconds) request.limits.call_seconds = *options.call_seconds;
  for (const RungInfo* rung : selection.rungs)
    if (!built.refused.contains(rung->name))
      request.rungs.push_back(RungSpec::of(rung->name, module_of(project, lesson, *rung, options.side),
                                           rung->compute_capability));
  for (const std::string& baseline : baselines) {
    const bool left_out = std::find(built.baselines_left_out.begin(), built.baselines_left_out.end(),
                                    baseline) != built.baselines_left_out.end();
    if (!left_out)
      request.baselines.push_back(RungSpec::of(baseline, baseline_module(project, lesson, baseline)));
  }
  if (runner.gpu) {
    request.peaks_file = project.state() / "peaks.json";
    if (const fs::path module = project.build / "modules" / "peaks.so"; fs::exists(module))
      request.peaks_module = module;
  }
  return call;
}

void send(const Project& project, const Selection& selection, const LessonRunOptions& options,
          const Runner& runner, Remote& remote, RunnerCall& call) {
  Package package;
  package.program(project, runner.target);
  package.rungs(project, selection, options.side);
  remote.upload(package, runner.target);
  const auto moved = [&](const fs::path& file) {
    return remote.at("build" / file.lexically_relative(project.build));
  };
  RunRequest& request = call.request;
  call.runner = moved(call.runner);
  request.lesson_path = moved(request.lesson_path);
  for (RungSpec& rung : request.rungs) rung.module = moved(rung.module);
  if (!request.peaks_file.empty()) request.peaks_file = remote.at("peaks.json");
  if (!request.peaks_module.empty()) request.peaks_module = moved(request.peaks_module);
  call.elsewhere = [&remote](const std::vector<std::string>& words) { return remote.command(words); };
}

}  // namespace ladder::cli
