// Turns a function of one lane's values into the handlers of an instruction.
#pragma once

#include <utility>

#include "simulator/decode/instruction_def.h"
#include "simulator/engine/warp.h"

namespace sim::exec {

namespace detail {

/// What a lane holds: values of 8 bits live in registers of 16, extended by their sign.
template <class T>
using Lane =
    std::conditional_t<std::is_same_v<T, u8>, u16, std::conditional_t<std::is_same_v<T, s8>, s16, T>>;

/// Reads lane i of an operand; predicates are masks.
template <class T>
struct Source {
  const Lane<T>* at;
  Source(const Warp& w, OperandRef ref) : at(lanes<Lane<T>>(w, ref)) {}
  T operator[](int i) const { return static_cast<T>(at[i]); }
};
template <>
struct Source<pred> {
  Mask mask;
  Source(const Warp& w, OperandRef ref) : mask(predicate(w, ref)) {}
  bool operator[](int i) const { return (mask & kLaneBit[i]) != 0; }
};

template <class F, class... V>
SIM_INLINE auto call(const Mods& mods, V... values) {
  if constexpr (std::is_invocable_v<F, V..., const Mods&>) {
    return F{}(values..., mods);
  } else {
    return F{}(values...);
  }
}

template <bool Masked, class F, class R, class... A>
struct Lanewise {
  static void run(Warp& w, const Instr& in) { run(w, in, std::index_sequence_for<A...>()); }

 private:
  template <std::size_t... I>
  static void run(Warp& w, const Instr& in, std::index_sequence<I...>) {
    loop(w, in, Source<A>(w, in.op[I + 1])...);
  }

  template <class... S>
  static void loop(Warp& w, const Instr& in, const S... source) {
    const Mods mods = in.mods;
    const Mask active = w.active;
    if constexpr (std::is_same_v<R, pred>) {
      Mask result = 0;
      SIM_FOR_LANES(i) result |= call<F>(mods, source[i]...) ? kLaneBit[i] : 0;
      Mask& to = predicate(w, in.op[0]);
      to = Masked ? (result & active) | (to & ~active) : result;
    } else {
      write_lanes<Masked>(lanes<Lane<R>>(w, in.op[0]), active,
                          [&](int i) { return static_cast<R>(call<F>(mods, source[i]...)); });
    }
  }
};

/// What the lanes of an operand held before an instruction.
template <std::size_t kBytes>
struct Kept {
  alignas(64) std::byte was[kLanes * kBytes];
  Kept(const Warp& w, OperandRef ref) { std::memcpy(was, lanes<std::byte>(w, ref), sizeof was); }
};
void put_back(Unsigned<2>* to, const Unsigned<2>* was, Mask lanes);
void put_back(Unsigned<4>* to, const Unsigned<4>* was, Mask lanes);
void put_back(Unsigned<8>* to, const Unsigned<8>* was, Mask lanes);
void put_back(Unsigned<16>* to, const Unsigned<16>* was, Mask lanes);

}  // namespace detail

/// The handler of some lanes made of the one of all: the other lanes get back what they held. It costs a copy
/// of the destination each time, and next to nothing to compile: for what is rare. @tparam kBytes  of the
/// destination, the only thing that is written; 0: a predicate
template <Handler kAll, std::size_t kBytes>
void some_of(Warp& w, const Instr& in) {
  if constexpr (kBytes == 0) {
    const Mask was = predicate(w, in.op[0]);
    kAll(w, in);
    Mask& to = predicate(w, in.op[0]);
    to = (to & w.active) | (was & ~w.active);
  } else {
    const detail::Kept<kBytes> kept(w, in.op[0]);
    kAll(w, in);
    using U = Unsigned<kBytes>;
    detail::put_back(lanes<U>(w, in.op[0]), reinterpret_cast<const U*>(kept.was), ~w.active);
  }
}

namespace detail {

/// Types of the arithmetic that programs are full of. Others' instructions have one loop instead of two.
template <class T>
inline constexpr bool kFrequent = std::is_same_v<T, pred> ||
                                  (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));

template <class F, class... A>
inline constexpr bool kHasModifiers = std::is_invocable_v<F, A..., const Mods&>;
template <class F, class... A>
using Arguments =
    std::bool_constant<kHasModifiers<F, std::conditional_t<std::is_same_v<A, pred>, bool, A>...>>;

template <class F, class R, class... A>
constexpr Handler handler_of_some() {
  if constexpr (kFrequent<R> && (kFrequent<A> && ...) && !Arguments<F, A...>::value) {
    return &Lanewise<true, F, R, A...>::run;
  } else {
    constexpr std::size_t kBytes = std::is_same_v<R, pred> ? 0 : sizeof(Lane<R>);
    return &some_of<&Lanewise<false, F, R, A...>::run, kBytes>;
  }
}

template <class Signature>
struct SignatureOf;
template <class R, class... A>
struct SignatureOf<R(A...)> {
  static constexpr ptx::Type types[] = {type_of<R>(), type_of<A>()...};
  template <class F>
  static constexpr Handler all = &Lanewise<false, F, R, A...>::run;
  template <class F>
  static constexpr Handler some = handler_of_some<F, R, A...>();
};

}  // namespace detail

template <class T>
using Unary = T(T);
template <class T>
using Binary = T(T, T);
template <class T>
using Ternary = T(T, T, T);

template <class Signature, class F>
InstructionDef& InstructionSet::lanewise(std::string_view pattern, F) {
  using S = detail::SignatureOf<Signature>;
  return computed(pattern, ptx::Type::none, S::types, S::template all<F>, S::template some<F>);
}

template <template <class> class Signature, class... T, class F>
void InstructionSet::each(std::string_view pattern, F) {
  (computed(pattern, type_of<T>(), detail::SignatureOf<Signature<T>>::types,
            detail::SignatureOf<Signature<T>>::template all<F>,
            detail::SignatureOf<Signature<T>>::template some<F>),
   ...);
}

}  // namespace sim::exec
