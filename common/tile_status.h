// What a tile tells the tiles behind it, in one word that is written and read in one piece.
#pragma once

#include <cuda/atomic>

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
using AtomicWord = cuda::atomic_ref<Word, cuda::thread_scope_device>;

/// Lets all blocks of the GPU see @p status. What it says and the sum travel in the same 8 bytes, so nobody
/// can see one without the other, and the order of other reads and writes does not matter: "relaxed".
__device__ inline void publish(Word* word, Status status) {
  const Word bits = static_cast<Word>(status.known) << 32 | static_cast<unsigned>(status.sum);
  AtomicWord(*word).store(bits, cuda::memory_order_relaxed);
}

/// What has been published in @p word up to now.
__device__ inline Status look(Word* word) {
  const Word bits = AtomicWord(*word).load(cuda::memory_order_relaxed);
  return {static_cast<Known>(bits >> 32), static_cast<int>(static_cast<unsigned>(bits))};
}

/// The next number of a dispenser that starts at 0. Whoever draws number k knows that the blocks with numbers
/// 0 to k - 1 are running already, which blockIdx does not tell.
__device__ inline unsigned draw_number(Word* dispenser) {
  return static_cast<unsigned>(AtomicWord(*dispenser).fetch_add(1, cuda::memory_order_relaxed));
}
