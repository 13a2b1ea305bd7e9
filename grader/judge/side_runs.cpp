#include "grader/judge/side_runs.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "grader/judge/cases/giant_case.h"
#include "grader/lesson/giant.h"
#include "grader/worker/device/device.h"

namespace ladder {

/// Some cases, one after the other, in a thread and a process.
class SideRuns::Lane {
 public:
  using Run = std::function<CaseResult(RungProcess&, const Case&)>;

  Lane(const RunRequest& options, const RungSpec& rung, std::vector<Case> cases, Run run)
      : process_(options, rung),
        cases_(std::move(cases)),
        run_(std::move(run)),
        thread_([this] { work(); }) {}
  ~Lane() {
    {
      const std::scoped_lock lock(mutex_);
      cancelled_ = true;
    }
    process_.abort();
  }

  bool has(const std::string& key) const {
    return std::any_of(cases_.begin(), cases_.end(), [&](const Case& which) { return key_of(which) == key; });
  }

  std::optional<CaseResult> passed(const std::string& key) {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [&] { return ended_ || done_.contains(key); });
    const auto found = done_.find(key);
    if (found == done_.end()) return std::nullopt;
    return std::move(found->second);
  }

 private:
  void work() {
    for (const Case& which : cases_) {
      CaseResult result;
      result.words.outcome = Outcome::harness_failed;
      try {
        result = run_(process_, which);
      } catch (const std::exception&) {  // it is run again, and then whatever it is is told
      }
      const std::scoped_lock lock(mutex_);
      if (cancelled_ || !result.passed()) break;
      done_.emplace(key_of(which), std::move(result));
      progress_.notify_all();
    }
    process_.stop();  // before its thread ends, and it with that
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    progress_.notify_all();
  }

  RungProcess process_;
  const std::vector<Case> cases_;
  const Run run_;
  std::mutex mutex_;
  std::condition_variable progress_;
  std::map<std::string, CaseResult> done_;
  bool ended_ = false, cancelled_ = false;
  std::jthread thread_;
};

bool SideRuns::possible(const Bench& bench) {
  const RunRequest& options = bench.options;
  return options.rungs.size() == 1 && device().modelled() && !options.apart.apart &&
         options.limits.rung_seconds <= 0 && std::thread::hardware_concurrency() > 1;
}

SideRuns::SideRuns(Bench& bench, const RungSpec& rung) : bench_(bench), rung_(rung) {}
SideRuns::~SideRuns() = default;

void SideRuns::begin() {
  if (!lanes_.empty()) return;
  std::vector<Case> timed;
  for (std::size_t round = 0; const auto which = bench_.timed_of(rung_.name, round); ++round)
    timed.push_back(*which);
  const auto time = [this](RungProcess& process, const Case& which) {
    const auto prepared = bench_.store.get(which);
    process.stop();  // each time is that of a first call
    return process.run(*prepared, {kPoisonNan});
  };
  if (!timed.empty()) lanes_.push_back(std::make_unique<Lane>(bench_.options, rung_, std::move(timed), time));
  const auto giant = [this](RungProcess& process, const Case& which) {
    return run_giant(process, giant_of(bench_.lesson, which), which,
                     bench_.secret.number("giant", which.label()));
  };
  if (std::vector<Case> giants = bench_.giants_of(rung_.name); !giants.empty())
    lanes_.push_back(std::make_unique<Lane>(bench_.options, rung_, std::move(giants), giant));
}

std::optional<CaseResult> SideRuns::passed(const Case& which) {
  const std::string key = key_of(which);
  for (const auto& lane : lanes_)
    if (lane->has(key)) return lane->passed(key);
  return std::nullopt;
}

}  // namespace ladder
