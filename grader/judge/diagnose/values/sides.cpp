// Values that are wrong to one side.
#include <fmt/format.h>

#include <cmath>

#include "grader/judge/diagnose/values/sides.h"

#include "language/catalogue.h"

namespace ladder::diagnose {
Sides sides_of(const Evidence& e) {
  Sides sides;
  for (const std::int64_t i : e.wrong.kept) {
    const double value = e.value(i), expected = e.expected(i);
    if (!std::isfinite(value) || value * expected < 0) continue;
    if (std::abs(value) < std::abs(expected)) ++sides.small;
    if (std::abs(value) > std::abs(expected)) ++sides.large;
  }
  return sides;
}

std::optional<Diagnosis> one_sided(const Evidence& e) {
  const std::size_t wrong = e.wrong.kept.size();
  if (wrong < kManySided) return std::nullopt;
  const Sides sides = sides_of(e);
  double share = 0;
  std::int64_t counted = 0;
  for (const std::int64_t i : e.wrong.kept)
    if (std::isfinite(e.value(i)) && e.expected(i) != 0) share += e.value(i) / e.expected(i), ++counted;
  const double mean = counted > 0 ? 100 * share / static_cast<double>(counted) : 0;
  if (sides.small * 100 >= wrong * 97)
    return Diagnosis{
        Cause::too_small,
        tr("the wrong elements of '{}' are all too small, {:.3g} % of what they should be on average",
           e.buffer.name, mean),
        tr("Something is left out: the last elements or steps of a sum, the partial results of other lanes, "
           "warps "
           "or blocks, or additions that overwrote each other (a plain += where an atomic is needed).")};
  if (sides.large * 100 >= wrong * 97)
    return Diagnosis{
        Cause::too_large,
        tr("the wrong elements of '{}' are all too large, {:.4g} % of what they should be on average",
           e.buffer.name, mean),
        tr("Something is counted more than once, a sum does not begin at 0, or a step is done that should be "
           "left "
           "out for some elements.")};
  return std::nullopt;
}

}  // namespace ladder::diagnose
