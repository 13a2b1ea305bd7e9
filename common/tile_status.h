// What a tile tells the tiles behind it, in one word that is written and read in one piece.
#pragma once

// The compiler's own atomics are what cuda::atomic_ref is made of, without the three seconds that its header
// takes of every compilation; compilers before CUDA 12.8 have none.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1208
#include <cuda/atomic>
#endif

enum class Known : unsigned {
  nothing,  ///< all bits 0: what a memset leaves
  total,    ///< sum is that of this tile alone
  prefix,   ///< sum is that of this tile and all before it in its row
};

struct Status {
  Known known;
  int sum;
};

using Word = unsigned long long;

namespace detail {

// Relaxed operations on one word that all blocks of the GPU see.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1208
using AtomicWord = cuda::atomic_ref<Word, cuda::thread_scope_device>;
__device__ inline void store(Word* word, Word bits) {
  AtomicWord(*word).store(bits, cuda::memory_order_relaxed);
}
__device__ inline Word load(Word* word) { return AtomicWord(*word).load(cuda::memory_order_relaxed); }
__device__ inline Word add(Word* word, Word more) {
  return AtomicWord(*word).fetch_add(more, cuda::memory_order_relaxed);
}
#else
__device__ inline void store(Word* word, Word bits) {
  __nv_atomic_store_n(word, bits, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ inline Word load(Word* word) {
  return __nv_atomic_load_n(word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ inline Word add(Word* word, Word more) {
  return __nv_atomic_fetch_add(word, more, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
#endif

}  // namespace detail

/// Lets all blocks of the GPU see @p status. What it says and the sum travel in the same 8 bytes, so nobody
/// can see one without the other, and the order of other reads and writes does not matter: "relaxed".
__device__ inline void publish(Word* word, Status status) {
  const Word bits = static_cast<Word>(status.known) << 32 | static_cast<unsigned>(status.sum);
  detail::store(word, bits);
}

/// What has been published in @p word up to now.
__device__ inline Status look(Word* word) {
  const Word bits = detail::load(word);
  return {static_cast<Known>(bits >> 32), static_cast<int>(static_cast<unsigned>(bits))};
}

/// The next number of a dispenser that starts at 0. Whoever draws number k knows that the blocks with numbers
/// 0 to k - 1 are running already, which blockIdx does not tell.
__device__ inline unsigned draw_number(Word* dispenser) {
  return static_cast<unsigned>(detail::add(dispenser, 1));
}
