// Patterns of values that are 0, negative or infinite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "grader/judge/diagnose/values/far_rows.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr const char* kMaximumFromZero = tr_noop(
    "0 is larger than every negative number. Does a maximum start at 0, or does 0 stand in for elements that "
    "are not there, behind the end or outside of the border? Both must be what changes no maximum, "
    "-INFINITY. Or is a result cut off by max(x, 0)?");
constexpr const char* kMinimumFromZero = tr_noop(
    "0 is smaller than every positive number. Does a minimum start at 0, or does 0 stand in for elements "
    "that "
    "are not there? Both must be what changes no minimum, INFINITY.");

/// The inputs of which there is anything.
std::vector<const Buffer*> inputs_of(const Evidence& e) {
  std::vector<const Buffer*> inputs;
  for (const Buffer& buffer : e.buffers)
    if (buffer.role != Buffer::Role::output && buffer.elements() > 0) inputs.push_back(&buffer);
  return inputs;
}

std::vector<double> values_of(const Buffer& input) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < input.elements(); ++i)
    values.push_back(element_at(input.type, input.bytes.data(), i));
  return values;
}

/// An output of one element that is 0 and was to be the maximum of negative numbers or the minimum of
/// positive ones, or that of nothing.
std::optional<Diagnosis> zero_for_extreme(const Evidence& e) {
  if (e.size() != 1) return std::nullopt;
  const double wanted = e.expected(0);
  bool is_extreme = std::isinf(wanted);
  for (const Buffer* const input : inputs_of(e)) {
    if (input->elements() < 2) continue;  // of one element a sum is as large
    const auto values = values_of(*input);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    is_extreme |= wanted == (wanted < 0 ? *most : *least);
  }
  if (!is_extreme) return std::nullopt;
  return Diagnosis{Cause::all_zero,
                   tr("'{}' is 0, where a {} is wanted", e.buffer.name,
                      wanted < 0 ? tr("negative maximum") : tr("positive minimum")),
                   wanted < 0 ? tr(kMaximumFromZero) : tr(kMinimumFromZero)};
}

/// Whether all of a larger output was to be negative elements of an input, as maxima are.
bool wants_negative_elements(const Evidence& e) {
  constexpr std::int64_t kTelling = 8;
  const auto& wanted = e.buffer.expected;
  if (e.size() < kTelling || *std::max_element(wanted.begin(), wanted.end()) >= 0) return false;
  for (const Buffer* const input : inputs_of(e)) {
    auto values = values_of(*input);
    std::sort(values.begin(), values.end());
    if (std::all_of(wanted.begin(), wanted.end(),
                    [&](double value) { return std::binary_search(values.begin(), values.end(), value); }))
      return true;
  }
  return false;
}

/// Whether exactly those elements are wrong that were to be below 0, and others are right.
bool is_wrong_below_zero(const Evidence& e) {
  const auto& wanted = e.buffer.expected;
  const auto below = std::count_if(wanted.begin(), wanted.end(), [](double value) { return value < 0; });
  return below == e.wrong.count && below < e.size() &&
         e.most_wrong([&](std::int64_t i) { return e.expected(i) < 0; });
}

}  // namespace

std::optional<Diagnosis> all_zero(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return e.value(i) == 0; })) return std::nullopt;
  const bool all = e.wrong.count == e.size();
  if (auto extreme = zero_for_extreme(e)) return extreme;
  if (e.size() == 1)
    return Diagnosis{
        Cause::all_zero, tr("'{}' is 0", e.buffer.name),
        tr("Is it computed from memory that was only cleared, or of which only a part was copied? Is "
           "anything added to it, and stored too, where it was kept in a local variable or in shared "
           "memory?")};
  if (!all) return std::nullopt;
  if (const Buffer* low = input_far_below_zero(e))
    return Diagnosis{
        Cause::all_zero,
        tr("every element of '{}' is 0, where all of '{}' in the row is far below 0", e.buffer.name,
           low->name),
        tr("Something larger than all of these took part in a maximum: what it starts with, or what "
           "stands in for elements behind the end. exp of so much less is 0. Both must be below every "
           "element: "
           "-FLT_MAX, or -INFINITY where it is not subtracted from itself.")};
  if (wants_negative_elements(e))
    return Diagnosis{Cause::all_zero,
                     tr("every element of '{}' is 0, where all should be below 0", e.buffer.name),
                     tr(kMaximumFromZero)};
  return Diagnosis{Cause::all_zero, tr("every element of '{}' is 0", e.buffer.name),
                   tr("Zero is stored: does the value come from memory that was only cleared, or from a "
                      "temporary that another kernel should have filled? Or did a product or a quotient come "
                      "out as 0?")};
}

std::optional<Diagnosis> some_zero(const Evidence& e) {
  if (e.wrong.count < 3 || !e.most_wrong([&](std::int64_t i) { return e.value(i) == 0; }))
    return std::nullopt;
  if (is_wrong_below_zero(e))
    return Diagnosis{Cause::some_zero, tr("'{}' is 0 wherever it should be below 0", e.buffer.name),
                     tr(kMaximumFromZero)};
  return Diagnosis{
      Cause::some_zero,
      tr("{} of {} elements of '{}' are 0, the first of them {}{}", e.wrong.count, e.size(), e.buffer.name,
         e.buffer.name, subscript(e.buffer.shape, e.wrong.first)),
      tr("Zero is stored there: is it a sum that nobody added to, a value that is only loaded under a "
         "condition, a temporary that was only cleared, or a product of which one factor is a 0 from behind "
         "an "
         "edge, where another element was wanted?")};
}

std::optional<Diagnosis> infinite(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return std::isinf(e.value(i)); })) return std::nullopt;
  const std::string& name = e.buffer.name;
  std::string headline = e.size() == 1 ? tr("'{}' is infinite", name)
                         : e.wrong.count == 1
                             ? tr("{}{} is infinite", name, subscript(e.buffer.shape, e.wrong.first))
                             : tr("{} of {} elements of '{}' are infinite", e.wrong.count, e.size(), name);
  return Diagnosis{
      Cause::infinite, std::move(headline),
      tr("Infinity comes from a division by 0, from a value too large for its type (exp of a large "
         "number, half precision beyond 65504), or is a starting value that nothing replaced.")};
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
  return Diagnosis{Cause::not_cut_off, tr("'{}' is negative where 0 is wanted", e.buffer.name),
                   tr("What is below 0 is to become 0, at the end, after all else was added: max(x, 0).")};
}

}  // namespace ladder::diagnose
