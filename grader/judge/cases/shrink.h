// Making a failing case smaller while it still fails.
#pragma once

#include <functional>

#include "grader/lesson/lesson.h"

namespace ladder {

/// Shrinks the extents of a failing case greedily: each is
/// halved while the case still fails, then lowered by one.
/// @param failing  a case that fails
/// @param valid    whether the contract allows a case
/// @param fails    tries a case; called at most @p budget times
/// @return the smallest case found for which @p fails was true, or @p failing
Case shrink(const Case& failing, const std::function<bool(const Case&)>& valid,
            const std::function<bool(const Case&)>& fails, int budget);

}  // namespace ladder
