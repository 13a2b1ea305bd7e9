// Patterns of an input that takes no part, takes part twice, or with the wrong element.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "grader/judge/diagnose/evidence.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

/// How an element of an output finds its element of an input.
struct Way {
  const char* words;  ///< "", " by column", " by row"
  std::int64_t step;  ///< of the output's index, for one element of the input ...
  std::int64_t wrap;  ///< ... and how many of them there are
  std::int64_t at(std::int64_t i) const { return i / step % wrap; }
};

/// The ways an input of that many elements may be spread over an output.
std::vector<Way> ways(const Evidence& e, const Buffer& input) {
  std::vector<Way> all;
  const auto& shape = e.buffer.shape;
  const std::int64_t n = input.elements();
  if (n == e.size()) all.push_back({"", 1, n});
  if (shape.size() < 2 || n < 2 || n == e.size()) return all;
  const std::int64_t columns = shape.back(), rows = shape[shape.size() - 2];
  if (n == columns) all.push_back({tr(" of its column"), 1, columns});
  if (n == rows) all.push_back({tr(" of its row"), columns, rows});
  if (shape.size() > 2 && n == shape[0]) all.push_back({tr(" of its slice"), e.size() / n, n});
  return all;
}

double element(const Buffer& input, std::int64_t i) { return element_at(input.type, input.bytes.data(), i); }

/// Whether two values agree to what rounding in the output's type leaves.
bool agree(const Evidence& e, double a, double b, double magnitude) {
  const double coarse = e.buffer.type == Type::f16 || e.buffer.type == Type::bf16 ? 1e-2 : 1e-4;
  return std::abs(a - b) <= coarse * magnitude + e.buffer.tolerance.absolute;
}

/// Whether @p wanted of an element is what stands there, for nearly all wrong ones, and for several values of
/// @p x; where the output is 0, it may have been cut off.
/// @param values  how many values @p x takes on, at most
template <class Input, class Wanted>
bool explains(const Evidence& e, const Input& x, std::int64_t values, const Wanted& wanted) {
  constexpr std::int64_t kLeast = 4;  // of fewer, any number is some multiple of any other
  std::int64_t telling = 0;
  std::set<double> seen;
  const bool most = e.most_wrong([&](std::int64_t i) {
    const auto [value, magnitude] = wanted(i);
    if (e.value(i) == 0 && e.expected(i) >= 0) return true;
    if (!std::isfinite(e.value(i)) || !agree(e, e.value(i), value, magnitude)) return false;
    ++telling;
    if (static_cast<std::int64_t>(seen.size()) < kLeast) seen.insert(x(i));
    return true;
  });
  return most && telling >= kLeast && static_cast<std::int64_t>(seen.size()) >= std::min(kLeast, values);
}

/// Whether something is taken so many times, or one part in so many.
bool is_simple(double factor) {
  constexpr double kMostTimes = 8, kClose = 1e-2;  // relative, as the least exact types have it
  const double times = std::max(std::abs(factor), 1 / std::abs(factor)), whole = std::round(times);
  return whole <= kMostTimes && std::abs(times - whole) <= kClose * whole;
}

/// A number that the function is given and that @p factor is, but for the sign; null if there is none.
const std::pair<std::string, double>* scalar_of(const Evidence& e, double factor) {
  for (const auto& scalar : e.scalars)
    if (scalar.second != 0 && std::abs(std::abs(factor / scalar.second) - 1) < 1e-2) return &scalar;
  return nullptr;
}

/// By how many times @p x the first wrong elements are off; 0 where that cannot be told.
template <class Input>
double off_by(const Evidence& e, const Input& x) {
  for (const std::int64_t i : e.wrong.kept)
    if (const double by = (e.value(i) - e.expected(i)) / x(i);
        x(i) != 0 && e.value(i) != 0 && std::isfinite(by) && std::isfinite(x(i)))
      return by;
  return 0;
}

}  // namespace

std::optional<Diagnosis> input_left_out(const Evidence& e) {
  const char* advice = tr("Is it read, and added once, after the step that it belongs behind?");
  for (const Buffer& input : e.buffers) {
    if (input.role != Buffer::Role::input) continue;
    for (const Way& way : ways(e, input)) {
      const auto x = [&](std::int64_t i) { return element(input, way.at(i)); };
      const double factor = off_by(e, x);
      const auto* scalar = scalar_of(e, factor);
      if (factor != 0 && (is_simple(factor) || scalar != nullptr) &&
          explains(e, x, input.elements(), [&](std::int64_t i) {
            return std::pair(e.expected(i) + factor * x(i),
                             std::abs(factor * x(i)) + std::abs(e.expected(i)));
          })) {
        const std::string held = fmt::format("'{}'{}", input.name, way.words);
        if (std::abs(factor + 1) < 1e-2 || (scalar != nullptr && factor * scalar->second < 0))
          return Diagnosis{Cause::input_left_out,
                           tr("{} is not added to the wrong elements of '{}'", held, e.buffer.name), advice};
        return Diagnosis{
            Cause::input_left_out,
            tr("the wrong elements of '{}' are off by {:.4g} times {}", e.buffer.name, factor, held), advice};
      }
      if (explains(e, x, input.elements(), [&](std::int64_t i) {
            return std::pair(x(i) == 0 ? std::nan("") : e.expected(i) / x(i), std::abs(e.expected(i) / x(i)));
          }))
        return Diagnosis{Cause::input_left_out,
                         tr("the wrong elements of '{}' are not multiplied by '{}'{}", e.buffer.name,
                            input.name, way.words),
                         tr("Is it read, and multiplied with once?")};
    }
  }
  return std::nullopt;
}

std::optional<Diagnosis> input_misindexed(const Evidence& e) {
  if (e.buffer.shape.size() < 2) return std::nullopt;
  for (const Buffer& input : e.buffers) {
    if (input.role != Buffer::Role::input || input.elements() >= e.size()) continue;
    const std::int64_t n = input.elements();
    for (const Way& way : ways(e, input)) {
      const struct {
        const char* name;
        std::int64_t step;
      } others[] = {
          {tr("its row"), e.buffer.shape.back()}, {tr("its column"), 1}, {tr("the first"), e.size()}};
      for (const auto& other : others) {
        if (other.step == way.step) continue;
        const auto right = [&](std::int64_t i) { return element(input, way.at(i)); };
        const auto wrong = [&](std::int64_t i) { return element(input, i / other.step % n); };
        const auto difference = [&](std::int64_t i) { return wrong(i) - right(i); };
        const double factor = off_by(e, difference);
        if (factor > 0 && explains(e, difference, 2, [&](std::int64_t i) {
              const double by = factor * (wrong(i) - right(i));
              return std::pair(e.expected(i) + by, std::abs(by) + std::abs(e.expected(i)));
            }))
          return Diagnosis{
              Cause::input_misindexed,
              tr("the wrong elements of '{}' take another element of '{}': that of {}, not that{}",
                 e.buffer.name, input.name, other.name, way.words),
              tr("Which coordinate of the output is the index into that input?")};
      }
    }
  }
  return std::nullopt;
}

}  // namespace ladder::diagnose
