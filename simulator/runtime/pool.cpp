// Memory pools. Memory comes from the device as it is asked for and goes back at once, so a pool is a set of
// settings.
#include <map>
#include <unordered_set>

#include "simulator/runtime/device.h"

struct CUmemPoolHandle_st {
  std::map<cudaMemPoolAttr, unsigned long long> settings{{cudaMemPoolReuseFollowEventDependencies, 1},
                                                         {cudaMemPoolReuseAllowOpportunistic, 1},
                                                         {cudaMemPoolReuseAllowInternalDependencies, 1}};
};

using namespace sim::runtime;

namespace {

CUmemPoolHandle_st& default_pool() {
  static auto& pool = *new CUmemPoolHandle_st;
  return pool;
}

std::unordered_set<cudaMemPool_t>& live() {
  static auto& all = *new std::unordered_set<cudaMemPool_t>{&default_pool()};
  return all;
}

bool is_known(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolAttrUsedMemHigh;
}
/// Attributes that are 32-bit flags; the others are 64-bit sizes.
bool is_flag(cudaMemPoolAttr attribute) { return attribute <= cudaMemPoolReuseAllowInternalDependencies; }

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int id) {
  return api([&](Device&) {
    require(pool);
    device(id);  // it exists
    *pool = &default_pool();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int id) {
  return cudaDeviceGetDefaultMemPool(pool, id);
}

cudaError_t cudaDeviceSetMemPool(int id, cudaMemPool_t pool) {
  return api([&](Device&) {
    require(id >= 0 && id < device_count() && live().contains(pool));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Device&) {
    require(pool && properties && properties->allocType == cudaMemAllocationTypePinned);
    const cudaMemLocation& where = properties->location;
    require(where.type != cudaMemLocationTypeDevice || (where.id >= 0 && where.id < device_count()));
    *pool = new CUmemPoolHandle_st;
    live().insert(*pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Device&) {
    require(pool != &default_pool() && live().erase(pool) == 1);
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Device&) {
    require(live().contains(pool) && value && is_known(attribute));
    require(attribute != cudaMemPoolAttrReservedMemCurrent && attribute != cudaMemPoolAttrUsedMemCurrent);
    pool->settings[attribute] =
        is_flag(attribute) ? *static_cast<int*>(value) : *static_cast<unsigned long long*>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Device& d) {
    require(live().contains(pool) && value && is_known(attribute));
    unsigned long long result = pool->settings[attribute];
    const bool in_use =
        attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent;
    if (in_use) result = d.space.bytes_in_use();
    if (is_flag(attribute)) {
      *static_cast<int*>(value) = static_cast<int>(result);
    } else {
      *static_cast<unsigned long long*>(value) = result;
    }
    return cudaSuccess;
  });
}

/// Memory of every device can be reached from every other whose peer access is enabled; a pool adds nothing
/// to that.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, std::size_t count) {
  return api([&](Device&) {
    require(live().contains(pool) && (list || count == 0));
    for (std::size_t i = 0; i < count; ++i) device(list[i].location.id);  // they exist
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return api([&](Device&) {
    require(live().contains(pool));
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return api([&](Device&) {
    require(live().contains(pool));
    return cudaMallocAsync(pointer, bytes, stream);
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return api([&](Device&) {
    require(flags && location && live().contains(pool));
    device(location->id);  // it exists
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType) {
  if (!location) return last_error() = cudaErrorInvalidValue;
  return cudaDeviceGetDefaultMemPool(pool, location->id);
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return cudaMemGetDefaultMemPool(pool, location, type);
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType, cudaMemPool_t pool) {
  if (!location) return last_error() = cudaErrorInvalidValue;
  return cudaDeviceSetMemPool(location->id, pool);
}
#endif

}  // extern "C"
