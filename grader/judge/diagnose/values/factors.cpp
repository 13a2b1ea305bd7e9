// Patterns of values that are off by a factor or an amount.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "grader/judge/diagnose/evidence.h"
#include "grader/judge/diagnose/values/shares.h"
#include "grader/judge/diagnose/values/sides.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr double kClose = 1e-4;  // relative; several times what rounding in float does to such factors

bool close(double a, double b) { return std::abs(a - b) <= kClose * std::max(std::abs(a), std::abs(b)); }

constexpr double kPrecision = 0.02;  // a factor that is nearer to 1 is mostly a matter of precision

/// Whether a factor of one value alone means something: a
/// sign, a small number, a power of 2, or one over these.
bool is_telling(double factor) {
  const double size = std::max(std::abs(factor), 1 / std::abs(factor)), whole = std::round(size);
  if (std::abs(size - whole) > 1e-5 * size || whole > 1024) return false;
  const auto n = static_cast<unsigned>(whole);
  return factor == -1 || (factor > 0 && (n <= 8 || (n & (n - 1)) == 0));
}

/// Whether a factor that all wrong elements share means
/// something: one or two numbers are some multiple of any others.
bool is_shared_by_enough(const Evidence& e, double factor) {
  constexpr std::size_t kLeast = 4;
  constexpr double kLargeInteger = 16;
  std::set<double> wanted;
  double largest = 0;
  for (const std::int64_t i : e.wrong.kept) {
    wanted.insert(e.expected(i));
    largest = std::max(largest, std::abs(e.expected(i)));
    if (wanted.size() == kLeast) return true;
  }
  // Of small integers any is some multiple of any other.
  if (!is_floating(e.buffer.type) && largest < kLargeInteger && e.wrong.count < std::int64_t{kLeast})
    return false;
  return is_telling(factor) || (e.wrong.count == e.size() && wanted.size() > 1);
}

/// Whether many elements are off by the same small part: rounding is not so even.
bool is_common_part(const Evidence& e) {
  if (e.wrong.kept.size() < kManySided || e.expected(e.wrong.first) == 0) return false;
  const double part = e.value(e.wrong.first) / e.expected(e.wrong.first) - 1;
  return e.most_wrong([&](std::int64_t i) {
    return std::abs(e.value(i) / e.expected(i) - 1 - part) <= 0.1 * std::abs(part);
  });
}

/// Of shares, what a row's sum is in place of 1.
void tell_sum(Diagnosis& diagnosis, const Evidence& e, std::int64_t row) {
  if (!wants_shares(e)) return;
  const auto sum = sum_of_row(e, row);
  if (!sum) return;
  diagnosis.headline += tr(", so that the sum of row {} is {:.4g} and not 1", row, *sum);
  diagnosis.advice = advice_for_sum(*sum);
}

}  // namespace

std::optional<Diagnosis> constant_factor(const Evidence& e) {
  if (e.wrong.kept.empty() || e.expected(e.wrong.first) == 0) return std::nullopt;
  const double factor = e.value(e.wrong.first) / e.expected(e.wrong.first);
  if (!std::isfinite(factor) || factor == 0 || close(factor, 1)) return std::nullopt;
  if (std::abs(factor - 1) <= kPrecision && !is_common_part(e)) return std::nullopt;
  if (!is_shared_by_enough(e, factor)) return std::nullopt;
  if (!e.most_wrong(
          [&](std::int64_t i) { return close(e.value(i), factor * e.expected(i)) && e.expected(i) != 0; }))
    return std::nullopt;
  Diagnosis diagnosis{
      Cause::constant_factor,
      tr("the wrong elements of '{}' are {:.6g} times what they should be", e.buffer.name, factor), ""};
  if (factor == -1)
    diagnosis.advice = tr("The sign is the other one: a - b for b - a?");
  else if (std::abs(factor - std::round(factor)) < 1e-3 && std::round(factor) >= 2 && factor < 4097)
    diagnosis.advice =
        tr("Something is counted {:.0f} times: do several threads add the same element?", factor);
  else if (close(1 / factor, std::round(1 / factor)) && std::round(1 / factor) >= 2 && is_telling(factor))
    diagnosis.advice =
        tr("Only one part in {:.0f} is there: are elements skipped, or is a division done twice?",
           std::round(1 / factor));
  else
    diagnosis.advice =
        tr("All are off by one factor: one is missing or too many, or a sum that everything is divided by or "
           "multiplied with is wrong: an element of it left out or counted twice.");
  tell_sum(diagnosis, e, e.buffer.shape.empty() ? 0 : e.wrong.first / e.buffer.shape.back());
  return diagnosis;
}

std::optional<Diagnosis> row_factors(const Evidence& e) {
  const auto& shape = e.buffer.shape;
  if (shape.size() < 2 || !is_floating(e.buffer.type)) return std::nullopt;
  const std::int64_t columns = shape.back();
  if (columns < 2 || e.wrong.kept.size() < 2) return std::nullopt;
  const double least = wants_shares(e) ? kSumIsWrong : kPrecision;
  std::int64_t last_row = -1, rows = 0;
  double shown = 0;
  std::int64_t of_row = 0;
  for (const std::int64_t wrong : e.wrong.kept) {
    const std::int64_t row = wrong / columns;
    if (row == last_row) continue;
    last_row = row;
    // By the largest element, which has most digits.
    std::int64_t largest = row * columns;
    for (std::int64_t i = largest; i < (row + 1) * columns; ++i)
      if (std::abs(e.expected(i)) > std::abs(e.expected(largest))) largest = i;
    const double factor = e.value(largest) / e.expected(largest);
    if (!std::isfinite(factor) || factor <= 0 || std::abs(factor - 1) <= least) return std::nullopt;
    std::int64_t telling = 0;
    for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      const double wanted = factor * e.expected(i);
      if (!(std::abs(e.value(i) - wanted) <= 1e-3 * std::abs(wanted) + e.buffer.tolerance.absolute))
        return std::nullopt;
      telling += std::abs(e.expected(i)) > 100 * e.buffer.tolerance.absolute ? 1 : 0;
    }
    if (telling < 2) return std::nullopt;
    if (rows++ == 0) shown = factor, of_row = row;
  }
  Diagnosis diagnosis{
      Cause::row_factors,
      tr("each wrong row of '{}' is wrong by one factor: row {} is {:.4g} times what it should be",
         e.buffer.name, of_row, shown),
      tr("One number that all of a row is divided by, or multiplied with, is wrong: its sum, its maximum, "
         "its "
         "scale. How do the parts of that come together: is one added as it is, left out, or counted "
         "twice?")};
  tell_sum(diagnosis, e, of_row);
  return diagnosis;
}

std::optional<Diagnosis> constant_offset(const Evidence& e) {
  if (e.wrong.count < 3) return std::nullopt;
  const double offset = e.value(e.wrong.first) - e.expected(e.wrong.first);
  if (!std::isfinite(offset) || offset == 0) return std::nullopt;
  const auto off_by_it = [&](std::int64_t i) {
    const double error = e.value(i) - e.expected(i);
    return std::abs(error - offset) <= kClose * std::max(std::abs(offset), std::abs(e.expected(i)) * 0.01);
  };
  if (!e.most_wrong(off_by_it)) return std::nullopt;
  // Where one or two numbers are wanted everywhere, any other is off by something, whatever the mistake.
  const std::set<double> wanted(e.buffer.expected.begin(), e.buffer.expected.end());
  if (wanted.size() <= 2) return std::nullopt;
  return Diagnosis{
      Cause::constant_offset,
      tr("the wrong elements of '{}' are off by the same amount, {}", e.buffer.name,
         is_floating(e.buffer.type) ? fmt::format("{:.6g}", offset) : fmt::format("{:.0f}", offset)),
      tr("Something is added once too often or left out: a starting value, a carry from the block before, or "
         "an "
         "off-by-one in an index that is itself the result.")};
}

}  // namespace ladder::diagnose
