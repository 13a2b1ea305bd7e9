// Rung 4: four words that have to change together, under a lock that lanes of one warp may want at once.
#include "atomics.h"
#include "memory_model.h"

constexpr int kBlock = 128;

/// @return whether the lock was free, and is this thread's now; then it sees what the one before it has done
__device__ bool try_lock(unsigned* lock) {
  // TODO(1): exchange the lock's word for 1, with an order that suits; what was there tells (1 line).
  // BEGIN SOLUTION
  return exchange<Order::acquire>(lock, 1) == 0;
  // END SOLUTION
  return false;
}

/// Gives the lock back: whoever takes it next sees what this thread has done.
__device__ void unlock(unsigned* lock) {
  // TODO(2): store 0, with an order that suits (1 line).
  // BEGIN SOLUTION
  store<Order::release>(lock, 0);
  // END SOLUTION
}

/// Not for two threads at a time.
__device__ void enter(Record& record, unsigned value) {
  ++record.count;
  record.sum += value;
  if (value > record.first) {
    record.second = record.first;
    record.first = value;
  } else if (value > record.second) {
    record.second = value;
  }
}

__global__ void tally_kernel(Record* records, unsigned* locks, const unsigned* keys, const unsigned* values,
                             int n) {
  const int i = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  if (i >= n) return;
  const unsigned key = keys[i], value = values[i];
  // TODO(3): try for the lock of this key until the value is entered. A lane that has it must get to its
  //          unlock() whatever the other lanes of its warp do: so a turn of the loop takes the lock, enters
  //          and gives it back, or does nothing (7 lines).
  // BEGIN SOLUTION
  for (bool done = false; !done;) {
    if (try_lock(locks + key)) {
      enter(records[key], value);
      unlock(locks + key);
      done = true;
    }
  }
  // END SOLUTION
}

cudaError_t tally(Record* records, unsigned* locks, const unsigned* keys, const unsigned* values, int n,
                  int buckets) {
  const cudaError_t error = cudaMemsetAsync(records, 0, buckets * sizeof(Record));
  if (error != cudaSuccess || n == 0) return error;
  tally_kernel<<<(n + kBlock - 1) / kBlock, kBlock>>>(records, locks, keys, values, n);
  return cudaGetLastError();
}
