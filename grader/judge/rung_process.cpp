#include "grader/judge/rung_process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <stdexcept>

#include "grader/lesson/blank_page.h"
#include "grader/worker/device/device.h"
#include "language/catalogue.h"

namespace ladder {
namespace {
constexpr int kStarts = 3;
constexpr useconds_t kPauseOfStarts = 500'000;  // microseconds
}  // namespace

RungProcess::RungProcess(const RunRequest& options, const RungSpec& rung)
    : options_(options), rung_(rung), time_(options.limits.rung_seconds) {}

Explanation RungProcess::hear(nlohmann::json& message, double seconds) {
  auto answer = worker_->receive(seconds);
  if (const auto* ending = std::get_if<Ending>(&answer)) return explain_ending(*ending);
  message = std::move(std::get<nlohmann::json>(answer));
  return {};
}

Explanation RungProcess::start_worker(nlohmann::json& message) {
  std::vector<std::string> arguments = options_.apart.devices_words();
  arguments.emplace_back("--worker");
  if (!rung_.module.empty())
    arguments.insert(arguments.end(),
                     {"--lesson", plugin_for(options_.lesson_path, rung_.name), "--module", rung_.module});
  // Before it has told of its device, a process has run nothing of the student's: what ends it is trouble of
  // the machine, such as too many processes, and may pass.
  for (int tries = 1;; ++tries) {
    Explanation words;
    try {
      put(options_.apart.apart
              ? ApartWorker::start(arguments, rung_.module, options_.limits, options_.apart, time_)
              : std::make_unique<RemoteWorker>(arguments, rung_.module, options_.limits, time_));
      words = hear(message, options_.limits.start_seconds);
    } catch (const std::runtime_error& error) {  // system_error among them
      words = {Outcome::harness_failed, error.what(), "", ""};
    }
    if (words.outcome == Outcome::passed || aborted_ || time_.over()) return words;
    if (tries == kStarts || words.outcome == Outcome::timed_out)
      return {Outcome::harness_failed, tr("the rung's process could not be started: ") + words.headline,
              fmt::format("{}", fmt::join(printed(), "\n")), ""};
    collect_output();
    usleep(kPauseOfStarts);
  }
}

Explanation RungProcess::take_device(const nlohmann::json& message) {
  if (message.contains("failed")) {
    no_device_ = message.value("message", "no device");
    return {Outcome::not_run, "there is no usable device: " + no_device_, "", ""};
  }
  try {
    device_ = message.at("device").get<DeviceInfo>();
  } catch (const nlohmann::json::exception&) {
    return {Outcome::harness_failed, tr("the rung's process did not describe its device"), "", ""};
  }
  const std::pair has(device_->major, device_->minor), needs(rung_.needs_major, rung_.needs_minor);
  if (has < needs || (rung_.exactly && has != needs)) {
    stop();
    return {Outcome::not_run,
            tr("needs compute capability {}.{}{}: yours is {}.{}; this rung was not run", rung_.needs_major,
               rung_.needs_minor, rung_.exactly ? tr(" and no other") : "", device_->major, device_->minor),
            "",
            ladder::device().modelled() ? "" : tr("The simulator has a GPU that runs it: add --device sim.")};
  }
  if (!rung_.module.empty() && device_->count < options_.apart.devices) {
    stop();
    return {Outcome::not_run,
            device_->count == 1
                ? tr("needs {} GPUs: there is 1; this rung was not run", options_.apart.devices)
                : tr("needs {} GPUs: there are {}; this rung was not run", options_.apart.devices,
                     device_->count),
            "", tr("The simulator has as many as it wants: add --device sim.")};
  }
  return {};
}

Explanation RungProcess::await_module() {
  nlohmann::json message;
  const Explanation words = hear(message, options_.limits.call_seconds);
  try {
    if (words.outcome == Outcome::passed && message.contains("failed"))
      return explain_load(message, ladder::device().kind());
  } catch (const nlohmann::json::exception&) {  // the module's constructors have run, and may have sent this
    return explain_ending({.how = Ending::How::broken_channel});
  }
  if (words.outcome == Outcome::passed) worker_->loaded();
  return words;
}

Explanation RungProcess::start() {
  if (running()) return {};
  collect_output();
  if (time_.over())
    return explain_ending({.how = Ending::How::timeout, .seconds = options_.limits.rung_seconds});
  nlohmann::json message;
  if (const Explanation words = start_worker(message); words.outcome != Outcome::passed) return words;
  if (const Explanation words = take_device(message); words.outcome != Outcome::passed) return words;
  return rung_.module.empty() ? Explanation() : await_module();
}

CaseResult RungProcess::run(PreparedCase& prepared, const std::vector<int>& poisons, int sets) {
  return run_from(prepared, poisons, sets, 0);
}

CaseResult RungProcess::run_afresh(PreparedCase& prepared, const std::vector<int>& poisons,
                                   std::size_t number) {
  stop();
  return run_from(prepared, {poisons.begin(), poisons.begin() + static_cast<std::ptrdiff_t>(number) + 1}, 1,
                  number);
}

CaseResult RungProcess::run_from(PreparedCase& prepared, const std::vector<int>& poisons, int sets,
                                 std::size_t from) {
  CaseResult result;
  result.words = start();
  if (!result.passed()) {
    result.worker_lost = true;
    return result;
  }
  result = send_case(*worker_, prepared, sets);
  if (result.passed()) {
    const std::size_t made = result.sets;
    result = run_case(*worker_, prepared, poisons, from);
    result.sets = made;
  }
  if (result.worker_lost) stop();
  return result;
}

CaseResult RungProcess::run_with(PreparedCase& prepared, PreparedCase& other) {
  CaseResult result = run_with_other_values(*worker_, prepared, other);
  if (result.worker_lost) stop();
  return result;
}

CaseResult RungProcess::run_failing(PreparedCase& prepared) {
  CaseResult result;
  result.words = start();
  if (result.passed()) result = send_case(*worker_, prepared, 1);
  if (result.passed()) {
    collect_output();  // what it prints of errors that we made is not to be shown
    result = ladder::run_failing(*worker_, prepared);
  }
  put(nullptr);
  return result;
}

void RungProcess::release() {
  if (running()) (void)worker_->call({{"do", "release"}});
}

void RungProcess::stop() {
  collect_output();
  put(nullptr);
}

void RungProcess::abort() {
  const std::scoped_lock lock(change_);
  aborted_ = true;
  if (worker_ != nullptr) worker_->interrupt();
}

void RungProcess::put(std::unique_ptr<RemoteWorker> worker) {
  const std::scoped_lock lock(change_);
  worker_ = std::move(worker);
  if (aborted_ && worker_ != nullptr) worker_->interrupt();
}

void RungProcess::collect_output() {
  if (worker_ == nullptr) return;
  printed_bytes_ += worker_->printed_bytes();
  if (printed_.empty()) printed_ = worker_->printed();
}

std::vector<std::string> RungProcess::printed() const {
  constexpr std::size_t kMostLines = 12;
  constexpr std::size_t kMostColumns = 400;
  const std::string raw = printed_.empty() && worker_ != nullptr ? worker_->printed() : printed_;
  std::vector<std::string> lines;
  std::string line;
  std::size_t begun = 0;  // lines
  for (const char c : raw) {
    if (c == '\n') {
      if (++begun == kMostLines) break;
      lines.push_back(std::exchange(line, {}));
    } else if (line.size() < kMostColumns) {
      // Escape sequences could repaint the terminal; bytes beyond ASCII may be half a character.
      line += c == '\t' || (c >= ' ' && c != '\x7f') ? c : '.';
    }
  }
  lines.push_back(line);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  const std::size_t all = printed_bytes_ + (worker_ != nullptr ? worker_->printed_bytes() : 0);
  if (all > raw.size() || begun == kMostLines) lines.push_back(tr("... ({} bytes in all)", all));
  return lines;
}

}  // namespace ladder
