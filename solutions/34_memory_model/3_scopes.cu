// Rung 3: a stage is a warp. Within a block words go from warp to warp through shared memory, by orders of
// the block's scope; only between blocks do they go through global memory, by those of the device.
#include <cstdint>

#include "atomics.h"
#include "memory_model.h"

constexpr int kWarp = 32;
constexpr int kWarps = 8;                 // stages of a block
constexpr int kWords = 16;                // of a lane, in a message
constexpr int kMessage = kWords * kWarp;  // words that a warp hands on at a time: two chunks
constexpr int kDepth = 2;                 // messages that may be on their way from a warp to the next

/// The way from a warp to the next one of the block: a ring with one writer and one reader.
struct Link {
  unsigned words[kDepth][kMessage];
  unsigned sent, taken;  // messages so far
};

/// Waits until a lane's `counter` has come to `least`, by loads of the block's scope, for all lanes.
__device__ void wait_in_block(const unsigned* counter, int least) {
  // TODO(1): lane 0 waits, by loads that acquire, and a barrier of the warp tells the others (4 lines).
  // BEGIN SOLUTION
  if (threadIdx.x % kWarp == 0)
    while (static_cast<int>(load<Order::acquire, Scope::block>(counter)) < least) continue;
  __syncwarp();
  // END SOLUTION
}

/// Sets the counter, behind what all lanes have done.
__device__ void tell_block(unsigned* counter, int value) {
  // TODO(2): a barrier of the warp; lane 0 releases (2 lines).
  // BEGIN SOLUTION
  __syncwarp();
  if (threadIdx.x % kWarp == 0) store<Order::release, Scope::block>(counter, value);
  // END SOLUTION
}

__global__ void relay_kernel(unsigned* out, unsigned* messages, unsigned* flags, const unsigned* in,
                             const unsigned* keys, int n, int stages) {
  __shared__ Link links[kWarps - 1];  // links[w]: from warp w to warp w + 1
  if (threadIdx.x < kWarps - 1) links[threadIdx.x].sent = links[threadIdx.x].taken = 0;
  __syncthreads();  // before anybody waits
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  const int stage = blockIdx.x * kWarps + warp;
  if (stage >= stages) return;
  const bool first = stage == 0, last = stage == stages - 1;
  const std::int64_t mine = static_cast<std::int64_t>(blockIdx.x) * n, from = mine - n;
  const unsigned key = keys[stage];
  for (int begin = 0, number = 0; begin < n; begin += kMessage, ++number) {
    unsigned x[kWords];
    if (warp > 0) {
      // TODO(3): wait until the message of this number has been sent; take the words lane, lane + kWarp, ...
      //          of its place in the ring, number % kDepth; tell that it has been taken (5 lines).
      // BEGIN SOLUTION
      Link& link = links[warp - 1];
      wait_in_block(&link.sent, number + 1);
      for (int j = 0; j < kWords; ++j) x[j] = link.words[number % kDepth][lane + j * kWarp];
      tell_block(&link.taken, number + 1);
      // END SOLUTION
    } else {
      // TODO(4): unless this is the first stage, wait for the flag of this message, flags[from + begin], as
      //          in rung 2: lane 0 for its warp. Which scope (5 lines)?
      // BEGIN SOLUTION
      if (!first) {
        if (lane == 0)
          while (load<Order::acquire, Scope::device>(flags + from + begin) == 0) continue;
        __syncwarp();
      }
      // END SOLUTION
      for (int j = 0; j < kWords; ++j) {
        const int i = begin + lane + j * kWarp;
        x[j] = i < n ? (first ? in : messages + from)[i] : 0;
      }
    }
    for (int j = 0; j < kWords; ++j) x[j] = step(x[j], key);
    if (!last && warp < kWarps - 1) {
      // TODO(5): wait until the ring has a free place: of the messages before this one all but kDepth - 1
      //          have been taken. Put the words there; tell that they have been sent (5 lines).
      // BEGIN SOLUTION
      Link& link = links[warp];
      wait_in_block(&link.taken, number + 1 - kDepth);
      for (int j = 0; j < kWords; ++j) link.words[number % kDepth][lane + j * kWarp] = x[j];
      tell_block(&link.sent, number + 1);
      // END SOLUTION
    } else {
      for (int j = 0; j < kWords; ++j) {
        const int i = begin + lane + j * kWarp;
        if (i < n) (last ? out : messages + mine)[i] = x[j];
      }
      // TODO(6): unless this is the last stage, raise the flag of this message, flags[mine + begin] (4
      //          lines).
      // BEGIN SOLUTION
      if (!last) {
        __syncwarp();
        if (lane == 0) store<Order::release, Scope::device>(flags + mine + begin, 1);
      }
      // END SOLUTION
    }
  }
}

cudaError_t relay(unsigned* out, unsigned* messages, unsigned* flags, const unsigned* in,
                  const unsigned* keys, int n, int stages) {
  if (n == 0) return cudaSuccess;
  const int blocks = (stages + kWarps - 1) / kWarps;
  relay_kernel<<<blocks, kWarps * kWarp>>>(out, messages, flags, in, keys, n, stages);
  return cudaGetLastError();
}
