#include "simulator/report/array_shape.h"

#include <fmt/format.h>

#include <cstddef>

#include "language/catalogue.h"

namespace sim {

std::string element_name(const ArrayShape& array, std::int64_t offset) {
  const auto size = static_cast<std::int64_t>(array.element_bytes);
  offset -= static_cast<std::int64_t>(array.start);
  std::int64_t index = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  std::string subscripts;
  for (std::size_t d = array.extents.size(); d-- > 1;) {
    const std::int64_t extent = array.extents[d] > 0 ? array.extents[d] : 1;
    std::int64_t at = index % extent;
    if (at < 0) at += extent;
    index = (index - at) / extent;
    subscripts = fmt::format("[{}]", at) + subscripts;
  }
  return fmt::format("{}[{}]{}", array.name, index, subscripts);
}

std::string extent_in_words(const ArrayShape& array) {
  if (array.extents.size() == 1)
    return tr("{} has {} element{}", array.name, array.extents[0], array.extents[0] == 1 ? "" : "s");
  std::string extents;
  for (const std::int64_t extent : array.extents) extents += fmt::format("[{}]", extent);
  return tr("{} is {}", array.name, extents);
}

}  // namespace sim
