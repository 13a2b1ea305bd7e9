#include "grader/present/figures.h"

#include <fmt/format.h>

#include <cmath>

#include "language/catalogue.h"

namespace ladder::cli {
namespace {

/// Three significant digits, no exponent.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  // The bounds are where rounding to fewer decimals would carry into another digit.
  return fmt::format("{:.{}f}", value, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace

std::string time_text(double milliseconds, const Terminal& terminal) {
  const double ns = milliseconds * 1e6;
  if (!(ns >= 0)) return "?";
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);
  if (ns < 999.5e3) return fmt::format("{} {}", three_digits(ns / 1e3), terminal.pick("µs", "us"));
  if (ns < 999.5e6) return fmt::format("{} ms", three_digits(ns / 1e6));
  return fmt::format("{} s", three_digits(ns / 1e9));
}

std::string ratio_text(double ratio) {
  return std::isfinite(ratio) && ratio >= 0 ? three_digits(ratio) : "?";
}

std::string percent_text(double share) {
  const double percent = share * 100;
  if (!(percent >= 0)) return "?";
  if (percent > 0 && percent < 0.05) return "<0.1 %";
  return fmt::format("{:.{}f} %", percent, percent < 9.95 ? 1 : 0);
}

std::string bound_text(const std::string& bound) {
  static constexpr const char* kNames[] = {tr_noop("atomics"),
                                           tr_noop("bulk copies"),
                                           tr_noop("calls"),
                                           tr_noop("copies"),
                                           tr_noop("double precision"),
                                           tr_noop("issue"),
                                           tr_noop("latency"),
                                           tr_noop("launch"),
                                           tr_noop("migration"),
                                           tr_noop("look-back"),
                                           tr_noop("shared"),
                                           tr_noop("shared wavefronts"),
                                           tr_noop("special functions"),
                                           tr_noop("texture"),
                                           tr_noop("tensor cores")};
  for (const char* name : kNames)
    if (bound == name) return tr(name);
  return bound;  // DRAM, L2, L1 and NVLink are the same everywhere
}

double spread(const Timing& timing) {
  if (timing.modelled || timing.samples < 2 || !(timing.median_ms > 0)) return -1;
  return (timing.q3_ms - timing.q1_ms) / 2 / timing.median_ms;
}

bool within_noise(const Timing& a, const Timing& b) {
  if (spread(a) < 0 || spread(b) < 0) return false;
  return a.q1_ms <= b.q3_ms && b.q1_ms <= a.q3_ms;
}

}  // namespace ladder::cli
