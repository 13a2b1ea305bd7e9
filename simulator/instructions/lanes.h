// Thirty-two lanes side by side: the types of PTX as C++ types and the loop every
// instruction is written with.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simulator/ptx/program.h"

namespace sim::exec {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;
using u128 = unsigned __int128;
using s128 = __int128;

inline constexpr int kLanes = 32;
using Mask = u32;  ///< one bit per lane
inline constexpr Mask kAllLanes = ~Mask{0};

/// `for` over the lanes. The compiler may assume that iterations are independent: registers of one
/// instruction are the same slot or disjoint.
#if defined(__clang__)
#define SIM_FOR_LANES(i) \
  _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < ::sim::exec::kLanes; ++i)
#else
#define SIM_FOR_LANES(i) _Pragma("GCC ivdep") for (int i = 0; i < ::sim::exec::kLanes; ++i)
#endif

/// A function of one lane's values: a loop over lanes vectorises only if all of it is in sight.
#define SIM_INLINE [[gnu::always_inline]] inline

namespace detail {
constexpr std::array<u32, kLanes> lane_bits() {
  std::array<u32, kLanes> bits{};
  for (int i = 0; i < kLanes; ++i) bits[i] = u32{1} << i;
  return bits;
}
}  // namespace detail

/// kLaneBit[i] == 1 << i, as a table because that vectorises everywhere.
alignas(64) inline constexpr std::array<u32, kLanes> kLaneBit = detail::lane_bits();

inline int lane_count(Mask mask) { return std::popcount(mask); }
inline int first_lane(Mask mask) { return std::countr_zero(mask); }

/// to[i] = value(i) for every lane, or only for the active ones. Values are computed for all lanes either
/// way: that is what makes the loop a few vector instructions, and why value() must be total.
template <bool Masked, class T, class F>
inline void write_lanes(T* to, Mask active, F value) {
  if constexpr (!Masked) {
    SIM_FOR_LANES(i) to[i] = static_cast<T>(value(i));
  } else if constexpr (sizeof(T) == 2) {
    // Two steps: gcc 12 fails on 16-bit minima that it has merged with the blend.
    alignas(64) T result[kLanes];
    SIM_FOR_LANES(i) result[i] = static_cast<T>(value(i));
    asm volatile("" : "+m"(result));
    SIM_FOR_LANES(i) to[i] = active & kLaneBit[i] ? result[i] : to[i];
  } else {
    SIM_FOR_LANES(i) {
      const T result = static_cast<T>(value(i));
      to[i] = active & kLaneBit[i] ? result : to[i];
    }
  }
}

/// Calls @p body(lane) for every lane of the mask, lowest first.
template <class Body>
inline void for_each_lane(Mask mask, Body body) {
  for (; mask != 0; mask &= mask - 1) body(std::countr_zero(mask));
}

/// The C++ type of a PTX type as a compile-time tag, and its bits: what an instruction is instantiated over.
template <int Bytes>
using Unsigned = std::conditional_t<
    Bytes == 1, u8,
    std::conditional_t<Bytes == 2, u16,
                       std::conditional_t<Bytes == 4, u32, std::conditional_t<Bytes == 8, u64, u128>>>>;
template <class T>
using BitsOf = Unsigned<sizeof(T)>;

/// 16-bit floats are storage only; arithmetic on them is done in wider types (half.h). They are enumerations
/// because a loop that copies structures does not vectorise.
enum class f16 : u16 {};
enum class bf16 : u16 {};
enum class f16x2 : u32 {};
enum class bf16x2 : u32 {};
/// A predicate operand: one bit per lane in a Mask instead of 32 lane values.
struct pred {};

template <class T>
constexpr ptx::Type type_of() {
  using ptx::Type;
  if constexpr (std::is_same_v<T, pred>) return Type::pred;
  if constexpr (std::is_same_v<T, u8>) return Type::u8;
  if constexpr (std::is_same_v<T, u16>) return Type::u16;
  if constexpr (std::is_same_v<T, u32>) return Type::u32;
  if constexpr (std::is_same_v<T, u64>) return Type::u64;
  if constexpr (std::is_same_v<T, s8>) return Type::s8;
  if constexpr (std::is_same_v<T, s16>) return Type::s16;
  if constexpr (std::is_same_v<T, s32>) return Type::s32;
  if constexpr (std::is_same_v<T, s64>) return Type::s64;
  if constexpr (std::is_same_v<T, u128>) return Type::b128;
  if constexpr (std::is_same_v<T, f32>) return Type::f32;
  if constexpr (std::is_same_v<T, f64>) return Type::f64;
  if constexpr (std::is_same_v<T, f16>) return Type::f16;
  if constexpr (std::is_same_v<T, bf16>) return Type::bf16;
  if constexpr (std::is_same_v<T, f16x2>) return Type::f16x2;
  if constexpr (std::is_same_v<T, bf16x2>) return Type::bf16x2;
  return Type::none;
}

}  // namespace sim::exec
