// Limits of a device.
#pragma once

#include <cstddef>

namespace sim::cudart {

struct Device;

/// Bytes of the L2 that data may be kept in (cudaDevAttrMaxPersistingL2CacheSize).
std::size_t most_persisting(const Device& device);

/// Takes back what was set, for cudaDeviceReset.
void forget_limits(const Device& device);

}  // namespace sim::cudart
