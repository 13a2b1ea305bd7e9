// Floating-point instructions: IEEE results in every rounding
// mode, PTX's NaN, flushing and saturation, conversions.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cfenv>

#include "simulator/instructions/convert/half.h"
#include "tests/simulator/instructions/form_support.h"

using namespace sim::test;
using namespace sim::exec;

namespace {

template <class T>
T in_mode(int mode, T (*operation)(T, T), T a, T b) {
  volatile T x = a, y = b;
  std::fesetround(mode);
  volatile T r = operation(x, y);
  std::fesetround(FE_TONEAREST);
  return r;
}

template <class T>
std::string with_type(const std::string& text) {
  return text + "." + ptx_name<T>();
}

const std::pair<const char*, int> kModes[] = {
    {".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

float flush(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

}  // namespace

TEMPLATE_TEST_CASE("sums, products and quotients round as IEEE says, in every mode", "", float, double) {
  using T = TestType;
  for (const auto& [suffix, mode] : kModes) {
    const auto check = [&, mode = mode, suffix = suffix](const char* name, T (*operation)(T, T)) {
      CHECK(differs2<T, T, T>(with_type<T>(std::string(name) + suffix),
                              [&](T a, T b) { return in_mode<T>(mode, operation, a, b); }) == "");
    };
    check("add", [](T a, T b) { return a + b; });
    check("sub", [](T a, T b) { return a - b; });
    check("mul", [](T a, T b) { return a * b; });
    check("div", [](T a, T b) { return a / b; });
    CHECK(differs<T, T>(with_type<T>(std::string("sqrt") + suffix), [&, mode = mode](T a) {
            return in_mode<T>(
                mode, [](T x, T) { return T(std::sqrt(x)); }, a, T(0));
          }) == "");
    CHECK(differs<T, T>(with_type<T>(std::string("rcp") + suffix), [&, mode = mode](T a) {
            return in_mode<T>(
                mode, [](T x, T) { return T(1) / x; }, a, T(0));
          }) == "");
  }
  CHECK(differs3<T, T, T, T>(with_type<T>("fma.rn"), [](T a, T b, T c) { return std::fma(a, b, c); }) == "");
  CHECK(differs3<T, T, T, T>(with_type<T>("fma.rm"), [](T a, T b, T c) {
          volatile T x = a, y = b, z = c;
          std::fesetround(FE_DOWNWARD);
          volatile T r = std::fma(x, y, z);
          std::fesetround(FE_TONEAREST);
          return T(r);
        }) == "");
}

TEST_CASE("NaN results of f32 arithmetic have the canonical bits") {
  const auto got = evaluate<u32>("add.f32 %a0, %a0, 0f3F800000; mov.b32", " //\n;",
                                 std::vector<float>{std::bit_cast<float>(0xFFC12345u), -INFINITY, 1.0f});
  // The text above adds in place, then moves: see evaluate().
  CHECK(got[0] == 0x7FFFFFFFu);
  CHECK(got[2] == std::bit_cast<u32>(2.0f));
}

TEST_CASE("flushing and saturating arithmetic") {
  CHECK(differs2<float, float, float>("mul.ftz.f32",
                                      [](float a, float b) { return flush(flush(a) * flush(b)); }) == "");
  CHECK(differs2<float, float, float>("add.rn.ftz.f32",
                                      [](float a, float b) { return flush(flush(a) + flush(b)); }) == "");
  const auto clamp = [](float v) { return v > 0 ? (v < 1 ? v : 1.0f) : 0.0f; };
  CHECK(differs2<float, float, float>("add.sat.f32", [&](float a, float b) { return clamp(a + b); }) == "");
  CHECK(differs3<float, float, float, float>(
            "fma.rn.sat.f32", [&](float a, float b, float c) { return clamp(std::fma(a, b, c)); }) == "");
}

TEMPLATE_TEST_CASE("minima, maxima and signs", "", float, double) {
  using T = TestType;
  const auto less = [](T a, T b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); };
  CHECK(differs2<T, T, T>(with_type<T>("min"), [&](T a, T b) {
          return a != a ? b : b != b ? a : less(a, b) ? a : b;
        }) == "");
  CHECK(differs2<T, T, T>(with_type<T>("max"), [&](T a, T b) {
          return a != a ? b : b != b ? a : less(a, b) ? b : a;
        }) == "");
  CHECK(differs<T, T>(with_type<T>("neg"), [](T a) { return -a; }) == "");
  CHECK(differs<T, T>(with_type<T>("abs"), [](T a) { return std::fabs(a); }) == "");
  CHECK(differs2<T, T, T>(with_type<T>("copysign"), [](T s, T a) { return std::copysign(a, s); }) == "");
}

TEST_CASE("min.NaN passes a NaN on") {
  CHECK(differs2<float, float, float>("min.NaN.f32", [](float a, float b) {
          if (a != a || b != b) return std::numeric_limits<float>::quiet_NaN();
          return a < b || (a == b && std::signbit(a)) ? a : b;
        }) == "");
}

TEST_CASE("approximate functions are within an ulp or two of the true value") {
  const auto check = [](const char* name, auto truth, double tolerance, double least = 1.5e-45) {
    std::vector<float> xs;
    for (int i = -2000; i <= 2000; ++i) xs.push_back(float(i) * 0.03125f + 0.001f);
    const auto got = evaluate<float>(std::string(name) + ".f32", "", xs);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double want = truth(double(xs[i]));
      if (want != want) {
        REQUIRE(got[i] != got[i]);
        continue;
      }
      INFO(name << "(" << xs[i] << ") = " << got[i] << ", not " << want);
      REQUIRE(std::fabs(got[i] - want) <= std::max(tolerance * std::fabs(want), least));
    }
  };
  check(
      "ex2.approx", [](double x) { return std::exp2(x); }, 1.2e-7);
  check(
      "lg2.approx", [](double x) { return std::log2(x); }, 1.2e-7);
  check(
      "sin.approx", [](double x) { return std::sin(x); }, 0, 0x1p-14);  // in [-100 pi, 100 pi]: 2^-14.7
  check(
      "cos.approx", [](double x) { return std::cos(x); }, 0, 0x1p-14);
  check(
      "tanh.approx", [](double x) { return std::tanh(x); }, 1.2e-7);
  check(
      "rcp.approx.ftz", [](double x) { return 1 / x; }, 6e-8);
  check(
      "rsqrt.approx", [](double x) { return 1 / std::sqrt(x); }, 6e-8);
  check(
      "sqrt.approx", [](double x) { return std::sqrt(x); }, 6e-8);
}

TEST_CASE("approximate functions at the edges") {
  const float inf = INFINITY, nan = NAN;
  CHECK(evaluate<float>("ex2.approx.f32", "", std::vector<float>{inf, -inf, 128, -150, 0}) ==
        std::vector<float>{inf, 0, inf, 0, 1});
  CHECK(evaluate<float>("lg2.approx.f32", "", std::vector<float>{0.0f, -0.0f, inf, 1, 8}) ==
        std::vector<float>{-inf, -inf, inf, 0, 3});
  CHECK(evaluate<float>("rcp.approx.f32", "", std::vector<float>{0.0f, -0.0f, inf}) ==
        std::vector<float>{inf, -inf, 0});
  for (const char* name : {"sin.approx.f32", "cos.approx.f32"})  // found by fuzzing: NaN made an integer
    for (float v : evaluate<float>(name, "", std::vector<float>{inf, -inf, nan})) CHECK(v != v);
  for (const char* name : {"ex2.approx.f32", "tanh.approx.f32"})
    CHECK(std::isnan(evaluate<float>(name, "", std::vector<float>{nan})[0]));
}

TEMPLATE_TEST_CASE("floats become integers in the mode written, clamped, NaN as the hardware has it", "", s32,
                   u32, s64, u64, s16, u16, s8, u8) {
  using D = TestType;
  using L = std::numeric_limits<D>;
  const auto clamp = [](double r) {
    if (r != r) return sizeof(D) == 8 ? D(u64{1} << 63) : D(0);  // as an H200 has it
    if (r >= std::ldexp(1.0, L::digits)) return L::max();
    return r < double(L::min()) ? L::min() : D(r);
  };
  const std::string d = std::string(".") + ptx_name<D>();
  CHECK(differs<D, float>("cvt.rzi" + d + ".f32", [&](float v) { return clamp(std::trunc(double(v))); }) ==
        "");
  CHECK(differs<D, float>("cvt.rni" + d + ".f32",
                          [&](float v) { return clamp(std::nearbyint(double(v))); }) == "");
  CHECK(differs<D, float>("cvt.rmi" + d + ".f32", [&](float v) { return clamp(std::floor(double(v))); }) ==
        "");
  CHECK(differs<D, double>("cvt.rpi" + d + ".f64", [&](double v) {
          return v != v ? D(u64{1} << (8 * sizeof(D) - 1)) : clamp(std::ceil(v));
        }) == "");
}

TEMPLATE_TEST_CASE("integers become floats in the mode written", "", s32, u32, s64, u64, s16, u16) {
  using S = TestType;
  const std::string s = std::string(".") + ptx_name<S>();
  for (const auto& [suffix, mode] : kModes) {
    CHECK(differs<float, S>("cvt" + std::string(suffix) + ".f32" + s, [&, mode = mode](S v) {
            volatile S x = v;
            std::fesetround(mode);
            volatile float r = float(x);
            std::fesetround(FE_TONEAREST);
            return float(r);
          }) == "");
    CHECK(differs<double, S>("cvt" + std::string(suffix) + ".f64" + s, [&, mode = mode](S v) {
            volatile S x = v;
            std::fesetround(mode);
            volatile double r = double(x);
            std::fesetround(FE_TONEAREST);
            return double(r);
          }) == "");
  }
}

TEST_CASE("floats convert between widths and to integral values") {
  CHECK(differs<float, double>("cvt.rn.f32.f64", [](double v) { return float(v); }) == "");
  CHECK(differs<double, float>("cvt.f64.f32", [](float v) { return double(v); }) == "");
  CHECK(differs<float, float>("cvt.rni.f32.f32", [](float v) { return std::nearbyint(v); }) == "");
  CHECK(differs<float, float>("cvt.rmi.f32.f32", [](float v) { return std::floor(v); }) == "");
  CHECK(differs<float, float>("cvt.sat.f32.f32", [](float v) { return v > 0 ? (v < 1 ? v : 1.0f) : 0.0f; }) ==
        "");
}

TEMPLATE_TEST_CASE("integers convert to every width", "", s8, u8, s16, u16, s32, u32, s64, u64) {
  using D = TestType;
  const std::string d = std::string("cvt.") + ptx_name<D>() + ".";
  CHECK(differs<D, s32>(d + "s32", [](s32 v) { return D(v); }) == "");
  CHECK(differs<D, u64>(d + "u64", [](u64 v) { return D(v); }) == "");
  CHECK(differs<D, s8>(d + "s8", [](s8 v) { return D(v); }) == "");
  CHECK(differs<D, u16>(d + "u16", [](u16 v) { return D(v); }) == "");
  if (std::is_same_v<D, s64>) return;  // PTX forbids a .sat that could not act
  CHECK(differs<D, s64>(std::string("cvt.sat.") + ptx_name<D>() + ".s64", [](s64 v) {
          using L = std::numeric_limits<D>;
          const __int128 x = v;
          return D(x < L::min() ? __int128(L::min()) : x > __int128(L::max()) ? __int128(L::max()) : x);
        }) == "");
}

TEST_CASE("every f16 widens exactly and comes back; f32 rounds to the nearest f16 and bf16") {
  // The truth is found by search among all 65536 values.
  std::vector<double> values(65536);
  for (u32 i = 0; i < 65536; ++i) {
    const int exponent = int(i >> 10 & 31), fraction = int(i & 1023);
    const double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                             : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                            : std::ldexp(fraction, -24);
    values[i] = i & 0x8000 ? -magnitude : magnitude;
    const float wide = widened(f16{u16(i)});
    REQUIRE((wide == values[i] || (wide != wide && magnitude != magnitude)));
    if (magnitude == magnitude) REQUIRE(to_f16(wide) == f16{u16(i)});
  }
  for (u32 bits = 0; bits < 0x7F800000u; bits += 48611) {
    const float v = std::bit_cast<float>(bits);
    const auto above = std::lower_bound(values.begin(), values.begin() + 0x7C01, double(v)) - values.begin();
    u32 want = u32(above);
    if (above > 0) {
      const double up = above == 0x7C00 ? 65536.0 : values[std::size_t(above)],
                   down = values[std::size_t(above) - 1];
      const double middle = (up + down) / 2;
      if (v < middle || (v == middle && (above & 1))) want = u32(above) - 1;
    }
    REQUIRE(u32(to_f16(v)) == want);
  }
  CHECK(u32(to_bf16(1.00390625f)) == 0x3F80);  // a tie goes to even
  CHECK(u32(to_bf16(1.01171875f)) == 0x3F82);
  CHECK(u32(to_bf16(3.4e38f)) == 0x7F80);
}

TEST_CASE("half precision arithmetic rounds once") {
  std::vector<u32> a, b, c;
  for (u32 i = 0; i < 4096; ++i) {
    a.push_back(i * 2654435761u ^ i << 7);
    b.push_back(i * 40503u * 65537u + 77);
    c.push_back(i * 2246822519u + 13);
  }
  const auto fma = evaluate<u32>("fma.rn.f16x2", "", a, b, c), add = evaluate<u32>("add.f16x2", "", a, b);
  const auto mul = evaluate<u32>("mul.rn.bf16x2", "", a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (int half = 0; half < 2; ++half) {
      const auto part = [&](u32 v) { return u16(v >> 16 * half); };
      const auto f = [&](u32 v) { return (long double)(widened(f16{part(v)})); };
      const auto g = [&](u32 v) { return widened(bf16{part(v)}); };
      // The sum of a product and a number fits the 64 bits of long double, or is far from any tie.
      const f16 want = to_f16(odd_f32(double(f(a[i]) * f(b[i]) + f(c[i]))));
      REQUIRE(u32(part(fma[i])) == u32(want));
      REQUIRE(u32(part(add[i])) == u32(to_f16(float(f(a[i]) + f(b[i])))));
      REQUIRE(u32(part(mul[i])) == u32(to_bf16(g(a[i]) * g(b[i]))));
    }
  }
}
