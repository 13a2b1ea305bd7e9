// Outputs whose rows are shares of 1, as a softmax makes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "grader/judge/diagnose/evidence.h"

namespace ladder::diagnose {

/// How far a sum is from 1 that is wrong: more than what rounding does to a row of floats.
constexpr double kSumIsWrong = 0.001;

/// Whether what is wanted are shares: rows of two elements at least, none below 0, each row with a sum of 1.
bool wants_shares(const Evidence& evidence);

/// The sum of row @p row as it came out; none where an element is negative, no number, infinite or unwritten.
std::optional<double> sum_of_row(const Evidence& evidence, std::int64_t row);

/// What to look for where rows of shares have a sum of @p sum and not of 1.
std::string advice_for_sum(double sum);

}  // namespace ladder::diagnose
