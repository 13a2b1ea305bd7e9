#include "grader/run/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/platform/failure.h"
#include "grader/platform/process/open_files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/terminal.h"
#include "language/catalogue.h"

namespace ladder::cli {
namespace {

constexpr int kNoDevice = 3;  // the runner's exit code
constexpr std::size_t kFewestFilesOfRung =
    128;  // the arrays of a few cases, and what judge and rung talk through

/// What all on this machine could read of a command line, and are not to, is in the environment: the seed of
/// a class's cases.
ChildCommand command_of(const RunnerCall& call) {
  RunRequest request = call.request;
  ChildCommand command{{call.runner.string(), "--result-fd", call.elsewhere ? "3" : "{result-fd}"}, {}};
  if (!call.elsewhere && request.seed) {
    command.environment = {{"LADDER_SEED", std::to_string(*request.seed)}};
    request.seed.reset();
  }
  const std::vector<std::string> words = to_words(request);
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  if (call.elsewhere) command.argv = call.elsewhere(command.argv);
  return command;
}

/// Takes the stream of events; everything in it comes from the judge, never from a student's code.
class Stream {
 public:
  Stream(RunReport& report, const RunnerEvents& events) : report_(report), events_(events) {}

  void output(std::string_view line) { last_ = without_controls(line); }

  void take(std::string_view line) {
    std::optional<Event> event;
    try {
      event = event_from(line);
    } catch (const std::exception&) {
      throw Failure(ExitCode::internal, fmt::format("the runner sent a line that is no event: {}", line));
    }
    if (event) std::visit([this](const auto& kind) { take(kind); }, *event);
  }

  bool done() const { return done_; }
  const std::string& error() const { return error_; }
  const std::string& last_line() const { return last_; }

 private:
  void take(const RunDevice& device) {
    report_.device = device;
    if (events_.device) events_.device(device);
  }
  void take(const PeakRates& peaks) { report_.peaks = peaks; }
  void take(const event::Error& error) { error_ = error.message; }
  void take(const event::RungStarted& at) { doing(tr("{}: starting", at.rung)); }
  void take(const event::CaseDone& at) {
    doing(tr("{}: case {} of {}  {}", at.rung, at.index, at.total, at.label));
  }
  void take(const event::Shrinking& at) {
    doing(tr("{}: looking for a smaller case that fails  {}", at.rung, at.label));
  }
  void take(const event::Sampling& at) {
    doing(tr("{}: timing {}  {} samples", at.rung, at.size, at.samples));
  }
  void take(const event::Reference& at) {
    if (!report_.reference_ms) report_.reference_ms = at.milliseconds;
    if (events_.reference) events_.reference(at.milliseconds);
  }
  void take(const event::Judged& at) {
    (at.verdict.baseline ? report_.baselines : report_.rungs).push_back(at.verdict);
    if (events_.verdict) events_.verdict(at.verdict);
  }
  void take(const event::NextSize& at) {
    if (events_.size) events_.size(at.size);
  }
  void take(const event::Timed& at) {
    if (events_.timed) events_.timed(at.verdict);
  }
  void take(const event::Done&) { done_ = true; }

  void doing(const std::string& text) const {
    if (events_.progress) events_.progress(text);
  }

  RunReport& report_;
  const RunnerEvents& events_;
  std::string last_, error_;
  bool done_ = false;
};

std::string how_it_ended(const ExitStatus& status) {
  return status.signal != 0 ? tr("was ended by signal {}", status.signal)
                            : tr("ended with code {}", status.code);
}

}  // namespace

RunReport run_rungs(const RunnerCall& call, const RunnerEvents& events) {
  if (!call.elsewhere) need_open_files(kFewestFilesOfRung, "running a rung");
  RunReport report;
  Stream stream(report, events);
  const ExitStatus status = run_process(
      command_of(call), [&](std::string_view line) { stream.output(line); },
      [&](std::string_view line) { stream.take(line); });
  const std::string runner = call.runner.filename().string();
  if (status.code == kNoDevice) throw NoDevice{stream.error().empty() ? stream.last_line() : stream.error()};
  if (!stream.error().empty())
    throw Failure(ExitCode::environment, fmt::format("{}: {}", runner, stream.error()));
  if (stream.done() && status.ok()) return report;
  if (report.device.name.empty())
    throw Failure(ExitCode::environment,
                  fmt::format("{} {} before it ran anything", runner, how_it_ended(status)),
                  stream.last_line());

  // Some rungs have their verdict; the others are told what happened instead of being forgotten.
  for (const RungSpec& rung : call.request.rungs) {
    const bool judged = std::any_of(report.rungs.begin(), report.rungs.end(),
                                    [&](const Verdict& v) { return v.rung == rung.name; });
    if (judged) continue;
    Verdict lost;
    lost.lesson = call.request.lesson_name;
    lost.rung = rung.name;
    lost.outcome = Outcome::harness_failed;
    lost.headline = tr("{} {} before this rung had its verdict", runner, how_it_ended(status));
    lost.advice = tr("This is a mistake in the grader, not in your file. Please report it.");
    report.rungs.push_back(lost);
    if (events.verdict) events.verdict(lost);
  }
  return report;
}

}  // namespace ladder::cli
