// Loads of boxes: ranks, types, swizzles, interleaved layouts, borders, fills, steps.
#include "device.cuh"

namespace {

const char* const kTypes[] = {"u8",  "u16", "u32",  "s32",     "u64",  "s64",     "f16",
                              "f32", "f64", "bf16", "f32 ftz", "tf32", "tf32 ftz"};

void load(const std::string& name, Tensor t, std::vector<int> at) {
  if (!next_case()) return;
  t.pack();
  unsigned char* const global = to_device(pattern(t.bytes(), t.type));
  CUtensorMap map;
  const CUresult code = encode_tiled(&map, t, global);
  if (code != CUDA_SUCCESS) return print(name + " encode", code);
  unsigned bytes = t.unit_bytes();
  // Of the first axis no step is taken.
  for (unsigned i = 0; i < t.rank; ++i) bytes *= i == 0 ? t.box[0] : (t.box[i] + t.step[i] - 1) / t.step[i];
  const unsigned dumped = bytes + 64;
  unsigned char* const out = to_device(std::vector<unsigned char>(dumped + 1));
  Coordinates c{};
  for (unsigned i = 0; i < t.rank; ++i) c.at[i] = at[i];
  CHECK(cudaFuncSetAttribute(load_kernel<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
  load_kernel<false><<<1, 128, kSharedBytes>>>(map, int(t.rank), c, bytes, out, dumped);
  const cudaError_t ran = cudaDeviceSynchronize();
  if (ran != cudaSuccess) {
    print(name + " run", ran);
    leave();
  }
  print(name, to_host(out, dumped + 1));
  CHECK(cudaFree(out));
  CHECK(cudaFree(global));
}

Tensor tensor(CUtensorMapDataType type, std::vector<unsigned> extent, std::vector<unsigned> box) {
  Tensor t;
  t.type = type;
  t.rank = unsigned(extent.size());
  for (unsigned i = 0; i < t.rank; ++i) t.extent[i] = extent[i], t.box[i] = box[i];
  return t;
}

void by_type() {
  for (int type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ; ++type) {
    for (int fill = 0; fill < 2; ++fill) {
      Tensor t = tensor(CUtensorMapDataType(type), {40, 6}, {16, 4});
      t.fill = CUtensorMapFloatOOBfill(fill);
      const std::string name = std::string("type ") + kTypes[type] + (fill != 0 ? " nan fill" : "");
      const int granule = int(16 / element_bytes(t.type));
      load(name, t, {granule, 1});
      load(name + " corner", t, {-granule, -1});
      load(name + " far corner", t, {2 * granule, 4});
    }
  }
}

void by_rank() {
  const std::vector<std::vector<unsigned>> extents = {{70},
                                                      {24, 9},
                                                      {24, 5, 4},
                                                      {24, 3, 4, 3},
                                                      {24, 3, 2, 3, 2}},
                                           boxes = {{32}, {16, 4}, {8, 3, 2}, {8, 2, 2, 2}, {8, 2, 2, 2, 2}};
  for (std::size_t rank = 1; rank <= 5; ++rank) {
    for (int shift = -16; shift <= 24; shift += 8) {
      std::vector<int> at(rank, shift / 8);
      at[0] = shift;
      load("rank " + std::to_string(rank) + " at " + std::to_string(shift),
           tensor(CU_TENSOR_MAP_DATA_TYPE_UINT16, extents[rank - 1], boxes[rank - 1]), at);
    }
    for (std::size_t axis = 0; axis < rank; ++axis) {
      for (const int where : {-8, -1, 1, 8, 1000, -1000}) {
        std::vector<int> at(rank, 0);
        at[axis] = where;
        if (axis == 0 && where % 8 != 0) continue;  // an illegal instruction
        load(
            "rank " + std::to_string(rank) + " axis " + std::to_string(axis) + " at " + std::to_string(where),
            tensor(CU_TENSOR_MAP_DATA_TYPE_UINT16, extents[rank - 1], boxes[rank - 1]), at);
      }
    }
  }
}

void by_swizzle() {
  const struct {
    const char* name;
    CUtensorMapSwizzle swizzle;
    unsigned span;
  } kinds[] = {{"none", CU_TENSOR_MAP_SWIZZLE_NONE, 256},
               {"32", CU_TENSOR_MAP_SWIZZLE_32B, 32},
               {"64", CU_TENSOR_MAP_SWIZZLE_64B, 64},
               {"128", CU_TENSOR_MAP_SWIZZLE_128B, 128},
               {"128 atom 32", CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B, 128},
               {"128 atom 32 flip", CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B, 128},
               {"128 atom 64", CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B, 128}};
  for (const auto& kind : kinds) {
    for (const auto type : {CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                            CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT64}) {
      const unsigned size = element_bytes(type);
      for (unsigned row = 16; row <= kind.span && row / size <= 256; row *= 2) {
        const std::string name =
            std::string("swizzle ") + kind.name + " " + kTypes[type] + " rows of " + std::to_string(row);
        Tensor t = tensor(type, {512 / size, 20}, {row / size, 17});
        t.swizzle = kind.swizzle;
        load(name, t, {int(32 / size), 2});
        load(name + " border", t, {-int(16 / size), -1});
      }
    }
    Tensor t = tensor(CU_TENSOR_MAP_DATA_TYPE_UINT16, {64, 4, 5}, {std::min(kind.span, 64u) / 2, 3, 5});
    t.swizzle = kind.swizzle;
    load(std::string("swizzle ") + kind.name + " of a cube", t, {0, 1, 0});
    t = tensor(CU_TENSOR_MAP_DATA_TYPE_UINT8, {128, 8}, {48, 8});
    t.swizzle = kind.swizzle;
    load(std::string("swizzle ") + kind.name + " rows of 48", t, {16, 0});
  }
}

void by_step() {
  for (const unsigned step : {2u, 3u, 5u, 8u}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Tensor t = tensor(CU_TENSOR_MAP_DATA_TYPE_UINT16, {40, 20, 10}, {16, 12, 4});
      t.step[axis] = step;
      const std::string name = "step " + std::to_string(step) + " of axis " + std::to_string(axis);
      load(name, t, {0, 0, 0});
      load(name + " shifted", t, {8, 3, 1});
      load(name + " border", t, {-8, -2, -1});
      load(name + " far border", t, {32, 15, 8});
    }
  }
}

/// What the first axis counts is a slice of channels, of 16 or 32 bytes. Boxes so small that they are printed
/// whole.
void interleaved() {
  for (const int kind : {1, 2})
    for (const int swizzle : {0, 1, 2, 3}) {
      const auto named = [&](const std::string& what) {
        return "interleave " + std::to_string(8 << kind) + " swizzle " + std::to_string(swizzle) + " " + what;
      };
      const auto slices = [&](std::vector<unsigned> extent, std::vector<unsigned> box) {
        Tensor t = tensor(CU_TENSOR_MAP_DATA_TYPE_UINT64, extent, box);
        t.interleave = CUtensorMapInterleave(kind);
        t.swizzle = CUtensorMapSwizzle(swizzle);
        return t;
      };
      const Tensor cube = slices({7, 5, 4}, {2, 3, 2}),
                   four = slices({7, 5, 4, 3}, {2, 2, 2, kind == 1 ? 2u : 1u});
      for (const int x : {-1, 0, 3, 6})
        load(named("cube, first axis at " + std::to_string(x)), cube, {x, 0, 0});
      for (const int y : {-1, 1, 4})
        load(named("cube, second axis at " + std::to_string(y)), cube, {0, y, 0});
      for (const int z : {-1, 1, 3}) load(named("cube, third axis at " + std::to_string(z)), cube, {0, 0, z});
      load(named("four axes"), four, {1, 1, 1, 1});
      load(named("four axes, second at -1"), four, {1, -1, 1, 1});
      load(named("four axes, third at 3"), four, {1, 0, 3, 1});
      load(named("four axes, fourth at 2"), four, {1, 0, 0, 2});
      for (int axis = 0; axis < 3; ++axis) {
        Tensor steps = cube;
        steps.step[axis] = 2;
        load(named("step of axis " + std::to_string(axis)), steps, {1, 0, 1});
      }
      Tensor halves = slices({7, 5, 4}, {8, 2, 1});
      halves.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
      halves.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
      load(named("halves"), halves, {-1, 0, 1});
    }
}

}  // namespace

void tiled_loads() {
  by_type();
  by_rank();
  by_swizzle();
  by_step();
  interleaved();
}
