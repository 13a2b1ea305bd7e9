// Whether wrong values are too small or too large: rounding errs to both sides.
#pragma once

#include <cstddef>

#include "grader/judge/diagnose/evidence.h"

namespace ladder::diagnose {

/// Fewer elements than this err all to one side by chance.
inline constexpr std::size_t kManySided = 16;

/// How many wrong elements are nearer to 0 than they should be, and how many farther away, of the same sign.
struct Sides {
  std::size_t small = 0, large = 0;
};

Sides sides_of(const Evidence& evidence);

}  // namespace ladder::diagnose
