#include "grader/judge/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ladder {
namespace {

/// Linear between the two neighbouring samples.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Summary summarize(std::vector<double> samples) {
  Summary summary;
  summary.samples = static_cast<int>(samples.size());
  summary.relative_error = std::numeric_limits<double>::infinity();
  if (samples.empty()) return summary;
  std::sort(samples.begin(), samples.end());
  summary.median = quantile(samples, 0.5);
  summary.q1 = quantile(samples, 0.25);
  summary.q3 = quantile(samples, 0.75);
  const double n = static_cast<double>(samples.size());
  summary.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / n;
  if (samples.size() < 2 || !(summary.mean > 0)) return summary;
  double squares = 0;
  for (const double sample : samples) squares += (sample - summary.mean) * (sample - summary.mean);
  summary.relative_error = std::sqrt(squares / (n - 1) / n) / summary.mean;
  return summary;
}

double beside_ms(double seconds, const std::vector<double>& samples) {
  const double said = std::accumulate(samples.begin(), samples.end(), 0.0);
  return (1e3 * seconds - said) / static_cast<double>(samples.size());
}

bool StoppingRule::done(const Summary& summary, double seconds) const {
  if (summary.samples >= fewest_samples && seconds >= patience_seconds) return true;
  if (summary.samples < least_samples) return false;
  if (seconds >= most_seconds) return true;
  return seconds >= least_seconds && summary.relative_error < wanted_error;
}

void Sampling::warm_up(const std::vector<double>& samples, double seconds) {
  slow_ = !samples.empty() && rule_.is_slow(samples.back());
  if (slow_) count(samples, seconds);
}

void Sampling::add(const std::vector<double>& samples, double seconds) {
  if (!samples.empty()) beside_.push_back(ladder::beside_ms(seconds, samples));
  count(samples, seconds);
}

void Sampling::count(const std::vector<double>& samples, double seconds) {
  spent_ += seconds;
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  summary_ = summarize(samples_);
}

void Sampling::verified(const std::vector<double>& samples) {
  if (slow_) count(samples, 0);
}

bool Sampling::done() const {
  if (slow_ && summary_.samples + 1 >= rule_.fewest_samples && spent_ >= rule_.patience_seconds) return true;
  return rule_.done(summary_, spent_);
}

}  // namespace ladder
