#include "grader/grade/sandbox/clock.h"

#include <fmt/format.h>

#include <algorithm>

namespace ladder::cli::grade {
namespace {

constexpr double kSlackMs = 0.03;      // what hosts do between launches varies by less
constexpr double kSlackOfTime = 0.25;  // and what launches do to each other, by less of their time
constexpr double kFewer = 0.5;         // of the solution's rest: that many more launches, nobody makes

}  // namespace

std::string doubt(const Clocked& rung, const Clocked& solution) {
  if (rung.beside_ms == 0 || solution.beside_ms == 0) return {};
  const double more = rung.beside_ms - solution.beside_ms;
  if (!(more <= std::max(kSlackMs, kSlackOfTime * rung.median_ms)))
    return fmt::format(
        "by the grader's clock a launch took {:.4g} ms longer than the rung's process said, beyond what "
        "one of the solution does",
        more);
  if (!(rung.beside_ms >= kFewer * solution.beside_ms - kSlackMs))
    return fmt::format(
        "by the grader's clock there was no time for as many launches of {:.4g} ms as the rung's "
        "process said it made",
        rung.median_ms);
  return {};
}

}  // namespace ladder::cli::grade
