// Spreading work on the elements of big arrays over the host's cores.
#pragma once

#include <cstdint>
#include <functional>

namespace ladder {

/// Calls @p body(begin, end) for consecutive pieces that together cover [0,
/// count), on several threads when the count is worth it. A result may not depend
/// on how the range was cut; references of lessons use it for large sizes.
/// @param count  number of elements, >= 0
/// @param body   called from several threads at once; pieces begin at multiples of 65536 elements
/// @throws whatever the first failing piece threw
void parallel_for(std::int64_t count, const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace ladder
