#include "simulator/cudart/launch/cluster.h"

#include "language/catalogue.h"
#include "simulator/cudart/device/device.h"
#include "simulator/engine/cluster.h"
#include "simulator/model/occupancy.h"

namespace sim::cudart {
namespace {

constexpr int kLaunchAttributes = 20;         // cudaLaunchAttributeID has fewer
constexpr unsigned kMostPortableCluster = 8;  // blocks

unsigned blocks_in(const Index3& cluster) { return cluster[0] * cluster[1] * cluster[2]; }

Message text(const Index3& extent) { return Message("({}, {}, {})", extent[0], extent[1], extent[2]); }

[[noreturn]] void refuse_cluster(cudaError_t code, const Kernel& kernel, const Index3& cluster,
                                 const Message& why) {
  refuse_launch(code, kernel,
                Message("{} cannot be launched in clusters of {} blocks", kernel.shown, text(cluster)), why);
}

}  // namespace

LaunchRequest request_of(const cudaLaunchConfig_t& config) {
  LaunchRequest request{config.gridDim, config.blockDim, config.dynamicSmemBytes, config.stream, false};
  require(config.attrs || config.numAttrs == 0);
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    require(attribute.id >= 0 && attribute.id < kLaunchAttributes);
    if (attribute.id == cudaLaunchAttributeCooperative) request.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& [x, y, z] = attribute.val.clusterDim;
      const bool none = x == 0 && y == 0 && z == 0;
      require(none || (x != 0 && y != 0 && z != 0), cudaErrorInvalidClusterSize);
      request.cluster = dim3(x, y, z);
    }
  }
  return request;
}

unsigned largest_cluster(const Kernel& kernel) {
  return kernel.non_portable_cluster ? exec::kMostClusterBlocks : kMostPortableCluster;
}

int most_active_clusters(const Kernel& kernel, const exec::KernelFacts& facts, const LaunchRequest& request,
                         unsigned blocks) {
  const model::Gpu& gpu = device().gpu;
  const auto threads = request.block.x * request.block.y * request.block.z;
  if (threads > 1024 || request.dynamic_shared_bytes > dynamic_shared_limit(kernel, facts)) return 0;
  const auto shared = static_cast<std::uint32_t>(facts.static_shared_bytes + request.dynamic_shared_bytes);
  return model::active_clusters(gpu, model::occupancy(gpu, facts.registers, shared, threads).blocks_per_sm,
                                static_cast<int>(blocks));
}

Index3 cluster_of(const Kernel& kernel, const exec::KernelFacts& facts, const LaunchRequest& request) {
  const Index3 own = facts.cluster[0] != 0 ? facts.cluster : kernel.required_cluster;
  const Index3 asked{request.cluster.x, request.cluster.y, request.cluster.z};
  const Index3 cluster = own[0] != 0 ? own : asked;
  if (cluster[0] == 0) return cluster;
  const model::Gpu& gpu = device().gpu;
  if (!gpu.has_clusters()) {
    refuse_cluster(cudaErrorNotSupported, kernel, cluster,
                   Message("clusters exist from compute capability 9.0 on, and the {} has {}.{}", gpu.name,
                           gpu.major, gpu.minor));
  }
  const auto refuse_size = [&](const Message& why) {
    refuse_cluster(cudaErrorInvalidClusterSize, kernel, cluster, why);
  };
  if (own[0] != 0 && asked[0] != 0 && own != asked)
    refuse_size(Message("its launch asks for {}, and the kernel was compiled for its own", text(asked)));
  const Index3 grid{request.grid.x, request.grid.y, request.grid.z};
  for (std::size_t i = 0; i < 3; ++i)
    if (!facts.blocks_are_clusters && grid[i] % cluster[i] != 0)
      refuse_size(
          Message("the grid has {} blocks: each extent must be a multiple of the cluster's", text(grid)));
  if (blocks_in(cluster) > largest_cluster(kernel)) {
    refuse_size(Message("a cluster has at most {} blocks{}", largest_cluster(kernel),
                        kernel.non_portable_cluster
                            ? ""
                            : tr(", and 16 after cudaFuncSetAttribute(kernel, "
                                 "cudaFuncAttributeNonPortableClusterSizeAllowed, 1)")));
  }
  return cluster;
}

void check_room(const Kernel& kernel, const exec::KernelFacts& facts, const LaunchRequest& request,
                const Index3& cluster) {
  const unsigned blocks = blocks_in(cluster);
  if (blocks < 2 || most_active_clusters(kernel, facts, request, blocks) != 0) return;
  refuse_cluster(
      cudaErrorInvalidClusterSize, kernel, cluster,
      tr("all its blocks must be on one group of SMs at once, and their shared memory, registers or "
         "threads leave no room for that"));
}

}  // namespace sim::cudart
