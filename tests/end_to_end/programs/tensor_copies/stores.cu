// Boxes from shared memory to tensors: stores and reductions, whole and over borders.
#include "device.cuh"

namespace {

enum Operation { kStore, kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kOperations };
const char* const kNames[] = {"store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};

__device__ void store_box(int operation, int rank, const CUtensorMap* map, const int* c, const void* from) {
  const unsigned src = address_of(from);
  const std::uint64_t to = reinterpret_cast<std::uint64_t>(map);
#define STORE(dims, coordinates, ...)                                                                \
  asm volatile("cp.async.bulk.tensor." dims "d.global.shared::cta.tile.bulk_group [%0, " coordinates \
               "], [%1];" ::"l"(to),                                                                 \
               "r"(src), __VA_ARGS__                                                                 \
               : "memory")
#define REDUCE(operation)                                                     \
  asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." operation \
               ".tile.bulk_group [%0, {%2, %3}], [%1];" ::"l"(to),            \
               "r"(src), "r"(c[0]), "r"(c[1])                                 \
               : "memory")
  if (operation == kStore) {
    if (rank == 1) STORE("1", "{%2}", "r"(c[0]));
    if (rank == 2) STORE("2", "{%2, %3}", "r"(c[0]), "r"(c[1]));
    if (rank == 3) STORE("3", "{%2, %3, %4}", "r"(c[0]), "r"(c[1]), "r"(c[2]));
    if (rank == 4) STORE("4", "{%2, %3, %4, %5}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
    if (rank == 5) STORE("5", "{%2, %3, %4, %5, %6}", "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]));
  }
  if (operation == kAdd) REDUCE("add");
  if (operation == kMin) REDUCE("min");
  if (operation == kMax) REDUCE("max");
  if (operation == kInc) REDUCE("inc");
  if (operation == kDec) REDUCE("dec");
  if (operation == kAnd) REDUCE("and");
  if (operation == kOr) REDUCE("or");
  if (operation == kXor) REDUCE("xor");
#undef STORE
#undef REDUCE
}

__global__ void store_kernel(const __grid_constant__ CUtensorMap map, int operation, int rank, Coordinates c,
                             const unsigned char* in, unsigned bytes) {
  extern __shared__ unsigned char dynamic[];
  unsigned char* const tile = aligned_tile(dynamic);
  // Rows that are narrower than a swizzle's span lie apart.
  for (unsigned i = threadIdx.x; i < 16 * bytes && i < kSharedBytes - 1024; i += blockDim.x)
    tile[i] = in[i % bytes];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    store_box(operation, rank, &map, c.at, tile);
    finish_stores();
  }
}

void store(const std::string& name, Tensor t, int operation, std::vector<int> at,
           const std::vector<unsigned char>* values = nullptr) {
  if (!next_case()) return;
  t.pack();
  std::vector<unsigned char> before = pattern(t.bytes(), t.type);
  if (operation == kStore) before.assign(before.size(), 0xDD);
  unsigned char* const global = to_device(before);
  CUtensorMap map;
  const CUresult code = encode_tiled(&map, t, global);
  if (code != CUDA_SUCCESS) return print(name + " encode", code);
  unsigned bytes = t.unit_bytes();
  for (unsigned i = 0; i < t.rank; ++i) bytes *= t.box[i];
  std::vector<unsigned char> box = pattern(bytes + 16, t.type);
  box.erase(box.begin(), box.begin() + 16);  // other values than those there
  if (values != nullptr) box = *values;
  unsigned char* const in = to_device(box);
  Coordinates c{};
  for (unsigned i = 0; i < t.rank; ++i) c.at[i] = at[i];
  CHECK(cudaFuncSetAttribute(store_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  store_kernel<<<1, 128, kSharedBytes>>>(map, operation, int(t.rank), c, in, bytes);
  const cudaError_t ran = cudaDeviceSynchronize();
  if (ran != cudaSuccess) {
    print(name + " run", ran);
    leave();
  }
  print(name, to_host(global, t.bytes()));
  CHECK(cudaFree(in));
  CHECK(cudaFree(global));
}

Tensor small(CUtensorMapDataType type) {
  Tensor t;
  t.type = type;
  const unsigned row = std::max(8u, 16 / element_bytes(type));
  t.extent[0] = row + 16 / element_bytes(type), t.extent[1] = 4;
  t.box[0] = row, t.box[1] = 2;
  return t;
}

const struct {
  const char* name;
  CUtensorMapDataType type;
  unsigned operations;  ///< a bit for each
} kTypes[] = {
    {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 0x1FE}, {"s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 0x1CE},
    {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 0x1CE}, {"s64", CU_TENSOR_MAP_DATA_TYPE_INT64, 0x1CC},
    {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 0x0E}, {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 0x0E},
    {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 0x02}, {"f32 ftz", CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, 0x02},
    {"f64", CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 0x02}};

}  // namespace

void stores_and_reductions() {
  for (const auto& kind : kTypes)
    for (int operation = kAdd; operation < kOperations; ++operation) {
      if ((kind.operations >> operation & 1) == 0) continue;
      store(std::string(kNames[operation]) + " " + kind.name, small(kind.type), operation,
            {int(16 / element_bytes(kind.type)), 1});
      store(std::string(kNames[operation]) + " " + kind.name + " over a corner", small(kind.type), operation,
            {-int(16 / element_bytes(kind.type)), -1});
    }
  const std::vector<std::vector<unsigned>> extents = {{70},
                                                      {24, 9},
                                                      {24, 5, 4},
                                                      {24, 3, 4, 3},
                                                      {24, 3, 2, 3, 2}},
                                           boxes = {{32}, {16, 4}, {8, 3, 2}, {8, 2, 2, 2}, {8, 2, 2, 2, 2}};
  for (std::size_t rank = 1; rank <= 5; ++rank)
    for (int shift = -8; shift <= 24; shift += 8) {
      Tensor t;
      t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
      t.rank = unsigned(rank);
      for (std::size_t i = 0; i < rank; ++i)
        t.extent[i] = extents[rank - 1][i], t.box[i] = boxes[rank - 1][i];
      std::vector<int> at(rank, shift / 8);
      at[0] = shift;
      store("store rank " + std::to_string(rank) + " at " + std::to_string(shift), t, kStore, at);
    }
  for (int swizzle = 0; swizzle <= CU_TENSOR_MAP_SWIZZLE_128B; ++swizzle)
    for (unsigned row = 16; row <= (16u << swizzle); row *= 2) {
      Tensor t;
      t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
      t.extent[0] = 80, t.extent[1] = 12;
      t.box[0] = row / 2, t.box[1] = 9;
      t.swizzle = CUtensorMapSwizzle(swizzle);
      store("store swizzle " + std::to_string(swizzle) + " rows of " + std::to_string(row), t, kStore,
            {8, 2});
    }
  for (int interleave = 1; interleave <= 2; ++interleave)
    for (int swizzle = 0; swizzle <= 1; ++swizzle)
      for (const auto& at : std::vector<std::vector<int>>{{0, 0, 0}, {1, 1, 0}, {0, 2, 1}}) {
        Tensor t;
        t.type = CU_TENSOR_MAP_DATA_TYPE_UINT64;
        t.rank = 3;
        t.extent[0] = 2, t.extent[1] = 3, t.extent[2] = 2;
        t.box[0] = 2, t.box[1] = 2, t.box[2] = 1;
        t.interleave = CUtensorMapInterleave(interleave);
        t.swizzle = CUtensorMapSwizzle(swizzle);
        store("store interleave " + std::to_string(8 << interleave) + " swizzle " + std::to_string(swizzle) +
                  " at " + std::to_string(at[0]) + " " + std::to_string(at[1]) + " " + std::to_string(at[2]),
              t, kStore, at);
      }
  for (const auto& corner : std::vector<std::pair<int, int>>{{-4, 0}, {0, -1}, {8, 0}, {0, 3}})
    for (const int operation : {kStore, kAdd, kMax, kXor})
      store(std::string(kNames[operation]) + " at " + std::to_string(corner.first) + " " +
                std::to_string(corner.second),
            small(CU_TENSOR_MAP_DATA_TYPE_UINT32), operation, {corner.first, corner.second});
}
