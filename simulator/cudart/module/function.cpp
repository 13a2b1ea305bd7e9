// Kernels' attributes and occupancy queries.
#include <algorithm>
#include <cstdlib>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/cluster.h"
#include "simulator/cudart/module/registry.h"
#include "simulator/model/occupancy.h"

using namespace sim::cudart;

namespace {

struct Facts {
  Kernel& kernel;
  sim::exec::KernelFacts facts;
};

Facts facts_of(const void* function) {
  Kernel& kernel = registry().kernel(function);
  is_loaded_by_use(kernel);
  return {kernel, sim::exec::facts(kernel.module->load().kernel(kernel.name))};
}

/// Threads that registers allow in a block, below what launch bounds allow.
int max_threads(const sim::exec::KernelFacts& facts) {
  const int registers = std::max<int>(1, facts.registers);
  const int by_registers = device().gpu.registers_per_sm / registers / 32 * 32;
  const int bound = facts.max_threads ? static_cast<int>(facts.max_threads) : 1024;
  return std::min({1024, by_registers, bound});
}

/// The SM's whole shared memory in KiB is its carve-out's hundred percent; the model keeps none back.
void fill(cudaFuncAttributes& out, const Facts& f) {
  const auto& gpu = device().gpu;
  out = {};
  out.sharedSizeBytes = f.facts.static_shared_bytes;
  out.localSizeBytes = f.facts.local_bytes;
  out.maxThreadsPerBlock = max_threads(f.facts);
  out.numRegs = static_cast<int>(f.facts.registers);
  const auto& module = f.kernel.module->load().module();
  out.ptxVersion = std::atoi(module.target.c_str() + std::min<std::size_t>(3, module.target.size()));
  out.binaryVersion = gpu.major * 10 + gpu.minor;
  out.maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_limit(f.kernel, f.facts));
  out.preferredShmemCarveout = f.kernel.carveout;
  const sim::Index3 own = f.facts.cluster[0] != 0 ? f.facts.cluster : f.kernel.required_cluster;
  out.requiredClusterWidth = static_cast<int>(own[0]);
  out.requiredClusterHeight = static_cast<int>(own[1]);
  out.requiredClusterDepth = static_cast<int>(own[2]);
  out.clusterDimMustBeSet = f.facts.cluster[0] != 0;
  out.nonPortableClusterSizeAllowed = f.kernel.non_portable_cluster;
}

/// Launch bounds do not count here; what cudaFuncSetAttribute has not allowed does.
int blocks_per_sm(const Facts& f, int block_threads, std::size_t dynamic_shared) {
  if (block_threads > 1024 || dynamic_shared > dynamic_shared_limit(f.kernel, f.facts)) return 0;
  const auto shared = static_cast<std::uint32_t>(f.facts.static_shared_bytes + dynamic_shared);
  return sim::model::occupancy(device().gpu, f.facts.registers, shared,
                               static_cast<std::uint32_t>(block_threads))
      .blocks_per_sm;
}

}  // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return api([&](Device&) {
    require(attributes);
    fill(*attributes, facts_of(function));
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api([&](Device& d) {
    const Facts f = facts_of(function);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
      require(value >= 0 &&
              value + std::int64_t{f.facts.static_shared_bytes} <= d.gpu.shared_per_block_optin);
      f.kernel.max_dynamic_shared = value;
    } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      require(value >= -1 && value <= 100);
      f.kernel.carveout = value;
    } else if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
      f.kernel.non_portable_cluster = value != 0;
    } else if (attribute >= cudaFuncAttributeRequiredClusterWidth &&
               attribute <= cudaFuncAttributeRequiredClusterDepth) {
      require(value >= 0 && f.facts.cluster[0] == 0);
      f.kernel.required_cluster[std::size_t(attribute - cudaFuncAttributeRequiredClusterWidth)] =
          static_cast<std::uint32_t>(value);
    } else {
      require(attribute == cudaFuncAttributeClusterSchedulingPolicyPreference);
      require(value >= cudaClusterSchedulingPolicyDefault &&
              value <= cudaClusterSchedulingPolicyLoadBalancing);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  return api([&](Device&) {
    require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
    registry().kernel(function);
    return cudaSuccess;
  });
}

/// Bank widths and the split of L1 were configurable on GPUs before Maxwell.
cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone);
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* width) {
  return api([&](Device&) {
    require(width);
    *width = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

/// A CUfunction of the driver API is a kernel of the registry.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* result, const void* function) {
  return api([&](Device&) {
    Kernel* kernel = nullptr;
    try {
      kernel = &registry().kernel(function);
    } catch (const ApiError&) {
      throw ApiError{cudaErrorInvalidDeviceFunction};  // others say cudaErrorInvalidResourceHandle
    }
    is_loaded_by_use(*kernel);
    if (result) *result = reinterpret_cast<cudaFunction_t>(kernel);
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* result, const void* function) {
  return cudaGetFuncBySymbol(reinterpret_cast<cudaFunction_t*>(result), function);
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api([&](Device&) {
    require(name);
    *name = registry().kernel(function).name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int block_threads,
                                                                   std::size_t dynamic_shared,
                                                                   unsigned flags) {
  return api([&](Device&) {
    require(blocks && block_threads > 0 && flags <= cudaOccupancyDisableCachingOverride);
    *blocks = blocks_per_sm(facts_of(function), block_threads, dynamic_shared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_threads, std::size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_threads,
                                                                dynamic_shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                      int block_threads) {
  return api([&](Device& d) {
    require(bytes && blocks > 0 && block_threads > 0);
    const std::int64_t warps = (block_threads + 31) / 32;
    require(blocks <= d.gpu.max_blocks_per_sm && blocks * warps * 32 <= d.gpu.max_threads_per_sm);
    const Facts f = facts_of(function);
    const std::int64_t each = d.gpu.shared_per_sm / blocks - std::int64_t{d.gpu.shared_reserved} -
                              std::int64_t{f.facts.static_shared_bytes};
    *bytes =
        static_cast<std::size_t>(std::clamp<std::int64_t>(each, 0, dynamic_shared_limit(f.kernel, f.facts)));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return api([&](Device&) {
    require(clusters && config);
    const LaunchRequest request = request_of(*config);
    const Facts f = facts_of(function);
    const sim::Index3 cluster = cluster_of(f.kernel, f.facts, request);
    const unsigned blocks = cluster[0] * cluster[1] * cluster[2];
    *clusters = blocks == 0 ? 0 : most_active_clusters(f.kernel, f.facts, request, blocks);
    return cudaSuccess;
  });
}

/// The grid says nothing here, nor a cluster among the attributes.
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return api([&](Device& d) {
    require(blocks && config);
    const LaunchRequest request = request_of(*config);
    const Facts f = facts_of(function);
    require(d.gpu.has_clusters(), cudaErrorNotSupported);
    unsigned most = largest_cluster(f.kernel);
    while (most > 0 && most_active_clusters(f.kernel, f.facts, request, most) == 0) most /= 2;
    *blocks = static_cast<int>(most);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
  return api([&](Device&) {
    const Facts f = facts_of(function);
    require(index < f.facts.params.size() && (offset || bytes));
    std::size_t at = 0;
    for (std::size_t i = 0;; ++i) {
      const auto& parameter = f.facts.params[i];
      at = (at + parameter.align - 1) / parameter.align * parameter.align;
      if (i == index) break;
      at += parameter.size;
    }
    if (offset) *offset = at;
    if (bytes) *bytes = f.facts.params[index].size;
    return cudaSuccess;
  });
}

}  // extern "C"
