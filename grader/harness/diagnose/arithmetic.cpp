// Patterns of values that are wrong by a rule of arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/harness/diagnose/evidence.h"

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
  const double coarse = e.buffer.type == Type::f64 ? 1e-5 : 2e-2;  // worse than this is no rounding
  return std::isfinite(e.value(i)) &&
         std::abs(e.value(i) - e.expected(i)) <= coarse * std::abs(e.expected(i));
}

}  // namespace

std::optional<Diagnosis> all_zero(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return e.value(i) == 0; })) return std::nullopt;
  const bool all = e.wrong.count == e.size();
  if (e.size() == 1)
    return Diagnosis{fmt::format("'{}' is 0", e.buffer.name),
                     "Is anything added to it? A result kept in a local variable or in shared memory must be "
                     "stored, too."};
  if (!all) return std::nullopt;
  return Diagnosis{fmt::format("every element of '{}' is 0", e.buffer.name),
                   "Zero is stored: does the value come from memory that was only cleared, or from a "
                   "temporary that another "
                   "kernel should have filled?"};
}

std::optional<Diagnosis> all_nan(const Evidence& e) {
  if (!e.most_wrong([&](std::int64_t i) { return std::isnan(e.value(i)); })) return std::nullopt;
  std::string which = fmt::format("{} of {} elements of '{}'", e.wrong.count, e.size(), e.buffer.name);
  if (e.wrong.count == e.size())
    which = fmt::format("every element of '{}'", e.buffer.name);
  else if (e.contiguous())
    which = fmt::format("{} of '{}'", range_in_words(e.buffer, e.wrong.first, e.wrong.last), e.buffer.name);
  return Diagnosis{
      which + (e.wrong.count == 1 || e.wrong.count == e.size() ? " is NaN" : " are NaN"),
      "Not a number comes from 0/0, 0 times infinity, infinity minus infinity, the root of a negative "
      "number, or from arithmetic on memory that was never written: uninitialised shared memory, or the "
      "output's old contents."};
}

std::optional<Diagnosis> constant_factor(const Evidence& e) {
  if (e.wrong.kept.empty() || e.expected(e.wrong.first) == 0) return std::nullopt;
  const double factor = e.value(e.wrong.first) / e.expected(e.wrong.first);
  if (!std::isfinite(factor) || factor == 0 || close(factor, 1)) return std::nullopt;
  // One value alone is any factor of any other: only a simple one means something.
  const bool simple = close(factor, std::round(factor)) || close(1 / factor, std::round(1 / factor));
  if (e.wrong.count < 2 && (!simple || std::abs(factor) > 64 || std::abs(factor) < 1.0 / 64))
    return std::nullopt;
  if (!e.most_wrong(
          [&](std::int64_t i) { return close(e.value(i), factor * e.expected(i)) && e.expected(i) != 0; }))
    return std::nullopt;
  Diagnosis diagnosis{
      fmt::format("the wrong elements of '{}' are {:.6g} times what they should be", e.buffer.name, factor),
      ""};
  if (factor == -1)
    diagnosis.advice = "A sign is turned around: a - b for b - a?";
  else if (std::abs(factor - std::round(factor)) < 1e-3 && std::round(factor) >= 2)
    diagnosis.advice =
        fmt::format("Something is counted {:.0f} times: do several threads add the same element?", factor);
  else if (close(1 / factor, std::round(1 / factor)) && std::round(1 / factor) >= 2)
    diagnosis.advice =
        fmt::format("Only one part in {:.0f} is there: are elements skipped, or is a division done twice?",
                    std::round(1 / factor));
  else
    diagnosis.advice = "A factor is missing, or there is one too many.";
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
  return Diagnosis{
      fmt::format("the wrong elements of '{}' are off by the same amount, {:.6g}", e.buffer.name, offset),
      "Something is added once too often or left out: a starting value, a carry from the block before, or an "
      "off-by-one in an index that is itself the result."};
}

std::optional<Diagnosis> wrapped_integer(const Evidence& e) {
  for (const int bits : {8, 16, 32}) {
    const double modulus = std::ldexp(1.0, bits);
    const auto wrapped = [&](std::int64_t i) {
      const double error = (e.value(i) - e.expected(i)) / modulus;
      return same_sign_and_finite(error, error) && std::abs(error) >= 0.5 &&
             std::abs(error - std::round(error)) < 1e-6 && std::abs(e.value(i)) <= modulus;
    };
    if (is_floating(e.buffer.type) && bits < 32) continue;
    if (!e.most_wrong(wrapped)) continue;
    return Diagnosis{
        fmt::format("values of '{}' wrapped around at 2^{}", e.buffer.name, bits),
        fmt::format(
            "Sums or products here outgrow {} bits. Do the arithmetic in a wider type before storing; for "
            "an index, size_t or long long.",
            bits)};
  }
  return std::nullopt;
}

std::optional<Diagnosis> narrow_type(const Evidence& e) {
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
      fmt::format("'{}' is only as exact as {}", e.buffer.name, narrow),
      fmt::format("Every wrong value fits {}: somewhere on its way a value is stored or computed in it.",
                  narrow)};
}

std::optional<Diagnosis> low_precision(const Evidence& e) {
  if (!has_a_narrower(e.buffer.type) || !e.most_wrong([&](std::int64_t i) { return slightly_off(e, i); }))
    return std::nullopt;
  return Diagnosis{fmt::format("'{}' is nearly right, but less exact than {} should be", e.buffer.name,
                               name_of(e.buffer.type)),
                   "Rounding adds up: one long chain of additions loses digits that a tree or several "
                   "partial sums keep. Or is an "
                   "approximate function (__expf, rsqrtf, --use_fast_math) or a narrower type in the way?"};
}

}  // namespace ladder::diagnose
