// Check cases whose sizes are as secret as their data.
#pragma once

#include <cstdint>
#include <vector>

#include "grader/lesson/lesson.h"

namespace ladder {

/// Cases like @p known ones with extents drawn anew: between half and twice of each, as far as the contract
/// allows them. Whoever wrote a rung for the listed sizes only meets others.
/// @param known  check cases; large ones are not varied
/// @param count  how many; fewer come where the contract allows hardly any other extents
/// @param seed   the same seed gives the same cases
std::vector<Case> hidden_cases(const Lesson& lesson, const std::vector<Case>& known, int count,
                               std::uint64_t seed);

}  // namespace ladder
