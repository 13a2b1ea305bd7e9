// The GPUs that can be modelled: one small file each in gpus/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sim::model {

/// What the time model, the occupancy calculation and cudaGetDeviceProperties know of a GPU.
/// Figures marked (m) were measured, (f) fitted to measured times of the lessons' rungs; the rest are the
/// vendor's or rounded from published microbenchmarks.
struct Gpu {
  const char* name;       ///< short: "H200"
  const char* full_name;  ///< as cudaGetDeviceProperties says
  int major, minor;       ///< compute capability

  int sms;
  double clock_ghz;
  double issue_per_clock;       ///< warp instructions an SM starts per clock
  double wavefronts_per_clock;  ///< 128-byte passes of an SM's L1 / shared memory per clock
  double l2_gb_per_s;
  double dram_read_gb_per_s;  ///< reading only
  double dram_copy_gb_per_s;  ///< half reads, half writes
  double dependent_clocks;    ///< from an arithmetic instruction to one that needs its result
  double l1_clocks;           ///< load latency, hit in L1; also of shared memory
  double dram_clocks;         ///< load latency, missing everywhere
  double barrier_clocks;
  double start_clocks;  ///< of a block, before its first load leaves, and after its last store
  double block_ns;      ///< between two blocks that the GPU starts
  double chain_ns;      ///< from one block to the next that waits for it
  double atomic_ns;     ///< between two updates of one 128-byte line
  double launch_ns;     ///< an empty kernel between two events

  double pinned_gb_per_s;  ///< each direction
  double pageable_gb_per_s;
  double copy_latency_ns;
  double fault_ns;  ///< to serve the faults of one managed granule (2 MiB), besides moving it

  int max_threads_per_sm, max_blocks_per_sm;
  int registers_per_sm;
  std::uint32_t shared_per_sm, shared_per_block, shared_per_block_optin;  ///< bytes
  std::uint32_t shared_reserved;  ///< bytes the system takes of each block's share
  std::uint32_t l2_bytes;
  int memory_clock_khz, memory_bus_bits;
  std::uint64_t memory_bytes;
};

inline constexpr std::uint32_t kKiB = 1024, kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// All of them; the first is the default.
std::span<const Gpu> gpus();

/// The GPU of that name in any case, such as "h200" or "rtx4090"; null when there is none.
const Gpu* find_gpu(std::string_view name);

/// The GPU this process models: the environment variable LADDER_SIM_GPU, else the default.
const Gpu& selected_gpu();

}  // namespace sim::model
