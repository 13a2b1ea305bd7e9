#include "simulator/sanitizer/bounds/store_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "language/catalogue.h"
#include "simulator/engine/fault.h"
#include "simulator/memory/placed_arrays.h"

namespace sim::sanitizer {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 24;  ///< of an array that is counted

}  // namespace

void StoreCounts::add(const exec::Warp& w, const exec::ObservedAccess& seen) {
  if (seen.kind != exec::Access::write || seen.space != ptx::Space::global) return;
  const memory::PlacedArray* const array = memory::array_near(seen.first);
  if (array == nullptr || !array->shape.known()) return;
  const std::uint64_t begin = array->base + array->shape.start;
  const std::uint64_t elements = (array->size - array->shape.start) / array->shape.element_bytes;
  if (elements == 0 || elements > kMostElements) return;
  Counts& counts = arrays_[array->base];
  if (counts.of_element.empty()) {
    counts.shape = array->shape;
    counts.of_element.resize(elements);
  }
  auto& [stores, place] = counts.by_instruction[&seen.in];
  if (stores == 0) locate(place, w, seen.in);
  exec::for_each_lane(seen.pattern.mask, [&](int lane) {
    const std::uint64_t from = seen.first + std::uint64_t(seen.pattern.offset[lane]) - begin;
    for (std::uint64_t at = from / array->shape.element_bytes;
         at * array->shape.element_bytes < from + seen.bytes; ++at) {
      if (at >= elements) break;
      ++counts.of_element[at];
      ++stores;
    }
  });
}

std::vector<Finding> StoreCounts::notes() const {
  std::vector<Finding> all;
  for (const auto& [base, counts] : arrays_) {
    std::vector<std::uint32_t> stored;
    std::copy_if(counts.of_element.begin(), counts.of_element.end(), std::back_inserter(stored),
                 [](std::uint32_t times) { return times > 0; });
    if (stored.empty()) continue;
    std::nth_element(stored.begin(), stored.begin() + std::ptrdiff_t(stored.size() / 2), stored.end());
    const std::uint32_t times = stored[stored.size() / 2];
    const auto alike = std::count(stored.begin(), stored.end(), times);
    if (times < 2 || std::size_t(alike) * 10 < stored.size() * 9) continue;
    const auto most =
        std::max_element(counts.by_instruction.begin(), counts.by_instruction.end(),
                         [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
    Finding f = most->second.second;
    f.kind = FindingKind::stored_again;
    f.severity = Severity::note;
    f.space = MemorySpace::global;
    f.access = AccessKind::write;
    f.symbol = counts.shape.name;
    f.message = Message("In '{}' {} is stored {} times", counts.shape.name,
                        stored.size() == 1 ? tr("the one element") : tr("each element"),
                        fmt::format("{}", fmt::group_digits(times)));
    if (stored.size() > 1 && stored.size() < counts.of_element.size())
      f.message += tr(" where any is stored");
    all.push_back(std::move(f));
  }
  return all;
}

}  // namespace sim::sanitizer
