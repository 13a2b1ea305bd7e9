// The elements of matrix instructions: their bits as numbers, and how many a register holds.
#pragma once

#include <bit>
#include <type_traits>
#include <utility>

#include "simulator/instructions/convert/fp8.h"
#include "simulator/instructions/convert/half.h"
#include "simulator/instructions/matrix/fragment.h"

namespace sim::exec {

/// An element's bits as the type that products are warp_aggregation in, and back.
template <Element E, class Acc>
SIM_INLINE Acc decode(u64 bits) {
  if constexpr (E == Element::f16) return Acc(widened(f16{u16(bits)}));
  if constexpr (E == Element::bf16) return Acc(widened(bf16{u16(bits)}));
  if constexpr (E == Element::tf32)
    return Acc(std::bit_cast<f32>(u32(bits) & 0xFFFFE000u));  // the rest does not count
  if constexpr (E == Element::f32) return Acc(std::bit_cast<f32>(u32(bits)));
  if constexpr (E == Element::f64) return Acc(std::bit_cast<f64>(bits));
  if constexpr (E == Element::e4m3) return Acc(widened(kE4m3, u32(bits & 0xFF)));
  if constexpr (E == Element::e5m2) return Acc(widened(kE5m2, u32(bits & 0xFF)));
  if constexpr (E == Element::s4) return Acc(s32(u32(bits) << 28) >> 28);
  if constexpr (E == Element::u4) return Acc(bits & 15);
  if constexpr (E == Element::b1) return Acc(bits & 1);
  if constexpr (E == Element::s8) return Acc(s8(bits));
  if constexpr (E == Element::u8) return Acc(u8(bits));
  return Acc(s32(bits));
}
template <Element E, class Acc>
SIM_INLINE u64 encode(Acc value) {
  if constexpr (E == Element::f16) return u64(to_f16(f32(value)));
  if constexpr (E == Element::f32) return std::bit_cast<u32>(canonical(f32(value)));
  if constexpr (E == Element::f64) return std::bit_cast<u64>(f64(value));
  return u32(s32(value));
}

/// Calls @p use with the element type as a compile-time constant.
template <class Use>
void with_element(Element e, Use use) {
  switch (e) {
    case Element::f16:
      return use(std::integral_constant<Element, Element::f16>());
    case Element::bf16:
      return use(std::integral_constant<Element, Element::bf16>());
    case Element::tf32:
      return use(std::integral_constant<Element, Element::tf32>());
    case Element::f32:
      return use(std::integral_constant<Element, Element::f32>());
    case Element::f64:
      return use(std::integral_constant<Element, Element::f64>());
    case Element::e4m3:
      return use(std::integral_constant<Element, Element::e4m3>());
    case Element::e5m2:
      return use(std::integral_constant<Element, Element::e5m2>());
    case Element::s4:
      return use(std::integral_constant<Element, Element::s4>());
    case Element::u4:
      return use(std::integral_constant<Element, Element::u4>());
    case Element::b1:
      return use(std::integral_constant<Element, Element::b1>());
    case Element::s8:
      return use(std::integral_constant<Element, Element::s8>());
    case Element::u8:
      return use(std::integral_constant<Element, Element::u8>());
    case Element::s32:
      return use(std::integral_constant<Element, Element::s32>());
  }
}

/// Register type and elements of one register.
template <Element E>
using Word = std::conditional_t<E == Element::f64, u64, u32>;
template <Element E>
constexpr int kPacked = E == Element::f16 || E == Element::bf16                                            ? 2
                        : E == Element::s8 || E == Element::u8 || E == Element::e4m3 || E == Element::e5m2 ? 4
                        : E == Element::s4 || E == Element::u4                                             ? 8
                        : E == Element::b1 ? 32
                                           : 1;

}  // namespace sim::exec
