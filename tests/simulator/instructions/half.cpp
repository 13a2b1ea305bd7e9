// Conversions and comparisons of 16-bit floats, against values worked out by search among all of them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "simulator/instructions/convert/half.h"
#include "tests/simulator/instructions/form_support.h"

using namespace sim::test;
using namespace sim::exec;

namespace {

/// All finite values of a format in ascending order, by their bits.
template <class H>
const std::vector<std::pair<double, u16>>& ladder() {
  static const auto values = [] {
    std::vector<std::pair<double, u16>> all;
    for (u32 i = 0; i < 65536; ++i) {
      const double v = widened(H{u16(i)});
      if (std::isfinite(v) && i != 0x8000) all.emplace_back(v, u16(i));
    }
    std::sort(all.begin(), all.end());
    return all;
  }();
  return values;
}

/// The neighbour of v that the mode asks for.
template <class H>
u16 rounded(double v, const std::string& mode) {
  const auto& all = ladder<H>();
  const double greatest = all.back().first;
  const u16 infinity = std::is_same_v<H, f16> ? 0x7C00 : 0x7F80, sign = std::signbit(v) ? 0x8000 : 0;
  if (v != v) return 0x7FFF;
  if (v == 0) return sign;
  const auto above = std::lower_bound(all.begin(), all.end(), std::pair<double, u16>(v, 0));
  if (above != all.end() && above->first == v) return above->second;
  const bool away_from_zero = mode == "rp" ? v > 0 : mode == "rm" ? v < 0 : false;
  if (std::fabs(v) > greatest) {
    if (std::isinf(v)) return u16(sign | infinity);
    const double limit = greatest + (greatest - all[all.size() - 2].first) / 2;
    const bool overflows = mode == "rn" ? std::fabs(v) >= limit : away_from_zero;
    return u16(sign | (overflows ? infinity : infinity - 1));
  }
  const auto below = above - 1;
  const auto signed_zero = [&](u16 bits) { return bits == 0 ? sign : bits; };
  if (mode == "rp") return signed_zero(above->second);
  if (mode == "rm") return signed_zero(below->second);
  if (mode == "rz") return signed_zero(v > 0 ? below->second : above->second);
  const double middle = (above->first + below->first) / 2;
  if (v == middle) return signed_zero(above->second & 1 ? below->second : above->second);
  return signed_zero(v > middle ? above->second : below->second);
}

std::vector<float> many_floats() {
  std::vector<float> v = edge_values<float>();
  for (u32 i = 0; i < 3000; ++i) v.push_back(std::bit_cast<float>(i * 2654435761u));
  for (int e = -30; e < 20; ++e)
    for (double m :
         {1.0, 1.00048828125, 1.00146484375, 1.5, 1.99951171875, 1.999755859375, 1.00390625, 1.01171875}) {
      v.push_back(float(std::ldexp(m, e)));
      v.push_back(float(-std::ldexp(m, e)));
    }
  std::erase_if(v, [](float x) { return x != x; });
  return v;
}

template <class H>
void check_narrowing(const std::string& type) {
  const auto v = many_floats();
  for (const char* mode : {"rn", "rz", "rm", "rp"}) {
    const auto got = evaluate<u16>("cvt." + std::string(mode) + "." + type + ".f32", "", v);
    for (std::size_t i = 0; i < v.size(); ++i) {
      INFO(mode << " " << type << " " << v[i]);
      REQUIRE(got[i] == rounded<H>(v[i], mode));
    }
  }
  std::vector<double> w(v.begin(), v.end());
  for (double& x : w) x *= 1 + 1e-12;  // just beyond what f32 holds: a second rounding would show
  const auto got = evaluate<u16>("cvt.rn." + type + ".f64", "", w);
  for (std::size_t i = 0; i < w.size(); ++i) REQUIRE(got[i] == rounded<H>(w[i], "rn"));
}

}  // namespace

TEST_CASE("numbers become f16 and bf16 in every rounding mode") {
  check_narrowing<f16>("f16");
  check_narrowing<bf16>("bf16");
}

TEST_CASE("integers become f16 and bf16 and come back") {
  const auto v = edge_values<s64>();
  const auto half = evaluate<u16>("cvt.rn.f16.s64", "", v), brain = evaluate<u16>("cvt.rz.bf16.s64", "", v);
  for (std::size_t i = 0; i < v.size(); ++i) {
    INFO(v[i]);
    CHECK(half[i] == rounded<f16>(double(v[i]), "rn"));
    // A 64-bit integer may round up on its way to double: cut its lowest bits, which bf16 does not see.
    const double cut = std::fabs(double(v[i])) < 0x1p50 ? double(v[i]) : double(v[i] / 4096) * 4096;
    CHECK(brain[i] == rounded<bf16>(cut, "rz"));
  }
  std::vector<u16> all;
  for (u32 i = 0; i < 65536; i += 7) all.push_back(u16(i));
  const auto whole = evaluate<s32>("cvt.rzi.s32.f16", "", all);
  const auto floor = evaluate<u16>("cvt.rmi.f16.f16", "", all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double value = widened(f16{all[i]});
    INFO(value);
    CHECK(whole[i] == (value != value      ? 0
                       : std::isinf(value) ? (value > 0 ? INT32_MAX : INT32_MIN)
                                           : s32(value)));
    if (value == value) CHECK(floor[i] == u32(to_f16(float(std::floor(value)))));
  }
}

TEST_CASE("two floats are packed into a pair, the first on top") {
  const auto v = many_floats();
  const std::vector<float> w(v.rbegin(), v.rend());
  const auto halves = evaluate<u32>("cvt.rn.f16x2.f32", "", v, w),
             relu = evaluate<u32>("cvt.rn.relu.bf16x2.f32", "", v, w);
  for (std::size_t i = 0; i < v.size(); ++i) {
    REQUIRE(halves[i] == (u32(rounded<f16>(v[i], "rn")) << 16 | rounded<f16>(w[i], "rn")));
    const auto positive = [](float x) { return rounded<bf16>(x <= 0 ? 0.0 : x, "rn"); };
    REQUIRE(relu[i] == (u32(positive(v[i])) << 16 | positive(w[i])));
  }
}

TEST_CASE("halves are compared as the numbers they are") {
  std::vector<u32> a, b;
  for (u32 i = 0; i < 2000; ++i) {
    a.push_back(i * 2654435761u);
    b.push_back(i % 5 ? i * 40503u * 65537u + 77 : a.back());
  }
  const auto set = evaluate<u32>("set.lt.f16x2.f16x2", "", a, b),
             mask = evaluate<u32>("set.neu.u32.bf16x2", "", a, b);
  const auto setp = evaluate<u32>(
      "{ .reg .pred %x, %y; setp.ge.f16x2 %x|%y, %a0, %a1; selp.u32 %d, 1, 0, %x; @%y add.u32 %d, %d, 2; } "
      "//",
      "\n;", a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto half = [&](u32 v, int k) { return widened(f16{u16(v >> 16 * k)}); };
    const auto brain = [&](u32 v, int k) { return widened(bf16{u16(v >> 16 * k)}); };
    u32 want_set = 0, want_mask = 0, want_setp = 0;
    for (int k = 0; k < 2; ++k) {
      want_set |= half(a[i], k) < half(b[i], k) ? 0x3C00u << 16 * k : 0;
      want_mask |= brain(a[i], k) == brain(b[i], k) ? 0 : 0xFFFFu << 16 * k;
      want_setp |= half(a[i], k) >= half(b[i], k) ? 1u << k : 0;
    }
    REQUIRE(set[i] == want_set);
    REQUIRE(mask[i] == want_mask);
    REQUIRE(setp[i] == want_setp);
  }
}

TEST_CASE("minima, signs and saturation of halves") {
  std::vector<u32> a, b;
  for (u32 i = 0; i < 2000; ++i) {
    a.push_back(i * 2654435761u);
    b.push_back(i * 40503u * 65537u + 77);
  }
  const auto least = evaluate<u32>("min.f16x2", "", a, b), negative = evaluate<u32>("neg.bf16x2", "", a);
  const auto clamped = evaluate<u32>("add.sat.f16x2", "", a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    u32 turned = a[i] ^ 0x80008000u;  // a NaN becomes the canonical one
    for (int k = 0; k < 2; ++k)
      if (widened(bf16{u16(a[i] >> 16 * k)}) != widened(bf16{u16(a[i] >> 16 * k)}))
        turned = (turned & ~(0xFFFFu << 16 * k)) | 0x7FFFu << 16 * k;
    CHECK(negative[i] == turned);
    for (int k = 0; k < 2; ++k) {
      const float x = widened(f16{u16(a[i] >> 16 * k)}), y = widened(f16{u16(b[i] >> 16 * k)});
      const u16 got = u16(least[i] >> 16 * k);
      const float want = x != x ? y : y != y ? x : std::min(x, y);
      if (want != want)
        CHECK(got == 0x7FFF);
      else if (x != y)
        CHECK(widened(f16{got}) == want);
      const float sum = widened(f16{u16(clamped[i] >> 16 * k)});
      CHECK(sum >= 0);
      CHECK(sum <= 1);
      if (x + y > 0 && x + y < 1) CHECK(std::fabs(sum - (x + y)) <= 0x1p-12);
    }
  }
}

TEST_CASE("tf32 keeps ten bits of the fraction, ties away from zero") {
  const auto got = evaluate<u32>("cvt.rna.tf32.f32", "",
                                 std::vector<float>{1.0f, 1.00048828125f, 1.000244140625f, -1.00048828125f});
  CHECK(got[0] == 0x3F800000u);
  CHECK(got[1] == 0x3F802000u);
  CHECK(got[2] == 0x3F800000u);
  CHECK(got[3] == 0xBF802000u);
}
