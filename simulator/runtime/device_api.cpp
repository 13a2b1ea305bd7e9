// Devices: one of them, its properties, waiting for it, resetting it.
#include <cstdio>
#include <cstring>

#include "simulator/runtime/device.h"
#include "simulator/runtime/held.h"
#include "simulator/runtime/registry.h"

using namespace sim::runtime;

namespace {

cudaError_t attribute(int& value, cudaDeviceAttr which, const sim::model::Gpu& g) {
  const auto kilohertz = static_cast<int>(g.clock_ghz * 1e6);
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      value = 1024;
      break;
    case cudaDevAttrMaxBlockDimX:
      value = 1024;
      break;
    case cudaDevAttrMaxBlockDimY:
      value = 1024;
      break;
    case cudaDevAttrMaxBlockDimZ:
      value = 64;
      break;
    case cudaDevAttrMaxGridDimX:
      value = 2147483647;
      break;
    case cudaDevAttrMaxGridDimY:
      value = 65535;
      break;
    case cudaDevAttrMaxGridDimZ:
      value = 65535;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      value = static_cast<int>(g.shared_per_block);
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      value = static_cast<int>(g.shared_per_block_optin);
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      value = static_cast<int>(g.shared_per_sm);
      break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      value = static_cast<int>(g.shared_reserved);
      break;
    case cudaDevAttrTotalConstantMemory:
      value = 65536;
      break;
    case cudaDevAttrWarpSize:
      value = 32;
      break;
    case cudaDevAttrMaxPitch:
      value = 2147483647;
      break;
    case cudaDevAttrMaxRegistersPerBlock:
      value = g.registers_per_sm;
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      value = g.registers_per_sm;
      break;
    case cudaDevAttrClockRate:
      value = kilohertz;
      break;
    case cudaDevAttrMemoryClockRate:
      value = g.memory_clock_khz;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      value = g.memory_bus_bits;
      break;
    case cudaDevAttrL2CacheSize:
      value = static_cast<int>(g.l2_bytes);
      break;
    case cudaDevAttrMultiProcessorCount:
      value = g.sms;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      value = g.max_threads_per_sm;
      break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      value = g.max_blocks_per_sm;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      value = g.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      value = g.minor;
      break;
    case cudaDevAttrAsyncEngineCount:
      value = 2;
      break;
    case cudaDevAttrTextureAlignment:
      value = 512;
      break;
    case cudaDevAttrTexturePitchAlignment:
      value = 32;
      break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrHostNativeAtomicSupported:
    case cudaDevAttrComputePreemptionSupported:
      value = 1;
      break;
    default:
      if (which <= 0 || which >= cudaDevAttrMax) return cudaErrorInvalidValue;
      value = 0;  // what is not modelled is not there
  }
  return cudaSuccess;
}

void fill(cudaDeviceProp& p, const sim::model::Gpu& g, int ordinal) {
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
  p.cooperativeLaunch = p.computePreemptionSupported = p.hostNativeAtomicSupported = p.memoryPoolsSupported =
      1;
  p.asyncEngineCount = 2;
  p.memoryBusWidth = g.memory_bus_bits;
  p.l2CacheSize = static_cast<int>(g.l2_bytes);
  p.maxThreadsPerMultiProcessor = g.max_threads_per_sm;
  p.maxBlocksPerMultiProcessor = g.max_blocks_per_sm;
#if CUDART_VERSION < 13000
  p.clockRate = static_cast<int>(g.clock_ghz * 1e6);
  p.memoryClockRate = g.memory_clock_khz;
  p.deviceOverlap = 1;
#endif
}

void require_device(int id) { device(id); }

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api([&](Device&) {
    require(count);
    *count = device_count();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* id) {
  return api([&](Device& d) {
    require(id);
    *id = d.ordinal;
    return cudaSuccess;
  });
}

/// Works on a device that has failed: another one may be chosen.
cudaError_t cudaSetDevice(int id) {
  if (id < 0 || id >= device_count()) return last_error() = cudaErrorInvalidDevice;
  choose_device(id);
  return device().sticky;
}

cudaError_t cudaInitDevice(int id, unsigned, unsigned) { return cudaSetDevice(id); }

cudaError_t cudaSetDeviceFlags(unsigned) {
  return api([](Device&) { return cudaSuccess; });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api([&](Device&) {
    require(flags);
    *flags = cudaDeviceScheduleAuto | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int id) {
  return api([&](Device& d) {
    require(properties);
    require_device(id);
    fill(*properties, d.gpu, id);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int id) {
  return api([&](Device& d) {
    require(value);
    require_device(id);
    return attribute(*value, which, d.gpu);
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api([](Device& d) {
    d.clock.host_spends(1000);
    d.synchronise();
    return cudaSuccess;
  });
}

/// The only call that a failed device answers: everything on it is gone, its errors too.
cudaError_t cudaDeviceReset() {
  Device& d = device();
  std::lock_guard hold(d.lock);
  wait_for_held(d);
  d.clock.host_waits_until(d.clock.all_done());
  registry().unload_all();
  for (const auto* allocation : d.space.live()) {
    if (allocation->device != d.ordinal) continue;
    d.managed.remove(allocation);
    d.space.free(const_cast<sim::memory::Allocation*>(allocation));
  }
  d.grid_sync = nullptr;
  d.peers.clear();
  d.pending = d.sticky = last_error() = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return api([&](Device&) {
    require(value);
    switch (limit) {
      case cudaLimitStackSize:
        *value = 1024;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        *value = 1 << 20;
        return cudaSuccess;
      case cudaLimitMallocHeapSize:
        *value = 8 << 20;
        return cudaSuccess;
      default:
        return cudaErrorUnsupportedLimit;
    }
  });
}

/// Stacks, the heap and the printf buffer grow as needed here.
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) {
  return api([](Device&) { return cudaSuccess; });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return api([](Device&) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int id) {
  return api([&](Device&) {
    require(text && length >= 13);
    require_device(id);
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", id + 1);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* id, const char* text) {
  return api([&](Device&) {
    require(id && text);
    unsigned domain = 0, bus = 0;
    require(std::sscanf(text, "%x:%x:", &domain, &bus) == 2 && bus > 0);
    *id = device(static_cast<int>(bus) - 1).ordinal;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int id, int peer) {
  return api([&](Device&) {
    require(can);
    require_device(id);
    require_device(peer);
    *can = id != peer;  // a device is no peer of itself
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&](Device& d) {
    require(flags == 0);
    require(device(peer).ordinal != d.ordinal, cudaErrorInvalidDevice);
    require(d.peers.insert(peer).second, cudaErrorPeerAccessAlreadyEnabled);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api([&](Device& d) {
    require(device(peer).ordinal != d.ordinal, cudaErrorInvalidDevice);
    require(d.peers.erase(peer) == 1, cudaErrorPeerAccessNotEnabled);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int id, int peer) {
  return api([&](Device&) {
    require(value);
    require(device(id).ordinal != device(peer).ordinal, cudaErrorInvalidDevice);
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
  });
}

/// Every launch starts with cold caches in the model.
cudaError_t cudaCtxResetPersistingL2Cache() {
  return api([](Device&) { return cudaSuccess; });
}

cudaError_t cudaChooseDevice(int* id, const cudaDeviceProp*) { return cudaGetDevice(id); }

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (!version) return last_error() = cudaErrorInvalidValue;
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }

}  // extern "C"
