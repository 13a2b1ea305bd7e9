// Patterns of right values in wrong places.
#include <fmt/format.h>

#include <set>

#include "grader/harness/diagnose/evidence.h"

namespace ladder::diagnose {
namespace {

/// Whether the value at every wrong index is what another index should hold; @p from may return -1 for
/// "none".
bool moved(const Evidence& e, const std::function<std::int64_t(std::int64_t)>& from) {
  std::int64_t telling = 0;
  const bool most = e.most_wrong([&](std::int64_t i) {
    const std::int64_t source = from(i);
    if (source < 0 || source >= e.size()) return false;
    if (e.expected(source) != e.expected(i)) ++telling;
    return acceptable(e.expected(source), e.value(i), e.buffer.tolerance);
  });
  return most && telling > 1;
}

}  // namespace

std::optional<Diagnosis> input_copied(const Evidence& e) {
  for (const Buffer& input : e.buffers) {
    if (input.role != Buffer::Role::input || input.elements() != e.size() || e.size() < 3) continue;
    std::set<double> copied;  // one value everywhere, such as the 0 of a mask, may be there by chance
    if (!e.most_wrong([&](std::int64_t i) {
          if (copied.size() < 2) copied.insert(e.value(i));
          return element_at(input.type, input.bytes.data(), i) == e.value(i);
        }) ||
        copied.size() < 2)
      continue;
    return Diagnosis{fmt::format("the wrong elements of '{}' hold what '{}' holds at the same place",
                                 e.buffer.name, input.name),
                     "The values arrive unchanged: is the step between load and store missing, or are both "
                     "indices computed "
                     "in the same way?"};
  }
  return std::nullopt;
}

std::optional<Diagnosis> swapped_axes(const Evidence& e) {
  if (e.buffer.shape.size() != 2) return std::nullopt;
  const std::int64_t rows = e.buffer.shape[0];
  const std::int64_t columns = e.buffer.shape[1];
  if (rows < 2 || columns < 2) return std::nullopt;
  const bool transposed = moved(e, [&](std::int64_t i) {
    const std::int64_t r = i / columns;
    const std::int64_t c = i % columns;
    return r < columns && c < rows ? c * columns + r : -1;
  });
  // The same mistake seen through the flat index: the leading dimension is the other extent.
  const bool wrong_stride = rows != columns && moved(e, [&](std::int64_t i) {
                              const std::int64_t r = i / rows;
                              const std::int64_t c = i % rows;
                              return c < rows && r < columns ? c * columns + r : -1;
                            });
  if (!transposed && !wrong_stride) return std::nullopt;
  return Diagnosis{fmt::format("rows and columns of '{}' are swapped", e.buffer.name),
                   "Row-major means index = row * columns + column: which extent is the leading dimension of "
                   "each array, and "
                   "does x run along columns?"};
}

std::optional<Diagnosis> shifted(const Evidence& e) {
  if (e.size() < 4 || e.wrong.count < 3) return std::nullopt;
  for (const std::int64_t by : {1, -1, 2, -2}) {
    if (!moved(e, [&](std::int64_t i) { return i + by; })) continue;
    return Diagnosis{
        fmt::format("values of '{}' stand {} place{} too {}: {}[i] holds what [i {} {}] should",
                    e.buffer.name, by < 0 ? -by : by, by * by > 1 ? "s" : "", by > 0 ? "early" : "late",
                    e.buffer.name, by > 0 ? "+" : "-", by < 0 ? -by : by),
        "An index is off by one, or an exclusive result stands where an inclusive one is wanted (or the "
        "other "
        "way round)."};
  }
  return std::nullopt;
}

std::optional<Diagnosis> reversed(const Evidence& e) {
  if (e.size() < 4 || e.wrong.count < 3) return std::nullopt;
  if (!moved(e, [&](std::int64_t i) { return e.size() - 1 - i; })) return std::nullopt;
  return Diagnosis{fmt::format("'{}' stands in reverse order", e.buffer.name),
                   "Does an index run from the end?"};
}

}  // namespace ladder::diagnose
