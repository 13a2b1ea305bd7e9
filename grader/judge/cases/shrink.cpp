#include "grader/judge/cases/shrink.h"

#include <algorithm>

namespace ladder {

Case shrink(const Case& failing, const std::function<bool(const Case&)>& valid,
            const std::function<bool(const Case&)>& fails, int budget) {
  Case best = failing;
  const auto attempt = [&](std::size_t extent, std::int64_t value) {
    Case smaller = best;
    smaller.extents[extent].second = value;
    if (value < 0 || value >= best.extents[extent].second || budget <= 0 || !valid(smaller)) return false;
    --budget;
    if (!fails(smaller)) return false;
    best = smaller;
    return true;
  };
  for (bool progress = true; progress && budget > 0;) {
    progress = false;
    // 1 before the halving: many mistakes show in the smallest
    // case there is, and then nothing else is needed.
    for (std::size_t e = 0; e < best.extents.size(); ++e) progress |= attempt(e, 1);
    for (std::size_t e = 0; e < best.extents.size(); ++e) {
      // Steps of a half, a quarter, ... find the smallest failing extent where failing is monotonic.
      for (std::int64_t step = best.extents[e].second / 2; step > 0 && budget > 0;) {
        if (attempt(e, best.extents[e].second - step)) {
          progress = true;
          step = std::min(step, best.extents[e].second / 2);
        } else {
          step /= 2;
        }
      }
    }
  }
  return best;
}

}  // namespace ladder
