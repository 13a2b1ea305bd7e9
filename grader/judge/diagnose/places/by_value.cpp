// Patterns of elements that are wrong where an input's element at the same place lies in a range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kLeast = 16;  // right and wrong elements: of fewer, chance draws a line

/// What belongs to each element: an input's element, or its size. Finite, or of no account.
using Number = std::function<double(std::int64_t)>;

/// Where wrong elements lie, and the nearest numbers outside that right ones have: infinite where none has.
struct Range {
  double low = kInfinity, high = -kInfinity;
  double below = -kInfinity, above = kInfinity;
  std::int64_t wrong = 0, right_inside = 0, right_outside = 0;
  bool is_open() const { return std::isinf(below) || std::isinf(above); }
  /// Whether hardly a right element lies inside.
  bool separates() const {
    return wrong >= kLeast && right_outside >= kLeast && right_inside * 20 <= std::min(wrong, right_outside);
  }
};

/// The range of the wrong elements, looking only at those for which @p counts holds.
template <class Counts>
Range range_of_wrong(const Evidence& e, const Number& number, const Counts& counts) {
  Range range;
  for (const std::int64_t i : e.wrong.kept)
    if (const double x = number(i); counts(x)) {
      range.low = std::min(range.low, x);
      range.high = std::max(range.high, x);
      ++range.wrong;
    }
  for (std::int64_t i = 0; i < e.size(); ++i) {
    const double x = number(i);
    if (!std::isfinite(x) || !counts(x) || !e.is_right(i)) continue;
    if (x < range.low)
      range.below = std::max(range.below, x), ++range.right_outside;
    else if (x > range.high)
      range.above = std::min(range.above, x), ++range.right_outside;
    else
      ++range.right_inside;
  }
  return range;
}

/// The range beyond all right elements, where that holds
/// many of the wrong ones, and more than chance puts there.
std::optional<Range> range_without_right(const Evidence& e, const Number& number) {
  constexpr double kUnlikely = 20;                        // e^-20
  if (e.wrong.count * 2 > e.size()) return std::nullopt;  // of what is mostly wrong, some range always is
  Range above, below;
  for (std::int64_t i = 0; i < e.size(); ++i)
    if (const double x = number(i); e.is_right(i) && std::isfinite(x)) {
      above.below = std::max(above.below, x);
      below.above = std::min(below.above, x);
    }
  for (const std::int64_t i : e.wrong.kept) {
    const double x = number(i);
    if (x > above.below) above.low = std::min(above.low, x), ++above.wrong;
    if (x < below.above) below.high = std::max(below.high, x), ++below.wrong;
  }
  const Range& range = above.wrong > below.wrong ? above : below;
  const auto wrong = static_cast<double>(e.wrong.count), count = static_cast<double>(range.wrong);
  const double surprise = count * std::log(static_cast<double>(e.size()) / wrong);
  if (range.wrong < kLeast || count * 3 < wrong || surprise < kUnlikely) return std::nullopt;
  return range;
}

/// The number with the fewest digits at which a bound may be told: @p low <= it < @p high.
double short_number(double low, double high) {
  for (int digits = 1; digits < 17; ++digits) {
    const double rounded = std::stod(fmt::format("{:.{}g}", 0.5 * (low + high), digits));
    if (low <= rounded && rounded < high) return rounded;
  }
  return low;
}

/// "above 2", "below 0", "between 2 and 3.5".
std::string in_words(const Range& r) {
  const auto least = [&] { return short_number(r.below, r.low); };
  const auto most = [&] { return -short_number(-r.above, -r.high); };
  if (std::isinf(r.above)) return tr("above {:.6g}", least());
  if (std::isinf(r.below)) return tr("below {:.6g}", most());
  return tr("between {:.6g} and {:.6g}", least(), most());
}

/// Whether an input is more than a mask: what is masked out cannot be wrong, whatever the mistake is.
bool has_many_values(const Buffer& input) {
  constexpr std::size_t kFew = 8;
  std::set<double> values;
  for (std::int64_t i = 0; i < input.elements() && values.size() <= kFew; ++i)
    values.insert(element_at(input.type, input.bytes.data(), i));
  return values.size() > kFew;
}

/// Where the wrong elements lie by one range, or by one of negative numbers and one of others; else empty.
std::string where_wrong(const Evidence& e, const Number& number, bool open) {
  const Range all = range_of_wrong(e, number, [](double) { return true; });
  if (all.separates() && all.is_open() == open) return in_words(all);
  if (open) return {};
  const Range negative = range_of_wrong(e, number, [](double x) { return x < 0; });
  const Range others = range_of_wrong(e, number, [](double x) { return x >= 0; });
  const bool apart = negative.separates() && others.separates() && !negative.is_open() && !others.is_open();
  return apart ? in_words(negative) + tr(" or ") + in_words(others) : std::string();
}

}  // namespace

std::optional<Diagnosis> by_input_value(const Evidence& e) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  if (static_cast<std::size_t>(e.wrong.count) != e.wrong.kept.size() || e.size() > kMost) return std::nullopt;
  if (e.wrong.count * 10 > e.size() * 9) return std::nullopt;  // nearly everything is no place
  const char* advice = tr(
      "What does the kernel do with such values: a branch or a shortcut that is taken too early, the end of "
      "a "
      "table or of a type, a term that is left out? Work one of these elements by hand.");
  const auto first = [&](const auto& told) -> std::optional<Diagnosis> {
    for (const Buffer& input : e.buffers) {
      if (input.role != Buffer::Role::input || input.elements() != e.size() || !has_many_values(input))
        continue;
      const Number value = [&](std::int64_t i) { return element_at(input.type, input.bytes.data(), i); };
      const Number size = [&](std::int64_t i) { return std::abs(value(i)); };
      if (!e.most_wrong([&](std::int64_t i) { return std::isfinite(value(i)); })) continue;
      if (auto headline = told(value, "'" + input.name + "'"); !headline.empty())
        return Diagnosis{Cause::by_input_value, std::move(headline), advice};
      if (auto headline = told(size, "|" + input.name + "|"); !headline.empty())
        return Diagnosis{Cause::by_input_value, std::move(headline), advice};
    }
    return std::nullopt;
  };
  for (const bool open : {true, false})  // one bound says more than two
    if (auto found = first([&](const Number& number, const std::string& name) {
          const std::string where = where_wrong(e, number, open);
          return where.empty() ? where
                               : tr("'{}' is wrong where {} is {}, and right elsewhere: {} of {} elements",
                                    e.buffer.name, name, where, e.wrong.count, e.size());
        }))
      return found;
  return first([&](const Number& number, const std::string& name) {
    const auto range = range_without_right(e, number);
    return range ? tr("every element of '{}' where {} is {} is wrong, and some others are", e.buffer.name,
                      name, in_words(*range))
                 : std::string();
  });
}

}  // namespace ladder::diagnose
