// Findings of a launch: the kernel once more, in a copy of the process, from a build that keeps every access.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "simulator/cudart/module/registry.h"
#include "simulator/cudart/stream/stream_races.h"
#include "simulator/engine/launch.h"

namespace sim::cudart {

/// The launch as a child process looks at it, side by side with the ordinary one.
class Check {
 public:
  virtual ~Check() = default;
  /// Waits for the child. @return what it found; empty when it could not look
  virtual std::vector<Finding> finish() = 0;
  /// What the kernel touched, as far as the child saw it; after finish().
  virtual const std::vector<MemoryAccess>& accesses() const = 0;
};

/// Starts to look for findings. Memory is the child's own from here on: a copy made by the first
/// write to each page.
/// @param what  the launch with its parameters
/// @return null when nobody asked for findings, or when launches like this one have been
/// looked at often enough
std::unique_ptr<Check> start_check(const Kernel& kernel, const exec::Launch& what);

/// Whether findings are looked for.
bool checks_wanted();

/// Notes bytes of device memory that a copy or fill writes.
void note_written(std::uint64_t address, std::uint64_t bytes);

/// Notes that a library wrote to unknown addresses.
void note_written_somewhere();

/// How many launches there were while findings were wanted, how many of them were looked at to their end, and
/// why the others were not.
struct CheckCoverage {
  std::uint64_t launches = 0, whole = 0;
  std::uint64_t alike = 0;    ///< like others that were
  std::uint64_t large = 0;    ///< more threads than LADDER_SIM_CHECK_THREADS
  std::uint64_t late = 0;     ///< after the time for all of them was used up
  std::uint64_t unable = 0;   ///< no check build of the kernel, or none that can be run
  std::uint64_t stopped = 0;  ///< begun, and not brought to their end
};
/// Those since the last reset_check_coverage().
const CheckCoverage& check_coverage();
void reset_check_coverage();

/// Adds a file of PTX to look for kernels in. @throws std::exception when it cannot be read
void load_check_build(const std::string& path);

/// What the check build knows of a variable in shared memory that a kernel has; null where there is none of
/// that name, or no such build.
std::shared_ptr<const ptx::SourceType> type_in_check_build(const Kernel& kernel, const std::string& variable);

/// Whether every launch is looked at from now on, however large, for some seconds in all,
/// and its stores counted.
void look_closely(bool closely);

/// Forgets what belongs to the modules of the device, for cudaDeviceReset and modules that go away.
void forget_checks();

}  // namespace sim::cudart
