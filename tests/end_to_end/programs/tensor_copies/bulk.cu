// Bulk copies and reductions without a tensor map, multicast, and what addresses of a cluster look like.
#include <cooperative_groups.h>

#include "device.cuh"

namespace cg = cooperative_groups;

namespace {

/// Sixteen elements in shared memory, reduced into global memory.
#define GLOBAL_REDUCTION(name, type, instruction)                                  \
  __global__ void global_##name(type* to, const type* from) {                      \
    __shared__ __align__(128) type values[16];                                     \
    values[threadIdx.x] = from[threadIdx.x];                                       \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                   \
    __syncthreads();                                                               \
    if (threadIdx.x != 0) return;                                                  \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." instruction \
                 " [%0], [%1], %2;" ::"l"(to),                                     \
                 "r"(address_of(values)), "r"(unsigned(sizeof values))             \
                 : "memory");                                                      \
    finish_stores();                                                               \
  }
/// The same into the shared memory of the other block of a cluster.
#define CLUSTER_REDUCTION(name, type, instruction)                                                      \
  __global__ void __cluster_dims__(2, 1, 1) cluster_##name(type* to, const type* from) {                \
    __shared__ __align__(128) type values[16], sums[16];                                                \
    __shared__ __align__(8) std::uint64_t barrier;                                                      \
    const cg::cluster_group cluster = cg::this_cluster();                                               \
    const unsigned rank = cluster.block_rank();                                                         \
    values[threadIdx.x] = from[threadIdx.x];                                                            \
    sums[threadIdx.x] = to[threadIdx.x];                                                                \
    if (threadIdx.x == 0) init_barrier(&barrier, 1);                                                    \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                        \
    cluster.sync();                                                                                     \
    if (threadIdx.x == 0) {                                                                             \
      expect(&barrier, sizeof sums);                                                                    \
      const unsigned there = address_of(sums), bar = address_of(&barrier);                              \
      asm volatile(                                                                                     \
          "{ .reg .b32 d, b; mapa.shared::cluster.u32 d, %0, %4; mapa.shared::cluster.u32 b, %3, %4;\n" \
          "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." instruction  \
          " [d], [%1], %2, [b]; }" ::"r"(there),                                                        \
          "r"(address_of(values)), "r"(unsigned(sizeof values)), "r"(bar), "r"(1 - rank)                \
          : "memory");                                                                                  \
      wait(&barrier, 0);                                                                                \
    }                                                                                                   \
    cluster.sync();                                                                                     \
    if (rank == 0) to[threadIdx.x] = sums[threadIdx.x];                                                 \
  }

#define U32 std::uint32_t
#define U64 std::uint64_t
GLOBAL_REDUCTION(add_u32, U32, "add.u32")
GLOBAL_REDUCTION(add_s32, U32, "add.s32")
GLOBAL_REDUCTION(add_u64, U64, "add.u64")
GLOBAL_REDUCTION(add_f32, U32, "add.f32")
GLOBAL_REDUCTION(add_f64, U64, "add.f64")
GLOBAL_REDUCTION(add_f16, std::uint16_t, "add.noftz.f16")
GLOBAL_REDUCTION(add_bf16, std::uint16_t, "add.noftz.bf16")
GLOBAL_REDUCTION(min_u32, U32, "min.u32")
GLOBAL_REDUCTION(min_s32, U32, "min.s32")
GLOBAL_REDUCTION(min_u64, U64, "min.u64")
GLOBAL_REDUCTION(min_s64, U64, "min.s64")
GLOBAL_REDUCTION(min_f16, std::uint16_t, "min.f16")
GLOBAL_REDUCTION(min_bf16, std::uint16_t, "min.bf16")
GLOBAL_REDUCTION(max_u32, U32, "max.u32")
GLOBAL_REDUCTION(max_s32, U32, "max.s32")
GLOBAL_REDUCTION(max_u64, U64, "max.u64")
GLOBAL_REDUCTION(max_s64, U64, "max.s64")
GLOBAL_REDUCTION(max_f16, std::uint16_t, "max.f16")
GLOBAL_REDUCTION(max_bf16, std::uint16_t, "max.bf16")
GLOBAL_REDUCTION(inc_u32, U32, "inc.u32")
GLOBAL_REDUCTION(dec_u32, U32, "dec.u32")
GLOBAL_REDUCTION(and_b32, U32, "and.b32")
GLOBAL_REDUCTION(or_b32, U32, "or.b32")
GLOBAL_REDUCTION(xor_b32, U32, "xor.b32")
GLOBAL_REDUCTION(and_b64, U64, "and.b64")
GLOBAL_REDUCTION(or_b64, U64, "or.b64")
GLOBAL_REDUCTION(xor_b64, U64, "xor.b64")
CLUSTER_REDUCTION(add_u32, U32, "add.u32")
CLUSTER_REDUCTION(add_s32, U32, "add.s32")
CLUSTER_REDUCTION(add_u64, U64, "add.u64")
CLUSTER_REDUCTION(min_u32, U32, "min.u32")
CLUSTER_REDUCTION(min_s32, U32, "min.s32")
CLUSTER_REDUCTION(max_u32, U32, "max.u32")
CLUSTER_REDUCTION(max_s32, U32, "max.s32")
CLUSTER_REDUCTION(inc_u32, U32, "inc.u32")
CLUSTER_REDUCTION(dec_u32, U32, "dec.u32")
CLUSTER_REDUCTION(and_b32, U32, "and.b32")
CLUSTER_REDUCTION(or_b32, U32, "or.b32")
CLUSTER_REDUCTION(xor_b32, U32, "xor.b32")

/// Values with what makes each type hard: extremes, subnormals, infinities, not-a-numbers, ties.
template <class T>
std::vector<T> hard_values(unsigned seed) {
  const std::uint64_t bits[4][8] = {
      {0x0001, 0x03FF, 0x3C00, 0x7BFF, 0x7C00, 0x7E00, 0xFC00, 0x8001},  // halves
      {0x0001, 0x007F, 0x3F80, 0x7F7F, 0x7F80, 0x7FC0, 0xFF80, 0x8001},  // bfloat16
      {0x00000001, 0x007FFFFF, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7FA00000, 0x80000000, 0xFFFFFFFF},
      {0x1, 0x000FFFFFFFFFFFFF, 0x3FF0000000000000, 0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000,
       0x7FF4000000000000, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF}};
  std::vector<T> all;
  const int row = sizeof(T) == 2 ? int(seed & 1) : sizeof(T) == 4 ? 2 : 3;
  for (unsigned i = 0; i < 16; ++i)
    all.push_back(
        T(i < 12 ? bits[row][(i * (seed / 2 * 2 + 1) + seed / 2) % 8] : (i + seed) * 0x0101010101010101ull));
  return all;
}

template <class T>
void reduce(const char* name, void (*kernel)(T*, const T*), unsigned blocks) {
  for (unsigned pair = 0; pair < 4; ++pair) {
    const unsigned kind = std::string(name).find("bf16") != std::string::npos ? 1 : 0;
    T* const to = to_device(hard_values<T>(2 * pair + kind));
    T* const from = to_device(hard_values<T>(2 * (3 - pair) + 4 + kind));
    kernel<<<blocks, 16>>>(to, from);
    CHECK(cudaDeviceSynchronize());
    std::vector<unsigned char> bytes(16 * sizeof(T));
    CHECK(cudaMemcpy(bytes.data(), to, bytes.size(), cudaMemcpyDeviceToHost));
    print(std::string(name) + " " + std::to_string(pair), bytes);
    CHECK(cudaFree(to));
    CHECK(cudaFree(from));
  }
}

/// Rank 0 loads a row for the blocks of a mask; each tells what came.
__global__ void multicast(const __grid_constant__ CUtensorMap map, const unsigned char* plain, int mask,
                          unsigned char* out) {
  __shared__ __align__(1024) unsigned char tile[256], row[64];
  __shared__ __align__(8) std::uint64_t barrier;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) tile[i] = 0xEE, row[i % 64] = 0xEE;
  if (threadIdx.x == 0) init_barrier(&barrier, 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  cluster.sync();
  if (threadIdx.x == 0) {
    expect(&barrier, (mask >> rank & 1) * (256 + 64));
    if (rank == 0) {
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::"
          "cluster [%0], "
          "[%1, {%2, %3}], [%4], %5;" ::"r"(address_of(tile)),
          "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(-8), "r"(1), "r"(address_of(&barrier)),
          "h"(static_cast<unsigned short>(mask))
          : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
          "%2, [%3], "
          "%4;" ::"r"(address_of(row)),
          "l"(plain), "r"(64), "r"(address_of(&barrier)), "h"(static_cast<unsigned short>(mask))
          : "memory");
    }
    out[blockIdx.x * 400 + 320] = wait(&barrier, 0);
  }
  cluster.sync();
  for (unsigned i = threadIdx.x; i < 320; i += blockDim.x)
    out[blockIdx.x * 400 + i] = i < 256 ? tile[i] : row[i - 256];
}

/// Addresses and their ranks.
__global__ void addresses(std::uint64_t* out) {
  __shared__ int word;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), own = address_of(&word);
  std::uint64_t* const to = out + 16 * blockIdx.x;
  if (threadIdx.x == 0) {
    unsigned mapped = 0, mapped_rank = 0, own_rank = 0;
    const unsigned other = cluster.num_blocks() - 1 - rank;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(own), "r"(other));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(mapped_rank) : "r"(mapped));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(own_rank) : "r"(own));
    const std::uint64_t generic = reinterpret_cast<std::uint64_t>(&word);
    std::uint64_t mapped_generic = 0, self_generic = 0;
    unsigned generic_rank = 0;
    asm("mapa.u64 %0, %1, %2;" : "=l"(mapped_generic) : "l"(generic), "r"(other));
    asm("mapa.u64 %0, %1, %2;" : "=l"(self_generic) : "l"(generic), "r"(rank));
    asm("getctarank.u64 %0, %1;" : "=r"(generic_rank) : "l"(mapped_generic));
    const auto in = [](std::uint64_t at, bool cta) {
      int yes = 0;
      if (cta)
        asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(yes) : "l"(at));
      else
        asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(yes) : "l"(at));
      return yes;
    };
    int is_explicit = 0;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.s32 %0, 1, 0, p; }" : "=r"(is_explicit));
    const std::uint64_t all[] = {mapped_rank,
                                 own_rank,
                                 generic_rank,
                                 std::uint64_t(in(generic, true)),
                                 std::uint64_t(in(generic, false)),
                                 std::uint64_t(in(mapped_generic, true)),
                                 std::uint64_t(in(mapped_generic, false)),
                                 std::uint64_t(in(self_generic, true)),
                                 self_generic == generic,
                                 std::uint64_t(is_explicit)};
    for (int i = 0; i < 10; ++i) to[i] = all[i];
    to[10] = mapped >> 24;
    to[11] = own >> 24;
  }
  cluster.sync();
}

template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), unsigned blocks, unsigned threads, unsigned cluster,
                   A... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace

void bulk_copies() {
#define REDUCE_GLOBAL(name) reduce("global " #name, global_##name, 1)
#define REDUCE_CLUSTER(name) reduce("cluster " #name, cluster_##name, 2)
  REDUCE_GLOBAL(add_u32), REDUCE_GLOBAL(add_s32), REDUCE_GLOBAL(add_u64), REDUCE_GLOBAL(add_f32);
  REDUCE_GLOBAL(add_f64), REDUCE_GLOBAL(add_f16), REDUCE_GLOBAL(add_bf16), REDUCE_GLOBAL(min_u32);
  REDUCE_GLOBAL(min_s32), REDUCE_GLOBAL(min_u64), REDUCE_GLOBAL(min_s64), REDUCE_GLOBAL(min_f16);
  REDUCE_GLOBAL(min_bf16), REDUCE_GLOBAL(max_u32), REDUCE_GLOBAL(max_s32), REDUCE_GLOBAL(max_u64);
  REDUCE_GLOBAL(max_s64), REDUCE_GLOBAL(max_f16), REDUCE_GLOBAL(max_bf16), REDUCE_GLOBAL(inc_u32);
  REDUCE_GLOBAL(dec_u32), REDUCE_GLOBAL(and_b32), REDUCE_GLOBAL(or_b32), REDUCE_GLOBAL(xor_b32);
  REDUCE_GLOBAL(and_b64), REDUCE_GLOBAL(or_b64), REDUCE_GLOBAL(xor_b64);
  REDUCE_CLUSTER(add_u32), REDUCE_CLUSTER(add_s32), REDUCE_CLUSTER(add_u64), REDUCE_CLUSTER(min_u32);
  REDUCE_CLUSTER(min_s32), REDUCE_CLUSTER(max_u32), REDUCE_CLUSTER(max_s32), REDUCE_CLUSTER(inc_u32);
  REDUCE_CLUSTER(dec_u32), REDUCE_CLUSTER(and_b32), REDUCE_CLUSTER(or_b32), REDUCE_CLUSTER(xor_b32);

  Tensor t;
  t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  t.extent[0] = 64, t.extent[1] = 8;
  t.box[0] = 32, t.box[1] = 4;
  t.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
  t.pack();
  unsigned char* const global = to_device(pattern(t.bytes(), t.type));
  CUtensorMap map;
  print("multicast map", encode_tiled(&map, t, global));
  for (const unsigned blocks : {2u, 4u})
    for (unsigned mask = 1; mask < (1u << blocks); ++mask) {
      unsigned char* const out = to_device(std::vector<unsigned char>(400 * blocks));
      CHECK(launch(multicast, blocks, 64, blocks, map, static_cast<const unsigned char*>(global), int(mask),
                   out));
      CHECK(cudaDeviceSynchronize());
      print("multicast to " + std::to_string(mask) + " of " + std::to_string(blocks),
            to_host(out, 400 * blocks));
      CHECK(cudaFree(out));
    }
  for (const unsigned blocks : {1u, 2u, 4u}) {
    std::uint64_t* const out = to_device(std::vector<std::uint64_t>(16 * 4));
    CHECK(launch(addresses, 4, 32, blocks, out));
    CHECK(cudaDeviceSynchronize());
    const std::vector<std::uint64_t> all = to_host(out, 64);
    for (unsigned block = 0; block < 4; ++block)
      for (unsigned i = 0; i < 12; ++i)
        print("addresses clusters of " + std::to_string(blocks) + " block " + std::to_string(block) +
                  " fact " + std::to_string(i),
              static_cast<long long>(all[16 * block + i]));
    CHECK(cudaFree(out));
  }
}
