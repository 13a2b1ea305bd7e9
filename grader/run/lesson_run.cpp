#include "grader/run/lesson_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "grader/build/architecture.h"
#include "grader/build/toolchain.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/gpu.h"
#include "grader/platform/json_file.h"
#include "grader/remote/remote.h"
#include "grader/run/refused.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

/// A program that judges, by the device it judges on.
struct Runner {
  const char* target;  ///< CMake's name of the runner, and its file's
  bool gpu;
};
constexpr Runner kSimulator{"runner-sim", false}, kGpu{"runner-gpu", true};

Runner choose_runner(const Project& project, const std::string& wish) {
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
Runner choose_runner_on(const Remote& remote, const std::string& wish, const LessonRunEvents& events) {
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
Architecture compiled_for(const Project& project, const LessonRunOptions& options, const Runner& runner,
                          const Remote* remote) {
  if (!options.arch.empty()) return options.arch;
  if (!runner.gpu) return simulated_architecture();
  return remote != nullptr ? remote->architecture() : device_architecture(project);
}

/// Copies what the run needs, and turns the request's paths into the other machine's.
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
  InOrder(const Selection& selection, LessonRunResult& result, const LessonRunEvents& events)
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
  LessonRunResult& result_;
  const LessonRunEvents& events_;
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

/// Files a time at a further size with its rung or baseline; a rung that was wrong there has not passed.
void add_timing(LessonRunResult& result, const Verdict& timed) {
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

/// One run from the files to the results, in steps; what the runner says passes through on its way to the
/// caller.
class LessonRun {
 public:
  LessonRun(const Project& project, const Selection& selection, const LessonRunOptions& options,
            const LessonRunEvents& events, TransientLine& progress)
      : project_(project),
        selection_(selection),
        options_(options),
        events_(events),
        progress_(progress),
        remote_(options.on.empty() ? nullptr : std::make_unique<Remote>(options.on)),
        runner_(remote_ ? choose_runner_on(*remote_, options.device, events)
                        : choose_runner(project, options.device)),
        sources_(read_sources(selection, options.side)),
        order_(selection, result_, events) {
    const bool with_baselines = runner_.gpu && !remote_ && !options.check_only && !selection.one_rung;
    if (with_baselines) baselines_ = baseline_names(*selection.lesson);
  }

  /// Whether the simulator may stand in for a GPU that cannot be used.
  bool simulator_will_do() const { return options_.device == "auto" && runner_.gpu && !remote_; }

  /// @throws Failure, NoDevice
  LessonRunResult run() {
    const BuildRequest wanted = build_request();
    const BuildResult built = build_all(wanted);
    expect_refused(built, wanted.arch);
    RunnerCall call = call_for(project_, selection_, options_, runner_, built, baselines_);
    if (!call.request.rungs.empty()) judge(call);
    progress_.clear();
    order_.flush();
    return std::move(result_);
  }

 private:
  BuildRequest build_request() const {
    const LessonInfo& lesson = *selection_.lesson;
    BuildRequest wanted{&lesson, selection_.rungs, options_.side, {lesson.short_name + "_lesson"}};
    wanted.arch = compiled_for(project_, options_, runner_, remote_.get());
    // ./ladder keeps the runners up to date; a run waits for a rung to compile, not for the simulator.
    if (!fs::exists(project_.binary(runner_.target))) wanted.also.push_back(runner_.target);
    if (remote_ && runner_.gpu)  // no part of what ./ladder keeps up to date on a machine without a GPU
      wanted.also.insert(wanted.also.end(), {runner_.target, "harness_peaks"});
    for (const std::string& baseline : baselines_)
      wanted.also.push_back(fmt::format("{}_baseline_{}", lesson.short_name, baseline));
    return wanted;
  }

  BuildResult build_all(const BuildRequest& wanted) {
    BuildResult built = packed() ? BuildResult() : build(project_, wanted, progress_);
    std::vector<std::string>& out = built.baselines_left_out;
    for (const std::string& baseline :
         baselines_) {  // its library may be missing: then there is nothing to build
      const bool is_out = std::find(out.begin(), out.end(), baseline) != out.end();
      if (!is_out && !fs::exists(baseline_module(project_, *selection_.lesson, baseline)))
        out.push_back(baseline);
    }
    for (const std::string& baseline : out)
      note(fmt::format("the baseline {} could not be built here and is left out", baseline));
    return built;
  }

  void expect_refused(const BuildResult& built, const Architecture& arch) {
    for (const auto& [name, messages] : built.refused) {
      RungResult refused = sources_.at(name);
      refused.verdict = refused_verdict(*selection_.lesson, *refused.rung, messages, built.raw.at(name),
                                        source_of(*selection_.lesson, *refused.rung, options_.side).string());
      refused.verdict.advice = newer_architecture_hint(messages, architecture_of(*refused.rung, arch));
      order_.expect_refused(std::move(refused));
    }
  }

  void judge(RunnerCall& call) {
    if (remote_) {
      progress_.show("copying to " + remote_->target());
      send(project_, selection_, options_, runner_, *remote_, call);
    }
    RunReport report = run_rungs(call, forwarded());
    result_.device = report.device;
    result_.baselines = std::move(report.baselines);
    for (const Verdict& verdict : timed_) add_timing(result_, verdict);
    result_.reference_ms = report.reference_ms;
    if (report.peaks) result_.peaks = *report.peaks;
  }

  /// The runner's events as the caller gets them: behind a cleared line of progress, rungs in the lesson's
  /// order.
  RunnerEvents forwarded() {
    RunnerEvents events;
    events.progress = [this](const std::string& doing) { progress_.show(doing); };
    events.device = [this](const RunDevice& device) { pass_on(events_.device, device); };
    events.reference = [this](double milliseconds) { pass_on(events_.reference, milliseconds); };
    events.verdict = [this](const Verdict& verdict) { take(verdict); };
    events.size = [this](const std::string& size) {
      progress_.clear();
      order_.flush();
      pass_on(events_.size, size);
    };
    events.timed = [this](const Verdict& verdict) {
      pass_on(events_.timed, verdict);
      timed_.push_back(verdict);
    };
    return events;
  }

  void take(const Verdict& verdict) {
    progress_.clear();
    if (verdict.baseline) {
      order_.flush();
      return pass_on(events_.baseline, verdict);
    }
    const auto found = sources_.find(verdict.rung);
    if (found == sources_.end())
      throw Failure(ExitCode::internal, "the runner judged a rung that it was not given: " + verdict.rung);
    RungResult next = std::move(found->second);
    next.verdict = verdict;
    order_.take(std::move(next));
  }

  template <class Event>
  void pass_on(const std::function<void(const Event&)>& to, const Event& event) {
    progress_.clear();
    if (to) to(event);
  }
  void pass_on(const std::function<void(double)>& to, double value) {
    progress_.clear();
    if (to) to(value);
  }
  void note(const std::string& text) const {
    if (events_.note) events_.note(text);
  }

  const Project& project_;
  const Selection& selection_;
  const LessonRunOptions& options_;
  const LessonRunEvents& events_;
  TransientLine& progress_;
  const std::unique_ptr<Remote> remote_;
  const Runner runner_;
  std::map<std::string, RungResult> sources_;
  LessonRunResult result_;
  InOrder order_;
  std::vector<std::string> baselines_;
  std::vector<Verdict> timed_;  ///< at further sizes
};

}  // namespace

LessonRunResult run_lesson(const Project& project, const Selection& selection,
                           const LessonRunOptions& options, const LessonRunEvents& events,
                           TransientLine& progress) {
  LessonRun run(project, selection, options, events, progress);
  try {
    return run.run();
  } catch (const NoDevice& none) {
    progress.clear();
    if (!run.simulator_will_do())
      throw Failure(ExitCode::environment, "there is no device to run on: " + none.message);
    if (events.note)
      events.note("the GPU cannot be used (" + none.message + "); going on with the simulator");
  }
  LessonRunOptions simulated = options;
  simulated.device = "sim";
  return run_lesson(project, selection, simulated, events, progress);
}

json to_json(const LessonRunResult& result, const LessonInfo& lesson, Side side) {
  json all = {
      {"schema", kSchema}, {"lesson", lesson.name}, {"title", lesson.title}, {"side", to_string(side)}};
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
