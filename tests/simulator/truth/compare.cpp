#include "tests/simulator/truth/compare.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace sim::truth {

namespace {

using std::uint32_t;
using std::uint64_t;

double half(uint64_t h) {
  const int exponent = static_cast<int>(h >> 10 & 31), fraction = static_cast<int>(h & 1023);
  const double magnitude = exponent == 31  ? (fraction ? NAN : HUGE_VAL)
                           : exponent != 0 ? std::ldexp(1024 + fraction, exponent - 25)
                                           : std::ldexp(fraction, -24);
  return h & 0x8000 ? -magnitude : magnitude;
}

double brain(uint64_t b) { return std::bit_cast<float>(static_cast<uint32_t>(b << 16)); }

/// The numbers in a register; empty for what is no float.
std::vector<double> numbers(Kind kind, uint64_t bits) {
  switch (kind) {
    case Kind::f16:
      return {half(bits & 0xFFFF)};
    case Kind::bf16:
      return {brain(bits & 0xFFFF)};
    case Kind::f16x2:
    case Kind::whole_f16:
    case Kind::some_f16:
      return {half(bits & 0xFFFF), half(bits >> 16 & 0xFFFF)};
    case Kind::bf16x2:
    case Kind::whole_bf16:
    case Kind::some_bf16:
      return {brain(bits & 0xFFFF), brain(bits >> 16 & 0xFFFF)};
    case Kind::f32:
    case Kind::whole_f32:
    case Kind::some_f32:
      return {std::bit_cast<float>(static_cast<uint32_t>(bits))};
    case Kind::f64:
    case Kind::whole_f64:
      return {std::bit_cast<double>(bits)};
    default:
      return {};
  }
}

/// sin and cos lose accuracy with their argument: 2^-20.5
/// up to pi, 2^-14.7 up to 100 pi, then nothing is said.
double allowance(const Case& c, uint64_t operand) {
  if (c.name.compare(0, 10, "sin.approx") != 0 && c.name.compare(0, 10, "cos.approx") != 0) return c.absolute;
  const float x = std::fabs(std::bit_cast<float>(static_cast<uint32_t>(operand)));
  return x <= 3.14159274f ? c.absolute : x <= 314.159265f ? 0x1p-14 : 2;
}

bool close(const Case& c, Kind kind, uint64_t a, uint64_t b, uint64_t operand) {
  if (a == b) return true;
  if (c.relative == 0 && c.absolute == 0) return false;
  const std::vector<double> x = numbers(kind, a), y = numbers(kind, b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    if (x[i] == y[i]) continue;
    if (!(std::fabs(x[i] - y[i]) <= allowance(c, operand) + c.relative * std::fabs(y[i]))) return false;
  }
  return !x.empty();
}

std::string shown(Kind kind, uint64_t bits) {
  char text[80];
  const std::vector<double> values = numbers(kind, bits);
  if (values.empty()) {
    std::snprintf(text, sizeof text, "%#llx", static_cast<unsigned long long>(bits));
  } else if (values.size() == 1) {
    std::snprintf(text, sizeof text, "%#llx (%.9g)", static_cast<unsigned long long>(bits), values[0]);
  } else {
    std::snprintf(text, sizeof text, "%#llx (%.6g, %.6g)", static_cast<unsigned long long>(bits), values[0],
                  values[1]);
  }
  return text;
}

/// Operands of a row, for a message.
std::string operands(const Case& c, int row) {
  const std::vector<uint64_t> all = operands_of(c);
  std::string text;
  std::size_t next = static_cast<std::size_t>(row * places(c.in));
  for (std::size_t k = 0; k < c.in.size() && k < 6; ++k) {
    text += (k ? ", " : "") + shown(c.in[k], all[next]);
    next += static_cast<std::size_t>(places({c.in[k]}));
  }
  return text;
}

}  // namespace

bool chosen(const std::string& name, const std::string& wanted) {
  if (wanted.empty() || wanted.back() != '*') return name == wanted;
  return name.compare(0, wanted.size() - 1, wanted, 0, wanted.size() - 1) == 0;
}

std::string difference(const Case& c, const std::vector<uint64_t>& got, const std::string& want) {
  const std::vector<uint64_t> all = operands_of(c);
  std::size_t at = 0, next = 0;
  int wrong = 0, total = 0;
  std::string first;
  for (int row = 0; row < c.rows; ++row) {
    for (std::size_t k = 0; k < c.out.size(); ++k) {
      for (int left = bytes_of(c.out[k]); left > 0; left -= 8) {
        const std::size_t bytes = static_cast<std::size_t>(left < 8 ? left : 8);
        if (at + bytes > want.size()) return "recorded with other operands: record again";
        uint64_t expected = 0, actual = got[next++];
        std::memcpy(&expected, want.data() + at, bytes);
        at += bytes;
        if (bytes < 8) actual &= (uint64_t{1} << 8 * bytes) - 1;
        ++total;
        if (close(c, c.out[k], actual, expected, all[static_cast<std::size_t>(row * places(c.in))])) continue;
        if (++wrong == 1) {
          first = "row " + std::to_string(row) + " result " + std::to_string(k) + ": " +
                  shown(c.out[k], actual) + ", on the GPU " + shown(c.out[k], expected) + ", of " +
                  operands(c, row);
        }
      }
    }
  }
  if (at != want.size()) return "recorded with other operands: record again";
  return wrong == 0 ? "" : first + "; " + std::to_string(wrong) + " of " + std::to_string(total) + " differ";
}

}  // namespace sim::truth
