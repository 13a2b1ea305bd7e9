// Patterns of values that are 0, negative or infinite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/judge/diagnose/values/far_rows.h"

namespace ladder::diagnose {

std::optional<Diagnosis> all_zero(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return e.value(i) == 0; })) return std::nullopt;
  const bool all = e.wrong.count == e.size();
  if (e.size() == 1)
    return Diagnosis{
        Cause::all_zero, fmt::format("'{}' is 0", e.buffer.name),
        "Is it computed from memory that was only cleared, or of which only a part was copied? Is "
        "anything added to it, and stored too, where it was kept in a local variable or in shared "
        "memory?"};
  if (!all) return std::nullopt;
  if (const Buffer* low = input_far_below_zero(e))
    return Diagnosis{
        Cause::all_zero,
        fmt::format("every element of '{}' is 0, where all of '{}' in the row is far below 0", e.buffer.name,
                    low->name),
        "Something larger than all of these took part in a maximum: what it starts with, or what "
        "stands in for elements behind the end. exp of so much less is 0. It must be -INFINITY."};
  return Diagnosis{Cause::all_zero, fmt::format("every element of '{}' is 0", e.buffer.name),
                   "Zero is stored: does the value come from memory that was only cleared, or from a "
                   "temporary that another kernel should have filled? Or did a product or a quotient come "
                   "out as 0?"};
}

std::optional<Diagnosis> some_zero(const Evidence& e) {
  if (e.wrong.count < 3 || !e.most_wrong([&](std::int64_t i) { return e.value(i) == 0; }))
    return std::nullopt;
  return Diagnosis{
      Cause::some_zero,
      fmt::format("{} of {} elements of '{}' are 0, the first of them {}{}", e.wrong.count, e.size(),
                  e.buffer.name, e.buffer.name, subscript(e.buffer.shape, e.wrong.first)),
      "Zero is stored there: is it a sum that nobody added to, a value that is only loaded under a "
      "condition, or a temporary that was only cleared?"};
}

std::optional<Diagnosis> infinite(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return std::isinf(e.value(i)); })) return std::nullopt;
  const std::string which =
      e.size() == 1 ? fmt::format("'{}' is", e.buffer.name)
      : e.wrong.count == 1
          ? e.buffer.name + subscript(e.buffer.shape, e.wrong.first) + " is"
          : fmt::format("{} of {} elements of '{}' are", e.wrong.count, e.size(), e.buffer.name);
  return Diagnosis{Cause::infinite, which + " infinite",
                   "Infinity comes from a division by 0, from a value too large for its type (exp of a large "
                   "number, half precision beyond 65504), or is a starting value that nothing replaced."};
}

std::optional<Diagnosis> not_cut_off(const Evidence& e) {
  if (e.wrong.count < 3 ||
      !e.most_wrong([&](std::int64_t i) { return e.expected(i) == 0 && e.value(i) < 0; }))
    return std::nullopt;
  // An output that is cut off has numbers above 0, and none below.
  const auto& wanted = e.buffer.expected;
  if (*std::min_element(wanted.begin(), wanted.end()) < 0 ||
      *std::max_element(wanted.begin(), wanted.end()) <= 0)
    return std::nullopt;
  return Diagnosis{Cause::not_cut_off, fmt::format("'{}' is negative where 0 is wanted", e.buffer.name),
                   "What is below 0 is to become 0, at the end, after all else was added: max(x, 0)."};
}

}  // namespace ladder::diagnose
