// Numbers as people read them.
#pragma once

#include <string>

#include "grader/platform/terminal.h"
#include "grader/protocol/verdict.h"

namespace ladder::cli {

/// A time with three significant digits and its unit: "812 ns", "4.10 µs", "45.2 ms", "1.20 s".
std::string time_text(double milliseconds, const Terminal& terminal);

/// A ratio with three significant digits: "0.98", "3.70", "45.2", "1280".
std::string ratio_text(double ratio);

/// A share in percent: "0.1 %", "9.4 %", "87 %".
std::string percent_text(double share);

/// What bounds a kernel, as a verdict names it: "shared", "latency".
std::string bound_text(const std::string& bound);

/// Half the distance between the quartiles over the median, or a negative number where it is not known.
double spread(const Timing& timing);

/// Whether the quartiles of two measurements overlap; modelled times have none and are never "within noise".
bool within_noise(const Timing& a, const Timing& b);

}  // namespace ladder::cli
