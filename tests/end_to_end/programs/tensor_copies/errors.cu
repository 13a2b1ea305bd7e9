// Codes of tensor maps that cannot be, of launches in clusters that cannot be, and occupancy.
#include <cooperative_groups.h>

#include "device.cuh"

namespace {

Tensor good() {
  Tensor t;
  t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  t.extent[0] = 64, t.extent[1] = 16;
  t.box[0] = 32, t.box[1] = 8;
  t.pack();
  return t;
}

unsigned char* memory() {
  static unsigned char* const all = to_device(std::vector<unsigned char>(1 << 20));
  return all;
}

template <class Change>
void tiled(const std::string& name, Change change, int offset = 0) {
  Tensor t = good();
  change(t);
  CUtensorMap map;
  print("tiled " + name, encode_tiled(&map, t, memory() + offset));
}

template <class Change>
void im2col(const std::string& name, Change change, int offset = 0) {
  Tensor t;
  t.type = CU_TENSOR_MAP_DATA_TYPE_UINT16;
  t.rank = 4;
  const unsigned extent[] = {64, 16, 16, 4};
  for (int i = 0; i < 4; ++i) t.extent[i] = extent[i];
  t.channels = 32, t.pixels = 64;
  t.lower[0] = t.lower[1] = t.upper[0] = t.upper[1] = -1;
  t.pack();
  change(t);
  CUtensorMap map;
  print("im2col " + name, encode_im2col(&map, t, memory() + offset));
}

__global__ void empty() {}
__global__ void __cluster_dims__(2, 1, 1) in_pairs() {}
__global__ void much_shared() {
  extern __shared__ char all[];
  if (threadIdx.x > 2000) all[0] = 1;
}

template <class Change>
cudaError_t launch(const void* kernel, Change change) {
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {1, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = 16;
  config.blockDim = 32;
  config.attrs = attributes;
  config.numAttrs = 1;
  change(config, attributes);
  const cudaError_t code = cudaLaunchKernelExC(&config, kernel, nullptr);
  cudaGetLastError();
  return code;
}

std::string prefix;  ///< of the names

void launch_in(const std::string& what, const void* kernel, dim3 grid, dim3 cluster, unsigned threads = 32,
               unsigned shared = 0) {
  const std::string name = prefix + what;
  const auto set = [&](cudaLaunchConfig_t& config, cudaLaunchAttribute* attributes) {
    config.gridDim = grid;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    attributes[0].val.clusterDim = {cluster.x, cluster.y, cluster.z};
  };
  print("launch " + name, launch(kernel, set));
  print("launch " + name + " then", cudaDeviceSynchronize());
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  cudaLaunchConfig_t config{};
  config.attrs = &attribute;
  config.numAttrs = 1;
  set(config, &attribute);
  int clusters = -1, blocks = -1;
  print("active " + name + " code", cudaOccupancyMaxActiveClusters(&clusters, kernel, &config));
  print("active " + name, clusters);
  config.numAttrs = 0;
  print("potential " + name + " code", cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &config));
  print("potential " + name, blocks);
  cudaGetLastError();
}

}  // namespace

void bad_maps() {
  tiled("as it is", [](Tensor&) {});
  for (const unsigned rank : {0u, 1u, 3u, 6u})
    tiled("rank " + std::to_string(rank), [=](Tensor& t) { t.rank = rank; });
  for (const int type : {-1, 13, 14, 15, 16, 99})
    tiled("type " + std::to_string(type), [=](Tensor& t) { t.type = CUtensorMapDataType(type); });
  for (const int offset : {1, 2, 4, 8, 16, 32})
    tiled(
        "address off by " + std::to_string(offset), [](Tensor&) {}, offset);
  for (const std::uint64_t extent : {0ull, 1ull, 0x100000000ull, 0x100000001ull, 7ull})
    for (int axis = 0; axis < 2; ++axis)
      tiled("extent " + std::to_string(extent) + " of axis " + std::to_string(axis),
            [=](Tensor& t) { t.extent[axis] = extent; });
  for (const std::uint64_t stride :
       {0ull, 8ull, 16ull, 24ull, 64ull, 1ull << 39, 1ull << 40, (1ull << 40) - 16})
    tiled("stride " + std::to_string(stride), [=](Tensor& t) { t.stride[0] = stride; });
  for (const unsigned box : {0u, 1u, 4u, 8u, 12u, 128u, 256u, 257u})
    for (int axis = 0; axis < 2; ++axis)
      tiled("box " + std::to_string(box) + " of axis " + std::to_string(axis),
            [=](Tensor& t) { t.box[axis] = box; });
  for (const unsigned step : {0u, 2u, 8u, 9u})
    for (int axis = 0; axis < 2; ++axis)
      tiled("step " + std::to_string(step) + " of axis " + std::to_string(axis),
            [=](Tensor& t) { t.step[axis] = step; });
  for (int interleave = -1; interleave <= 3; ++interleave)
    for (int swizzle = -1; swizzle <= 7; ++swizzle)
      for (const unsigned row : {8u, 16u, 32u, 64u, 128u})
        tiled("interleave " + std::to_string(interleave) + " swizzle " + std::to_string(swizzle) +
                  " box of " + std::to_string(row),
              [=](Tensor& t) {
                t.rank = 3;
                t.extent[2] = 4;
                t.box[2] = 2;
                t.stride[1] = 4096;
                t.interleave = CUtensorMapInterleave(interleave);
                t.swizzle = CUtensorMapSwizzle(swizzle);
                t.box[0] = row;
              });
  for (int interleave = 1; interleave <= 2; ++interleave) {
    const auto interleaved = [&](const std::string& name, auto change, int offset = 0) {
      tiled(
          "interleave " + std::to_string(interleave) + " " + name,
          [&](Tensor& t) {
            t.rank = 3;
            t.extent[2] = 4;
            t.box[2] = 2;
            t.stride[0] = 1024, t.stride[1] = 16384;
            t.interleave = CUtensorMapInterleave(interleave);
            change(t);
          },
          offset);
    };
    for (const unsigned rank : {1u, 2u, 4u, 5u})
      interleaved("rank " + std::to_string(rank), [=](Tensor& t) {
        t.rank = rank, t.extent[3] = t.extent[4] = 2, t.stride[2] = t.stride[3] = 65536;
      });
    for (const int offset : {16, 32})
      interleaved(
          "address off by " + std::to_string(offset), [](Tensor&) {}, offset);
    for (const std::uint64_t stride : {16ull, 48ull, 64ull, 1008ull})
      interleaved("stride " + std::to_string(stride), [=](Tensor& t) { t.stride[0] = stride; });
    for (int type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ; ++type)
      interleaved("type " + std::to_string(type), [=](Tensor& t) { t.type = CUtensorMapDataType(type); });
    for (const unsigned box : {0u, 1u, 255u, 256u, 257u})
      interleaved("box of " + std::to_string(box),
                  [=](Tensor& t) { t.box[0] = box, t.box[1] = t.box[2] = 1; });
    for (const unsigned step : {0u, 2u, 8u, 9u})
      interleaved("step " + std::to_string(step), [=](Tensor& t) { t.step[0] = step; });
    interleaved("large box", [](Tensor& t) { t.box[0] = 256, t.box[1] = 32; });
  }
  for (const int promotion : {-1, 0, 1, 2, 3, 4})
    tiled("promotion " + std::to_string(promotion),
          [=](Tensor& t) { t.promotion = CUtensorMapL2promotion(promotion); });
  for (const int fill : {-1, 0, 1, 2})
    for (const auto type : {CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16})
      tiled("fill " + std::to_string(fill) + " of type " + std::to_string(type), [=](Tensor& t) {
        t.fill = CUtensorMapFloatOOBfill(fill);
        t.type = type;
      });
  tiled("box of 256 x 256 doubles", [](Tensor& t) {
    t.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    t.box[0] = t.box[1] = 256;
    t.stride[0] = 1024;
  });
  tiled("extents of 2^32 by 2^32", [](Tensor& t) { t.extent[0] = t.extent[1] = 0x100000000ull; });
  CUtensorMap map[2];
  Tensor t = good();
  print("tiled map off by 16",
        encode_tiled(reinterpret_cast<CUtensorMap*>(reinterpret_cast<char*>(map) + 16), t, memory()));
  print("tiled no map", encode_tiled(nullptr, t, memory()));
  print("tiled no address", encode_tiled(map, t, nullptr));
  print("tiled host address",
        encode_tiled(map, t, reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(map) / 64 * 64)));

  im2col("as it is", [](Tensor&) {});
  for (const unsigned rank : {2u, 3u, 5u, 6u})
    im2col("rank " + std::to_string(rank), [=](Tensor& m) { m.rank = rank; });
  for (const unsigned channels : {0u, 1u, 4u, 8u, 64u, 128u, 256u, 257u})
    im2col("channels " + std::to_string(channels), [=](Tensor& m) { m.channels = channels; });
  for (const unsigned pixels : {0u, 1u, 256u, 1024u, 1025u})
    im2col("pixels " + std::to_string(pixels), [=](Tensor& m) { m.pixels = pixels; });
  for (const int corner : {-32768, -129, -128, -16, -1, 0, 1, 15, 16, 127, 128, 32767}) {
    im2col("lower corner " + std::to_string(corner), [=](Tensor& m) { m.lower[0] = corner; });
    im2col("upper corner " + std::to_string(corner), [=](Tensor& m) { m.upper[0] = corner; });
  }
  for (int swizzle = 0; swizzle <= 6; ++swizzle)
    for (const unsigned channels : {8u, 16u, 32u, 64u})
      im2col("swizzle " + std::to_string(swizzle) + " channels " + std::to_string(channels), [=](Tensor& m) {
        m.swizzle = CUtensorMapSwizzle(swizzle);
        m.channels = channels;
      });
  for (const unsigned step : {0u, 1u, 8u, 9u})
    im2col("step " + std::to_string(step), [=](Tensor& m) { m.step[1] = step; });
}

void launches() {
  const auto* const plain = reinterpret_cast<const void*>(empty);
  const auto* const pairs = reinterpret_cast<const void*>(in_pairs);
  const auto* const much = reinterpret_cast<const void*>(much_shared);
  const auto run = [&] {
    for (const unsigned blocks : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 12u, 15u, 16u, 17u, 32u})
      launch_in("clusters of " + std::to_string(blocks), plain, blocks * 2, blocks);
    launch_in("clusters of 2 x 3", plain, dim3(4, 6), dim3(2, 3));
    launch_in("clusters of 2 x 2 x 2", plain, dim3(4, 4, 4), dim3(2, 2, 2));
    launch_in("clusters that do not divide y", plain, dim3(4, 5), dim3(2, 2));
    launch_in("clusters of 0", plain, 4, dim3(0, 1, 1));
    launch_in("clusters of 0 x 0 x 0", plain, 4, dim3(0, 0, 0));
    for (const unsigned threads : {128u, 256u, 512u, 1024u, 1025u})
      for (const unsigned blocks : {1u, 2u, 4u, 8u, 16u})
        launch_in("clusters of " + std::to_string(blocks) + " with " + std::to_string(threads) + " threads",
                  plain, blocks * 2, blocks, threads);
    for (const unsigned kib : {48u, 100u, 200u, 227u, 228u})
      for (const unsigned blocks : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, 12u, 14u, 16u})
        launch_in("clusters of " + std::to_string(blocks) + " with " + std::to_string(kib) + " KiB", much,
                  blocks * 2, blocks, 128, kib * 1024);
  };
  CHECK(cudaFuncSetAttribute(much, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  run();
  launch_in("pairs as they are", pairs, 4, 2);
  launch_in("pairs in fours", pairs, 4, 4);
  launch_in("pairs alone", pairs, 4, 1);
  in_pairs<<<3, 32>>>();
  print("pairs of three blocks", cudaGetLastError());
  in_pairs<<<4, 32>>>();
  print("pairs of four blocks", cudaGetLastError());
  for (int attribute = cudaFuncAttributeClusterDimMustBeSet;
       attribute <= cudaFuncAttributeClusterSchedulingPolicyPreference; ++attribute)
    for (const int value : {-1, 0, 1, 2, 3, 16})
      for (const void* kernel : {plain, pairs}) {
        if (attribute != cudaFuncAttributeClusterDimMustBeSet && value > 0)
          continue;  // would hold from then on
        print("attribute " + std::to_string(attribute) + " to " + std::to_string(value) +
                  (kernel == pairs ? " of pairs" : ""),
              cudaFuncSetAttribute(kernel, cudaFuncAttribute(attribute), value));
        cudaGetLastError();
      }
  print("allow non-portable sizes",
        cudaFuncSetAttribute(plain, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  print("allow non-portable sizes of much",
        cudaFuncSetAttribute(much, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  prefix = "allowed ";
  run();
  cudaFuncAttributes facts{};
  CHECK(cudaFuncGetAttributes(&facts, pairs));
  print("pairs must be set", facts.clusterDimMustBeSet);
  print("pairs width", facts.requiredClusterWidth);
  print("pairs height", facts.requiredClusterHeight);
  print("pairs depth", facts.requiredClusterDepth);
  print("pairs policy", facts.clusterSchedulingPolicyPreference);
  print("pairs non-portable", facts.nonPortableClusterSizeAllowed);
  int value = -1;
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0));
  print("cluster launch", value);
}
