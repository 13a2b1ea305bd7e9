// Patterns of values that are wrong by a rule of arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "grader/judge/diagnose/evidence.h"

namespace ladder::diagnose {
namespace {

constexpr double kClose = 1e-4;  // relative; several times what rounding in float does to such factors

bool close(double a, double b) { return std::abs(a - b) <= kClose * std::max(std::abs(a), std::abs(b)); }

bool same_sign_and_finite(double a, double b) { return std::isfinite(a) && std::isfinite(b) && a * b != 0; }

bool has_a_narrower(Type type) { return type == Type::f32 || type == Type::f64; }

/// Whether @p value, of a float, is one that half precision or bfloat16 has; of a double, one that float has.
bool fits_narrower(Type type, double value) {
  const auto single = static_cast<float>(value);
  if (type == Type::f64) return static_cast<double>(single) == value;
  return __half2float(__float2half(single)) == single || __bfloat162float(__float2bfloat16(single)) == single;
}

/// Whether a wrong value is as near to the right one as rounding would leave it.
bool slightly_off(const Evidence& e, std::int64_t i) {
  // Worse than this is no rounding; of a few elements less is believed, for chance is near as well.
  const double coarse = e.buffer.type == Type::f64 ? 1e-5 : e.wrong.count < 3 ? 2e-3 : 2e-2;
  return std::isfinite(e.value(i)) && std::isfinite(e.expected(i)) &&
         std::abs(e.value(i) - e.expected(i)) <= coarse * std::abs(e.expected(i));
}

/// How many wrong elements are nearer to 0 than they should be, and how many farther away, of the same sign.
struct Sides {
  std::size_t small = 0, large = 0;
};

Sides sides_of(const Evidence& e) {
  Sides sides;
  for (const std::int64_t i : e.wrong.kept) {
    const double value = e.value(i), expected = e.expected(i);
    if (!std::isfinite(value) || value * expected < 0) continue;
    if (std::abs(value) < std::abs(expected)) ++sides.small;
    if (std::abs(value) > std::abs(expected)) ++sides.large;
  }
  return sides;
}

/// Whether a factor of one value alone means something: a
/// sign, a small number, a power of 2, or one over these.
bool is_telling(double factor) {
  const double size = std::max(std::abs(factor), 1 / std::abs(factor)), whole = std::round(size);
  if (std::abs(size - whole) > 1e-5 * size || whole > 1024) return false;
  const auto n = static_cast<unsigned>(whole);
  return factor == -1 || (factor > 0 && (n <= 8 || (n & (n - 1)) == 0));
}

constexpr std::size_t kManySided = 16;  // of fewer elements chance gives all the same sign
constexpr double kPrecision = 0.02;     // a factor that is nearer to 1 is mostly a matter of precision

/// Whether a factor that all wrong elements share means
/// something: one or two numbers are some multiple of any others.
bool is_shared_by_enough(const Evidence& e, double factor) {
  constexpr std::size_t kLeast = 4;
  std::set<double> wanted;
  for (const std::int64_t i : e.wrong.kept) {
    wanted.insert(e.expected(i));
    if (wanted.size() == kLeast) return true;
  }
  return is_telling(factor) || (e.wrong.count == e.size() && wanted.size() > 1);
}

/// The largest error of a wrong element, as a part of what it should be.
double worst_error(const Evidence& e) {
  double worst = 0;
  for (const std::int64_t i : e.wrong.kept)
    if (std::isfinite(e.value(i)) && e.expected(i) != 0)
      worst = std::max(worst, std::abs(e.value(i) / e.expected(i) - 1));
  return worst;
}

/// Whether many elements are off by the same small part: rounding is not so even.
bool is_common_part(const Evidence& e) {
  if (e.wrong.kept.size() < kManySided || e.expected(e.wrong.first) == 0) return false;
  const double part = e.value(e.wrong.first) / e.expected(e.wrong.first) - 1;
  return e.most_wrong([&](std::int64_t i) {
    return std::abs(e.value(i) / e.expected(i) - 1 - part) <= 0.1 * std::abs(part);
  });
}

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

/// What has about so many bits, and may stand in the way of more.
const char* narrow_suspect(Type type, double error) {
  const double bits = -std::log2(error);
  if (type == Type::f64) return bits > 20 && bits < 25 ? "about as many as float has (24)" : nullptr;
  return bits > 9.5 && bits < 12.5 ? "about as many as half precision has (11)"
         : bits > 7 && bits <= 9.5 ? "about as many as bfloat16 has (8)"
                                   : nullptr;
}

/// The largest number, by size, among integers of an output and of the inputs of its type.
double largest_integer(const Evidence& e) {
  double largest = 0;
  for (const double wanted : e.buffer.expected) largest = std::max(largest, std::abs(wanted));
  for (const Buffer& input : e.buffers) {
    if (input.role != Buffer::Role::input || input.type != e.buffer.type) continue;
    for (std::int64_t i = 0; i < input.elements(); ++i)
      largest = std::max(largest, std::abs(element_at(input.type, input.bytes.data(), i)));
  }
  return largest;
}

/// Whether integers are wrong as those are that went through float, which beyond 2^24 has one in 2, 4, ...
/// only: all are integers that it has, and none is off by more than some roundings of the largest leave.
bool went_through_float(const Evidence& e) {
  constexpr double kExact = 1 << 24, kRoundings = 16;
  constexpr int kLeastBits = 3;  // that are 0, of all wrong elements together
  if (is_floating(e.buffer.type) || size_of(e.buffer.type) < 4) return false;
  const double most = largest_integer(e) / kExact * kRoundings;
  int zero_bits = 0;
  return most >= kRoundings && e.most_wrong([&](std::int64_t i) {
    const double value = e.value(i);
    if (std::abs(value) >= kExact) zero_bits += std::ilogb(value) - 23;
    return fits_narrower(Type::f64, value) && std::abs(value - e.expected(i)) <= most;
  }) && zero_bits >= kLeastBits;
}

}  // namespace

std::optional<Diagnosis> other_bits(const Evidence& e) {
  const auto same_number = [&](std::int64_t i) { return acceptable(e.expected(i), e.value(i), {}); };
  if (!e.buffer.tolerance.same_bits || !e.most_wrong(same_number)) return std::nullopt;
  return Diagnosis{
      Cause::other_bits, fmt::format("'{}' has the right numbers, but not bit by bit", e.buffer.name),
      "-0 equals 0 and a NaN may carry bits, which an addition or a maximum loses. What is only to be moved "
      "takes no part in arithmetic; and of equal elements, the order may matter."};
}

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

std::optional<Diagnosis> one_sided(const Evidence& e) {
  const std::size_t wrong = e.wrong.kept.size();
  if (wrong < kManySided) return std::nullopt;
  const Sides sides = sides_of(e);
  double share = 0;
  std::int64_t counted = 0;
  for (const std::int64_t i : e.wrong.kept)
    if (std::isfinite(e.value(i)) && e.expected(i) != 0) share += e.value(i) / e.expected(i), ++counted;
  const double mean = counted > 0 ? 100 * share / static_cast<double>(counted) : 0;
  if (sides.small * 100 >= wrong * 97)
    return Diagnosis{
        Cause::too_small,
        fmt::format(
            "the wrong elements of '{}' are all too small, {:.3g} % of what they should be on average",
            e.buffer.name, mean),
        "Something is left out: the last elements or steps of a sum, the partial results of other lanes, "
        "warps "
        "or blocks, or additions that overwrote each other (a plain += where an atomic is needed)."};
  if (sides.large * 100 >= wrong * 97)
    return Diagnosis{
        Cause::too_large,
        fmt::format(
            "the wrong elements of '{}' are all too large, {:.4g} % of what they should be on average",
            e.buffer.name, mean),
        "Something is counted more than once, a sum does not begin at 0, or a step is done that should be "
        "left "
        "out for some elements."};
  return std::nullopt;
}

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
      fmt::format("the wrong elements of '{}' are {:.6g} times what they should be", e.buffer.name, factor),
      ""};
  if (factor == -1)
    diagnosis.advice = "A sign is turned around: a - b for b - a?";
  else if (std::abs(factor - std::round(factor)) < 1e-3 && std::round(factor) >= 2 && factor < 4097)
    diagnosis.advice =
        fmt::format("Something is counted {:.0f} times: do several threads add the same element?", factor);
  else if (close(1 / factor, std::round(1 / factor)) && std::round(1 / factor) >= 2 && is_telling(factor))
    diagnosis.advice =
        fmt::format("Only one part in {:.0f} is there: are elements skipped, or is a division done twice?",
                    std::round(1 / factor));
  else
    diagnosis.advice =
        "All are off by one factor: one is missing or too many, or a sum that everything is divided by or "
        "multiplied with is wrong: an element of it left out or counted twice.";
  return diagnosis;
}

std::optional<Diagnosis> row_factors(const Evidence& e) {
  const auto& shape = e.buffer.shape;
  if (shape.size() < 2 || !is_floating(e.buffer.type)) return std::nullopt;
  const std::int64_t columns = shape.back();
  if (columns < 2 || e.wrong.kept.size() < 2) return std::nullopt;
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
    if (!std::isfinite(factor) || factor <= 0 || std::abs(factor - 1) <= kPrecision) return std::nullopt;
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
  return Diagnosis{
      Cause::row_factors,
      fmt::format("each wrong row of '{}' is wrong by one factor: row {} is {:.4g} times what it should be",
                  e.buffer.name, of_row, shown),
      "One number that all of a row is divided by, or multiplied with, is wrong: its sum, its maximum, its "
      "scale. How do the parts of that come together: is one added as it is, left out, or counted twice?"};
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
      fmt::format("the wrong elements of '{}' are off by the same amount, {:.6g}", e.buffer.name, offset),
      "Something is added once too often or left out: a starting value, a carry from the block before, or an "
      "off-by-one in an index that is itself the result."};
}

std::optional<Diagnosis> wrapped_integer(const Evidence& e) {
  for (const int bits : {8, 16, 32}) {
    const double modulus = std::ldexp(1.0, bits);
    const auto wrapped = [&](std::int64_t i) {
      const double error = (e.value(i) - e.expected(i)) / modulus;
      const double rest = std::abs(error - std::round(error));
      return same_sign_and_finite(error, error) && std::abs(error) >= 0.5 &&
             (is_floating(e.buffer.type) ? rest < 1e-6 : rest * modulus < 0.5) &&
             std::abs(e.value(i)) <= modulus;
    };
    if (is_floating(e.buffer.type) && bits < 32) continue;
    if (!e.most_wrong(wrapped)) continue;
    return Diagnosis{
        Cause::wrapped_integer, fmt::format("values of '{}' wrapped around at 2^{}", e.buffer.name, bits),
        fmt::format(
            "Sums or products here outgrow {} bits. Do the arithmetic in a wider type before storing; for "
            "an index, size_t or long long.",
            bits)};
  }
  return std::nullopt;
}

std::optional<Diagnosis> narrow_type(const Evidence& e) {
  if (went_through_float(e))
    return Diagnosis{
        Cause::narrow_type,
        fmt::format("the wrong elements of '{}' are off as integers beyond 2^24 are in float", e.buffer.name),
        "A float has 24 bits: from 16777217 on it lacks some integers. Is a value or a sum kept in float on "
        "its way? Integers stay exact in an integer type that holds them."};
  if (!has_a_narrower(e.buffer.type)) return std::nullopt;
  if (!e.most_wrong([&](std::int64_t i) { return fits_narrower(e.buffer.type, e.value(i)); }))
    return std::nullopt;
  // What should stand there mostly does not fit, or this would say nothing. And it is near what stands there,
  // but for what leaves the narrow type's range and becomes infinite, or 0.
  const auto tells = [&](std::int64_t i) {
    return slightly_off(e, i) && !fits_narrower(e.buffer.type, e.expected(i));
  };
  const auto telling = std::count_if(e.wrong.kept.begin(), e.wrong.kept.end(), tells);
  if (telling * 5 < static_cast<std::ptrdiff_t>(e.wrong.kept.size()) * 4) return std::nullopt;
  const char* narrow = e.buffer.type == Type::f64 ? "float" : "half precision";
  return Diagnosis{
      Cause::narrow_type, fmt::format("'{}' is only as exact as {}", e.buffer.name, narrow),
      fmt::format("Every wrong value fits {}: somewhere on its way a value is stored or computed in it.",
                  narrow)};
}

std::optional<Diagnosis> low_precision(const Evidence& e) {
  if (!has_a_narrower(e.buffer.type) || !e.most_wrong([&](std::int64_t i) { return slightly_off(e, i); }))
    return std::nullopt;
  // Rounding errs to both sides; a step or an element that is left out, to one.
  const Sides sides = sides_of(e);
  const std::size_t wrong = e.wrong.kept.size();
  if (wrong >= kManySided && std::max(sides.small, sides.large) * 100 >= wrong * 97) return std::nullopt;
  const double worst = worst_error(e);
  Diagnosis diagnosis{
      Cause::low_precision,
      fmt::format("'{}' is nearly right, but less exact than {} should be: off by up to {:.2g} of the value",
                  e.buffer.name, name_of(e.buffer.type), worst),
      ""};
  if (worst > 0) diagnosis.headline += fmt::format(", about {:.0f} bits are right", -std::log2(worst));
  if (const char* suspect = narrow_suspect(e.buffer.type, worst))
    diagnosis.advice =
        fmt::format("That is {}: is a value stored or computed in that type on its way? Or is ", suspect);
  else
    diagnosis.advice =
        "Rounding adds up: one long chain of additions loses digits that a tree or several partial sums "
        "keep. "
        "Or is ";
  diagnosis.advice +=
      "an approximate function (__expf, rsqrtf, --use_fast_math) or a narrower type in the way?";
  return diagnosis;
}

}  // namespace ladder::diagnose
