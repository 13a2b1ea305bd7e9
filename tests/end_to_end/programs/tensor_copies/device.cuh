// The instructions, and waiting with a limit.
#pragma once

#include "tensor_copies.h"

constexpr int kSharedBytes = 64 * 1024;

__device__ inline unsigned address_of(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ inline void init_barrier(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"(arrivals)
               : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void expect(std::uint64_t* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)), "r"(bytes)
               : "memory");
}

/// @return whether the phase has ended, within some milliseconds
__device__ inline bool wait(std::uint64_t* barrier, int parity) {
  for (int i = 0; i < 1000; ++i) {
    int done = 0;
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 1000; selp.s32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(address_of(barrier)), "r"(parity)
        : "memory");
    if (done != 0) return true;
  }
  return false;
}

/// One box into shared memory; im2col: offsets[] are those within the filter.
template <bool kIm2col>
__device__ void load_box(int rank, void* to, const CUtensorMap* map, const int* c, std::uint64_t* barrier,
                         const unsigned short* o) {
  const unsigned dst = address_of(to), bar = address_of(barrier);
  const std::uint64_t from = reinterpret_cast<std::uint64_t>(map);
#define TILE(dims, coordinates, ...)                                                                \
  asm volatile("cp.async.bulk.tensor." dims                                                         \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " coordinates \
               "], [%2];" ::"r"(dst),                                                               \
               "l"(from), "r"(bar), __VA_ARGS__                                                     \
               : "memory")
#define IM2COL(dims, coordinates, offsets, ...)                                                       \
  asm volatile("cp.async.bulk.tensor." dims                                                           \
               "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, " coordinates \
               "], [%2], " offsets ";" ::"r"(dst),                                                    \
               "l"(from), "r"(bar), __VA_ARGS__                                                       \
               : "memory")
  if (kIm2col) {
    if (rank == 3) IM2COL("3", "{%3, %4, %5}", "{%6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "h"(o[0]));
    if (rank == 4)
      IM2COL("4", "{%3, %4, %5, %6}", "{%7, %8}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "h"(o[0]),
             "h"(o[1]));
    if (rank == 5)
      IM2COL("5", "{%3, %4, %5, %6, %7}", "{%8, %9, %10}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]),
             "r"(c[4]), "h"(o[0]), "h"(o[1]), "h"(o[2]));
    return;
  }
  if (rank == 1) TILE("1", "{%3}", "r"(c[0]));
  if (rank == 2) TILE("2", "{%3, %4}", "r"(c[0]), "r"(c[1]));
  if (rank == 3) TILE("3", "{%3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]));
  if (rank == 4) TILE("4", "{%3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
  if (rank == 5) TILE("5", "{%3, %4, %5, %6, %7}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
#undef TILE
#undef IM2COL
}

__device__ inline void finish_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// The first place that is aligned for every swizzle: dynamic shared memory itself need not be.
__device__ inline unsigned char* aligned_tile(unsigned char* dynamic) {
  return dynamic + (1024 - address_of(dynamic) % 1024) % 1024;
}

struct Coordinates {
  int at[5];
  unsigned short offset[3];
};

/// Loads a box into memory full of 0xEE, and gives back @p dumped bytes; the last word says whether it came.
template <bool kIm2col>
__global__ void load_kernel(const __grid_constant__ CUtensorMap map, int rank, Coordinates c, unsigned bytes,
                            unsigned char* out, unsigned dumped) {
  extern __shared__ unsigned char dynamic[];
  unsigned char* const tile = aligned_tile(dynamic);
  __shared__ __align__(8) std::uint64_t barrier;
  for (unsigned i = threadIdx.x; i < dumped; i += blockDim.x) tile[i] = 0xEE;
  if (threadIdx.x == 0) init_barrier(&barrier, 1);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&barrier, bytes);
    load_box<kIm2col>(rank, tile, &map, c.at, &barrier, c.offset);
    const bool came = wait(&barrier, 0);
    out[dumped] = came;
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < dumped; i += blockDim.x) out[i] = tile[i];
}
