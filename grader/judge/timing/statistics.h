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
  double patience_seconds = 10;
  bool done(const Summary& summary, double seconds) const;
};

}  // namespace ladder
