// Accesses to words that other threads access at the same time, each with its order and its scope: what
// cuda::atomic_ref<unsigned, scope>(*at) calls load(order), store(), fetch_add() and exchange(), an
// instruction each. Any scope that is not said is the device's.
#pragma once

/// What an access does for the others of its thread.
enum class Order {
  relaxed,  ///< nothing
  acquire,  ///< of loads: what stands behind it comes behind it
  release,  ///< of stores: what stands before it comes before it
  acq_rel,  ///< of what does both
};

/// To whom that is promised.
enum class Scope {
  block,   ///< the threads of this block
  device,  ///< all threads of this GPU
};

/// @p kOrder: relaxed or acquire.
template <Order kOrder, Scope kScope = Scope::device>
__device__ inline unsigned load(const unsigned* at) {
  static_assert(kOrder == Order::relaxed || kOrder == Order::acquire);
  unsigned value;
  if constexpr (kOrder == Order::acquire && kScope == Scope::device)
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  else if constexpr (kOrder == Order::acquire)
    asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  else if constexpr (kScope == Scope::device)
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  else
    asm volatile("ld.relaxed.cta.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}

/// @p kOrder: relaxed or release.
template <Order kOrder, Scope kScope = Scope::device>
__device__ inline void store(unsigned* at, unsigned value) {
  static_assert(kOrder == Order::relaxed || kOrder == Order::release);
  if constexpr (kOrder == Order::release && kScope == Scope::device)
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  else if constexpr (kOrder == Order::release)
    asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  else if constexpr (kScope == Scope::device)
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  else
    asm volatile("st.relaxed.cta.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/// Adds in one piece, on the device's scope; any order. @return what was there before
template <Order kOrder>
__device__ inline unsigned fetch_add(unsigned* at, unsigned more) {
  unsigned before;
  if constexpr (kOrder == Order::acq_rel)
    asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(more) : "memory");
  else if constexpr (kOrder == Order::acquire)
    asm volatile("atom.acquire.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(more) : "memory");
  else if constexpr (kOrder == Order::release)
    asm volatile("atom.release.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(more) : "memory");
  else
    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(more) : "memory");
  return before;
}

/// Stores in one piece with looking, on the device's scope: relaxed or acquire. @return what was there before
template <Order kOrder>
__device__ inline unsigned exchange(unsigned* at, unsigned value) {
  static_assert(kOrder == Order::relaxed || kOrder == Order::acquire);
  unsigned before;
  if constexpr (kOrder == Order::acquire)
    asm volatile("atom.acquire.gpu.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(value) : "memory");
  else
    asm volatile("atom.relaxed.gpu.exch.b32 %0, [%1], %2;" : "=r"(before) : "l"(at), "r"(value) : "memory");
  return before;
}

/// Acquires and releases without an access: between it and another thread's, relaxed accesses are enough.
template <Scope kScope = Scope::device>
__device__ inline void fence() {
  if constexpr (kScope == Scope::device)
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  else
    asm volatile("fence.acq_rel.cta;" ::: "memory");
}

/// The same, and all such fences come in one order on which all threads agree.
__device__ inline void fence_sc() { asm volatile("fence.sc.gpu;" ::: "memory"); }
