#include "grader/judge/cases/compare.h"

#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "grader/worker/guard.h"

using namespace ladder;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Mismatches compared(const std::vector<double>& expected, const std::vector<float>& got,
                    Tolerance tolerance = {}, int poison = 0xFF) {
  Buffer buffer;
  buffer.name = "out";
  buffer.role = Buffer::Role::output;
  buffer.shape = {static_cast<std::int64_t>(expected.size())};
  buffer.expected = expected;
  buffer.tolerance = tolerance;
  return compare(buffer, std::as_bytes(std::span(got)), poison);
}

}  // namespace

TEST_CASE("NaN is right only where NaN is expected") {
  CHECK_FALSE(acceptable(1, kNan, {.absolute = 1e300, .relative = 1e300}));
  CHECK(acceptable(kNan, kNan, {}));
  CHECK_FALSE(acceptable(kNan, 1, {.absolute = kInfinity}));
}

TEST_CASE("of a copy, the sign of a zero and what a NaN carries count") {
  CHECK(acceptable(0.0, -0.0, {}));
  CHECK_FALSE(acceptable(0.0, -0.0, kSameBits));
  CHECK(acceptable(-0.0, -0.0, kSameBits));
  CHECK_FALSE(acceptable(1, std::nextafter(1, 2), kSameBits));
  const float carrying = std::bit_cast<float>(0x7fc12345u), other = std::bit_cast<float>(0x7fffffffu);
  CHECK(compared({double{carrying}}, {carrying}, kSameBits).count == 0);
  CHECK(compared({double{carrying}}, {other}, kSameBits).count == 1);
  CHECK(compared({double{carrying}}, {other}).count == 0);
}

TEST_CASE("an infinity is right only where the same infinity is expected") {
  CHECK(acceptable(kInfinity, kInfinity, {}));
  CHECK_FALSE(acceptable(kInfinity, -kInfinity, {.absolute = 1, .relative = 1}));
  CHECK_FALSE(acceptable(kInfinity, 1e30, {.absolute = 1, .relative = 1}));
  CHECK_FALSE(acceptable(1, kInfinity, {.absolute = 1, .relative = 1}));
}

TEST_CASE("the tolerance is absolute plus relative, and includes its end") {
  CHECK(acceptable(100, 101, {.absolute = 0.5, .relative = 0.005}));
  CHECK_FALSE(acceptable(100, 101.001, {.absolute = 0.5, .relative = 0.005}));
  CHECK(acceptable(-100, -101, {.absolute = 0.5, .relative = 0.005}));
  CHECK_FALSE(acceptable(0, 1e-30, {.relative = 1}));
}

TEST_CASE("every element is compared, and what is wrong is counted by kind") {
  std::vector<double> expected(300'001, 1.0);
  std::vector<float> got(expected.size(), 1.0F);
  got[7] = 0;
  got[200'000] = kNan;
  std::memset(&got[300'000], 0xFF, sizeof(float));
  const Mismatches wrong = compared(expected, got);
  CHECK(wrong.count == 3);
  CHECK(wrong.first == 7);
  CHECK(wrong.last == 300'000);
  CHECK(wrong.zeros == 1);
  CHECK(wrong.nans == 1);
  CHECK(wrong.poisoned == 1);
  CHECK(wrong.kept == std::vector<std::int64_t>{7, 200'000, 300'000});
}

TEST_CASE("an empty array has nothing wrong") { CHECK(compared({}, {}).count == 0); }

TEST_CASE("a reference that gives no expected values is the lesson's fault") {
  Buffer buffer;
  buffer.shape = {2};
  const float got[2] = {};
  CHECK_THROWS_AS(compare(buffer, std::as_bytes(std::span(got)), -1), std::logic_error);
}

TEST_CASE("damage to a guard band is found to the byte") {
  const auto pattern = guard_pattern(42, 4096);
  auto band = pattern;
  CHECK_FALSE(first_damage(band, pattern).has_value());
  band[4095] = std::byte{0};
  CHECK(first_damage(band, pattern) == 4095);
  CHECK(guard_pattern(42, 64) != guard_pattern(43, 64));
}
