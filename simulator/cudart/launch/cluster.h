// Thread block clusters of a launch: which one it runs in, and whether it can.
#pragma once

#include "simulator/cudart/launch/launch.h"

namespace sim::cudart {

/// What a launch's attributes ask for, the rest as in the configuration. @throws ApiError of bad attributes
LaunchRequest request_of(const cudaLaunchConfig_t& config);

/// The cluster that a launch runs in, in blocks: the kernel's own (__cluster_dims__), else the launch's
/// attribute, else {0, 0, 0}: none is asked for.
/// @throws ApiError after telling why, where the grid or the kernel does not allow it
Index3 cluster_of(const Kernel& kernel, const exec::KernelFacts& facts, const LaunchRequest& request);

/// Whether the device holds such a cluster, if it is one. @throws ApiError after telling why, where it does
/// not
void check_room(const Kernel& kernel, const exec::KernelFacts& facts, const LaunchRequest& request,
                const Index3& cluster);

/// Clusters of @p blocks blocks that fit on the device at once; 0 where it has none.
int most_active_clusters(const Kernel& kernel, const exec::KernelFacts& facts, const LaunchRequest& request,
                         unsigned blocks);

/// Blocks of the largest cluster that the kernel may be launched in: 8, or 16 where cudaFuncSetAttribute()
/// has allowed what not every GPU has.
unsigned largest_cluster(const Kernel& kernel);

}  // namespace sim::cudart
