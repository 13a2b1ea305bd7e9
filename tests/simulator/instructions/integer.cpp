// Integer instructions against the host's arithmetic, on all pairs of edge values.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/instructions/form_support.h"

using namespace sim::test;
using namespace sim::exec;

namespace {

template <class T>
using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
template <class T>
using Double = std::conditional_t<std::is_signed_v<T>, std::conditional_t<sizeof(T) == 2, s32, s64>,
                                  std::conditional_t<sizeof(T) == 2, u32, u64>>;

std::string name(const char* opcode, const char* type) { return std::string(opcode) + "." + type; }

}  // namespace

TEMPLATE_TEST_CASE("integer arithmetic wraps and divides as the host does", "", u16, u32, u64, s16, s32,
                   s64) {
  using T = TestType;
  const char* type = ptx_name<T>();
  const auto check = [&](const char* opcode, auto truth) {
    CHECK(differs2<T, T, T>(name(opcode, type), truth) == "");
  };
  check("add", [](T a, T b) { return T(Wide<T>(a) + b); });
  check("sub", [](T a, T b) { return T(Wide<T>(a) - b); });
  check("mul.lo", [](T a, T b) { return T((unsigned __int128)(a) * (unsigned __int128)(b)); });
  check("mul.hi", [](T a, T b) { return T(Wide<T>(a) * Wide<T>(b) >> 8 * sizeof(T)); });
  check("min", [](T a, T b) { return std::min(a, b); });
  check("max", [](T a, T b) { return std::max(a, b); });
  check("div", [](T a, T b) { return b == 0 ? T(-1) : T(Wide<T>(a) / b); });
  check("rem", [](T a, T b) { return b == 0 ? T(-1) : T(Wide<T>(a) % b); });
  CHECK(differs3<T, T, T, T>(name("mad.lo", type), [](T a, T b, T c) {
          return T((unsigned __int128)(a) * (unsigned __int128)(b) + (unsigned __int128)(c));
        }) == "");
  CHECK(differs3<T, T, T, T>(name("mad.hi", type), [](T a, T b, T c) {
          return T(Wide<T>(T(Wide<T>(a) * Wide<T>(b) >> 8 * sizeof(T))) + c);
        }) == "");
  CHECK(differs3<T, T, T, T>(name("sad", type), [](T a, T b, T c) {
          return T(Wide<T>(c) + (a < b ? Wide<T>(b) - a : Wide<T>(a) - b));
        }) == "");
  if constexpr (std::is_signed_v<T>) {
    CHECK(differs<T, T>(name("neg", type), [](T a) { return T(-Wide<T>(a)); }) == "");
    CHECK(differs<T, T>(name("abs", type), [](T a) { return T(a < 0 ? -Wide<T>(a) : Wide<T>(a)); }) == "");
  }
}

TEMPLATE_TEST_CASE("widening products keep all bits", "", u16, u32, s16, s32) {
  using T = TestType;
  using D = Double<T>;
  CHECK(differs2<D, T, T>(name("mul.wide", ptx_name<T>()), [](T a, T b) { return D(D(a) * D(b)); }) == "");
  CHECK(differs3<D, T, T, D>(name("mad.wide", ptx_name<T>()), [](T a, T b, D c) {
          return D((unsigned __int128)(Wide<T>(a) * b) + (unsigned __int128)(c));
        }) == "");
}

TEST_CASE("saturating integer addition stops at the ends") {
  const auto clamp = [](s64 v) { return s32(std::min<s64>(std::max<s64>(v, INT32_MIN), INT32_MAX)); };
  CHECK(differs2<s32, s32, s32>("add.sat.s32", [&](s32 a, s32 b) { return clamp(s64(a) + b); }) == "");
  CHECK(differs2<s32, s32, s32>("sub.sat.s32", [&](s32 a, s32 b) { return clamp(s64(a) - b); }) == "");
}

TEMPLATE_TEST_CASE("bits are counted, found and reversed", "", u32, u64) {
  using T = TestType;
  using S = std::make_signed_t<T>;
  const std::string b = ".b" + std::to_string(8 * sizeof(T));
  constexpr int kBits = 8 * sizeof(T);
  CHECK(differs<u32, T>("popc" + b, [](T a) { return u32(std::popcount(a)); }) == "");
  CHECK(differs<u32, T>("clz" + b, [](T a) { return u32(std::countl_zero(a)); }) == "");
  CHECK(differs<T, T>("brev" + b, [](T a) {
          T r = 0;
          for (int i = 0; i < kBits; ++i) r |= (a >> i & 1) << (kBits - 1 - i);
          return r;
        }) == "");
  const auto highest = [](T a) {
    for (int i = kBits - 1; i >= 0; --i)
      if (a >> i & 1) return u32(i);
    return ~u32{0};
  };
  CHECK(differs<u32, T>(std::string("bfind.") + ptx_name<T>(), highest) == "");
  CHECK(differs<u32, S>(std::string("bfind.") + ptx_name<S>(),
                        [&](S a) { return highest(T(a < 0 ? ~a : a)); }) == "");
  CHECK(differs<u32, T>(std::string("bfind.shiftamt.") + ptx_name<T>(),
                        [&](T a) { return a == 0 ? ~u32{0} : u32(kBits - 1) - highest(a); }) == "");
}

TEMPLATE_TEST_CASE("bit fields are cut out and put in as the PTX manual's loop says", "", u32, u64, s32,
                   s64) {
  using T = TestType;
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T), kTop = kBits - 1;
  CHECK(differs3<T, T, u32, u32>(name("bfe", ptx_name<T>()), [=](T a, u32 b, u32 c) {
          const int pos = int(b & 0xFF), len = int(c & 0xFF);
          bool sign = false;
          if (std::is_signed_v<T> && len != 0) sign = U(a) >> std::min(pos + len - 1, kTop) & 1;
          U d = 0;
          for (int i = 0; i <= kTop; ++i) {
            const bool bit = i < len && pos + i <= kTop ? U(a) >> (pos + i) & 1 : sign;
            d |= U(bit) << i;
          }
          return T(d);
        }) == "");
  if constexpr (!std::is_signed_v<T>) {
    const std::string bfi = "bfi.b" + std::to_string(kBits);
    const auto [a, c] = all_pairs(edge_values<T>(), edge_values<u32>());
    std::vector<T> into(a.size(), T(0x123456789ABCDEF0ull));
    for (u32 length : {0u, 1u, 5u, 31u, 32u, 64u, 200u}) {
      const auto got = evaluate<T>(bfi, ", " + std::to_string(length), a, into, c);
      for (std::size_t i = 0; i < a.size(); ++i) {
        T want = into[i];
        const u32 pos = c[i] & 0xFF;
        for (u32 k = 0; k < length && pos + k < kBits; ++k)
          want = (want & ~(T(1) << (pos + k))) | ((k < kBits ? a[i] >> k & 1 : T(0)) << (pos + k));
        REQUIRE(got[i] == want);
      }
    }
  }
}

TEST_CASE("24-bit products use the low 24 bits") {
  const auto u24 = [](u32 v) { return u64(v & 0xFFFFFF); };
  const auto s24 = [](s32 v) { return s64(s32(u32(v) << 8) >> 8); };
  CHECK(differs2<u32, u32, u32>("mul24.lo.u32", [&](u32 a, u32 b) { return u32(u24(a) * u24(b)); }) == "");
  CHECK(differs2<s32, s32, s32>("mul24.lo.s32", [&](s32 a, s32 b) { return s32(s24(a) * s24(b)); }) == "");
  CHECK(differs2<u32, u32, u32>("mul24.hi.u32", [&](u32 a, u32 b) { return u32(u24(a) * u24(b) >> 16); }) ==
        "");
  CHECK(differs2<s32, s32, s32>("mul24.hi.s32", [&](s32 a, s32 b) { return s32(s24(a) * s24(b) >> 16); }) ==
        "");
}

TEST_CASE("dot products of packed bytes and halfwords add to the accumulator") {
  const auto byte = [](u32 v, int i, bool s) { return s ? s64(s8(v >> 8 * i)) : s64(u8(v >> 8 * i)); };
  const auto dp4a = [&](bool sa, bool sb) {
    return [=](u32 a, u32 b, u32 c) {
      s64 sum = c;
      for (int i = 0; i < 4; ++i) sum += byte(a, i, sa) * byte(b, i, sb);
      return u32(sum);
    };
  };
  CHECK(differs3<u32, u32, u32, u32>("dp4a.u32.u32", dp4a(false, false)) == "");
  CHECK(differs3<u32, u32, u32, u32>("dp4a.s32.s32", dp4a(true, true)) == "");
  CHECK(differs3<u32, u32, u32, u32>("dp4a.s32.u32", dp4a(true, false)) == "");
  CHECK(differs3<u32, u32, u32, u32>("dp2a.hi.s32.s32", [&](u32 a, u32 b, u32 c) {
          return u32(s64(c) + s64(s16(a)) * byte(b, 2, true) + s64(s16(a >> 16)) * byte(b, 3, true));
        }) == "");
}

TEST_CASE("carries run through a chain of add.cc and addc") {
  const std::string body = R"(
  .reg .b32 %t;
  .reg .b32 %r<9>;
  .reg .b64 %rd<4>;
  mov.u32 %t, %tid.x;
  ld.param.u64 %rd1, [io];
  mad.wide.u32 %rd1, %t, 16, %rd1;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];
  add.cc.u32 %r5, %r1, %r3;
  addc.u32 %r6, %r2, %r4;
  sub.cc.u32 %r7, %r1, %r3;
  subc.u32 %r8, %r2, %r4;
  st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};
  ret;)";
  Device device(kernel_text(".param .u64 io", body));
  std::vector<u64> values;
  const auto edges = edge_values<u64>();
  for (std::size_t i = 0; i < 32; ++i) {
    values.push_back(edges[i]);
    values.push_back(edges[(i * 5 + 3) % 32]);
  }
  const auto io = device.upload(values);
  device.shape.block = {32, 1, 1};
  device.run("k", io);
  const auto got = device.download<u64>(io, 64);
  for (std::size_t i = 0; i < 32; ++i) {
    CHECK(got[2 * i] == values[2 * i] + values[2 * i + 1]);
    CHECK(got[2 * i + 1] == values[2 * i] - values[2 * i + 1]);
  }
}
