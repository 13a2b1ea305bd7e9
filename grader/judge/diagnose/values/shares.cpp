#include "grader/judge/diagnose/values/shares.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr double kSumIsOne = 1e-6;  // of a reference in double

}  // namespace

bool wants_shares(const Evidence& e) {
  const auto& shape = e.buffer.shape;
  if (shape.size() < 2 || shape.back() < 2 || !is_floating(e.buffer.type)) return false;
  const std::int64_t columns = shape.back();
  for (std::int64_t begin = 0; begin < e.size(); begin += columns) {
    double sum = 0;
    for (std::int64_t i = begin; i < begin + columns; ++i) {
      if (!(e.expected(i) >= 0)) return false;
      sum += e.expected(i);
    }
    if (!(std::abs(sum - 1) <= kSumIsOne)) return false;
  }
  return e.size() > 0;
}

std::optional<double> sum_of_row(const Evidence& e, std::int64_t row) {
  const std::int64_t columns = e.buffer.shape.back();
  double sum = 0;
  for (std::int64_t i = row * columns; i < (row + 1) * columns; ++i) {
    const double value = e.value(i);
    if (!(value >= 0) || std::isinf(value) || e.unwritten(i)) return std::nullopt;
    sum += value;
  }
  return sum;
}

std::string advice_for_sum(double sum) {
  return sum > 1 ? tr("What the row is divided by is too small: elements of it are left out of the sum. Does "
                      "every "
                      "thread that has elements take part in the fold, and does each thread use what was "
                      "folded and "
                      "not its own part?")
                 : tr("What the row is divided by is too large. Are elements counted twice, or is something "
                      "added "
                      "for threads and places that have no element (exp(0) is 1, exp(-INFINITY) is 0)? Or do "
                      "parts "
                      "of the sum belong to different maxima: where a maximum grows from a to b, what was "
                      "added up "
                      "before has to be multiplied with exp(a - b)?");
}

namespace {

/// Whether each row with a wrong element has a sum for which @p holds; and the first one's.
std::optional<double> sums_of_wrong_rows(const Evidence& e, const std::function<bool(double)>& holds) {
  if (e.wrong.kept.empty() || !wants_shares(e)) return std::nullopt;
  std::int64_t last_row = -1;
  std::optional<double> first;
  for (const std::int64_t wrong : e.wrong.kept) {
    const std::int64_t row = wrong / e.buffer.shape.back();
    if (row == last_row) continue;
    last_row = row;
    const auto sum = sum_of_row(e, row);
    if (!sum || !holds(*sum)) return std::nullopt;
    if (!first) first = sum;
  }
  return first;
}

}  // namespace

std::optional<Diagnosis> row_sums(const Evidence& e) {
  const auto sum =
      sums_of_wrong_rows(e, [](double sum) { return sum > 0 && std::abs(sum - 1) > kSumIsWrong; });
  if (!sum) return std::nullopt;
  return Diagnosis{Cause::row_sums,
                   tr("the wrong rows of '{}' have a sum other than 1: that of row {} is {:.4g}",
                      e.buffer.name, e.wrong.first / e.buffer.shape.back(), *sum),
                   tr("Its elements are not off by one factor, so they were not all divided by the same "
                      "number. ") +
                       advice_for_sum(*sum)};
}

std::optional<Diagnosis> row_shares(const Evidence& e) {
  if (!sums_of_wrong_rows(e, [](double sum) { return std::abs(sum - 1) <= kSumIsWrong; }))
    return std::nullopt;
  return Diagnosis{
      Cause::row_shares,
      tr("the wrong rows of '{}' have a sum of 1, as they should, and wrong shares", e.buffer.name),
      tr("What is divided and what it is divided by fit each other, so the exponents are wrong: is "
         "the same number, the maximum of the whole row, subtracted from each of its elements? A "
         "thread that subtracts a maximum of its own makes its elements' shares too large.")};
}

}  // namespace ladder::diagnose
