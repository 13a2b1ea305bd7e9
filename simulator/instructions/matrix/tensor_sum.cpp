#include "simulator/instructions/matrix/tensor_sum.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>

#include "simulator/instructions/matrix/vector_strip.h"

namespace sim::exec {

namespace {

constexpr int kWidth = kVectorBytes / 4;  // lanes computed side by side
using Floats = Strip<f32, kWidth>::type;
using Whole = Strip<s32, kWidth>::type;

template <class V, class T>
SIM_INLINE V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// Four numbers again and again.
template <class V, class T>
SIM_INLINE V repeated(const T* four) {
#if defined(__AVX512F__)
  // With a mask of all lanes: without one, gcc 12 takes what is undefined for uninitialised (its bug 105593).
  const __m512 all = _mm512_maskz_broadcast_f32x4(0xFFFF, _mm_load_ps(reinterpret_cast<const f32*>(four)));
#elif defined(__AVX__)
  const __m256 all = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(four));
#else
  const auto all = load<typename Strip<T, 4>::type>(four);
#endif
  return reinterpret_cast<V>(all);
}

SIM_INLINE Whole greater(Whole a, Whole b) { return a > b ? a : b; }

/// 2^exponent, of one that a float has.
template <class F, class I>
SIM_INLINE F power(I exponent) {
  const I bits = (exponent + 127) << 23;
  F v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

SIM_INLINE s32 exponent_of(f32 c, s32 least) {
  const u32 bits = std::bit_cast<u32>(c) & 0x7FFFFFFF;
  const s32 exponent = s32(bits >> 23) - 127;
  const s32 finite = exponent < least ? least : exponent;
  return bits == 0 ? kNothing : exponent == 128 ? kSpecial : finite;
}

/// Exponents between which floats hold every product that counts, and the powers of two by which they are
/// scaled.
constexpr s32 kLowest = -90, kHighest = 100;

/// The sum of one lane, of whatever numbers.
f64 sum_of_lane(const SumRule& rule, const WarpRows<f32>& a, int half, const QuadColumns<f32>& b, int column,
                const f32* c, int lane) {
  s32 top = c == nullptr ? kNothing : exponent_of(c[lane], rule.least);
  f64 specials = 0;  // of these the sum is what IEEE arithmetic makes of them
  for (int k = 0; k < rule.steps; ++k) {
    const s32 x = a.exponent[half][k][lane], y = b.exponent[column][k][lane % 4];
    if (x == kAbsent) continue;
    if (x == kSpecial || y == kSpecial)
      specials += f64(a.value[half][k][lane]) * b.value[column][k][lane % 4];
    top = std::max(top, x + y);
  }
  if (c != nullptr && !std::isfinite(c[lane])) specials += c[lane];
  if (!std::isfinite(specials)) return specials;
  if (top < kNothing / 2) return 0;
  const f64 scale = std::ldexp(1.0, rule.fraction - top);
  f64 sum = c == nullptr ? 0 : std::trunc(f64(c[lane]) * scale);
  for (int k = 0; k < rule.steps; ++k)
    if (a.exponent[half][k][lane] != kAbsent)
      sum += std::trunc(f64(a.value[half][k][lane]) * b.value[column][k][lane % 4] * scale);
  return std::ldexp(sum, top - rule.fraction);
}

/// A strip of lanes. Not inlined: the compiler would keep the address of each step apart.
/// @param a, b  of the first step; their numbers of the next ones are kLanes and 4 on
template <int kSteps>
[[gnu::noinline]] void add_strip(int fraction, const f32* a, const s32* a_exponent, const f32* b,
                                 const s32* b_exponent, const f32* c, const s32* c_exponent, f64* sums,
                                 s32* tops) {
  Floats products[kSteps];
  Whole top = load<Whole>(c_exponent);
  for (int k = 0; k < kSteps; ++k) {
    products[k] = load<Floats>(a + kLanes * k) * repeated<Floats>(b + 4 * k);
    top = greater(top, load<Whole>(a_exponent + kLanes * k) + repeated<Whole>(b_exponent + 4 * k));
  }
  const Whole within = top < kLowest ? Whole{} + kLowest : top > kHighest ? Whole{} + kHighest : top;
  const Floats scale = power<Floats>(fraction - within);
  // Eight of them and c are below 2^31; of more than 16 with such a fraction half are absent.
  Whole sum[2] = {__builtin_convertvector(load<Floats>(c) * scale, Whole), Whole{}};
  for (int k = 0; k < kSteps; ++k) sum[k / 8 % 2] += __builtin_convertvector(products[k] * scale, Whole);
  using Wide = typename Strip<f64, kWidth>::type;
  const Wide all = __builtin_convertvector(sum[0], Wide) + __builtin_convertvector(sum[1], Wide);
  const Wide unit = __builtin_convertvector(power<Floats>(within - fraction), Wide);
  const Wide result = all * unit;
  std::memcpy(sums, &result, sizeof result);
  std::memcpy(tops, &top, sizeof top);
}

template <int kSteps>
void add_all(const SumRule& rule, const WarpRows<f32>& a, int half, const QuadColumns<f32>& b, int column,
             const f32* c, f64* sums) {
  alignas(64) static constexpr f32 kZeros[kLanes] = {};
  alignas(64) s32 tops[kLanes], c_exponent[kLanes];
  const f32* const added = c == nullptr ? kZeros : c;
  SIM_FOR_LANES(i) c_exponent[i] = exponent_of(added[i], rule.least);
  for (int from = 0; from < kLanes; from += kWidth)
    add_strip<kSteps>(rule.fraction, a.value[half][0] + from, a.exponent[half][0] + from, b.value[column][0],
                      b.exponent[column][0], added + from, c_exponent + from, sums + from, tops + from);
  s32 beyond = 0;
  SIM_FOR_LANES(i)
  beyond |= (s32(tops[i] < kLowest) & s32(tops[i] > kNothing / 2)) | s32(tops[i] > kHighest);
  if (beyond == 0) return;
  for (int i = 0; i < kLanes; ++i) sums[i] = sum_of_lane(rule, a, half, b, column, c, i);
}

}  // namespace

void add_products(const SumRule& rule, const WarpRows<f32>& a, int half, const QuadColumns<f32>& b,
                  int column, const f32* c, f64* sums) {
  switch (rule.steps) {
    case 4:
      return add_all<4>(rule, a, half, b, column, c, sums);
    case 8:
      return add_all<8>(rule, a, half, b, column, c, sums);
    case 16:
      return add_all<16>(rule, a, half, b, column, c, sums);
    case 64:
      return add_all<64>(rule, a, half, b, column, c, sums);
    default:
      return add_all<32>(rule, a, half, b, column, c, sums);
  }
}

void add_products(int steps, bool bits, const WarpRows<s32>& a, int half, const QuadColumns<s32>& b,
                  int column, s64* sums) {
  if (bits) {
    for (int i = 0; i < kLanes; ++i)
      for (int k = 0; k < steps; ++k)
        sums[i] += std::popcount(u32(a.value[half][k][i] & b.value[column][k][i % 4]));
    return;
  }
  alignas(64) s32 sum[kLanes];
  for (int from = 0; from < kLanes; from += kWidth) {
    Whole strip = {};
    for (int k = 0; k < steps; ++k)
      strip += load<Whole>(a.value[half][k] + from) * repeated<Whole>(b.value[column][k]);
    std::memcpy(sum + from, &strip, sizeof strip);
  }
  SIM_FOR_LANES(i) sums[i] += sum[i];
}

}  // namespace sim::exec
