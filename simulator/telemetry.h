// What a runner asks of the simulated device beyond the CUDA runtime API.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/report/array_shape.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace sim {

/// Launches finished since the last call, oldest first.
std::vector<KernelRecord> take_kernel_records();

/// Calls of the runtime's functions since the last call, by name.
std::map<std::string, std::uint64_t> take_api_calls();

/// Findings made since the last call, oldest first.
std::vector<Finding> take_findings();

/// Adds the PTX of a check build, which keeps every access of the source: kernels found in it are looked
/// at for findings beside each launch. The environment's LADDER_SIM_CHECK_PTX (paths, separated by
/// colons) does the same.
/// @throws std::exception when the file cannot be read
void load_check_build(const std::string& path);

/// Whether findings are looked for in every launch from now on, however large, for some seconds in all; each
/// launch then notes which arrays it stores to several times ("stored-again").
void look_closely(bool closely);

/// How launches run. A process begins with what its environment says (LADDER_SIM_SEED and the others below).
struct LaunchSettings {
  /// LADDER_SIM_SEED: another order of warps and blocks; 0: the natural one.
  std::uint64_t schedule_seed = 0;
  int host_threads = 0;                 ///< LADDER_SIM_THREADS: to simulate with; 0: all
  std::uint64_t instruction_limit = 0;  ///< LADDER_SIM_INSTRUCTION_LIMIT: of one block's warps; 0: none
  std::uint64_t sampled_blocks = 0;     ///< LADDER_SIM_SAMPLED_BLOCKS: run only so many of a launch; 0: all
  bool trace = false;                   ///< LADDER_SIM_LENS: keep one warp's steps
  double check_seconds = 60;            ///< LADDER_SIM_CHECK_SECONDS: for findings in all launches together
  double check_threads = 1e18;          ///< LADDER_SIM_CHECK_THREADS: larger launches are not looked at
  /// LADDER_SIM_RESIDENT_BLOCKS: at a time, for findings; 0: no launch is checked.
  std::uint64_t resident_blocks = 0;
  /// LADDER_SIM_FILL: the byte that device memory holds when it is allocated, where it is not so much that
  /// filling it takes long; -1: zeros, which a GPU's memory holds by chance.
  int fill = -1;
};

/// The settings, to be changed and given to configure(). A process that has threads must not change its
/// environment instead: others may be reading it.
LaunchSettings launch_settings();

/// Launches from now on run as @p settings say.
void configure(const LaunchSettings& settings);

/// Of the launches and allocations that follow, the @p number th fails, and waiting tells of it until
/// cudaGetLastError() does; 0: none fails any more, and what failed_call() says is forgotten.
void fail_call(std::uint64_t number);

/// The call that was made to fail, "cudaMalloc" or a kernel's name; empty where there have not been so many.
std::string failed_call();

/// What findings call a buffer from now on, in place of the call that allocated it.
/// @param start  as the allocation returned it; nothing happens where there is no such buffer
/// @param name   such as "array 'in', float [3][24]"
/// @param array  the same for naming single elements of it
void name_allocation(const void* start, const std::string& name, const ArrayShape& array = {});

/// Objects of one kind that the program has made and not given back.
struct OpenObjects {
  const char *made_by, *given_back_by;  ///< functions, "cudaMalloc()" and "cudaFree()"
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;  ///< of memory
};

/// Every kind, always in the same order. Variables of modules do not count.
std::vector<OpenObjects> open_objects();

/// Gives a finding the line of the program's source that made the newest open object of a kind,
/// where that is known.
/// @param kind  index in open_objects()
void say_where_newest_was_made(Finding& finding, std::size_t kind);

/// How often the program has called cudaDeviceReset().
std::uint64_t device_resets();

/// Work that a caller who goes on in the default stream does not come after: it is on a non-blocking stream
/// that neither that stream nor the host has waited for. Seen where there is a check build.
/// @param on_the_host  the caller goes on on the host: work of any stream on memory that the host can reach
///                     must be done, too
/// @return a finding about one such piece of work
std::optional<Finding> work_not_waited_for(bool on_the_host = false);

/// cudaDeviceReset, after which also a device that had failed works: no process with a GPU has that.
void revive_device();

/// The modelled clock of the host thread, ns: API overheads, copies, waits for streams. It never goes back.
/// Events and cudaEventElapsedTime read the same clock.
double modelled_host_ns();

/// The name of the modelled GPU, such as "H200".
const char* modelled_device_name();

}  // namespace sim
