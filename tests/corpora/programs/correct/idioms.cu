// Ways of doing things that look wrong at first sight.
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "../case.h"

namespace cg = cooperative_groups;

// Values that nobody wrote are copied into the tile with the others, and nobody uses them.
__global__ void sum_of_valid(int* out, const int* in, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int sum = 0;
  for (int i = threadIdx.x % 4; i < n; i += 4) sum += s[i];
  out[threadIdx.x] = sum;
}
CASE(unwritten_words_copied_and_not_used) {
  Buffer<int> out(64);
  int host[40], *in;
  for (int& x : host) x = 1;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  sum_of_valid<<<1, 64>>>(out, in, 40);
  finish();
  CHECK_THAT(out.host()[3] == 10);
  cudaFree(in);
}

// Several local arrays, walked by pointers of all kinds: one past the end, backwards, and by a function.
__device__ void fill(int* from, const int* end, int value) {
  while (from != end) *from++ = value;
}
__device__ int total(const int (&a)[5]) {
  int sum = 0;
  for (const int x : a) sum += x;
  return sum;
}
__global__ void walks(int* out, int n) {
  int a[4], b[5], c[2][3];
  fill(a, a + 4, 1), fill(b, &b[n], 2), fill(&c[0][0], &c[0][0] + 6, 3);
  int sum = total(b);
  for (const int* p = a + 4; p-- > a;) sum += *p;
  const int* last = b + n - 1;
  for (int i = 0; i < n; ++i) sum += last[-i];
  for (int i = 0; i < 6; ++i) sum += c[0][i];
  int* chosen = n > 4 ? b : a;
  chosen[n - 1] += sum;
  out[threadIdx.x] = chosen[n - 1];
}
CASE(local_arrays_side_by_side) {
  Buffer<int> out(32);
  walks<<<1, 32>>>(out, 5);
  finish();
  CHECK_THAT(out.host()[0] == 10 + 4 + 10 + 18 + 2);
}

// A structure goes through shared memory with the bytes between its members, which mean nothing.
struct Particle {
  char kind;
  double mass;
  short charge;
};
__global__ void reverse(Particle* out, int n) {
  __shared__ Particle s[32];
  Particle p;
  p.kind = threadIdx.x % 3, p.mass = threadIdx.x, p.charge = -1;
  s[threadIdx.x] = p;
  __syncthreads();
  out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
CASE(structure_with_gaps_through_shared_memory) {
  Particle* out;
  std::vector<Particle> host(32);
  cudaMalloc(&out, 32 * sizeof(Particle));
  reverse<<<1, 32>>>(out, 32);
  finish();
  cudaMemcpy(host.data(), out, 32 * sizeof(Particle), cudaMemcpyDeviceToHost);
  CHECK_THAT(host[1].mass == 30);
  cudaFree(out);
}

// The last block sets the counter back, for the next launch.
__device__ unsigned int blocks_done = 0;
__global__ void sum_of_blocks(int* out, int* parts, const int* in) {
  __shared__ bool last;
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  int all = 0;
  for (int i = 0; i < gridDim.x; ++i) all += parts[i];
  *out = all;
}
CASE(last_block_winds_the_counter_back) {
  Buffer<int> out(1), parts(8), in(512, 1);
  for (int i = 0; i < 3; ++i) sum_of_blocks<<<8, 64>>>(out, parts, in);
  finish();
  CHECK_THAT(out.host()[0] == 512);
}

// Each lane takes the lock of its bucket; the work is done inside the loop, so that nobody waits for himself.
__global__ void deposit(int* balance, int* lock, const int* account) {
  const int a = account[blockIdx.x * blockDim.x + threadIdx.x];
  for (bool done = false; !done;) {
    if (atomicCAS(&lock[a], 0, 1) == 0) {
      __threadfence();
      balance[a] += 5;
      __threadfence();
      atomicExch(&lock[a], 0);
      done = true;
    }
  }
}
CASE(lock_of_each_account) {
  std::vector<int> account(128);
  for (int i = 0; i < 128; ++i) account[i] = i * 5 % 8;
  Buffer<int> balance(8), lock(8), accounts(128);
  cudaMemcpy(accounts, account.data(), 128 * sizeof(int), cudaMemcpyHostToDevice);
  deposit<<<2, 64>>>(balance, lock, accounts);
  finish();
  CHECK_THAT(balance.host()[3] == 80);
}

// Blocks number themselves in the order in which they start, so that those they look back to are under way.
__global__ void running_sum(int* out, volatile int* state, volatile int* sums, int* ticket, const int* in) {
  __shared__ int number, before;
  if (threadIdx.x == 0) number = atomicAdd(ticket, 1);
  __syncthreads();
  const int mine = in[number * 32 + threadIdx.x];
  int sum = mine;
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(0xffffffff, sum, d);
    if (threadIdx.x >= d) sum += left;
  }
  if (threadIdx.x == 31) {
    int carried = 0;
    if (number > 0) {
      while (state[number - 1] == 0) {
      }
      __threadfence();
      carried = sums[number - 1];
    }
    sums[number] = carried + sum;
    __threadfence();
    state[number] = 1;
    before = carried;
  }
  __syncthreads();
  out[number * 32 + threadIdx.x] = before + sum;
}
CASE(blocks_take_numbers) {
  Buffer<int> out(256), state(8), sums(8), ticket(1), in(256, 1);
  running_sum<<<8, 32>>>(out, state, sums, ticket, in);
  finish();
  CHECK_THAT(out.host()[255] == 256);
}

// The lanes of a branch form a group, exchange values through shared memory, and part again.
__global__ void pairs_of_a_branch(int* out, const int* in) {
  __shared__ int s[64];
  const int v = in[threadIdx.x];
  int got = -1;
  if (v % 3 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    const int base = threadIdx.x / 32 * 32, rank = group.thread_rank();
    s[base + rank] = v;
    group.sync();
    got = s[base + (rank + 1) % group.size()];
    group.sync();
    if (rank % 2 == 0) {
      const cg::coalesced_group half = cg::coalesced_threads();
      s[base + half.thread_rank()] = got;
      half.sync();
      got += s[base + (half.thread_rank() + 1) % half.size()];
    }
  }
  out[threadIdx.x] = got;
}
CASE(groups_of_nested_branches) {
  Buffer<int> out(64), in(64, 0, 1);
  pairs_of_a_branch<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 3 + 9 && out.host()[3] == 6 && out.host()[1] == -1);
}

// Atomic references of the block's scope count in shared memory, those of the device's in global memory.
__global__ void count_digits(int* count, const int* in, int n) {
  __shared__ int mine[10];
  if (threadIdx.x < 10) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    cuda::atomic_ref<int, cuda::thread_scope_block>(mine[in[i] % 10])
        .fetch_add(1, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x < 10)
    cuda::atomic_ref<int, cuda::thread_scope_device>(count[threadIdx.x])
        .fetch_add(mine[threadIdx.x], cuda::memory_order_relaxed);
}
CASE(atomic_references_of_two_scopes) {
  Buffer<int> count(10), in(1000, 0, 1);
  count_digits<<<3, 64>>>(count, in, 1000);
  finish();
  CHECK_THAT(count.host()[7] == 100);
}

// One warp hands a value to another through a flag, without a barrier of the block.
__global__ void hand_over(int* out, const int* in) {
  __shared__ int value[32];
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    value[lane] = in[lane] * 2;
    __syncwarp();
    __threadfence_block();
    if (lane == 0) ready = 1;
  } else {
    if (lane == 0)
      while (ready == 0) {
      }
    __threadfence_block();
    __syncwarp();
    out[lane] = value[31 - lane];
  }
}
CASE(flag_between_two_warps) {
  Buffer<int> out(32), in(32, 0, 1);
  hand_over<<<1, 64>>>(out, in);
  finish();
  CHECK_THAT(out.host()[0] == 62);
}

// Each half of a warp has a slice of dynamic shared memory, and a barrier of its own.
__global__ void sort_of_halves(int* data) {
  extern __shared__ int slices[];
  int* const s = slices + threadIdx.x / 16 * 16;
  const unsigned half = threadIdx.x % 32 < 16 ? 0x0000ffffu : 0xffff0000u;
  const int l = threadIdx.x % 16;
  s[l] = data[threadIdx.x];
  for (int phase = 0; phase < 16; ++phase) {
    __syncwarp(half);
    const int i = l - (l + phase) % 2, other = i + 1;
    int low = 0, high = 0;
    const bool both = i >= 0 && other < 16;
    if (both) low = min(s[i], s[other]), high = max(s[i], s[other]);
    __syncwarp(half);
    if (both) s[l] = l == i ? low : high;
  }
  data[threadIdx.x] = s[l];
}
CASE(slices_of_half_warps) {
  Buffer<int> data(64, 64, -1);
  sort_of_halves<<<1, 64, 64 * sizeof(int)>>>(data);
  finish();
  CHECK_THAT(data.host()[0] == 49 && data.host()[15] == 64 && data.host()[16] == 33);
}

// Two tiles change places at a time, and one block has both of them.
__global__ void transpose_in_place(float* a, int n) {
  __shared__ float upper[8][9], lower[8][9];
  const int x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * 8, top = blockIdx.y * 8;
  if (left < top) return;
  upper[y][x] = a[(top + y) * n + left + x];
  lower[y][x] = a[(left + y) * n + top + x];
  __syncthreads();
  a[(left + y) * n + top + x] = upper[x][y];
  if (left > top) a[(top + y) * n + left + x] = lower[x][y];
}
CASE(tiles_change_places) {
  Buffer<float> a(32 * 32, 0, 1);
  transpose_in_place<<<dim3(4, 4), dim3(8, 8)>>>(a, 32);
  finish();
  CHECK_THAT(a.host()[1] == 32 && a.host()[33] == 33 && a.host()[32 * 31] == 31);
}

// __syncthreads() orders global memory as well, within the block.
__global__ void relax(float* now, float* next) {
  float* const mine = now + blockIdx.x * 64;
  float* const other = next + blockIdx.x * 64;
  const int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    const float* from = i % 2 == 0 ? mine : other;
    float* to = i % 2 == 0 ? other : mine;
    to[t] = (from[(t + 63) % 64] + from[(t + 1) % 64]) / 2;
    __syncthreads();
  }
}
CASE(rounds_in_global_memory) {
  Buffer<float> now(256, 1), next(256);
  relax<<<4, 64>>>(now, next);
  finish();
  CHECK_THAT(now.host()[100] == 1);
}

// A list in managed memory that host and device use by turns.
struct Node {
  int value;
  Node* next;
};
__global__ void add_list(int* out, const Node* head) {
  int sum = 0;
  for (const Node* n = head; n != nullptr; n = n->next) sum += n->value;
  *out = sum;
}
CASE(linked_list_by_turns) {
  Node* nodes;
  int* out;
  cudaMallocManaged(&nodes, 10 * sizeof(Node)), cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 10; ++i) nodes[i] = {i, i < 9 ? &nodes[i + 1] : nullptr};
  add_list<<<1, 1>>>(out, nodes);
  finish();
  CHECK_THAT(*out == 45);
  nodes[4].next = nullptr;
  add_list<<<1, 1>>>(out, nodes);
  finish();
  CHECK_THAT(*out == 10);
  cudaFree(nodes), cudaFree(out);
}

// Two pinned buffers by turns, each filled anew when the event behind its copy has come.
__global__ void add_up(int* sum, const int* data) { atomicAdd(sum, data[threadIdx.x]); }
CASE(pinned_buffers_by_turns) {
  Buffer<int> sum(1), data(2048);
  int* host[2];
  cudaEvent_t copied[2];
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  for (int b = 0; b < 2; ++b) cudaMallocHost(&host[b], 4096), cudaEventCreate(&copied[b]);
  for (int part = 0; part < 6; ++part) {
    const int b = part % 2;
    if (part >= 2) cudaEventSynchronize(copied[b]);
    for (int i = 0; i < 1024; ++i) host[b][i] = part;
    cudaMemcpyAsync(data + b * 1024, host[b], 4096, cudaMemcpyHostToDevice, stream);
    cudaEventRecord(copied[b], stream);
    add_up<<<1, 1024, 0, stream>>>(sum, data + b * 1024);
  }
  finish();
  CHECK_THAT(sum.host()[0] == 15 * 1024);
  for (int b = 0; b < 2; ++b) cudaFreeHost(host[b]), cudaEventDestroy(copied[b]);
  cudaStreamDestroy(stream);
}

// What the blocks have added by atomics, the last of them reads plainly, behind fences. The counter, on which
// its own atomic was the last, it sets back plainly.
__global__ void roots_of_sums(float* sum, unsigned* done, const float* in) {
  float* const place = sum + threadIdx.x % 4;
  atomicAdd(place, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __threadfence();
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(done, 1u) == gridDim.x - 1;
    if (last) *done = 0;
    __threadfence();
  }
  __syncthreads();
  if (last && threadIdx.x < 4) *place = sqrtf(*place);
}
CASE(last_block_after_atomics) {
  Buffer<float> sum(4), in(512, 1.0f);
  Buffer<unsigned> done(1);
  for (int i = 0; i < 2; ++i) roots_of_sums<<<8, 64>>>(sum, done, in);
  finish();
  CHECK_THAT(std::fabs(sum.host()[0] - std::sqrt(std::sqrt(128.0f) + 128.0f)) < 1e-3f);
  CHECK_THAT(done.host()[0] == 0);
}

// The same counter, set back by another thread than the one that has counted: a barrier lies between them.
__global__ void count_and_set_back(int* out, unsigned* done) {
  __shared__ bool last;
  if (threadIdx.x == 63) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) {
    *done = 0;
    *out += 1;
  }
}
CASE(counter_set_back_by_another_thread) {
  Buffer<int> out(1);
  Buffer<unsigned> done(1);
  for (int i = 0; i < 3; ++i) count_and_set_back<<<8, 64>>>(out, done);
  finish();
  CHECK_THAT(out.host()[0] == 3);
  CHECK_THAT(done.host()[0] == 0);
}
