#include "simulator/instructions/memory/reduction.h"

#include "simulator/instructions/memory/update.h"

namespace sim::exec {

namespace {

/// The lesser or the greater of two halves; a number rather than a NaN.
template <bool kLess>
struct HalfExtreme {
  template <class T>
  T operator()(T old, T b) const {
    const f32 x = widened(old), y = widened(b);
    if (x != x) return y != y ? T{0x7FFF} : b;
    if (y != y) return old;
    const bool smaller = y < x || (y == x && std::signbit(y));
    const bool greater = y > x || (y == x && !std::signbit(y));
    return (kLess ? smaller : greater) ? b : old;
  }
};

/// Sums of doubles leave NaNs as they are, signalling ones too; so an H200 does.
struct DoubleAdd {
  f64 operator()(f64 old, f64 b) const { return old != old ? old : b != b ? b : old + b; }
};

template <class T, class F>
void reduce(std::byte* to, const std::byte* from, u32 bytes) {
  for (u32 i = 0; i < bytes; i += sizeof(T)) {
    T old, value;
    std::memcpy(&old, to + i, sizeof(T));
    std::memcpy(&value, from + i, sizeof(T));
    const T result = F{}(old, value);
    std::memcpy(to + i, &result, sizeof(T));
  }
}

template <class T>
Reduction of_integers(std::string_view operation) {
  if (operation == "add") return &reduce<T, AtomicAdd>;
  if (operation == "min") return &reduce<T, AtomicMin>;
  if (operation == "max") return &reduce<T, AtomicMax>;
  return nullptr;
}

template <class T>
Reduction of_bits(std::string_view operation) {
  if (operation == "and") return &reduce<T, AtomicAnd>;
  if (operation == "or") return &reduce<T, AtomicOr>;
  if (operation == "xor") return &reduce<T, AtomicXor>;
  return nullptr;
}

template <class T>
Reduction of_halves(std::string_view operation) {
  if (operation == "add") return &reduce<T, AtomicAdd>;
  if (operation == "min") return &reduce<T, HalfExtreme<true>>;
  if (operation == "max") return &reduce<T, HalfExtreme<false>>;
  return nullptr;
}

}  // namespace

Reduction find_reduction(std::string_view operation, std::string_view type) {
  if (type == "u32" && operation == "inc") return &reduce<u32, AtomicInc>;
  if (type == "u32" && operation == "dec") return &reduce<u32, AtomicDec>;
  if (type == "u32") return of_integers<u32>(operation);
  if (type == "s32") return of_integers<s32>(operation);
  if (type == "u64") return of_integers<u64>(operation);
  if (type == "s64") return of_integers<s64>(operation);
  if (type == "b32") return of_bits<u32>(operation);
  if (type == "b64") return of_bits<u64>(operation);
  if (type == "f16") return of_halves<f16>(operation);
  if (type == "bf16") return of_halves<bf16>(operation);
  if (type == "f32" && operation == "add") return &reduce<f32, AtomicAdd>;
  if (type == "f64" && operation == "add") return &reduce<f64, DoubleAdd>;
  return nullptr;
}

}  // namespace sim::exec
