#include "grader/run/lesson_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "grader/course/edition.h"
#include "grader/course/rung_files.h"
#include "grader/idea/evaluate.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/run/refused.h"
#include "grader/run/results_in_order.h"
#include "grader/run/runner_call.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace fs = std::filesystem;
namespace {

/// What each file holds now and which of its tasks are open; read before the build, so that an edit made
/// meanwhile is not taken for what was judged.
std::map<std::string, RungResult> read_sources(const Project& project, const Selection& selection,
                                               Side side) {
  if (side == Side::solution)
    expect_solutions(project);
  else
    expect_own_folder(project);
  std::map<std::string, RungResult> sources;
  for (const RungInfo* rung : selection.rungs) {
    RungResult& source = sources[rung->name];
    source.rung = rung;
    const fs::path file = source_of(*selection.lesson, *rung, side);
    if (!fs::exists(file))
      throw Failure(ExitCode::environment, tr("{} is missing", file.string()),
                    tr("./ladder reset {} makes it anew.", selection.lesson->id(*rung)));
    source.source = read_file(file);
    if (side != Side::student) continue;
    if (const auto skeleton = skeleton_if_there(*selection.lesson, *rung))
      source.open_todos = open_todos(*skeleton, source.source);
  }
  return sources;
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

/// Thrown where the simulator of a first build lacks what a rung uses.
struct FirstSimulatorLacks {};

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
        sources_(read_sources(project, selection, options.side)),
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
    if (!call.request.rungs.empty()) {
      if (counts_apart()) count(built);
      judge(call);
    }
    progress_.clear();
    order_.flush();
    return std::move(result_);
  }

 private:
  BuildRequest build_request() const {
    const LessonInfo& lesson = *selection_.lesson;
    BuildRequest wanted{&lesson, selection_.rungs, options_.side, {lesson.short_name + "_lesson"}};
    wanted.beside = options_.beside;
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
      note(tr("the baseline {} could not be built here and is left out", baseline));
    return built;
  }

  void expect_refused(const BuildResult& built, const Architecture& arch) {
    for (const auto& [name, messages] : built.refused) {
      RungResult refused = sources_.at(name);
      refused.verdict = refused_verdict(*selection_.lesson, *refused.rung, messages, built.raw.at(name),
                                        source_of(*selection_.lesson, *refused.rung, options_.side).string());
      const std::string newer = newer_architecture_hint(messages, architecture_of(*refused.rung, arch));
      if (!newer.empty()) refused.verdict.advice = newer;
      order_.expect_refused(std::move(refused));
    }
  }

  /// A GPU counts nothing, so the simulator runs a student's rungs, too, before the GPU does: beside it the
  /// times of what is timed with its copies would suffer.
  bool counts_apart() const {
    return runner_.gpu && options_.side == Side::student && !options_.check_only && !packed() &&
           fs::exists(project_.binary(kSimulator.target));
  }

  void count(const BuildResult& built) {
    RunnerCall call = call_for(project_, selection_, options_, kSimulator, built, {});
    call.request.quick = true;
    RunnerEvents events;
    events.progress = [this](const std::string& doing) { progress_.show(tr("on the simulator, {}", doing)); };
    events.verdict = [this](const Verdict& verdict) { counted_.emplace(verdict.rung, verdict); };
    (void)run_rungs(call, events);
  }

  /// What the simulator says of a rung that a GPU has passed.
  void add_counted(RungResult& result) {
    const auto counted = counted_.find(result.rung->name);
    if (counted == counted_.end() || result.verdict.outcome != Outcome::passed) return;
    const Verdict& simulated = counted->second;
    if (simulated.outcome == Outcome::passed)
      return idea::judge(result.rung->how, result.rung->number, simulated, result.verdict);
    if (simulated.outcome == Outcome::not_run) return;
    const std::string id = selection_.lesson->id(*result.rung);
    note(tr("{} is right on this GPU, and on the simulator: {}. ./ladder run {} --device sim", id,
            simulated.headline, id));
  }

  void judge(RunnerCall& call) {
    if (remote_) {
      progress_.show(tr("copying to {}", remote_->target()));
      send(project_, selection_, options_, runner_, *remote_, call);
    }
    RunReport report = run_on_whole_simulator_if_needed(call);
    result_.device = report.device;
    result_.baselines = std::move(report.baselines);
    for (const Verdict& verdict : timed_) add_timing(result_, verdict);
    result_.reference_ms = report.reference_ms;
    if (report.peaks) result_.peaks = *report.peaks;
  }

  /// Where a first build's simulator does not do, the whole one is built and asked. It runs all rungs, for
  /// further sizes come after the verdicts; those that have been handed on stay as they are.
  RunReport run_on_whole_simulator_if_needed(RunnerCall& call) {
    try {
      return run_rungs(call, forwarded());
    } catch (const FirstSimulatorLacks&) {
      progress_.clear();
      note(
          tr("this rung needs parts of the simulator that no rung before needed: they are built now (once)"));
    }
    BuildRequest wanted{selection_.lesson, {}, options_.side, {kSimulator.target}};
    wanted.arch = compiled_for(project_, options_, kSimulator, nullptr);
    (void)build(project_, wanted, progress_);
    call.runner = project_.binary(kSimulator.target);
    runner_ = kSimulator;
    timed_.clear();
    return run_rungs(call, forwarded());
  }

  /// The runner's events as the caller gets them: behind a cleared line of progress, rungs in the lesson's
  /// order.
  RunnerEvents forwarded() {
    RunnerEvents events;
    events.progress = [this](const std::string& doing) { progress_.show(doing); };
    events.device = [this](const RunDevice& device) { pass_on_once(device_told_, events_.device, device); };
    events.reference = [this](double milliseconds) {
      pass_on_once(reference_told_, events_.reference, milliseconds);
    };
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
    if (runner_.first && verdict.outcome == Outcome::not_run) throw FirstSimulatorLacks();
    if (!judged_.insert(verdict.rung).second) return;
    RungResult next = std::move(found->second);
    next.verdict = verdict;
    if (runner_.gpu)
      add_counted(next);
    else
      idea::judge(next.rung->how, next.rung->number, next.verdict);
    order_.take(std::move(next));
  }

  template <class Event>
  void pass_on_once(bool& told, const std::function<void(const Event&)>& to, const Event& event) {
    if (!std::exchange(told, true)) pass_on(to, event);
  }
  void pass_on_once(bool& told, const std::function<void(double)>& to, double value) {
    if (!std::exchange(told, true)) pass_on(to, value);
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
  Runner runner_;
  std::map<std::string, RungResult> sources_;
  LessonRunResult result_;
  ResultsInOrder order_;
  std::vector<std::string> baselines_;
  std::set<std::string> judged_;  ///< rungs that were handed on
  bool device_told_ = false, reference_told_ = false;
  std::vector<Verdict> timed_;              ///< at further sizes
  std::map<std::string, Verdict> counted_;  ///< by rung, on the simulator, where a GPU judges
};

}  // namespace

LessonRunResult run_lesson(const Project& project, const Selection& selection,
                           const LessonRunOptions& options, const LessonRunEvents& events,
                           TransientLine& progress) {
  if (!options.on.empty()) expect_checkout(project, "--on");
  LessonRun run(project, selection, options, events, progress);
  try {
    return run.run();
  } catch (const NoDevice& none) {
    progress.clear();
    if (!run.simulator_will_do())
      throw Failure(ExitCode::environment, tr("there is no device to run on: {}", none.message));
    if (events.note)
      events.note(tr("the GPU cannot be used ({}); going on with the simulator", none.message));
  }
  LessonRunOptions simulated = options;
  simulated.device = "sim";
  return run_lesson(project, selection, simulated, events, progress);
}

}  // namespace ladder::cli
