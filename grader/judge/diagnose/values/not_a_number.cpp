// Where NaN comes from, as far as the inputs beside it tell.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/judge/diagnose/values/far_rows.h"
#include "grader/judge/diagnose/values/shares.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr double kInfiniteExp = 88.73;  // expf() of this and more is infinite

/// What goes behind "is NaN", and what to do.
struct Reason {
  std::string where, advice;
};

double value_of(const Buffer& input, std::int64_t i) { return element_at(input.type, input.bytes.data(), i); }

/// Exactly those elements are NaN whose own input has an infinite exp.
std::optional<Reason> exp_overflows(const Evidence& e) {
  for (const Buffer* const input : inputs_alike(e)) {
    if (input->type == Type::f64) continue;
    std::int64_t i = 0;
    while (i < e.size() && std::isnan(e.value(i)) == (value_of(*input, i) >= kInfiniteExp) &&
           std::isfinite(value_of(*input, i)))
      ++i;
    if (i < e.size()) continue;
    return Reason{tr("where '{}' is above 88", input->name),
                  wants_shares(e)
                      ? tr("exp of that is more than a float can hold, and infinity divided by infinity is "
                           "not a number. "
                           "Subtract the row's maximum before exp is taken: exp(a - m)/exp(b - m) is "
                           "exp(a)/exp(b), and "
                           "no exponent is above 0.")
                      : tr("exp of that is more than a float can hold: infinity divided by infinity, and "
                           "infinity minus "
                           "infinity, are not a number. Is there a form in which no exponent is above 0?")};
  }
  return std::nullopt;
}

/// What leaves such values where something has no element, or none that counts.
constexpr const char* kNothingToFold = tr_noop(
    "A thread that finds no element, or nothing but -infinity, keeps what its maximum and its sum start "
    "with: "
    "-infinity minus -infinity, and 0/0, are not a number. Does a maximum start at -FLT_MAX, and is each "
    "element divided by the sum of the whole row?");

/// Whether an input has an element of -infinity in each of the rows with NaN, and in no others.
/// @param contrast  whether there are others
const Buffer* input_with_infinities(const Evidence& e, bool& contrast) {
  const std::int64_t columns = e.buffer.shape.back();
  for (const Buffer* const input : inputs_alike(e)) {
    contrast = false;
    const auto fits = [&](std::int64_t begin) {
      bool some_nan = false, has_infinity = false;
      for (std::int64_t i = begin; i < begin + columns; ++i) {
        some_nan |= std::isnan(e.value(i));
        has_infinity |= value_of(*input, i) == -HUGE_VAL;
      }
      contrast |= !has_infinity;
      return some_nan == has_infinity;
    };
    std::int64_t begin = 0;
    while (begin < e.size() && fits(begin)) begin += columns;
    if (begin >= e.size()) return input;
  }
  return nullptr;
}

/// Of rows of shares: what is folded of nothing.
std::optional<Reason> nothing_to_fold(const Evidence& e) {
  if (!wants_shares(e)) return std::nullopt;
  bool contrast = false;
  const Buffer* const input = input_with_infinities(e, contrast);
  if (input != nullptr && contrast)
    return Reason{tr("in the rows where '{}' has elements of -infinity", input->name), tr(kNothingToFold)};
  const std::int64_t columns = e.buffer.shape.back();
  if (columns < e.block_threads && e.wrong.count % columns == 0)
    return Reason{tr("where a row has {} elements, and a block {} threads", columns, e.block_threads),
                  tr(kNothingToFold)};
  if (input != nullptr) return Reason{"", tr(kNothingToFold)};
  return std::nullopt;
}

std::optional<Reason> reason_for(const Evidence& e) {
  if (const Buffer* const low = input_far_below_zero(e))
    return Reason{
        tr("where all of '{}' in the row is far below 0", low->name),
        tr("Is a maximum taken that starts at 0 or at FLT_MIN, which is the smallest positive number? It is "
           "larger than all of these: exp of so much less is 0, and 0/0 is not a number. It must start "
           "below all of them, at -FLT_MAX, or at the first element; and without a maximum every exp is 0 as "
           "well.")};
  if (auto reason = exp_overflows(e)) return reason;
  return nothing_to_fold(e);
}

}  // namespace

std::optional<Diagnosis> all_nan(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return std::isnan(e.value(i)); })) return std::nullopt;
  std::string which = tr("{} of {} elements of '{}'", e.wrong.count, e.size(), e.buffer.name);
  if (e.wrong.count == e.size())
    which = tr("every element of '{}'", e.buffer.name);
  else if (e.contiguous())
    which = tr("{} of '{}'", range_in_words(e.buffer, e.wrong.first, e.wrong.last), e.buffer.name);
  which += e.wrong.count == 1 || e.wrong.count == e.size() ? tr(" is NaN") : tr(" are NaN");
  if (const auto reason = reason_for(e))
    return Diagnosis{Cause::all_nan, which + (reason->where.empty() ? "" : tr(", ")) + reason->where,
                     reason->advice};
  return Diagnosis{
      Cause::all_nan, std::move(which),
      tr("Not a number comes from 0/0, 0 times infinity, infinity minus infinity, the root of a negative "
         "number, or from arithmetic on memory that was never written: uninitialised shared memory, memory "
         "of "
         "your own that no copy or store has reached, or the output's old contents.")};
}

}  // namespace ladder::diagnose
