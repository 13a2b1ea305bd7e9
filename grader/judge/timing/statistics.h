// Samples of a time, and what may be said about it.
#pragma once

#include <vector>

namespace ladder {

/// Order statistics and the mean's uncertainty.
struct Summary {
  double median = 0, q1 = 0, q3 = 0;
  double mean = 0;
  double relative_error =
      0;  ///< standard error of the mean over the mean; infinite for fewer than two samples
  int samples = 0;
};

/// @param samples  in any order
Summary summarize(std::vector<double> samples);

/// What a launch of a batch took by an outside clock beyond what was said of it.
/// @param seconds  of the whole batch
/// @param samples  milliseconds, as they were said
/// @return milliseconds a launch; below zero where more was said than there was time for
double beside_ms(double seconds, const std::vector<double>& samples);

/// When to stop timing: enough samples, and either a small error after a while, or a long while.
struct StoppingRule {
  int least_samples = 10;
  double least_seconds = 0.5;  ///< of wall-clock time, launches and what lies between them
  double most_seconds = 2.0;
  double wanted_error = 0.005;  ///< standard error relative to the mean
  int fewest_samples = 3;       ///< of a rung so slow that least_samples would take longer than ...
  double patience_seconds = 5;
  bool done(const Summary& summary, double seconds) const;
  /// Whether least_samples of such launches would take more than the patience.
  bool is_slow(double launch_ms) const { return launch_ms * least_samples > 1e3 * patience_seconds; }
};

/// The samples of one rung, batch by batch. Of a slow rung every launch counts: the first, for those that
/// verified it have warmed up clocks and caches, and the one by which it is verified at the end. Some seconds
/// of a rung that is a thousand times slower than the best say as much as minutes would.
class Sampling {
 public:
  explicit Sampling(StoppingRule rule = {}) : rule_(rule) {}

  /// A batch that warms up, before all others. @param seconds  what it took by the judge's clock
  void warm_up(const std::vector<double>& samples, double seconds);
  void add(const std::vector<double>& samples, double seconds);
  /// The launch that verifies what the others left; counted for a slow rung.
  void verified(const std::vector<double>& samples);

  /// Launches that a batch has at least. One answer has to come within the limits of a call, and a launch of
  /// a first rung may take more than ten seconds.
  int least() const { return slow_ ? 1 : 2; }
  /// Whether only the launch that verifies is left to do.
  bool done() const;
  const Summary& summary() const { return summary_; }
  /// Median over the batches, without the one that warms up: that prepares more than a launch needs.
  double beside_ms() const { return summarize(beside_).median; }

 private:
  void count(const std::vector<double>& samples, double seconds);

  StoppingRule rule_;
  std::vector<double> samples_, beside_;
  Summary summary_;
  double spent_ = 0;  ///< seconds, on the rung alone
  bool slow_ = false;
};

}  // namespace ladder
