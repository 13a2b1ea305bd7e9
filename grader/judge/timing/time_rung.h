// Timing a rung that passed, against the library's baselines, at the lesson's large sizes.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "grader/judge/bench.h"
#include "grader/judge/timing/peaks.h"
#include "grader/judge/timing/statistics.h"

namespace ladder {

/// Peaks of the device: kept ones, else measured in a process of their own; of a model, its datasheet.
Peaks find_peaks(const Bench& bench, const DeviceInfo& device);

/// A library's version of the lesson, timed alternately with the rungs.
struct Baseline {
  std::string name;                      ///< "cub"
  std::unique_ptr<RungProcess> process;  ///< null where it does not run here
  Verdict verdict;
  std::vector<double> samples;
  bool ready = false;  ///< checked, and at the timed case
};

/// Times rungs one after the other, round by round: at the lesson's main size first, then at further ones.
class Timer {
 public:
  explicit Timer(Bench& bench);

  /// Goes on with the next size; what baselines were timed at the last one is forgotten.
  void next_round();

  /// Verifies the rung on the timed case, times it, and fills in @p verdict.timing; a wrong or impossible
  /// result turns the verdict around.
  void time(RungProcess& process, Verdict& verdict);
  /// The baselines' verdicts, with all the samples they gathered.
  std::vector<Verdict> baselines();

 private:
  void start_baselines();
  void ready_baselines();
  Case timed_case(const std::string& rung) const;
  bool verify(RungProcess& process, Verdict& verdict, int sets);
  void time_on_gpu(RungProcess& process, Verdict& verdict);
  void time_in_model(const CaseResult& result, Verdict& verdict) const;
  Timing timing_of(const Summary& summary, const Case& timed) const;
  std::optional<CaseResult> batch(RungProcess& process, double seconds, int least,
                                  std::vector<double>& samples, bool download = false);
  /// @param samples  receives the time of the launch that it makes
  CaseResult verify_timed_sets(RungProcess& process, std::vector<double>& samples);
  void time_baselines_beside(double seconds, int least);
  void know_peaks(const DeviceInfo& device);

  Bench& bench_;
  std::optional<Peaks> peaks_;
  std::list<Baseline> baselines_;
  std::size_t round_ = 0;
  bool baselines_started_ = false, baselines_readied_ = false;
  bool reference_told_ = false;
  CaseResult verified_;   ///< of the last verify()
  std::size_t sets_ = 1;  ///< copies of the arrays that the worker holds
};

}  // namespace ladder
