// Logic, shifts, permutations, comparisons and selection against the host's.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/instructions/form_support.h"

using namespace sim::test;
using namespace sim::exec;

TEMPLATE_TEST_CASE("bitwise logic and clamped shifts", "", u16, u32, u64) {
  using T = TestType;
  using S = std::make_signed_t<T>;
  constexpr u32 kBits = 8 * sizeof(T);
  const std::string b = ".b" + std::to_string(kBits), s = ".s" + std::to_string(kBits),
                    u = ".u" + std::to_string(kBits);
  CHECK(differs2<T, T, T>("and" + b, [](T x, T y) { return T(x & y); }) == "");
  CHECK(differs2<T, T, T>("or" + b, [](T x, T y) { return T(x | y); }) == "");
  CHECK(differs2<T, T, T>("xor" + b, [](T x, T y) { return T(x ^ y); }) == "");
  CHECK(differs<T, T>("not" + b, [](T x) { return T(~x); }) == "");
  CHECK(differs<T, T>("cnot" + b, [](T x) { return T(!x); }) == "");
  CHECK(differs2<T, T, u32>("shl" + b, [](T x, u32 n) { return n >= kBits ? T(0) : T(x << n); }) == "");
  CHECK(differs2<T, T, u32>("shr" + u, [](T x, u32 n) { return n >= kBits ? T(0) : T(x >> n); }) == "");
  CHECK(differs2<S, S, u32>("shr" + s,
                            [](S x, u32 n) { return n >= kBits ? S(x < 0 ? -1 : 0) : S(x >> n); }) == "");
}

TEST_CASE("funnel shifts take 32 of 64 bits") {
  const auto join = [](u32 lo, u32 hi) { return u64(hi) << 32 | lo; };
  CHECK(differs3<u32, u32, u32, u32>(
            "shf.l.wrap.b32", [&](u32 a, u32 b, u32 n) { return u32(join(a, b) << (n & 31) >> 32); }) == "");
  CHECK(differs3<u32, u32, u32, u32>("shf.r.wrap.b32",
                                     [&](u32 a, u32 b, u32 n) { return u32(join(a, b) >> (n & 31)); }) == "");
  CHECK(differs3<u32, u32, u32, u32>("shf.l.clamp.b32", [&](u32 a, u32 b, u32 n) {
          return n >= 32 ? a : u32(join(a, b) << n >> 32);
        }) == "");
  CHECK(differs3<u32, u32, u32, u32>("shf.r.clamp.b32", [&](u32 a, u32 b, u32 n) {
          return n >= 32 ? b : u32(join(a, b) >> n);
        }) == "");
}

TEST_CASE("lop3 computes any function of three bits") {
  const auto a = edge_values<u32>();
  std::vector<u32> b(a.rbegin(), a.rend()), c;
  for (std::size_t i = 0; i < a.size(); ++i) c.push_back(a[(i * 11 + 4) % a.size()]);
  for (u32 table = 0; table < 256; table += 5) {
    const auto got = evaluate<u32>("lop3.b32", ", " + std::to_string(table), a, b, c);
    for (std::size_t i = 0; i < a.size(); ++i) {
      u32 want = 0;
      for (int bit = 0; bit < 32; ++bit) {
        const u32 index = (a[i] >> bit & 1) << 2 | (b[i] >> bit & 1) << 1 | (c[i] >> bit & 1);
        want |= (table >> index & 1) << bit;
      }
      REQUIRE(got[i] == want);
    }
  }
}

TEST_CASE("prmt picks bytes and replicates signs") {
  CHECK(differs3<u32, u32, u32, u32>("prmt.b32", [](u32 a, u32 b, u32 c) {
          u32 want = 0;
          for (int i = 0; i < 4; ++i) {
            const u32 pick = c >> 4 * i & 15;
            u8 byte = u8((pick & 4 ? b : a) >> 8 * (pick & 3));
            if (pick & 8) byte = byte & 0x80 ? 0xFF : 0;
            want |= u32(byte) << 8 * i;
          }
          return want;
        }) == "");
}

namespace {

/// 1 where the predicate of a setp holds, read through selp.
template <class T>
std::vector<u32> compared(const std::string& setp, const std::vector<T>& a, const std::vector<T>& b) {
  // setp writes a predicate: the block's own register keeps the text a single "instruction".
  return evaluate<u32>(
      "{ .reg .pred %c; " + setp + " %c, %a0, %a1; selp.u32 %d, 1, 0, %c; } mov.b32 %n, %n; //", "\n;", a, b);
}

template <class T, class F>
void check_compare(const std::string& name, F truth) {
  const auto [a, b] = all_pairs(edge_values<T>(), edge_values<T>());
  const auto got = compared("setp." + name + "." + ptx_name<T>(), a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(name << " " << ptx_name<T>() << " " << a[i] << " " << b[i]);
    REQUIRE(got[i] == u32(truth(a[i], b[i])));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("setp compares integers and floats", "", u16, u32, u64, s16, s32, s64, float, double) {
  using T = TestType;
  check_compare<T>("eq", [](T a, T b) { return a == b; });
  check_compare<T>("ne", [](T a, T b) { return a < b || a > b; });
  check_compare<T>("lt", [](T a, T b) { return a < b; });
  check_compare<T>("le", [](T a, T b) { return a <= b; });
  check_compare<T>("gt", [](T a, T b) { return a > b; });
  check_compare<T>("ge", [](T a, T b) { return a >= b; });
  if constexpr (std::is_floating_point_v<T>) {
    const auto unordered = [](T a, T b) { return a != a || b != b; };
    check_compare<T>("equ", [&](T a, T b) { return a == b || unordered(a, b); });
    check_compare<T>("neu", [&](T a, T b) { return !(a == b); });
    check_compare<T>("ltu", [&](T a, T b) { return a < b || unordered(a, b); });
    check_compare<T>("leu", [&](T a, T b) { return a <= b || unordered(a, b); });
    check_compare<T>("gtu", [&](T a, T b) { return a > b || unordered(a, b); });
    check_compare<T>("geu", [&](T a, T b) { return a >= b || unordered(a, b); });
    check_compare<T>("num", [&](T a, T b) { return !unordered(a, b); });
    check_compare<T>("nan", unordered);
  }
}

TEST_CASE("setp combines with a predicate and writes the complement beside it") {
  const std::string text = R"({ .reg .pred %c, %x, %y; setp.gt.u32 %c, %a0, 7;
    setp.lt.and.s32 %x|%y, %a0, %a1, !%c; selp.u32 %d, 1, 0, %x; @%y add.u32 %d, %d, 2; } //)";
  const auto [a, b] = all_pairs(edge_values<s32>(), edge_values<s32>());
  const auto got = evaluate<u32>(text, "\n;", a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool c = !(u32(a[i]) > 7), less = a[i] < b[i];
    REQUIRE(got[i] == u32(less && c) + 2 * u32(!less && c));
  }
}

TEST_CASE("set writes all ones or one") {
  CHECK(differs2<u32, s32, s32>("set.lt.u32.s32", [](s32 a, s32 b) { return a < b ? ~u32{0} : 0; }) == "");
  CHECK(differs2<float, float, float>("set.geu.f32.f32",
                                      [](float a, float b) { return !(a < b) ? 1.0f : 0.0f; }) == "");
  CHECK(differs3<u32, u32, u32, s32>("slct.u32.s32", [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; }) ==
        "");
}
