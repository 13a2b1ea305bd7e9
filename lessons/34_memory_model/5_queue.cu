// Rung 5: a queue of few slots for many that put and many that take: a ticket names the slot and the round,
// and the slot's turn says when it is that round's.
#include "atomics.h"
#include "memory_model.h"

constexpr int kBlock = 64;   // a warp that puts, and a warp that takes
constexpr int kBlocks = 32;  // at most

/// Puts a task in, as soon as there is room.
__device__ void put(const Queue& queue, unsigned index, unsigned value) {
  // TODO(1): draw a ticket from queue.put; its slot is ticket % kSlots, its round ticket / kSlots. Wait until
  //          the slot is empty for this round, store the task, and say that it is there. Which orders (6
  //          lines)?
}

/// Takes the task of this number, as soon as it is there.
__device__ void take(const Queue& queue, unsigned ticket, unsigned& index, unsigned& value) {
  // TODO(2): wait until this round's task is in the slot, load it, and say that the slot is empty for the
  //          next round (5 lines).
}

__global__ void queue_kernel(unsigned* out, Queue queue, const unsigned* in, int n) {
  const unsigned count = n;
  if (threadIdx.x < 32) {
    // Words are drawn, too: a block that runs alone puts all of them, and nobody waits for blocks to come.
    for (unsigned i; (i = fetch_add<Order::relaxed>(queue.drawn, 1)) < count;) put(queue, i, in[i]);
  } else {
    // TODO(3): draw tickets from queue.taken, and take their tasks, until a ticket is n or more: so many
    //          tasks are never put. Store what the task asks for, out[index] = step(value, index) (8 lines).
  }
}

cudaError_t through_queue(unsigned* out, const Queue& queue, const unsigned* in, int n) {
  if (n == 0) return cudaSuccess;
  const int blocks = (n + kBlock - 1) / kBlock < kBlocks ? (n + kBlock - 1) / kBlock : kBlocks;
  queue_kernel<<<blocks, kBlock>>>(out, queue, in, n);
  return cudaGetLastError();
}
