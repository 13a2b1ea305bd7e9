// Correct: locks, queues and lists of many kinds.
#include "../case.h"

// The lanes of a warp one after another, each in its own turn of the loop.
__global__ void try_lock(int* lock, int* total, int* log) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      log[*total] = blockIdx.x * blockDim.x + threadIdx.x;
      *total += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
CASE(try_lock_of_each_lane) {
  Buffer<int> lock(1), total(1), log(96);
  try_lock<<<3, 32>>>(lock, total, log);
  finish();
  CHECK_THAT(total.host()[0] == 96);
}

// A lock for each bucket; lanes of a warp want different ones.
struct Table {
  int *locks, *sums, *counts;
};
__device__ void add(Table t, int key, int value) {
  for (bool mine = false; !mine;) {
    mine = atomicExch(&t.locks[key], 1) == 0;
    if (mine) {
      __threadfence();
      t.sums[key] += value;
      t.counts[key]++;
      __threadfence();
      atomicExch(&t.locks[key], 0);
    }
  }
}
__global__ void bucketed(Table t, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) add(t, i % 7, i);
}
CASE(lock_for_each_bucket) {
  Buffer<int> locks(7), sums(7), counts(7);
  bucketed<<<4, 32>>>({locks, sums, counts}, 100);
  finish();
  CHECK_THAT(counts.host()[0] == 15);
}

// A mutex in a class, held by one thread for its block.
class Mutex {
 public:
  __device__ void lock() {
    while (atomicCAS(&state_, 0, 1) != 0) __nanosleep(20);
    __threadfence();
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(&state_, 0);
  }

 private:
  int state_ = 0;
};
__device__ Mutex mutex;
__device__ int shared_sum[32];
__global__ void under_mutex() {
  if (threadIdx.x == 0) mutex.lock();
  __syncthreads();
  shared_sum[threadIdx.x] += blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) mutex.unlock();
}
CASE(mutex_class_for_the_block) {
  under_mutex<<<6, 32>>>();
  finish();
  int sums[32];
  cudaMemcpyFromSymbol(sums, shared_sum, sizeof sums);
  CHECK_THAT(sums[31] == 15);
}

// Released by a volatile store behind a fence.
__global__ void volatile_unlock(int* lock, int* total) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *total += 1;
  __threadfence();
  *(volatile int*)lock = 0;
}
CASE(unlocked_by_a_volatile_store) {
  Buffer<int> lock(1), total(1);
  volatile_unlock<<<8, 32>>>(lock, total);
  finish();
  CHECK_THAT(total.host()[0] == 8);
}

// Tasks in a list that grows: written, fenced, then counted.
__global__ void tree(int* tasks, int* written, int* taken, int* visited, int limit) {
  if (threadIdx.x != 0) return;
  while (true) {
    const int k = atomicAdd(taken, 1);
    if (k >= limit) break;
    while (atomicAdd(&written[k], 0) == 0) {
    }
    __threadfence();
    const int node = tasks[k];
    atomicAdd(visited, 1);
    for (int child = 2 * node + 1; child <= 2 * node + 2; ++child)
      if (child < limit) {
        tasks[child] = child;
        __threadfence();
        atomicExch(&written[child], 1);
      }
  }
}
CASE(tasks_that_make_tasks) {
  Buffer<int> tasks(31), written(31), taken(1), visited(1);
  const int one = 1;
  cudaMemcpy(written, &one, sizeof one, cudaMemcpyHostToDevice);
  tree<<<4, 32>>>(tasks, written, taken, visited, 31);
  finish();
  CHECK_THAT(visited.host()[0] == 31);
}

// Double precision by compare-and-swap, and the smallest pair by a 64-bit word.
__global__ void by_swap(double* sum, unsigned long long* best, const float* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long* word = reinterpret_cast<unsigned long long*>(sum);
  unsigned long long seen = *word, expected;
  do {
    expected = seen;
    seen = atomicCAS(word, expected, __double_as_longlong(__longlong_as_double(expected) + in[i]));
  } while (seen != expected);
  const unsigned long long mine = (unsigned long long)__float_as_uint(in[i]) << 32 | i;
  unsigned long long old = *best;
  while (mine < old) {
    const unsigned long long was = atomicCAS(best, old, mine);
    if (was == old) break;
    old = was;
  }
}
CASE(sum_and_minimum_by_compare_and_swap) {
  Buffer<double> sum(1);
  Buffer<unsigned long long> best(1, ~0ull);
  Buffer<float> in(64, 1, 1);
  by_swap<<<2, 32>>>(sum, best, in);
  finish();
  CHECK_THAT(sum.host()[0] == 2080 && (best.host()[0] & 0xffffffff) == 0);
}

// Open addressing: the key is claimed by compare-and-swap, the value is added atomically.
__global__ void count_keys(int* keys, int* counts, const int* in, int slots) {
  const int key = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = key * 7 % slots;; k = (k + 1) % slots) {
    const int there = atomicCAS(&keys[k], -1, key);
    if (there == -1 || there == key) {
      atomicAdd(&counts[k], 1);
      return;
    }
  }
}
CASE(hash_table) {
  Buffer<int> keys(64, -1), counts(64);
  std::vector<int> values(128);
  for (int i = 0; i < 128; ++i) values[i] = i % 20;
  Buffer<int> in(128);
  cudaMemcpy(in, values.data(), 512, cudaMemcpyHostToDevice);
  count_keys<<<4, 32>>>(keys, counts, in, 64);
  finish();
  int all = 0;
  for (int c : counts.host()) all += c;
  CHECK_THAT(all == 128);
}

// Union-find with atomics: parents are read through volatile.
__device__ int root(volatile int* parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}
__global__ void unite(int* parent, const int* edges, int n) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= n) return;
  int a = edges[2 * e], b = edges[2 * e + 1];
  while (true) {
    a = root(parent, a);
    b = root(parent, b);
    if (a == b) return;
    if (a < b) {
      const int t = a;
      a = b;
      b = t;
    }
    if (atomicCAS(&parent[a], a, b) == a) return;
  }
}
CASE(union_find) {
  Buffer<int> parent(64, 0, 1);
  std::vector<int> e;
  for (int i = 0; i + 2 < 64; ++i) e.insert(e.end(), {i, i + 2});
  Buffer<int> edges(e.size());
  cudaMemcpy(edges, e.data(), e.size() * sizeof(int), cudaMemcpyHostToDevice);
  unite<<<2, 32>>>(parent, edges, int(e.size() / 2));
  finish();
  CHECK_THAT(parent.host()[0] == 0);
}

// A barrier of the grid by hand, with a generation: everybody fences, one counts.
__device__ unsigned arrived;
__device__ volatile unsigned generation;
__device__ void all_blocks() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned mine = generation;
    __threadfence();
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      generation = mine + 1;
    } else {
      while (generation == mine) {
      }
    }
    __threadfence();
  }
  __syncthreads();
}
__global__ void neighbours(int* a, int* b, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    b[i] = a[(i + 1) % n] + 1;
    all_blocks();
    a[i] = b[(i + 1) % n];
    all_blocks();
  }
}
CASE(barrier_with_a_generation) {
  Buffer<int> a(96), b(96);
  neighbours<<<3, 32>>>(a, b, 96, 3);
  finish();
  CHECK_THAT(a.host()[5] == 3);
}

// The same by an epoch with orders of its own. What threads of several blocks have read, the block that came
// last stores anew: it knows of its own reads without having been told.
__device__ void all_blocks_by_epoch(unsigned* count, unsigned* epoch) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned mine, seen;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(mine) : "l"(epoch) : "memory");
    asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], 1;" : "=r"(seen) : "l"(count) : "memory");
    if (seen == gridDim.x - 1) {
      asm volatile("st.relaxed.gpu.u32 [%0], 0;" ::"l"(count) : "memory");
      asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(epoch), "r"(mine + 1) : "memory");
    } else {
      do {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(epoch) : "memory");
      } while (seen == mine);
    }
  }
  __syncthreads();
}
__global__ void three_neighbours(int* a, int* b, int n, int rounds, unsigned* barrier) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < rounds; ++k) {
    const int* from = k % 2 == 0 ? a : b;
    int* to = k % 2 == 0 ? b : a;
    to[i] = from[(i + n - 1) % n] + from[i] + from[(i + 1) % n];
    all_blocks_by_epoch(barrier, barrier + 1);
  }
}
CASE(barrier_with_an_epoch_and_readers_of_two_blocks) {
  Buffer<int> a(96, 1), b(96);
  Buffer<unsigned> barrier(2);
  three_neighbours<<<3, 32>>>(a, b, 96, 4, barrier);
  finish();
  CHECK_THAT(a.host()[32] == 81);
}

// Look-back: sum and state in separate words, the sums written before the fence.
__global__ void scan_blocks(int* out, const int* in, int* state, int* parts, int* sums, int* ticket) {
  __shared__ int s[64], base, tile;
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  const int b = tile;
  s[t] = in[b * 64 + t];
  for (int d = 1; d < 64; d *= 2) {
    __syncthreads();
    const int x = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += x;
  }
  __syncthreads();
  if (t == 63) {
    parts[b] = s[63];
    __threadfence();
    atomicExch(&state[b], 1);
    int before = 0;
    for (int k = b - 1; k >= 0; --k) {
      int ready;
      while ((ready = atomicAdd(&state[k], 0)) == 0) {
      }
      __threadfence();
      if (ready == 2) {
        before += sums[k];
        break;
      }
      before += parts[k];
    }
    sums[b] = before + s[63];
    __threadfence();
    atomicExch(&state[b], 2);
    base = before;
  }
  __syncthreads();
  out[b * 64 + t] = base + s[t];
}
CASE(look_back_with_two_states) {
  Buffer<int> out(512), in(512, 1), state(8), parts(8), sums(8), ticket(1);
  scan_blocks<<<8, 64>>>(out, in, state, parts, sums, ticket);
  finish();
  CHECK_THAT(out.host()[511] == 512);
}
// Look-back by a whole warp: 32 predecessors at once, flag and value packed in one 64-bit word.
__global__ void scan_by_warp(int* out, const int* in, unsigned long long* words) {
  __shared__ int base;
  const int t = threadIdx.x, b = blockIdx.x;
  const int x = in[b * 32 + t];
  int sum = x;
  for (int d = 1; d < 32; d *= 2) {
    const int y = __shfl_up_sync(0xffffffff, sum, d);
    if (t >= d) sum += y;
  }
  volatile unsigned long long* w = words;
  if (t == 31) w[b] = (b == 0 ? 2ull : 1ull) << 32 | unsigned(sum);
  int before = 0;
  for (int last = b - 1; last >= 0; last -= 32) {
    const int k = last - t;
    unsigned long long word = 2ull << 32;
    if (k >= 0) {
      do {
        word = w[k];
      } while (word >> 32 == 0);
    }
    const unsigned full = __ballot_sync(0xffffffff, word >> 32 == 2);
    const int first = __ffs(full) - 1;
    int part = full == 0 || t <= first ? int(unsigned(word)) : 0;
    for (int d = 16; d > 0; d /= 2) part += __shfl_xor_sync(0xffffffff, part, d);
    before += part;
    if (full != 0) break;
  }
  if (t == 31) {
    w[b] = 2ull << 32 | unsigned(before + sum);
    base = before;
  }
  __syncwarp();
  out[b * 32 + t] = base + sum;
}
CASE(look_back_of_a_warp) {
  Buffer<int> out(320), in(320, 1);
  Buffer<unsigned long long> words(10);
  scan_by_warp<<<10, 32>>>(out, in, words);
  finish();
  CHECK_THAT(out.host()[319] == 320);
}
