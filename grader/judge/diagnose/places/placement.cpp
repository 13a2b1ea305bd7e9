// Patterns of right values in wrong places.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

/// Whether the value at every wrong index is what another
/// index should hold; @p from may return -1 for "none".
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
    return Diagnosis{
        Cause::input_copied,
        tr("the wrong elements of '{}' hold what '{}' holds at the same place", e.buffer.name, input.name),
        tr("The values arrive unchanged: is the step between load and store missing, or are both "
           "indices computed "
           "in the same way?")};
  }
  return std::nullopt;
}

std::optional<Diagnosis> swapped_axes(const Evidence& e) {
  const auto& shape = e.buffer.shape;
  if (shape.size() < 2) return std::nullopt;
  // Of more than two axes the last two, in each slice.
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape.back();
  if (rows < 2 || columns < 2) return std::nullopt;
  const std::int64_t slice = rows * columns;
  const bool transposed = moved(e, [&](std::int64_t i) {
    const std::int64_t r = i % slice / columns;
    const std::int64_t c = i % columns;
    return r < columns && c < rows ? i - i % slice + c * columns + r : -1;
  });
  // The same mistake seen through the flat index: the leading dimension is the other extent.
  const bool wrong_stride = rows != columns && moved(e, [&](std::int64_t i) {
                              const std::int64_t r = i % slice / rows;
                              const std::int64_t c = i % slice % rows;
                              return c < rows && r < columns ? i - i % slice + c * columns + r : -1;
                            });
  if (!transposed && !wrong_stride) return std::nullopt;
  return Diagnosis{
      Cause::swapped_axes,
      tr("{} of '{}' are swapped", shape.size() == 2 ? tr("rows and columns") : tr("the last two axes"),
         e.buffer.name),
      tr("Row-major means index = row * columns + column: which extent is the leading dimension of "
         "each array, and "
         "does x run along columns?")};
}

std::optional<Diagnosis> shifted(const Evidence& e) {
  if (e.size() < 4 || e.wrong.count < 3) return std::nullopt;
  for (const std::int64_t by : {1, -1, 2, -2}) {
    if (!moved(e, [&](std::int64_t i) { return i + by; })) continue;
    return Diagnosis{
        Cause::shifted,
        tr("values of '{}' stand {} place{} too {}: {}[i] holds what [i {} {}] should", e.buffer.name,
           by < 0 ? -by : by, by * by > 1 ? "s" : "", by > 0 ? tr("early") : tr("late"), e.buffer.name,
           by > 0 ? "+" : "-", by < 0 ? -by : by),
        tr("An index is off by one, or an exclusive result stands where an inclusive one is wanted (or the "
           "other "
           "way round).")};
  }
  return std::nullopt;
}

std::optional<Diagnosis> reversed(const Evidence& e) {
  if (e.size() < 4 || e.wrong.count < 3) return std::nullopt;
  if (!moved(e, [&](std::int64_t i) { return e.size() - 1 - i; })) return std::nullopt;
  return Diagnosis{Cause::reversed, tr("'{}' stands in reverse order", e.buffer.name),
                   tr("Does an index run from the end?")};
}

std::optional<Diagnosis> misplaced(const Evidence& e) {
  constexpr std::size_t kLeast = 16, kMost = 2048;
  if (e.wrong.kept.size() < kLeast || e.size() > (1 << 20)) return std::nullopt;
  std::vector<std::int64_t> order(static_cast<std::size_t>(e.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::int64_t a, std::int64_t b) { return e.expected(a) < e.expected(b); });
  const auto home_of = [&](double value) -> std::int64_t {  // an element that the value belongs to, or -1
    const auto at = std::lower_bound(order.begin(), order.end(), value,
                                     [&](std::int64_t i, double v) { return e.expected(i) < v; });
    if (at != order.end() && acceptable(e.expected(*at), value, e.buffer.tolerance)) return *at;
    if (at != order.begin() && acceptable(e.expected(at[-1]), value, e.buffer.tolerance)) return at[-1];
    return -1;
  };
  std::size_t at_home = 0, by_chance = 0, looked_at = 0;
  std::set<std::int64_t> homes;
  for (const std::int64_t i : e.wrong.kept) {
    if (++looked_at > kMost) break;
    const std::int64_t home = home_of(e.value(i));
    if (home >= 0) ++at_home, homes.insert(home);
    // Where values lie so close that anything between two of them is one, being one means nothing.
    by_chance += home_of(0.5 * (e.value(i) + e.expected(i))) >= 0 ? 1 : 0;
  }
  looked_at = std::min(looked_at, kMost);
  if (at_home * 4 < looked_at * 3 || by_chance * 4 > at_home || homes.size() < 8) return std::nullopt;
  const std::int64_t first = e.wrong.first;
  return Diagnosis{
      Cause::misplaced,
      tr("'{}' holds right values in wrong places: {}{} holds what {} should", e.buffer.name, e.buffer.name,
         subscript(e.buffer.shape, first), subscript(e.buffer.shape, home_of(e.value(first)))),
      tr("The values are there, and in other places: look at the index of the load and that of the store, or "
         "for a step too few where values are moved on step by step. Follow this element.")};
}

}  // namespace ladder::diagnose
