// Measures bulk copies, mbarriers and clusters on a GPU of compute capability 9.0, for
// simulator/model/gpus/*.h.
//   nvcc -O3 -std=c++20 -gencode arch=compute_90a,code=sm_90a tests/simulator/model/measure_async.cu -o
//   measure_async &&
//   ./measure_async
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../corpora/programs/bulk.h"

namespace cg = cooperative_groups;

#define CHECK(call)                                 \
  if (const cudaError_t e = call; e != cudaSuccess) \
  std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)), std::exit(1)

namespace {

constexpr int kShared = 200 * 1024, kRing = 128 * 1024;
int sms;

void tell(const std::string& name, double value, const char* unit) {
  std::printf("%-52s %12.5g %s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}

/// What a copy moves: bytes behind one another, or a box of a tensor map.
struct Copy {
  const char* from;
  std::uint32_t bytes;
  std::uint32_t step;   ///< from one copy to the next: bytes, or rows of a tensor
  std::uint64_t range;  ///< of all of them, a power of two: divisions would take longer than the copies
  std::uint64_t apart;  ///< from one block's first copy to the next block's
  bool box = false;
};

__device__ inline void load_box(void* to, const CUtensorMap* map, int x, int y, std::uint64_t* b) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], "
      "[%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(b))
      : "memory");
}
/// @param at  moves on to the next copy
__device__ inline void start(const Copy& c, const CUtensorMap& map, char* to, std::uint64_t& at,
                             std::uint64_t* b) {
  mbarrier_expect(b, int(c.bytes));
  if (c.box)
    load_box(to, &map, 0, int(at), b);
  else
    bulk_load(to, c.from + at, int(c.bytes), b);
  at = (at + c.step) & (c.range - 1);
}
__device__ inline std::uint64_t first(const Copy& c) { return blockIdx.x * c.apart & (c.range - 1); }
__device__ inline char* tiles() {
  extern __shared__ char dynamic[];
  return dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
}

/// One copy after the other, each waited for.
__global__ void one_by_one(Copy c, const __grid_constant__ CUtensorMap map, int count, double* clocks) {
  __shared__ std::uint64_t full;
  mbarrier_init(&full, 1);
  fence_mbarrier_init();
  std::uint64_t at = first(c);
  const long long from = clock64();
  for (int i = 0; i < count; ++i) {
    start(c, map, tiles(), at, &full);
    mbarrier_wait(&full, i % 2);
  }
  *clocks = double(clock64() - from) / count;
}

/// Copies in a ring of stages, in every block.
__global__ void ring(Copy c, const __grid_constant__ CUtensorMap map, int stages, int turns, double* clocks) {
  __shared__ std::uint64_t full[128];
  for (int i = 0; i < stages; ++i) mbarrier_init(&full[i], 1);
  fence_mbarrier_init();
  std::uint64_t at = first(c);
  const std::uint32_t room = (c.bytes + 1023) / 1024 * 1024;
  const long long from = clock64();
  for (int turn = 0; turn <= turns; ++turn)
    for (int stage = 0; stage < stages; ++stage) {
      if (turn > 0) mbarrier_wait(&full[stage], (turn + 1) % 2);
      if (turn < turns) start(c, map, tiles() + stage * room, at, &full[stage]);
    }
  if (blockIdx.x == 0) *clocks = double(clock64() - from) / (double(turns) * stages);
}

/// The instructions themselves: copies of 16 bytes that nobody waits for in between.
__global__ void issue(const char* from, double* clocks) {
  __shared__ std::uint64_t full;
  mbarrier_init(&full, 1);
  fence_mbarrier_init();
  mbarrier_expect(&full, 64 * 16);
  const long long at = clock64();
#pragma unroll
  for (int i = 0; i < 64; ++i) bulk_load(tiles() + 16 * i, from + 16 * i, 16, &full);
  *clocks = double(clock64() - at) / 64;
  mbarrier_wait(&full, 0);
}

__global__ void stores(char* to, int bytes, int pending, int count, double* clocks) {
  const long long from = clock64();
  for (int i = 0; i < count; ++i) {
    bulk_store(to + (std::uint64_t(blockIdx.x) * count + i) % 256 * bytes, tiles(), bytes);
    bulk_commit();
    if (pending == 0) bulk_wait<0>();
    if (pending == -1) bulk_wait_read<0>();
    if (pending == 4) bulk_wait_read<4>();
  }
  bulk_wait<0>();
  if (blockIdx.x == 0) *clocks = double(clock64() - from) / count;
}

/// An arrival, and a wait for the phase that it ends.
__global__ void phases(int count, double* clocks) {
  __shared__ std::uint64_t b;
  mbarrier_init(&b, 1);
  const long long from = clock64();
  for (int i = 0; i < count; ++i) mbarrier_arrive(&b), mbarrier_wait(&b, i % 2);
  *clocks = double(clock64() - from) / count;
}
/// Two warps hand a turn to and fro.
__global__ void turns(int count, double* clocks) {
  __shared__ std::uint64_t b[2];
  if (threadIdx.x == 0) mbarrier_init(&b[0], 1), mbarrier_init(&b[1], 1);
  __syncthreads();
  const long long from = clock64();
  if (threadIdx.x == 0)
    for (int i = 0; i < count; ++i) mbarrier_arrive(&b[0]), mbarrier_wait(&b[1], i % 2);
  if (threadIdx.x == 32)
    for (int i = 0; i < count; ++i) mbarrier_wait(&b[0], i % 2), mbarrier_arrive(&b[1]);
  if (threadIdx.x == 0) *clocks = double(clock64() - from) / (2 * count);
}

template <bool kRelaxed>
__global__ void cluster_barriers(int count, double* clocks) {
  cluster_arrive(), cluster_wait();
  const long long from = clock64();
  for (int i = 0; i < count; ++i) kRelaxed ? cluster_arrive_relaxed() : cluster_arrive(), cluster_wait();
  if (blockIdx.x == 0 && threadIdx.x == 0) *clocks = double(clock64() - from) / count;
}
/// Follows pointers through the shared memory of the cluster's last block.
__global__ void chase_remote(int count, double* clocks, unsigned* end) {
  __shared__ unsigned next[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) next[i] = (i + 33) % 256;
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) {
    const unsigned* there = cluster.map_shared_rank(next, cluster.num_blocks() - 1);
    unsigned at = 0;
    const long long from = clock64();
    for (int i = 0; i < count; ++i) at = there[at];
    *clocks = double(clock64() - from) / count;
    *end = at;
  }
  cluster.sync();
}
/// All threads read the next block's shared memory, or (with @p own) their own.
__global__ void read_remote(int count, bool own, float* end, double* clocks) {
  __shared__ float4 values[1024];
  values[threadIdx.x] = {};
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = own ? cluster.block_rank() : (cluster.block_rank() + 1) % cluster.num_blocks();
  const float4* there = cluster.map_shared_rank(values, rank);
  cluster.sync();
  float sum = 0;
  const long long from = clock64();
  for (int i = 0; i < count; ++i) {
    const float4 v = there[(threadIdx.x + i * 32) % 1024];
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 1.25f) *end = sum;
  cluster.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) *clocks = double(clock64() - from) / count;
}
/// Rank 0 copies for all blocks of its cluster, in a ring of stages; at the end of a turn the blocks wait for
/// each other.
__global__ void multicast_ring(Copy c, int stages, int turns, double* clocks) {
  __shared__ std::uint64_t full[32], empty;
  const cg::cluster_group cluster = cg::this_cluster();
  const int blocks = int(cluster.num_blocks());
  const std::uint16_t all = std::uint16_t((1 << blocks) - 1);
  for (int i = 0; i < stages; ++i) mbarrier_init(&full[i], 1);
  mbarrier_init(&empty, blocks);
  fence_mbarrier_init();
  cluster.sync();
  std::uint64_t at = first(c);
  const long long from = clock64();
  for (int turn = 0; turn < turns; ++turn) {
    for (int stage = 0; stage < stages; ++stage) mbarrier_expect(&full[stage], int(c.bytes));
    for (int stage = 0; cluster.block_rank() == 0 && stage < stages; ++stage) {
      bulk_load_multicast(tiles() + stage * c.bytes, c.from + at, int(c.bytes), &full[stage], all);
      at = (at + c.step) & (c.range - 1);
    }
    for (int stage = 0; stage < stages; ++stage) mbarrier_wait(&full[stage], turn % 2);
    mbarrier_arrive_at(&empty, 0);
    if (cluster.block_rank() == 0) mbarrier_wait(&empty, turn % 2);
  }
  cluster.sync();
  if (blockIdx.x == 0) *clocks = double(clock64() - from) / (double(turns) * stages);
}

double* result;

/// The smallest of three runs, in clocks.
template <class Launch>
double least(Launch launch) {
  double best = 1e300;
  for (int run = 0; run < 3; ++run) {
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    best = std::min(best, *result);
  }
  return best;
}
template <class... Parameters, class... Arguments>
double in_clusters(unsigned blocks, unsigned cluster, unsigned threads, void (*kernel)(Parameters...),
                   Arguments... arguments) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute size{};
  size.id = cudaLaunchAttributeClusterDimension;
  size.val.clusterDim = {cluster, 1, 1};
  cudaFuncAttributes facts;
  CHECK(cudaFuncGetAttributes(&facts, kernel));
  cudaLaunchConfig_t config{};
  config.gridDim = blocks / cluster * cluster;
  config.blockDim = threads;
  config.dynamicSmemBytes = facts.sharedSizeBytes > 8192 ? 0 : kShared;
  config.attrs = &size;
  config.numAttrs = 1;
  return least([&] { CHECK(cudaLaunchKernelEx(&config, kernel, arguments...)); });
}

/// Rows of @p row bytes, @p rows of them in a box, of a tensor that is as wide as its boxes.
CUtensorMap map_of(void* data, std::uint32_t row, std::uint32_t rows, std::uint64_t all_rows,
                   CUtensorMapSwizzle swizzle, std::uint64_t pitch) {
  static const auto encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status{};
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                           &status));
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  CUtensorMap map;
  const cuuint64_t extents[] = {row / 2, all_rows}, strides[] = {pitch};
  const cuuint32_t box[] = {row / 2, rows}, steps[] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, extents, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    std::fprintf(stderr, "no map of rows of %u bytes\n", row), std::exit(1);
  return map;
}

/// A copy alone, and rings of copies: bytes that an SM gets in a clock.
/// @param unit  bytes of what the copy's steps count
void rates(const std::string& name, Copy c, std::uint64_t unit, const CUtensorMap& map) {
  const int stages = std::min<int>(128, kRing / int((c.bytes + 1023) / 1024 * 1024));
  const int turns = std::max(4, int((4 << 20) / c.bytes) / stages);
  Copy near = c;
  near.range = (1 << 20) / unit, near.apart = 0;
  tell(name + ": waited for", least([&] { one_by_one<<<1, 1, kShared>>>(near, map, 200, result); }),
       "clocks");
  for (const int blocks : {1, sms}) {
    Copy l2 = c;
    l2.range = (16 << 20) / unit, l2.apart = (128 << 10) / unit;
    const double clocks = least([&] { ring<<<blocks, 1, kShared>>>(l2, map, stages, turns, result); });
    tell(name + (blocks == 1 ? ": L2, one SM" : ": L2, all SMs"), c.bytes / clocks, "bytes per SM and clock");
  }
  // In a launch, each SM reads memory that none has read.
  const int far = int(c.apart / c.step) / stages;
  const double clocks = least([&] { ring<<<sms, 1, kShared>>>(c, map, stages, far, result); });
  tell(name + ": DRAM, all SMs", c.bytes / clocks, "bytes per SM and clock");
}

void loads(char* data, std::uint64_t bytes) {
  const auto share = [](std::uint64_t all, std::uint64_t step) {
    return all / std::uint64_t(sms) / step * step;
  };
  for (const std::uint32_t size : {16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768})
    rates("bulk of " + std::to_string(size), {data, size, size, bytes, share(bytes, size)}, 1, {});
  const CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B,
                                         CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B};
  const auto boxes = [&](std::uint32_t row, std::uint32_t rows, int swizzle, std::uint64_t pitch) {
    const std::uint64_t all_rows = bytes / pitch;
    rates("box of " + std::to_string(rows) + " rows of " + std::to_string(row) + ", swizzle " +
              std::to_string(swizzle == 0 ? 0 : 16 << swizzle) + ", pitch " + std::to_string(pitch),
          {data, row * rows, rows, all_rows, share(all_rows, rows), true}, std::max(row, 32u),
          map_of(data, row, rows, all_rows, swizzles[swizzle], pitch));
  };
  for (const int swizzle : {0, 1, 2, 3}) boxes(swizzle == 0 ? 128 : 16u << swizzle, 64, swizzle, 1024);
  for (const std::uint32_t row : {16, 32, 64, 256}) boxes(row, 64, 0, 1024);
  for (const std::uint32_t rows : {8, 32, 128, 256}) boxes(128, rows, 3, 1024);
  boxes(128, 64, 3, 128);
}

void others(char* data, std::uint64_t bytes) {
  unsigned* const end = reinterpret_cast<unsigned*>(data);
  tell("bulk copy, its instruction", least([&] { issue<<<1, 1, kShared>>>(data, result); }), "clocks");
  tell("mbarrier: arrival and wait", least([] { phases<<<1, 1>>>(1000, result); }), "clocks");
  tell("mbarrier: from warp to warp", least([] { turns<<<1, 64>>>(1000, result); }), "clocks");
  for (const int size : {1024, 4096, 16384, 32768}) {
    const std::string name = "bulk store of " + std::to_string(size);
    tell(name + ": waited for", least([&] { stores<<<1, 1, kShared>>>(data, size, 0, 200, result); }),
         "clocks");
    tell(name + ": read waited for", least([&] { stores<<<1, 1, kShared>>>(data, size, -1, 200, result); }),
         "clocks");
    for (const int blocks : {1, sms})
      tell(name + (blocks == 1 ? ": one SM" : ": all SMs"),
           size / least([&] { stores<<<blocks, 1, kShared>>>(data, size, 4, 400, result); }),
           "bytes per SM and clock");
  }
  for (const unsigned cluster : {2u, 4u, 8u, 16u}) {
    const std::string of = " in clusters of " + std::to_string(cluster);
    tell("cluster barrier, 128 threads" + of,
         in_clusters(cluster, cluster, 128, cluster_barriers<false>, 1000, result), "clocks");
    tell("cluster barrier, relaxed arrival" + of,
         in_clusters(cluster, cluster, 128, cluster_barriers<true>, 1000, result), "clocks");
    tell("load from another block" + of, in_clusters(cluster, cluster, 32, chase_remote, 2000, result, end),
         "clocks");
    for (const bool own : {false, true})
      tell((own ? "own shared memory" : "another block's shared memory") + of,
           1024.0 * 16 /
               in_clusters(unsigned(sms), cluster, 1024, read_remote, 500, own,
                           reinterpret_cast<float*>(data), result),
           "bytes per SM and clock");
    for (const std::uint64_t range : {std::uint64_t{16} << 20, bytes}) {
      const Copy c{data, 8192, 8192, range, range / 128};
      tell((range == bytes ? "multicast of 8192, DRAM" : "multicast of 8192, L2") + of,
           8192 / in_clusters(unsigned(sms), cluster, 1, multicast_ring, c, 16, 200, result),
           "bytes per SM and clock");
    }
  }
}

}  // namespace

int main() {
  cudaDeviceProp about;
  CHECK(cudaGetDeviceProperties(&about, 0));
  std::printf("%s\n", about.name);
  sms = about.multiProcessorCount;
  CHECK(cudaMallocManaged(&result, 64));
  const std::uint64_t bytes = std::uint64_t{4} << 30;
  char* data;
  CHECK(cudaMalloc(&data, bytes));
  CHECK(cudaMemset(data, 0, bytes));
  for (const void* kernel :
       {reinterpret_cast<const void*>(one_by_one), reinterpret_cast<const void*>(ring),
        reinterpret_cast<const void*>(issue), reinterpret_cast<const void*>(stores),
        reinterpret_cast<const void*>(cluster_barriers<false>),
        reinterpret_cast<const void*>(cluster_barriers<true>), reinterpret_cast<const void*>(chase_remote),
        reinterpret_cast<const void*>(multicast_ring)})
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  others(data, bytes);
  loads(data, bytes);
}
