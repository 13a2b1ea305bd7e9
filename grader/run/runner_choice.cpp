#include "grader/run/runner_choice.h"

#include <fmt/format.h>

#include <filesystem>

#include "grader/platform/failure.h"
#include "grader/platform/gpu.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace fs = std::filesystem;

namespace {

/// The first build's, as long as nothing has asked for the whole program or for the whole simulator.
Runner simulator_of(const Project& project) {
  const bool whole = fs::exists(project.binary("ladder")) || fs::exists(project.binary(kSimulator.target)) ||
                     !fs::exists(project.binary(kFirstSimulator.target));
  return whole ? kSimulator : kFirstSimulator;
}

}  // namespace

Runner choose_runner(const Project& project, const std::string& wish) {
  if (wish == "sim") return simulator_of(project);
  const bool built = fs::exists(project.binary(kGpu.target));
  if (wish == "auto") return built && gpu_visible() ? kGpu : simulator_of(project);
  if (!gpu_visible())
    throw Failure(
        ExitCode::environment, tr("no NVIDIA GPU is visible on this machine"),
        tr("--device sim runs the same module on the simulator. ./ladder doctor looks for the reason."));
  return kGpu;
}

Runner choose_runner_on(const Remote& remote, const std::string& wish, const LessonRunEvents& events) {
  if (wish == "sim") return kSimulator;
  if (remote.has_gpu()) return kGpu;
  if (wish == "gpu")
    throw Failure(ExitCode::environment, tr("{} has no NVIDIA GPU, or no driver for it", remote.target()),
                  tr("There is neither /dev/nvidiactl nor /dev/dxg. --device sim runs the simulator there."));
  if (events.note) events.note(tr("{} has no GPU: its CPU runs the simulator", remote.target()));
  return kSimulator;
}

Architecture compiled_for(const Project& project, const LessonRunOptions& options, const Runner& runner,
                          const Remote* remote) {
  if (!options.arch.empty()) return options.arch;
  if (!runner.gpu) return simulated_architecture();
  return remote != nullptr ? remote->architecture() : device_architecture(project);
}

}  // namespace ladder::cli
