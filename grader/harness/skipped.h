// Arrays that start somewhere within their allocation, for contracts that promise no more than an element's
// alignment: a case with the extent "skipped" has so many elements before its array.
#pragma once

#include "grader/harness/lesson.h"

namespace ladder {

inline constexpr const char* kSkipped = "skipped";  ///< the extent's name

/// How far behind the start of its allocation a case's array starts.
/// @param which  a case, with the extent or without
/// @return elements, 0 where the case has no such extent
inline std::int64_t skipped(const Case& which) {
  for (const auto& [name, value] : which.extents)
    if (name == kSkipped) return value;
  return 0;
}

/// Makes a case's array start later.
/// @param which     a case without the extent
/// @param elements  between the start of the allocation and that of the array, >= 0
/// @return the case like @p which
inline Case skipping(Case which, std::int64_t elements) {
  which.extents.resize(which.extents.size() + 1, {kSkipped, elements});
  return which;
}

}  // namespace ladder
