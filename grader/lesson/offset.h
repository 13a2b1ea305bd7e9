// Arrays that start somewhere within their allocation, for contracts that promise no more than an element's
// alignment: the extent "NAME offset" of a case says how many elements behind a multiple of 256 bytes the
// array NAME starts. The harness sees to the arrays that a lesson declares.
#pragma once

#include <initializer_list>

#include "grader/lesson/lesson.h"

namespace ladder {

/// How far behind the start of its allocation one of a case's arrays starts.
/// @param array  its name in the contract
/// @return elements, 0 where the case has no such extent
inline std::int64_t offset_of(const Case& which, std::string_view array) {
  constexpr std::string_view kEnd = " offset";
  for (const auto& [name, value] : which.extents)
    if (name.starts_with(array) && std::string_view(name).substr(array.size()) == kEnd) return value;
  return 0;
}

/// Whether any of a case's arrays has an offset.
inline bool has_offset(const Case& which) {
  for (const auto& [name, value] : which.extents)
    if (name.ends_with(" offset")) return true;
  return false;
}

/// Makes one of a case's arrays start later.
/// @param which     a case in which @p array has no offset yet
/// @param array     its name in the contract
/// @param elements  between the start of the allocation and that of the array, >= 0
/// @return the case like @p which
inline Case offset_by(Case which, std::string_view array, std::int64_t elements) {
  which.extents.resize(which.extents.size() + 1, {std::string(array) + " offset", elements});
  return which;
}

/// Adds a case once for each of @p arrays, in which that one starts an element behind a multiple of 256 bytes
/// and the others do not: whoever asks where one of them starts has not asked about the others.
inline void add_with_offsets(std::vector<Case>& cases, const Case& which,
                             std::initializer_list<std::string_view> arrays) {
  for (const std::string_view array : arrays) cases.push_back(offset_by(which, array, 1));
}

}  // namespace ladder
