// Patterns of values that are 0, negative, infinite or no number.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/judge/diagnose/evidence.h"

namespace ladder::diagnose {
namespace {

/// An input whose rows are far below 0 wherever a wrong element stands, so that their exp is 0 in float.
const Buffer* input_far_below_zero(const Evidence& e) {
  constexpr double kNoExp = -100;
  const std::int64_t columns = e.buffer.shape.empty() ? 1 : e.buffer.shape.back();
  for (const Buffer& input : e.buffers) {
    if (input.role != Buffer::Role::input || !is_floating(input.type) || input.shape != e.buffer.shape)
      continue;
    std::int64_t last_row = -1;
    bool low = true;
    for (const std::int64_t i : e.wrong.kept) {
      if (i / columns == last_row) continue;
      last_row = i / columns;
      double largest = -HUGE_VAL;
      for (std::int64_t c = 0; c < columns; ++c)
        largest = std::max(largest, element_at(input.type, input.bytes.data(), last_row * columns + c));
      if (!(low = std::isfinite(largest) && largest < kNoExp)) break;
    }
    if (low) return &input;
  }
  return nullptr;
}

}  // namespace

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

std::optional<Diagnosis> all_nan(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return std::isnan(e.value(i)); })) return std::nullopt;
  std::string which = fmt::format("{} of {} elements of '{}'", e.wrong.count, e.size(), e.buffer.name);
  if (e.wrong.count == e.size())
    which = fmt::format("every element of '{}'", e.buffer.name);
  else if (e.contiguous())
    which = fmt::format("{} of '{}'", range_in_words(e.buffer, e.wrong.first, e.wrong.last), e.buffer.name);
  which += e.wrong.count == 1 || e.wrong.count == e.size() ? " is NaN" : " are NaN";
  if (const Buffer* low = input_far_below_zero(e))
    return Diagnosis{Cause::all_nan,
                     which + fmt::format(", where all of '{}' in the row is far below 0", low->name),
                     "Is a maximum taken that starts at 0 or at FLT_MIN, which is the smallest positive "
                     "number? It is larger "
                     "than all of these: exp of so much less is 0, and 0/0 is not a number. It must start at "
                     "-INFINITY, or at "
                     "the first element; and without a maximum every exp is 0 as well."};
  return Diagnosis{
      Cause::all_nan, std::move(which),
      "Not a number comes from 0/0, 0 times infinity, infinity minus infinity, the root of a negative "
      "number, or from arithmetic on memory that was never written: uninitialised shared memory, or the "
      "output's old contents."};
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
