#include "simulator/cudart/device/device_attributes.h"

#include <cstring>
#include <initializer_list>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/device/limits.h"

namespace sim::cudart {

namespace {

/// The same for all GPUs that are modelled: what an H200 says.
constexpr struct {
  cudaDeviceAttr attribute;
  int amount;
} kAlike[] = {{cudaDevAttrMaxThreadsPerBlock, 1024},
              {cudaDevAttrMaxBlockDimX, 1024},
              {cudaDevAttrMaxBlockDimY, 1024},
              {cudaDevAttrMaxBlockDimZ, 64},
              {cudaDevAttrMaxGridDimX, 2147483647},
              {cudaDevAttrMaxGridDimY, 65535},
              {cudaDevAttrMaxGridDimZ, 65535},
              {cudaDevAttrTotalConstantMemory, 65536},
              {cudaDevAttrWarpSize, 32},
              {cudaDevAttrMaxPitch, 2147483647},
              {cudaDevAttrAsyncEngineCount, 2},
              {cudaDevAttrGpuOverlap, 1},
              {cudaDevAttrCanMapHostMemory, 1},
              {cudaDevAttrUnifiedAddressing, 1},
              {cudaDevAttrManagedMemory, 1},
              {cudaDevAttrConcurrentManagedAccess, 1},
              {cudaDevAttrStreamPrioritiesSupported, 1},
              {cudaDevAttrGlobalL1CacheSupported, 1},
              {cudaDevAttrLocalL1CacheSupported, 1},
              {cudaDevAttrCooperativeLaunch, 1},
              {cudaDevAttrMemoryPoolsSupported, 1},
              {cudaDevAttrComputePreemptionSupported, 1},
              {cudaDevAttrMaxTexture1DWidth, 131072},
              {cudaDevAttrMaxTexture2DWidth, 131072},
              {cudaDevAttrMaxTexture2DHeight, 65536},
              {cudaDevAttrMaxTexture3DWidth, 16384},
              {cudaDevAttrMaxTexture3DHeight, 16384},
              {cudaDevAttrMaxTexture3DDepth, 16384},
              {cudaDevAttrMaxTexture2DLayeredWidth, 32768},
              {cudaDevAttrMaxTexture2DLayeredHeight, 32768},
              {cudaDevAttrMaxTexture2DLayeredLayers, 2048},
              {cudaDevAttrSurfaceAlignment, 512},
              {cudaDevAttrMaxTexture1DLayeredWidth, 32768},
              {cudaDevAttrMaxTexture1DLayeredLayers, 2048},
              {cudaDevAttrMaxTexture2DGatherWidth, 32768},
              {cudaDevAttrMaxTexture2DGatherHeight, 32768},
              {cudaDevAttrMaxTexture3DWidthAlt, 8192},
              {cudaDevAttrMaxTexture3DHeightAlt, 8192},
              {cudaDevAttrMaxTexture3DDepthAlt, 32768},
              {cudaDevAttrMaxTextureCubemapWidth, 32768},
              {cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
              {cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
              {cudaDevAttrMaxSurface1DWidth, 32768},
              {cudaDevAttrMaxSurface2DWidth, 131072},
              {cudaDevAttrMaxSurface2DHeight, 65536},
              {cudaDevAttrMaxSurface3DWidth, 16384},
              {cudaDevAttrMaxSurface3DHeight, 16384},
              {cudaDevAttrMaxSurface3DDepth, 16384},
              {cudaDevAttrMaxSurface1DLayeredWidth, 32768},
              {cudaDevAttrMaxSurface1DLayeredLayers, 2048},
              {cudaDevAttrMaxSurface2DLayeredWidth, 32768},
              {cudaDevAttrMaxSurface2DLayeredHeight, 32768},
              {cudaDevAttrMaxSurface2DLayeredLayers, 2048},
              {cudaDevAttrMaxSurfaceCubemapWidth, 32768},
              {cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
              {cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
              {cudaDevAttrMaxTexture1DLinearWidth, 268435456},
              {cudaDevAttrMaxTexture2DLinearWidth, 131072},
              {cudaDevAttrMaxTexture2DLinearHeight, 65000},
              {cudaDevAttrMaxTexture2DLinearPitch, 2097120},
              {cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
              {cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
              {cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
              {cudaDevAttrConcurrentKernels, 1},
              {cudaDevAttrTexturePitchAlignment, 32},
              {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
              {cudaDevAttrHostRegisterSupported, 1},
              {cudaDevAttrHostRegisterReadOnlySupported, 1}};

/// What differs between GPUs.
constexpr struct {
  cudaDeviceAttr attribute;
  int (*amount_of)(const model::Gpu&);
} kOfGpu[] = {
    {cudaDevAttrMaxSharedMemoryPerBlock, [](const model::Gpu& g) { return int(g.shared_per_block); }},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin,
     [](const model::Gpu& g) { return int(g.shared_per_block_optin); }},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, [](const model::Gpu& g) { return int(g.shared_per_sm); }},
    {cudaDevAttrReservedSharedMemoryPerBlock, [](const model::Gpu& g) { return int(g.shared_reserved); }},
    {cudaDevAttrMaxRegistersPerBlock, [](const model::Gpu& g) { return g.registers_per_sm; }},
    {cudaDevAttrMaxRegistersPerMultiprocessor, [](const model::Gpu& g) { return g.registers_per_sm; }},
    {cudaDevAttrClockRate, [](const model::Gpu& g) { return int(g.clock_ghz * 1e6); }},
    {cudaDevAttrMemoryClockRate, [](const model::Gpu& g) { return g.memory_clock_khz; }},
    {cudaDevAttrGlobalMemoryBusWidth, [](const model::Gpu& g) { return g.memory_bus_bits; }},
    {cudaDevAttrL2CacheSize, [](const model::Gpu& g) { return int(g.l2_bytes); }},
    {cudaDevAttrMultiProcessorCount, [](const model::Gpu& g) { return g.sms; }},
    {cudaDevAttrMaxThreadsPerMultiProcessor, [](const model::Gpu& g) { return g.max_threads_per_sm; }},
    {cudaDevAttrMaxBlocksPerMultiprocessor, [](const model::Gpu& g) { return g.max_blocks_per_sm; }},
    {cudaDevAttrClusterLaunch, [](const model::Gpu& g) { return g.has_clusters() ? 1 : 0; }},
    {cudaDevAttrComputeCapabilityMajor, [](const model::Gpu& g) { return g.major; }},
    {cudaDevAttrComputeCapabilityMinor, [](const model::Gpu& g) { return g.minor; }},
    {cudaDevAttrMaxPersistingL2CacheSize, [](const model::Gpu&) { return int(most_persisting(device())); }},
    {cudaDevAttrMaxAccessPolicyWindowSize, [](const model::Gpu& g) { return g.major < 8 ? 0 : 128 << 20; }}};

/// Extents of textures and surfaces, and what goes with them.
void fill_images(cudaDeviceProp& p) {
  const auto of = [](cudaDeviceAttr which) {
    for (const auto& [attribute, amount] : kAlike)
      if (attribute == which) return amount;
    return 0;
  };
  const auto put = [&](int* to, std::initializer_list<cudaDeviceAttr> attributes) {
    for (const cudaDeviceAttr which : attributes) *to++ = of(which);
  };
  p.maxTexture1D = of(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DMipmap = of(cudaDevAttrMaxTexture1DMipmappedWidth);
  put(p.maxTexture2D, {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight});
  put(p.maxTexture2DMipmap, {cudaDevAttrMaxTexture2DMipmappedWidth, cudaDevAttrMaxTexture2DMipmappedHeight});
  put(p.maxTexture2DLinear, {cudaDevAttrMaxTexture2DLinearWidth, cudaDevAttrMaxTexture2DLinearHeight,
                             cudaDevAttrMaxTexture2DLinearPitch});
  put(p.maxTexture2DGather, {cudaDevAttrMaxTexture2DGatherWidth, cudaDevAttrMaxTexture2DGatherHeight});
  put(p.maxTexture3D,
      {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxTexture3DDepth});
  put(p.maxTexture3DAlt,
      {cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt, cudaDevAttrMaxTexture3DDepthAlt});
  p.maxTextureCubemap = of(cudaDevAttrMaxTextureCubemapWidth);
  put(p.maxTexture1DLayered, {cudaDevAttrMaxTexture1DLayeredWidth, cudaDevAttrMaxTexture1DLayeredLayers});
  put(p.maxTexture2DLayered, {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
                              cudaDevAttrMaxTexture2DLayeredLayers});
  put(p.maxTextureCubemapLayered,
      {cudaDevAttrMaxTextureCubemapLayeredWidth, cudaDevAttrMaxTextureCubemapLayeredLayers});
  p.maxSurface1D = of(cudaDevAttrMaxSurface1DWidth);
  put(p.maxSurface2D, {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight});
  put(p.maxSurface3D,
      {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight, cudaDevAttrMaxSurface3DDepth});
  put(p.maxSurface1DLayered, {cudaDevAttrMaxSurface1DLayeredWidth, cudaDevAttrMaxSurface1DLayeredLayers});
  put(p.maxSurface2DLayered, {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
                              cudaDevAttrMaxSurface2DLayeredLayers});
  p.maxSurfaceCubemap = of(cudaDevAttrMaxSurfaceCubemapWidth);
  put(p.maxSurfaceCubemapLayered,
      {cudaDevAttrMaxSurfaceCubemapLayeredWidth, cudaDevAttrMaxSurfaceCubemapLayeredLayers});
  p.surfaceAlignment = static_cast<std::size_t>(of(cudaDevAttrSurfaceAlignment));
}

}  // namespace

cudaError_t attribute_of(int& value, cudaDeviceAttr which, const model::Gpu& g) {
  if (which <= 0 || which >= cudaDevAttrMax) return cudaErrorInvalidValue;
  value = 0;  // what is not modelled is not there
  for (const auto& [attribute, amount] : kAlike)
    if (attribute == which) value = amount;
  for (const auto& [attribute, amount_of] : kOfGpu)
    if (attribute == which) value = amount_of(g);
  return cudaSuccess;
}

void fill_properties(cudaDeviceProp& p, const model::Gpu& g, int ordinal) {
  p = {};
  p.pciBusID = ordinal + 1;
  std::strncpy(p.name, g.full_name, sizeof p.name - 1);
  p.totalGlobalMem = g.memory_bytes;
  p.sharedMemPerBlock = g.shared_per_block;
  p.sharedMemPerBlockOptin = g.shared_per_block_optin;
  p.sharedMemPerMultiprocessor = g.shared_per_sm;
  p.reservedSharedMemPerBlock = g.shared_reserved;
  p.regsPerBlock = p.regsPerMultiprocessor = g.registers_per_sm;
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.major = g.major;
  p.minor = g.minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = g.sms;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.streamPrioritiesSupported = 1;
  p.managedMemory = p.concurrentManagedAccess = p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.cooperativeLaunch = p.computePreemptionSupported = p.memoryPoolsSupported = 1;
  p.hostRegisterSupported = p.hostRegisterReadOnlySupported = p.canUseHostPointerForRegisteredMem = 1;
  fill_images(p);
  p.asyncEngineCount = 2;
  p.memoryBusWidth = g.memory_bus_bits;
  p.l2CacheSize = static_cast<int>(g.l2_bytes);
  p.persistingL2CacheMaxSize = static_cast<int>(most_persisting(device()));
  p.accessPolicyMaxWindowSize = g.major < 8 ? 0 : 128 << 20;
  p.maxThreadsPerMultiProcessor = g.max_threads_per_sm;
  p.maxBlocksPerMultiProcessor = g.max_blocks_per_sm;
#if CUDART_VERSION < 13000
  p.clockRate = static_cast<int>(g.clock_ghz * 1e6);
  p.memoryClockRate = g.memory_clock_khz;
  p.deviceOverlap = 1;
#endif
}

}  // namespace sim::cudart
