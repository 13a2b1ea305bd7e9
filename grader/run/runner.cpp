#include "grader/run/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "grader/platform/failure.h"
#include "grader/platform/process/open_files.h"
#include "grader/platform/process/run_process.h"
#include "grader/platform/terminal.h"

namespace ladder::cli {
namespace {

using nlohmann::json;
constexpr int kNoDevice = 3;  // the runner's exit code
constexpr std::size_t kFewestFilesOfRung =
    128;  // the arrays of a few cases, and what judge and rung talk through

std::vector<std::string> command_line(const RunnerRequest& request) {
  std::vector<std::string> argv = {
      request.runner.string(), "--lesson",   request.plugin.string(), "--lesson-name", request.lesson,
      "--result-fd",           "{result-fd}"};
  for (const RunnerModule& rung : request.rungs) {
    std::string needs = rung.compute_capability.empty() ? "" : "@" + rung.compute_capability;
    if (needs.ends_with('a')) needs.pop_back();  // the compiler's business
    argv.insert(argv.end(), {"--rung", fmt::format("{}={}{}", rung.name, rung.file.string(), needs)});
  }
  for (const RunnerModule& baseline : request.baselines)
    argv.insert(argv.end(), {"--baseline", fmt::format("{}={}", baseline.name, baseline.file.string())});
  if (request.check_only) argv.push_back("--check-only");
  if (request.quick) argv.insert(argv.end(), {"--cases", "quick"});
  if (!request.peaks.empty()) argv.insert(argv.end(), {"--peaks", request.peaks.string()});
  if (!request.peaks_module.empty())
    argv.insert(argv.end(), {"--peaks-module", request.peaks_module.string()});
  argv.insert(argv.end(), request.more.begin(), request.more.end());
  if (!request.elsewhere) return argv;
  if (request.seed) argv.insert(argv.end(), {"--seed", std::to_string(*request.seed)});
  std::replace(argv.begin(), argv.end(), std::string("{result-fd}"), std::string("3"));
  return request.elsewhere(argv);
}

/// What all on this machine could read of a command line, and are not to: the seed of a class's cases.
std::vector<std::pair<std::string, std::string>> environment(const RunnerRequest& request) {
  if (!request.seed || request.elsewhere) return {};
  return {{"LADDER_SEED", std::to_string(*request.seed)}};
}

/// Reads the event stream; everything in it comes from the judge, never from a student's code.
class Stream {
 public:
  Stream(RunReport& report, const RunnerEvents& events) : report_(report), events_(events) {}

  void output(std::string_view line) { last_ = without_controls(line); }

  void event(std::string_view line) {
    const json event = json::parse(line, nullptr, false);
    if (!event.is_object())
      throw Failure(ExitCode::internal, fmt::format("the runner sent a line that is no event: {}", line));
    const std::string kind = event.value("event", "");
    if (kind == "device") {
      device(event);
    } else if (kind == "error") {
      error_ = event.value("message", "the runner gave up");
    } else if (kind == "rung_started") {
      doing(fmt::format("{}: starting", event.value("rung", "")));
    } else if (kind == "case") {
      doing(fmt::format("{}: case {} of {}  {}", event.value("rung", ""), event.value("index", 0),
                        event.value("total", 0), event.value("label", "")));
    } else if (kind == "shrinking") {
      doing(fmt::format("{}: looking for a smaller case that fails  {}", event.value("rung", ""),
                        event.value("label", "")));
    } else if (kind == "timing") {
      doing(fmt::format("{}: timing {}  {} samples", event.value("rung", ""), event.value("size", ""),
                        event.value("samples", 0)));
    } else if (kind == "reference") {
      const double milliseconds = event.value("milliseconds", 0.0);
      if (!report_.reference_ms) report_.reference_ms = milliseconds;
      if (events_.reference) events_.reference(milliseconds);
    } else if (kind == "peaks") {
      report_.peaks = event;
    } else if (kind == "rung") {
      verdict(event);
    } else if (kind == "size") {
      if (events_.size) events_.size(event.value("size", ""));
    } else if (kind == "timed") {
      if (events_.timed) events_.timed(event.get<Verdict>());
    } else if (kind == "done") {
      done_ = true;
    }
  }

  bool done() const { return done_; }
  const std::string& error() const { return error_; }
  const std::string& last_line() const { return last_; }

 private:
  void doing(const std::string& text) const {
    if (events_.progress) events_.progress(text);
  }

  void device(const json& event) {
    RunDevice& device = report_.device;
    device.json = event;
    device.name = event.value("name", "");
    device.machine = event.value("machine", "");
    device.compute_capability = event.value("compute_capability", "");
    device.modelled = event.value("modelled", false);
    device.seed = event.value("seed", std::uint64_t{0});
    device.cases = event.value("cases", 0);
    device.time_size = event.value("time_size", "");
    if (events_.device) events_.device(device);
  }

  void verdict(const json& event) {
    const Verdict verdict = event.get<Verdict>();
    (verdict.baseline ? report_.baselines : report_.rungs).push_back(verdict);
    if (events_.verdict) events_.verdict(verdict);
  }

  RunReport& report_;
  const RunnerEvents& events_;
  std::string last_, error_;
  bool done_ = false;
};

std::string how_it_ended(const ExitStatus& status) {
  return status.signal != 0 ? fmt::format("was ended by signal {}", status.signal)
                            : fmt::format("ended with code {}", status.code);
}

}  // namespace

RunReport run_rungs(const RunnerRequest& request, const RunnerEvents& events) {
  if (!request.elsewhere) need_open_files(kFewestFilesOfRung, "running a rung");
  RunReport report;
  Stream stream(report, events);
  const ExitStatus status = run_process(
      {command_line(request), environment(request)}, [&](std::string_view line) { stream.output(line); },
      [&](std::string_view line) { stream.event(line); });
  const std::string runner = request.runner.filename().string();
  if (status.code == kNoDevice) throw NoDevice{stream.error().empty() ? stream.last_line() : stream.error()};
  if (!stream.error().empty())
    throw Failure(ExitCode::environment, fmt::format("{}: {}", runner, stream.error()));
  if (stream.done() && status.ok()) return report;
  if (report.device.name.empty())
    throw Failure(ExitCode::environment,
                  fmt::format("{} {} before it ran anything", runner, how_it_ended(status)),
                  stream.last_line());

  // Some rungs have their verdict; the others are told what happened instead of being forgotten.
  for (const RunnerModule& rung : request.rungs) {
    const bool judged = std::any_of(report.rungs.begin(), report.rungs.end(),
                                    [&](const Verdict& v) { return v.rung == rung.name; });
    if (judged) continue;
    Verdict lost;
    lost.lesson = request.lesson;
    lost.rung = rung.name;
    lost.outcome = Outcome::harness_failed;
    lost.headline = fmt::format("{} {} before this rung had its verdict", runner, how_it_ended(status));
    lost.advice = "This is a mistake in the grader, not in your file. Please report it.";
    report.rungs.push_back(lost);
    if (events.verdict) events.verdict(lost);
  }
  return report;
}

}  // namespace ladder::cli
