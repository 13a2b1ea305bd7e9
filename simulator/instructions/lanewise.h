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

template <class Signature>
struct SignatureOf;
template <class R, class... A>
struct SignatureOf<R(A...)> {
  static std::vector<OperandSpec> operands() {
    return {{Role::write, type_of<R>()}, {Role::read, type_of<A>()}...};
  }
  template <bool Masked, class F>
  static constexpr Handler handler = &Lanewise<Masked, F, R, A...>::run;
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
  InstructionDef& def = add(pattern, "", 0);
  def.operands = S::operands();
  def.all = S::template handler<false, F>;
  def.some = S::template handler<true, F>;
  return def;
}

template <template <class> class Signature, class... T, class F>
void InstructionSet::each(std::string_view pattern, F) {
  const auto one = [&]<class U>(std::type_identity<U>) {
    using S = detail::SignatureOf<Signature<U>>;
    InstructionDef& def = add(pattern, ptx::name_of(type_of<U>()), int(8 * sizeof(U)));
    def.operands = S::operands();
    def.all = S::template handler<false, F>;
    def.some = S::template handler<true, F>;
  };
  (one(std::type_identity<T>()), ...);
}

}  // namespace sim::exec
