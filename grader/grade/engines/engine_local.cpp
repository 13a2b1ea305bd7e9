#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

#include "grader/grade/engines/engine.h"
#include "grader/grade/sandbox/lease.h"
#include "grader/platform/failure.h"
#include "grader/platform/files.h"
#include "grader/platform/process/subprocess.h"
#include "grader/protocol/verdict.h"

namespace ladder::cli::grade {
namespace fs = std::filesystem;
using nlohmann::json;
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kTryToStart{10};     // where the machine has too many processes for the moment
constexpr std::chrono::milliseconds kToEnd{3'000};  // of units that are asked to

/// Units at work, each a process that leads a group.
class Crew {
 public:
  /// @param cores  for each unit
  Crew(const Grading& grading, const SignalGuard& signals, unsigned cores)
      : grading_(grading), signals_(signals), cores_(cores) {}
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() {
    for (const auto& [process, key] : jobs_) process.send_to_group(SIGTERM);  // they end their own cells
    const auto until = Clock::now() + kToEnd;
    for (auto& [process, key] : jobs_)
      (void)process.wait_for(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()));
  }

  void start(const std::string& key) {
    const UniqueFd log = open_log(grading_.log_file(key));
    SubprocessOptions options;
    options.program = "/proc/self/exe";
    options.name = "a process";
    options.argv = {"ladder",
                    "grade-unit",
                    grading_.work.string(),
                    "--cores",
                    std::to_string(cores_),
                    "--parent",
                    std::to_string(::getpid()),
                    key};
    options.output = log.get();
    options.own_group = true;
    options.mask = signals_.mask_before();
    options.try_for = kTryToStart;
    jobs_.emplace_back(Subprocess(options), key);
  }

  /// Jobs that have ended since the last call.
  std::vector<std::pair<std::string, ExitStatus>> ended() {
    std::vector<std::pair<std::string, ExitStatus>> over;
    std::erase_if(jobs_, [&](auto& job) {
      const std::optional<ExitStatus> status = job.first.poll();
      if (status) over.emplace_back(std::move(job.second), *status);
      return status.has_value();
    });
    return over;
  }
  std::size_t size() const { return jobs_.size(); }

 private:
  const Grading& grading_;
  const SignalGuard& signals_;
  unsigned cores_;
  std::vector<std::pair<Subprocess, std::string>> jobs_;  ///< with the units' keys
};

std::string how(const ExitStatus& status) {
  return status.signal != 0 ? fmt::format("signal {}", status.signal)
                            : fmt::format("exit status {}", status.code);
}

std::string last_line(const fs::path& log) {
  std::error_code error;
  if (!fs::exists(log, error)) return {};
  const std::vector<std::string> lines = split_lines(read_file(log));
  return lines.empty() ? "" : lines.back();
}

}  // namespace

void give_up(const Grading& grading, const std::string& key, const std::string& reason) {
  const Unit unit = load_unit(grading, key);
  json result = {{"key", key},
                 {"lesson", unit.lesson},
                 {"device", json::object()},
                 {"rungs", json::array()},
                 {"seconds", 0}};
  for (const Unit::File& file : unit.files) {
    Verdict verdict;
    verdict.lesson = unit.lesson;
    verdict.rung = file.rung;
    verdict.outcome = Outcome::harness_failed;
    verdict.headline = "the grader could not judge this: " + reason;
    json rung = verdict;
    rung.erase("kernels");
    rung["hash"] = file.hash;
    result["rungs"].push_back(std::move(rung));
  }
  write_new_file(grading.result_file(key),
                 result.dump() + "\n");  // a verdict that has come meanwhile is worth more
}

void note_done(const Grading& grading, const std::string& key) {
  const fs::path file = grading.work / "journal.jsonl";
  const UniqueFd journal(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string line =
      json{{"done", key}, {"at", static_cast<std::int64_t>(::time(nullptr))}}.dump() + "\n";
  if (journal) write_wholly(journal.get(), line);
}

void run_local(const Grading& grading, const std::vector<std::string>& keys, int jobs,
               const ProgressSink& progress) {
  fs::create_directories(grading.work / "logs");
  // Waited for and not delivered: what ends a program, and the ends of units.
  SignalGuard signals;
  signals.block({SIGINT, SIGTERM, SIGHUP, SIGCHLD});
  std::deque<std::string> waiting;
  std::map<std::string, int> tries;
  std::size_t done = 0;
  for (const std::string& key : keys) {
    if (fs::exists(grading.result_file(key)))
      ++done;
    else
      waiting.push_back(key);
  }
  const auto begin = Clock::now();
  const auto tell = [&](std::size_t running, const std::string& note) {
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    progress({done, keys.size(), running, seconds, note});
  };
  Crew crew(grading, signals, std::max(1u, usable_cores() / static_cast<unsigned>(std::max(1, jobs))));
  tell(0, {});
  while (!waiting.empty() || crew.size() > 0) {
    while (!waiting.empty() && crew.size() < static_cast<std::size_t>(jobs)) {
      crew.start(waiting.front());
      waiting.pop_front();
    }
    if (const auto number = signals.wait(250); number && *number != SIGCHLD)
      throw Failure(ExitCode::interrupted, "interrupted");
    for (const auto& [key, status] : crew.ended()) {
      if (fs::exists(grading.result_file(key))) {
        ++done;
        note_done(grading, key);
        continue;
      }
      const std::string reason = fmt::format("{}; {}", how(status), last_line(grading.log_file(key)));
      if (++tries[key] < kTries) {
        tell(crew.size(),
             fmt::format("a unit of {} is tried again ({})", load_unit(grading, key).lesson, reason));
        waiting.push_back(key);
        continue;
      }
      give_up(grading, key, reason);
      note_done(grading, key);
      ++done;
    }
    tell(crew.size(), {});
  }
}

}  // namespace ladder::cli::grade
