// What a runner is called with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/build/build.h"
#include "grader/remote/remote.h"
#include "grader/run/lesson_run.h"
#include "grader/run/runner.h"
#include "grader/run/runner_choice.h"

namespace ladder::cli {

/// A lesson's baselines, by name.
std::vector<std::string> baseline_names(const LessonInfo& lesson);

std::filesystem::path baseline_module(const Project& project, const LessonInfo& lesson,
                                      const std::string& baseline);

/// The call for all rungs that the compiler has not refused, and the baselines that could be built.
RunnerCall call_for(const Project& project, const Selection& selection, const LessonRunOptions& options,
                    const Runner& runner, const BuildResult& built,
                    const std::vector<std::string>& baselines);

/// Copies what the call needs to another machine, and turns its paths into that machine's.
/// @param remote  outlives @p call
void send(const Project& project, const Selection& selection, const LessonRunOptions& options,
          const Runner& runner, Remote& remote, RunnerCall& call);

}  // namespace ladder::cli
