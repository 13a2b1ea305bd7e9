#include "grader/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "grader/build/architecture.h"
#include "grader/build/toolchain.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/gpu.h"
#include "grader/remote/remote.h"
#include "grader/run/refused.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

struct Machine {
  const char* target;  ///< CMake's name of the runner, and its file's
  bool gpu;
};
constexpr Machine kSimulator{"runner-sim", false}, kGpu{"runner-gpu", true};

Machine choose_machine(const Project& project, const std::string& wish) {
  if (wish == "sim") return kSimulator;
  const bool built = fs::exists(project.binary(kGpu.target));
  if (wish == "auto") return built && gpu_visible() ? kGpu : kSimulator;
  if (!gpu_visible())
    throw Failure(
        ExitCode::environment, "no NVIDIA GPU is visible on this machine",
        "--device sim runs the same module on the simulator. ./ladder doctor looks for the reason.");
  return kGpu;
}

/// The other machine's GPU; where it has none, its CPU runs the simulator, which says of itself that it is
/// one.
Machine choose_machine_on(const Remote& remote, const std::string& wish, const SessionEvents& events) {
  if (wish == "sim") return kSimulator;
  if (remote.has_gpu()) return kGpu;
  if (wish == "gpu")
    throw Failure(ExitCode::environment,
                  fmt::format("{} has no NVIDIA GPU, or no driver for it", remote.target()),
                  "There is neither /dev/nvidiactl nor /dev/dxg. --device sim runs the simulator there.");
  if (events.note) events.note(fmt::format("{} has no GPU: its CPU runs the simulator", remote.target()));
  return kSimulator;
}

/// What is compiled follows the device.
Architecture compiled_for(const Project& project, const SessionOptions& options, const Machine& machine,
                          const Remote* remote) {
  if (!options.arch.empty()) return options.arch;
  if (!machine.gpu) return simulated_architecture();
  return remote != nullptr ? remote->architecture() : device_architecture(project);
}

/// Copies what the run needs, and turns the request's paths into the other machine's.
void send(const Project& project, const Selection& selection, const SessionOptions& options,
          const Machine& machine, Remote& remote, RunnerCall& call) {
  Package package;
  package.program(project, machine.target);
  package.rungs(project, selection, options.side);
  remote.upload(package, machine.target);
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

std::vector<std::string> baseline_names(const LessonInfo& lesson) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(lesson.folder / "baselines", missing))
    if (entry.path().extension() == ".cu") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// Hands results on in the lesson's order, whether they come from the compiler or from the runner.
class InOrder {
 public:
  InOrder(const Selection& selection, SessionResult& result, const SessionEvents& events)
      : selection_(selection), result_(result), events_(events) {}

  void expect_refused(RungResult refused) { refused_.push_back(std::move(refused)); }

  void take(RungResult next) {
    flush_before(next.rung);
    emit(std::move(next));
  }
  void flush() { flush_before(nullptr); }

 private:
  void flush_before(const RungInfo* rung) {
    for (const RungInfo* candidate : selection_.rungs) {
      if (candidate == rung) return;
      const auto found = std::find_if(refused_.begin(), refused_.end(),
                                      [&](const RungResult& r) { return r.rung == candidate; });
      if (found == refused_.end()) continue;
      RungResult next = std::move(*found);
      refused_.erase(found);
      emit(std::move(next));
    }
  }
  void emit(RungResult next) {
    if (events_.rung) events_.rung(next);
    result_.rungs.push_back(std::move(next));
  }

  const Selection& selection_;
  SessionResult& result_;
  const SessionEvents& events_;
  std::vector<RungResult> refused_;
};

/// What each file holds now and which of its tasks are open; read before the build, so that an edit made
/// meanwhile is not taken for what was judged.
std::map<std::string, RungResult> read_sources(const Selection& selection, Side side) {
  std::map<std::string, RungResult> sources;
  for (const RungInfo* rung : selection.rungs) {
    RungResult& source = sources[rung->name];
    source.rung = rung;
    const fs::path file = source_of(*selection.lesson, *rung, side);
    if (!fs::exists(file))
      throw Failure(ExitCode::environment, fmt::format("{} is missing", file.string()),
                    fmt::format("./ladder reset {} makes it anew.", selection.lesson->id(*rung)));
    source.source = read_file(file);
    const fs::path solution = selection.lesson->solution_file(*rung);
    if (side == Side::student && fs::exists(solution))
      source.open_todos = open_todos(make_skeleton(read_file(solution)).text, source.source);
  }
  return sources;
}

fs::path baseline_module(const Project& project, const LessonInfo& lesson, const std::string& baseline) {
  return project.build / "modules" / lesson.name / ("baseline_" + baseline + ".so");
}

RunnerCall call_for(const Project& project, const Selection& selection, const SessionOptions& options,
                    const Machine& machine, const BuildResult& built,
                    const std::vector<std::string>& baselines) {
  const LessonInfo& lesson = *selection.lesson;
  RunnerCall call;
  call.runner = project.binary(machine.target);
  RunRequest& request = call.request;
  request.lesson_path = plugin_of(project, lesson);
  request.lesson_name = lesson.name;
  request.check_only = options.check_only;
  request.quick = options.quick;
  request.seed = options.seed;
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
  if (machine.gpu) {
    request.peaks_file = project.state() / "peaks.json";
    if (const fs::path module = project.build / "modules" / "peaks.so"; fs::exists(module))
      request.peaks_module = module;
  }
  return call;
}

/// Files a time at a further size with its rung or baseline; a rung that was wrong there has not passed.
void add_timing(SessionResult& result, const Verdict& timed) {
  const auto add = [&](Verdict& verdict) {
    if (verdict.rung != timed.rung) return;
    if (timed.outcome != Outcome::passed && verdict.outcome == Outcome::passed) {
      std::vector<Timing> times = std::move(verdict.more_timings);
      const std::optional<Timing> main = verdict.timing;
      verdict = timed;
      verdict.timing = main;
      verdict.more_timings = std::move(times);
    } else if (timed.timing) {
      verdict.more_timings.push_back(*timed.timing);
    }
  };
  for (RungResult& rung : result.rungs) add(rung.verdict);
  for (Verdict& baseline : result.baselines) add(baseline);
}

}  // namespace

SessionResult run_session(const Project& project, const Selection& selection, const SessionOptions& options,
                          const SessionEvents& events, TransientLine& progress) {
  const LessonInfo& lesson = *selection.lesson;
  std::unique_ptr<Remote> remote;
  if (!options.on.empty()) remote = std::make_unique<Remote>(options.on);
  const Machine machine =
      remote ? choose_machine_on(*remote, options.device, events) : choose_machine(project, options.device);
  std::map<std::string, RungResult> sources = read_sources(selection, options.side);

  const bool with_baselines = machine.gpu && !remote && !options.check_only && !selection.one_rung;
  const std::vector<std::string> baselines =
      with_baselines ? baseline_names(lesson) : std::vector<std::string>();
  BuildRequest wanted{&lesson, selection.rungs, options.side, {lesson.short_name + "_lesson"}};
  wanted.arch = compiled_for(project, options, machine, remote.get());
  // ./ladder keeps the runners up to date; a run waits for a rung to compile, not for the simulator.
  if (!fs::exists(project.binary(machine.target))) wanted.also.push_back(machine.target);
  if (remote && machine.gpu)  // no part of what ./ladder keeps up to date on a machine without a GPU
    wanted.also.insert(wanted.also.end(), {machine.target, "harness_peaks"});
  for (const std::string& baseline : baselines)
    wanted.also.push_back(fmt::format("{}_baseline_{}", lesson.short_name, baseline));
  BuildResult built = packed() ? BuildResult() : build(project, wanted, progress);
  for (const std::string& baseline :
       baselines)  // its library may be missing, and then there is nothing to build
    if (auto& out = built.baselines_left_out; std::find(out.begin(), out.end(), baseline) == out.end() &&
                                              !fs::exists(baseline_module(project, lesson, baseline)))
      out.push_back(baseline);
  for (const std::string& baseline : built.baselines_left_out)
    if (events.note)
      events.note(fmt::format("the baseline {} could not be built here and is left out", baseline));

  SessionResult result;
  InOrder order(selection, result, events);
  for (const auto& [name, messages] : built.refused) {
    RungResult refused = sources.at(name);
    refused.verdict = refused_verdict(lesson, *refused.rung, messages, built.raw.at(name),
                                      source_of(lesson, *refused.rung, options.side).string());
    refused.verdict.advice = newer_architecture_hint(messages, architecture_of(*refused.rung, wanted.arch));
    order.expect_refused(std::move(refused));
  }

  RunnerCall call = call_for(project, selection, options, machine, built, baselines);
  if (remote && !call.request.rungs.empty()) {
    progress.show("copying to " + remote->target());
    send(project, selection, options, machine, *remote, call);
  }
  if (!call.request.rungs.empty()) {
    RunnerEvents runner_events;
    runner_events.progress = [&](const std::string& doing) { progress.show(doing); };
    runner_events.device = [&](const RunDevice& device) {
      progress.clear();
      if (events.device) events.device(device);
    };
    runner_events.reference = [&](double milliseconds) {
      progress.clear();
      if (events.reference) events.reference(milliseconds);
    };
    runner_events.verdict = [&](const Verdict& verdict) {
      progress.clear();
      if (verdict.baseline) {
        order.flush();
        if (events.baseline) events.baseline(verdict);
        return;
      }
      const auto found = sources.find(verdict.rung);
      if (found == sources.end())
        throw Failure(ExitCode::internal, "the runner judged a rung that it was not given: " + verdict.rung);
      RungResult next = std::move(found->second);
      next.verdict = verdict;
      order.take(std::move(next));
    };
    runner_events.size = [&](const std::string& size) {
      progress.clear();
      order.flush();
      if (events.size) events.size(size);
    };
    std::vector<Verdict> timed;
    runner_events.timed = [&](const Verdict& verdict) {
      progress.clear();
      if (events.timed) events.timed(verdict);
      timed.push_back(verdict);
    };
    RunReport report;
    try {
      report = run_rungs(call, runner_events);
    } catch (const NoDevice& none) {
      progress.clear();
      if (options.device != "auto" || !machine.gpu || remote)
        throw Failure(ExitCode::environment, "there is no device to run on: " + none.message);
      if (events.note)
        events.note("the GPU cannot be used (" + none.message + "); going on with the simulator");
      SessionOptions simulated = options;
      simulated.device = "sim";
      return run_session(project, selection, simulated, events, progress);
    }
    result.device = report.device;
    result.baselines = std::move(report.baselines);
    for (const Verdict& verdict : timed) add_timing(result, verdict);
    result.reference_ms = report.reference_ms;
    if (report.peaks) result.peaks = *report.peaks;
  }
  progress.clear();
  order.flush();
  return result;
}

json to_json(const SessionResult& result, const LessonInfo& lesson, Side side) {
  json all = {{"schema", 1}, {"lesson", lesson.name}, {"title", lesson.title}, {"side", to_string(side)}};
  all["device"] = result.device.name.empty() ? json::object() : json(result.device);
  all["rungs"] = json::array();
  all["findings"] = json::array();
  all["kernels"] = json::array();
  const auto with_rung = [](json list, const std::string& rung, json& into) {
    for (json& item : list) {
      item["rung"] = rung;
      into.push_back(std::move(item));
    }
  };
  for (const RungResult& rung : result.rungs) {
    json verdict = rung.verdict;
    with_rung(verdict["findings"], rung.verdict.rung, all["findings"]);
    with_rung(verdict["kernels"], rung.verdict.rung, all["kernels"]);
    json todos = json::array();
    for (const Todo& todo : rung.open_todos)
      todos.push_back({{"number", todo.number}, {"line", todo.line}, {"text", todo.text}});
    verdict["open_todos"] = todos;
    verdict["points"] = rung.rung->points;
    all["rungs"].push_back(std::move(verdict));
  }
  all["baselines"] = result.baselines;
  if (result.reference_ms) all["reference_ms"] = *result.reference_ms;
  if (!result.peaks.is_null()) all["peaks"] = result.peaks;
  return all;
}

}  // namespace ladder::cli
