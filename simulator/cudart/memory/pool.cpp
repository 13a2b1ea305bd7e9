// Memory pools. Memory comes from the device as it is asked for and goes back at once, so a pool is
// a set of settings.
#include "simulator/cudart/memory/pool.h"

#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/report/open_objects.h"

struct CUmemPoolHandle_st {
  int device = 0;
  /// What cudaMemPoolSetAccess gave to other devices; also that of memory which outlives the pool.
  std::shared_ptr<std::map<int, cudaMemAccessFlags>> opened =
      std::make_shared<std::map<int, cudaMemAccessFlags>>();
  std::map<cudaMemPoolAttr, unsigned long long> settings{{cudaMemPoolReuseFollowEventDependencies, 1},
                                                         {cudaMemPoolReuseAllowOpportunistic, 1},
                                                         {cudaMemPoolReuseAllowInternalDependencies, 1}};
};

using namespace sim::cudart;

namespace {

/// The pools of a device: the one that it began with, and the one that cudaMallocAsync takes memory from.
struct PoolsOfDevice {
  CUmemPoolHandle_st first;
  cudaMemPool_t current = &first;
};

PoolsOfDevice& pools(int id) {
  static auto& all = *new std::map<int, PoolsOfDevice>;
  const int ordinal = device(id).ordinal;  // it exists
  PoolsOfDevice& found = all[ordinal];
  found.first.device = ordinal;
  return found;
}

/// Pools that the program made.
std::unordered_set<cudaMemPool_t>& made() {
  static auto& all = *new std::unordered_set<cudaMemPool_t>;
  return all;
}

bool is_default(cudaMemPool_t pool) {
  for (int i = 0; i < device_count(); ++i)
    if (pool == &pools(i).first) return true;
  return false;
}

bool is_live(cudaMemPool_t pool) { return made().contains(pool) || is_default(pool); }

/// By the first address of memory from a pool: who may access it.
std::unordered_map<std::uint64_t, decltype(CUmemPoolHandle_st::opened)>& opened_memory() {
  static auto& all = *new std::unordered_map<std::uint64_t, decltype(CUmemPoolHandle_st::opened)>;
  return all;
}

bool is_known(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies && attribute <= cudaMemPoolAttrUsedMemHigh;
}
/// Attributes that are 32-bit flags; the others are 64-bit sizes.
bool is_flag(cudaMemPoolAttr attribute) { return attribute <= cudaMemPoolReuseAllowInternalDependencies; }

}  // namespace

void sim::cudart::comes_from_current_pool(const memory::Allocation& fresh) {
  opened_memory()[fresh.base] = pools(fresh.device).current->opened;
}

bool sim::cudart::pool_opens(const memory::Allocation& memory, int to_device) {
  const auto found = opened_memory().find(memory.base);
  return found != opened_memory().end() && found->second->contains(to_device);
}

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int id) {
  return api([&](Device&) {
    require(pool);
    *pool = &pools(id).first;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int id) {
  return api([&](Device&) {
    require(pool);
    *pool = pools(id).current;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int id, cudaMemPool_t pool) {
  return api([&](Device&) {
    require(id >= 0 && id < device_count() && is_live(pool) && pool->device == id);
    pools(id).current = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Device&) {
    require(pool && properties && properties->allocType == cudaMemAllocationTypePinned);
    const cudaMemLocation& where = properties->location;
    require(where.type != cudaMemLocationTypeDevice || (where.id >= 0 && where.id < device_count()));
    *pool = new CUmemPoolHandle_st;
    if (where.type == cudaMemLocationTypeDevice) (*pool)->device = where.id;
    made().insert(*pool);
    opened(Object::pool, *pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Device&) {
    require(made().erase(pool) == 1);
    if (PoolsOfDevice& of = pools(pool->device); of.current == pool) of.current = &of.first;
    closed(Object::pool, pool);
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Device&) {
    require(is_live(pool) && value && is_known(attribute));
    require(attribute != cudaMemPoolAttrReservedMemCurrent && attribute != cudaMemPoolAttrUsedMemCurrent);
    pool->settings[attribute] =
        is_flag(attribute) ? *static_cast<int*>(value) : *static_cast<unsigned long long*>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Device& d) {
    require(is_live(pool) && value && is_known(attribute));
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

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, std::size_t count) {
  return api([&](Device&) {
    require(is_live(pool) && (list || count == 0));
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [where, flags] = list[i];
      require(where.type == cudaMemLocationTypeDevice);
      const int id = device(where.id).ordinal;
      require(flags == cudaMemAccessFlagsProtNone || flags == cudaMemAccessFlagsProtRead ||
              flags == cudaMemAccessFlagsProtReadWrite);
      // The device on which the memory lies keeps its access.
      if (id == pool->device) {
        require(flags == cudaMemAccessFlagsProtReadWrite);
      } else if (flags == cudaMemAccessFlagsProtNone) {
        pool->opened->erase(id);
      } else {
        (*pool->opened)[id] = flags;
      }
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
  return api([&](Device&) {
    require(is_live(pool));
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return api([&](Device&) {
    require(is_live(pool));
    PoolsOfDevice& of = pools(pool->device);
    const cudaMemPool_t before = std::exchange(of.current, pool);
    const OnDevice there(device(pool->device));
    const cudaError_t code = malloc_from_current_pool(pointer, bytes, stream, "cudaMallocFromPoolAsync");
    of.current = before;
    return code;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return api([&](Device&) {
    require(flags && location && is_live(pool) && location->type == cudaMemLocationTypeDevice);
    const int id = device(location->id).ordinal;
    const auto given = pool->opened->find(id);
    *flags = id == pool->device             ? cudaMemAccessFlagsProtReadWrite
             : given == pool->opened->end() ? cudaMemAccessFlagsProtNone
                                            : given->second;
    return cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType) {
  if (!location) return last_error() = cudaErrorInvalidValue;
  return cudaDeviceGetDefaultMemPool(pool, location->id);
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType) {
  if (!location) return last_error() = cudaErrorInvalidValue;
  return cudaDeviceGetMemPool(pool, location->id);
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType, cudaMemPool_t pool) {
  if (!location) return last_error() = cudaErrorInvalidValue;
  return cudaDeviceSetMemPool(location->id, pool);
}
#endif

}  // extern "C"
