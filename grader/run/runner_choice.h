// Which runner judges, and what is compiled for it.
#pragma once

#include <string>

#include "grader/build/architecture.h"
#include "grader/remote/remote.h"
#include "grader/run/lesson_run.h"

namespace ladder::cli {

/// A program that judges, by the device it judges on.
struct Runner {
  const char* target;  ///< CMake's name of the runner, and its file's
  bool gpu;
  bool first = false;  ///< the simulator of a first build: it lacks what few lessons use
};
inline constexpr Runner kSimulator{"runner-sim", false}, kFirstSimulator{"runner-first", false, true},
    kGpu{"runner-gpu", true};

/// @param wish  sim, gpu, or auto: the GPU where one is visible and its runner is built
/// @throws Failure (environment) where a GPU is wished for and there is none
Runner choose_runner(const Project& project, const std::string& wish);

/// The same for the other machine's GPU; where it has none, its CPU runs the simulator, which is noted.
Runner choose_runner_on(const Remote& remote, const std::string& wish, const LessonRunEvents& events);

/// The architecture that rungs are compiled for follows the device.
/// @param remote  the machine that runs them; null: this one
Architecture compiled_for(const Project& project, const LessonRunOptions& options, const Runner& runner,
                          const Remote* remote);

}  // namespace ladder::cli
