// Patterns of values that their type, or one on their way, does not hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/judge/diagnose/evidence.h"
#include "grader/judge/diagnose/values/sides.h"
#include "language/catalogue.h"

namespace ladder::diagnose {
namespace {

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

/// Whether a wrong value is off by more than rounding leaves even where large numbers cancel.
bool some_far_off(const Evidence& e) {
  double largest = 0, error = 0;
  for (const std::int64_t i : e.wrong.kept) {
    if (!std::isfinite(e.value(i)) || !std::isfinite(e.expected(i))) return true;
    largest = std::max(largest, std::abs(e.expected(i)));
    error = std::max(error, std::abs(e.value(i) - e.expected(i)));
  }
  return error > (e.buffer.type == Type::f64 ? 1e-4 : 0.1) * largest;
}

/// Whether what should stand in a double and what does are integers that it holds exactly: rounding leads
/// from none to another. (In a float it may, on the way through half precision.)
bool both_exact_integers(const Evidence& e, std::int64_t i) {
  return e.buffer.type == Type::f64 && std::abs(e.expected(i)) < 0x1p53 &&
         e.expected(i) == std::round(e.expected(i)) && e.value(i) == std::round(e.value(i));
}

/// The largest error of a wrong element, as a part of what it should be.
double worst_error(const Evidence& e) {
  double worst = 0;
  for (const std::int64_t i : e.wrong.kept)
    if (std::isfinite(e.value(i)) && e.expected(i) != 0)
      worst = std::max(worst, std::abs(e.value(i) / e.expected(i) - 1));
  return worst;
}

/// What has about so many bits, and may stand in the way of more.
const char* narrow_suspect(Type type, double error) {
  const double bits = -std::log2(error);
  if (type == Type::f64) return bits > 20 && bits < 25 ? tr("about as many as float has (24)") : nullptr;
  return bits > 9.5 && bits < 12.5 ? tr("about as many as half precision has (11)")
         : bits > 7 && bits <= 9.5 ? tr("about as many as bfloat16 has (8)")
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
  return Diagnosis{Cause::other_bits, tr("'{}' has the right numbers, but not bit by bit", e.buffer.name),
                   tr("-0 equals 0 and a NaN may carry bits, which an addition or a maximum loses. What is "
                      "only to be moved "
                      "takes no part in arithmetic; and of equal elements, the order may matter.")};
}

std::optional<Diagnosis> wrapped_integer(const Evidence& e) {
  for (const int bits : {8, 16, 32}) {
    const double modulus = std::ldexp(1.0, bits);
    const auto wrapped = [&](std::int64_t i) {
      const double error = (e.value(i) - e.expected(i)) / modulus;
      const double rest = std::abs(error - std::round(error));
      // Of floats, those that hold what was counted in integers.
      const bool counted = !is_floating(e.buffer.type) ||
                           (e.value(i) == std::round(e.value(i)) && std::abs(e.expected(i)) >= modulus / 2);
      return counted && std::isfinite(error) && std::abs(error) >= 0.5 &&
             (is_floating(e.buffer.type) ? rest < 1e-6 : rest * modulus < 0.5) &&
             std::abs(e.value(i)) <= modulus;
    };
    if (is_floating(e.buffer.type) && bits < 32) continue;
    if (!e.most_wrong(wrapped)) continue;
    return Diagnosis{
        Cause::wrapped_integer, tr("values of '{}' wrapped around at 2^{}", e.buffer.name, bits),
        tr("Sums or products here outgrow {} bits. Do the arithmetic in a wider type before storing; for "
           "an index, size_t or long long.",
           bits)};
  }
  return std::nullopt;
}

std::optional<Diagnosis> narrow_type(const Evidence& e) {
  if (went_through_float(e))
    return Diagnosis{
        Cause::narrow_type,
        tr("the wrong elements of '{}' are off as integers beyond 2^24 are in float", e.buffer.name),
        tr("A float has 24 bits: from 16777217 on it lacks some integers. Is a value or a sum kept in float "
           "on "
           "its way? Integers stay exact in an integer type that holds them.")};
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
  const char* narrow = e.buffer.type == Type::f64 ? tr("float") : tr("half precision");
  return Diagnosis{
      Cause::narrow_type, tr("'{}' is only as exact as {}", e.buffer.name, narrow),
      tr("Every wrong value fits {}: somewhere on its way a value is stored or computed in it.", narrow)};
}

std::optional<Diagnosis> low_precision(const Evidence& e) {
  if (!has_a_narrower(e.buffer.type) || !e.most_wrong([&](std::int64_t i) { return slightly_off(e, i); }))
    return std::nullopt;
  if (some_far_off(e) || e.most_wrong([&](std::int64_t i) { return both_exact_integers(e, i); }))
    return std::nullopt;
  // Rounding errs to both sides; a step or an element that is left out, to one.
  const Sides sides = sides_of(e);
  const std::size_t wrong = e.wrong.kept.size();
  if (wrong >= kManySided && std::max(sides.small, sides.large) * 100 >= wrong * 97) return std::nullopt;
  const double worst = worst_error(e);
  Diagnosis diagnosis{
      Cause::low_precision,
      tr("'{}' is nearly right, but less exact than {} should be: off by up to {:.2g} of the value",
         e.buffer.name, name_of(e.buffer.type), worst),
      ""};
  if (worst > 0) diagnosis.headline += tr(", about {:.0f} bits are right", -std::log2(worst));
  if (const char* suspect = narrow_suspect(e.buffer.type, worst))
    diagnosis.advice =
        tr("That is {}: is a value stored or computed in that type on its way? Or is ", suspect);
  else
    diagnosis.advice =
        tr("Rounding adds up: one long chain of additions loses digits that a tree or several partial sums "
           "keep. "
           "Or is ");
  diagnosis.advice +=
      tr("an approximate function (__expf, rsqrtf, --use_fast_math) or a narrower type in the way?");
  return diagnosis;
}

}  // namespace ladder::diagnose
