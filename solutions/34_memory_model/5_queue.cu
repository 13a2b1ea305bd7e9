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
  // BEGIN SOLUTION
  const unsigned ticket = fetch_add<Order::relaxed>(queue.put, 1), round = ticket / kSlots;
  Slot& slot = queue.slots[ticket % kSlots];
  while (load<Order::acquire>(&slot.turn) != 2 * round) continue;
  slot.index = index;
  slot.value = value;
  store<Order::release>(&slot.turn, 2 * round + 1);
  // END SOLUTION
}

/// Takes the task of this number, as soon as it is there.
__device__ void take(const Queue& queue, unsigned ticket, unsigned& index, unsigned& value) {
  // TODO(2): wait until this round's task is in the slot, load it, and say that the slot is empty for the
  //          next round (5 lines).
  // BEGIN SOLUTION
  const unsigned round = ticket / kSlots;
  Slot& slot = queue.slots[ticket % kSlots];
  while (load<Order::acquire>(&slot.turn) != 2 * round + 1) continue;
  index = slot.index;
  value = slot.value;
  store<Order::release>(&slot.turn, 2 * round + 2);
  // END SOLUTION
}

__global__ void queue_kernel(unsigned* out, Queue queue, const unsigned* in, int n) {
  const unsigned count = n;
  if (threadIdx.x < 32) {
    // Words are drawn, too: a block that runs alone puts all of them, and nobody waits for blocks to come.
    for (unsigned i; (i = fetch_add<Order::relaxed>(queue.drawn, 1)) < count;) put(queue, i, in[i]);
  } else {
    // TODO(3): draw tickets from queue.taken, and take their tasks, until a ticket is n or more: so many
    //          tasks are never put. Store what the task asks for, out[index] = step(value, index) (8 lines).
    // BEGIN SOLUTION
    for (;;) {
      const unsigned ticket = fetch_add<Order::relaxed>(queue.taken, 1);
      if (ticket >= count) return;
      unsigned index, value;
      take(queue, ticket, index, value);
      out[index] = step(value, index);
    }
    // END SOLUTION
  }
}

cudaError_t through_queue(unsigned* out, const Queue& queue, const unsigned* in, int n) {
  if (n == 0) return cudaSuccess;
  const int blocks = (n + kBlock - 1) / kBlock < kBlocks ? (n + kBlock - 1) / kBlock : kBlocks;
  queue_kernel<<<blocks, kBlock>>>(out, queue, in, n);
  return cudaGetLastError();
}
