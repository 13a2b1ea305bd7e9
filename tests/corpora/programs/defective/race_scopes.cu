// Atomics whose order or scope promises too little.
#include <cuda/atomic>

#include "../case.h"

using DeviceRef = cuda::atomic_ref<int, cuda::thread_scope_device>;
using BlockRef = cuda::atomic_ref<int, cuda::thread_scope_block>;

// expect: race global
// wrong: a relaxed store publishes nothing that was written before it.
// cure:  memory_order_release.
__global__ void relaxed_store(int* data, int* flag, int* out) {
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;  // <- race
    ready.store(1, cuda::std::memory_order_relaxed);
  } else {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {
    }
    *out = *data;  // <- race
  }
}
CASE(relaxed_store_of_the_flag) {
  Buffer<int> data(1), flag(1), out(1);
  relaxed_store<<<2, 1>>>(data, flag, out);
  finish();
}

// expect: race global
// wrong: a relaxed load acquires nothing, though the store released it.
// cure:  memory_order_acquire, or a fence behind the loop.
__global__ void relaxed_load(int* data, int* flag, int* out) {
  DeviceRef ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;  // <- race
    ready.store(1, cuda::std::memory_order_release);
  } else {
    while (ready.load(cuda::std::memory_order_relaxed) == 0) {
    }
    *out = *data;  // <- race
  }
}
CASE(relaxed_load_of_the_flag) {
  Buffer<int> data(1), flag(1), out(1);
  relaxed_load<<<2, 1>>>(data, flag, out);
  finish();
}

// expect: race global
// wrong: the scope is the block, the reader is in another one.
// cure:  thread_scope_device.
__global__ void narrow_scope(int* data, int* flag, int* out) {
  BlockRef ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;                                       // <- race
    ready.store(1, cuda::std::memory_order_release);  // <- race
  } else {
    while (ready.load(cuda::std::memory_order_acquire) == 0) {  // <- race
    }
    *out = *data;  // <- race
  }
}
CASE(message_of_the_blocks_scope_between_blocks) {
  Buffer<int> data(1), flag(1), out(1);
  narrow_scope<<<2, 1>>>(data, flag, out);
  finish();
}

// expect: race global
// wrong: a relaxed counter: the last block does not see what the others wrote.
// cure:  memory_order_acq_rel.
__global__ void relaxed_counter(int* parts, int* count, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = blockIdx.x + 1;  // <- race
    DeviceRef done(*count);
    last = done.fetch_add(1, cuda::std::memory_order_relaxed) == int(gridDim.x) - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) atomicAdd(out, parts[threadIdx.x]);  // <- race
}
CASE(last_block_by_a_relaxed_counter) {
  Buffer<int> parts(8), count(1), out(1);
  relaxed_counter<<<8, 32>>>(parts, count, out);
  finish();
}

// expect: race global
// wrong: the lock is taken with relaxed order on both ends.
// cure:  acquire to take it, release to give it back.
__global__ void relaxed_lock(int* lock, int* total) {
  DeviceRef l(*lock);
  if (threadIdx.x == 0) {
    while (l.exchange(1, cuda::std::memory_order_relaxed) != 0) {
    }
    *total += blockIdx.x;  // <- race
    l.store(0, cuda::std::memory_order_relaxed);
  }
}
CASE(relaxed_lock_of_blocks) {
  Buffer<int> lock(1), total(1);
  relaxed_lock<<<8, 32>>>(lock, total);
  finish();
}

// expect: race global
// wrong: atomic in one block, plain in the other.
// cure:  both through the atomic_ref.
__global__ void half_atomic(int* count) {
  if (blockIdx.x == 0) {
    DeviceRef(*count).fetch_add(1, cuda::std::memory_order_relaxed);  // <- race
  } else {
    *count = 0;  // <- race
  }
}
CASE(plain_store_beside_an_atomic_ref) {
  Buffer<int> count(1);
  half_atomic<<<2, 1>>>(count);
  finish();
}

// expect: race shared
// wrong: relaxed within the block is not enough either.
// cure:  release and acquire.
__global__ void relaxed_in_block(int* out) {
  __shared__ int data, flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  BlockRef ready(flag);
  if (threadIdx.x == 0) {
    data = 7;  // <- race
    ready.store(1, cuda::std::memory_order_relaxed);
  } else if (threadIdx.x == 32) {
    while (ready.load(cuda::std::memory_order_relaxed) == 0) {
    }
    *out = data;  // <- race
  }
}
CASE(relaxed_message_within_a_block) {
  Buffer<int> out(1);
  relaxed_in_block<<<1, 64>>>(out);
  finish();
}

// expect: race global
// wrong: the value goes out after the flag.
// cure:  value, then release of the flag.
__global__ void value_after_flag(int* parts, int* flags, int* out) {
  const int b = blockIdx.x;
  if (threadIdx.x != 0) return;
  DeviceRef mine(flags[b]);
  mine.store(1, cuda::std::memory_order_release);
  parts[b] = b;  // <- race
  if (b > 0) {
    DeviceRef before(flags[b - 1]);
    while (before.load(cuda::std::memory_order_acquire) == 0) {
    }
    out[b] = parts[b - 1];  // <- race
  }
}
CASE(flag_set_before_the_value) {
  Buffer<int> parts(4), flags(4), out(4);
  value_after_flag<<<4, 32>>>(parts, flags, out);
  finish();
}

// expect: race global
// wrong: only thread 0's own words are behind its fence: the barrier comes after the counter.
// cure:  __syncthreads() before the fence and the counter.
__global__ void barrier_too_late(int* parts, unsigned* count, int* out) {
  __shared__ bool last;
  const int t = threadIdx.x;
  parts[blockIdx.x * 64 + t] = t;  // <- race
  if (t == 0) {
    __threadfence();
    last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += parts[b * 64 + t];  // <- race
    out[t] = sum;
  }
}
CASE(last_block_done_with_its_barrier_too_late) {
  Buffer<int> parts(256), out(64);
  Buffer<unsigned> count(1);
  barrier_too_late<<<4, 64>>>(parts, count, out);
  finish();
}

// expect: race global
// wrong: the fence stands between the lock's release and the data, on the wrong side.
// cure:  fence, then release.
__global__ void released_first(int* lock, int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *total += 1;  // <- race
  atomicExch(lock, 0);
  __threadfence();
}
CASE(lock_released_before_the_fence) {
  Buffer<int> lock(1), total(1);
  released_first<<<8, 32>>>(lock, total);
  finish();
}

// expect: race global
// wrong: the unlocking store is an ordinary one.
// cure:  __threadfence(); atomicExch(lock, 0).
__global__ void plain_unlock(int* lock, int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  // <- race
  }
  *total += 1;  // <- race
  *lock = 0;    // <- race
}
CASE(unlocked_by_a_plain_store) {
  Buffer<int> lock(1), total(1);
  plain_unlock<<<8, 32>>>(lock, total);
  finish();
}

// expect: race global
// wrong: each lane takes the lock of its own bucket and adds to its neighbour's.
// cure:  the lock of the bucket that is changed.
__global__ void wrong_lock(int* locks, int* sums) {
  const int i = threadIdx.x % 4;
  for (bool done = false; !done;) {
    if (atomicCAS(&locks[i], 0, 1) == 0) {
      __threadfence();
      sums[(i + blockIdx.x) % 4] += 1;  // <- race
      __threadfence();
      atomicExch(&locks[i], 0);
      done = true;
    }
  }
}
CASE(another_buckets_lock) {
  Buffer<int> locks(4), sums(4);
  wrong_lock<<<2, 32>>>(locks, sums);
  finish();
}

// expect: race global
// wrong: one reader looks without the lock.
// cure:  take the lock to read, too.
__global__ void reads_without_lock(int* lock, int* pair, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 3) {
    *out = pair[0] - pair[1];  // <- race
    return;
  }
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  pair[0] += 1;  // <- race
  pair[1] += 1;  // <- race
  __threadfence();
  atomicExch(lock, 0);
}
CASE(reader_without_the_lock) {
  Buffer<int> lock(1), pair(2), out(1);
  reads_without_lock<<<4, 32>>>(lock, pair, out);
  finish();
}

// expect: race global
// wrong: two 16-bit counters in one word, one updated by halves, one as a whole word.
// cure:  atomics of the same size on both.
__global__ void halves_and_words(unsigned* word) {
  if (blockIdx.x == 0) {
    atomicAdd(word, 1u);  // <- race
  } else {
    reinterpret_cast<unsigned short*>(word)[1] = 7;  // <- race
  }
}
CASE(half_of_an_atomic_word) {
  Buffer<unsigned> word(1);
  halves_and_words<<<2, 1>>>(word);
  finish();
}

// expect: race global
// wrong: a barrier of the grid by hand, whose first thread arrives before its block has.
// cure:  __syncthreads() before the arrival.
__global__ void early_arrival(int* a, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;  // <- race
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < int(gridDim.x)) {
    }
    __threadfence();
  }
  __syncthreads();
  out[i] = a[n - 1 - i];  // <- race
}
CASE(arrival_before_the_block_is_done) {
  Buffer<int> a(128), out(128), count(1);
  early_arrival<<<2, 64>>>(a, out, count, 128);
  finish();
}

// expect: race global
// wrong: a barrier of the grid by hand, nothing fenced.
// cure:  __threadfence() before the arrival.
__global__ void no_fence(int* a, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = i;  // <- race
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < int(gridDim.x)) {
    }
  }
  __syncthreads();
  out[i] = a[n - 1 - i];  // <- race
}
CASE(grid_barrier_by_hand_without_a_fence) {
  Buffer<int> a(128), out(128), count(1);
  no_fence<<<2, 64>>>(a, out, count, 128);
  finish();
}
