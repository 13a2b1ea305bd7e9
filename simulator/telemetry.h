// What a runner asks of the simulated device beyond the CUDA runtime API.
#pragma once

#include <string>
#include <vector>

#include "simulator/report.h"

namespace sim {

/// Launches finished since the last call, oldest first.
std::vector<KernelRecord> take_kernel_records();

/// Findings made since the last call, oldest first.
std::vector<Finding> take_findings();

/// Adds the PTX of a check build, which keeps every access of the source: kernels found in it are looked at
/// for findings beside each launch. The environment's LADDER_SIM_CHECK_PTX (paths, separated by colons) does
/// the same.
/// @throws std::exception when the file cannot be read
void load_check_twin(const std::string& path);

/// What findings call a buffer from now on, in place of the call that allocated it.
/// @param start  as the allocation returned it; nothing happens where there is no such buffer
/// @param name   such as "array 'in', float [3][24]"
void name_allocation(const void* start, const std::string& name);

/// cudaDeviceReset, after which also a device that had failed works: no process with a GPU has that.
void revive_device();

/// The modelled clock of the host thread, ns: API overheads, copies, waits for streams. It never goes back.
/// Events and cudaEventElapsedTime read the same clock.
double modelled_host_ns();

/// The name of the modelled GPU, such as "H200".
const char* modelled_device_name();

}  // namespace sim
