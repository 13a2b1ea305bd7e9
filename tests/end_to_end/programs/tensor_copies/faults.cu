// Kernels that fault: the code that the next call that waits gives, each in a process of its own.
#include <cooperative_groups.h>

#include "device.cuh"

namespace cg = cooperative_groups;

namespace {

enum Fault {
  kNone,
  kTargetMisaligned,
  kSourceMisaligned,
  kSizeOdd,
  kSizeZero,
  kTargetOutside,
  kSourceOutside,
  kNoBarrier,
  kMapOfZeros,
  kMapMisaligned,
  kTileMisaligned16,
  kSwizzledMisaligned,
  kRankOutside,
  kBlockLeft,
  kStoreMisaligned,
  kStoreOutside,
  kArriveTwice,
  kWaitAlone,
  kMapFreed,
  kExpectMore
};
const char* const kNames[] = {
    "nothing wrong",        "bulk target misaligned",   "bulk source misaligned",
    "bulk size odd",        "bulk size zero",           "bulk target outside",
    "bulk source outside",  "mbarrier not initialised", "map of zeros",
    "map misaligned",       "tile at 16 bytes",         "swizzled tile at 128 bytes",
    "rank outside",         "block that has left",      "store source misaligned",
    "store target outside", "cluster arrive twice",     "cluster wait alone",
    "tensor freed",         "expects more than comes"};

__device__ void bulk_load(unsigned to, const void* from, unsigned bytes, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(address_of(barrier))
      : "memory");
}

__global__ void fault_kernel(int which, const __grid_constant__ CUtensorMap map, const CUtensorMap* maps,
                             unsigned char* global, int* came) {
  extern __shared__ unsigned char dynamic[];
  unsigned char* const tile = aligned_tile(dynamic);
  __shared__ __align__(8) std::uint64_t barrier;
  if (which == kArriveTwice || which == kWaitAlone) {
    if (which == kArriveTwice) {
      asm volatile("barrier.cluster.arrive;" ::: "memory");
      asm volatile("barrier.cluster.arrive;" ::: "memory");
    }
    asm volatile("barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0) *came = 1;
    return;
  }
  if (threadIdx.x != 0) return;
  if (which != kNoBarrier) init_barrier(&barrier, 1);
  const unsigned to = address_of(tile), bytes = which == kSizeOdd ? 40 : which == kSizeZero ? 0 : 64;
  if (which != kNoBarrier) expect(&barrier, which == kExpectMore ? 2 * bytes : bytes);
  Coordinates c{};
  switch (which) {
    case kTargetMisaligned:
      bulk_load(to + 8, global, bytes, &barrier);
      break;
    case kSourceMisaligned:
      bulk_load(to, global + 8, bytes, &barrier);
      break;
    case kTargetOutside:
      bulk_load(to + 300 * 1024, global, bytes, &barrier);
      break;
    case kSourceOutside:
      bulk_load(to, global + (std::uint64_t{1} << 45), bytes, &barrier);
      break;
    case kMapOfZeros:
      load_box<false>(2, tile, maps, c.at, &barrier, c.offset);
      break;
    case kMapMisaligned:
      load_box<false>(2, tile,
                      reinterpret_cast<const CUtensorMap*>(reinterpret_cast<const char*>(maps) + 128 + 16),
                      c.at, &barrier, c.offset);
      break;
    case kTileMisaligned16:
      load_box<false>(2, tile + 16, &map, c.at, &barrier, c.offset);
      break;
    case kSwizzledMisaligned:
      load_box<false>(2, tile + 128, maps + 2, c.at, &barrier, c.offset);
      break;
    case kRankOutside: {
      unsigned there = 0;
      asm("mapa.shared::cluster.u32 %0, %1, 5;" : "=r"(there) : "r"(to));
      asm volatile("st.shared::cluster.u32 [%0], 1;" ::"r"(there) : "memory");
      return;
    }
    case kStoreMisaligned:
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;" ::"l"(global), "r"(to + 8)
                   : "memory");
      finish_stores();
      return;
    case kStoreOutside:
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;" ::"l"(
                       global + (std::uint64_t{1} << 45)),
                   "r"(to)
                   : "memory");
      finish_stores();
      return;
    case kMapFreed:
      load_box<false>(2, tile, &map, c.at, &barrier, c.offset);
      break;
    default:
      bulk_load(to, global, bytes, &barrier);
  }
  *came = wait(&barrier, 0);
}

/// Block 1 leaves at once; block 0 looks at its memory long after.
__global__ void __cluster_dims__(2, 1, 1) left_kernel(int* came) {
  __shared__ int word;
  const cg::cluster_group cluster = cg::this_cluster();
  word = 7;
  cluster.sync();
  if (cluster.block_rank() == 1) return;
  for (int i = 0; i < 100; ++i) __nanosleep(100000);
  *came = *cluster.map_shared_rank(&word, 1);
}

}  // namespace

void faults(int which) {
  const std::string name = std::string("fault ") + kNames[which];
  unsigned char* const global = to_device(std::vector<unsigned char>(1 << 16));
  int* const came = to_device(std::vector<int>(1, -1));
  if (which == kBlockLeft) {
    left_kernel<<<2, 32>>>(came);
  } else {
    Tensor t;
    t.extent[0] = 64, t.extent[1] = 4;
    t.box[0] = 32, t.box[1] = 2;
    t.pack();
    std::vector<CUtensorMap> maps(4);
    CUtensorMap map;
    print(name + " map", encode_tiled(&map, t, global));
    maps[1] = map;
    t.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
    print(name + " swizzled map", encode_tiled(&maps[2], t, global));
    const CUtensorMap* const device_maps = to_device(maps);
    if (which == kMapFreed) CHECK(cudaFree(global));
    CHECK(cudaFuncSetAttribute(fault_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    fault_kernel<<<1, 32, kSharedBytes>>>(which, map, device_maps, global, came);
  }
  print(name + " launch", cudaGetLastError());
  print(name + " synchronise", cudaDeviceSynchronize());
  int value = -2;
  print(name + " copy", cudaMemcpy(&value, came, sizeof value, cudaMemcpyDeviceToHost));
  print(name + " came", value);
}
