// The GPUs that can be modelled: one small file each in gpus/.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace sim::model {

/// What the time model, the occupancy calculation and cudaGetDeviceProperties know of a GPU.
/// Figures marked (m) were measured (tests/simulator/model/measure.cu), (f) fitted to measured times of the
/// lessons' rungs; the rest are the vendor's or rounded from published microbenchmarks.
struct Gpu {
  const char* name;       ///< short: "H200"
  const char* full_name;  ///< as cudaGetDeviceProperties says
  int major, minor;       ///< compute capability

  int sms;
  /// SMs of each group, in one of which a cluster has to find room; none: no clusters.
  std::array<std::uint8_t, 12> cluster_groups{};
  bool has_clusters() const { return cluster_groups[0] != 0; }
  double clock_ghz;
  double issue_per_clock;           ///< warp instructions an SM starts per clock
  double wavefronts_per_clock;      ///< 128-byte passes of an SM's L1 / shared memory per clock
  double l1_sectors_per_clock;      ///< 32-byte sectors of global and local memory through L1
  double doubles_per_clock;         ///< warp instructions of double precision an SM does per clock
  double specials_per_clock;        ///< of special functions
  double textures_per_clock;        ///< fetches of whole warps
  double tensor_macs_per_clock;     ///< multiplications of 16-bit numbers by mma instructions
  double wgmma_macs_per_clock = 0;  ///< by wgmma; 0: there is none
  /// Bulk copies into shared memory: lines of an SM, of 128 bytes or of a row of a box that has no more, and
  /// clocks of one that is waited for, besides its lines and the mbarrier; 0: there are none.
  double bulk_lines_per_clock = 0, bulk_clocks = 0;
  double bulk_store_bytes_per_clock = 0, bulk_store_gpu_bytes_per_clock = 0;  ///< of an SM, and of all
  double l2_gb_per_s;
  /// Sectors that requests touch without others of their 128-byte line.
  double l2_partial_line_sectors_per_ns;
  double dram_partial_line_sectors_per_ns;  ///< the same, from DRAM
  double dram_read_gb_per_s;                ///< reading only
  double dram_copy_gb_per_s;                ///< half reads, half writes
  double dependent_clocks;                  ///< from an arithmetic instruction to one that needs its result
  double l1_clocks;                         ///< load latency, hit in L1
  double shared_clocks;                     ///< of shared memory
  double l2_clocks;                         ///< hit in L2
  double dram_clocks;                       ///< missing everywhere, nothing else going on
  double barrier_clocks;                    ///< of a block of one warp ...
  double barrier_warp_clocks;               ///< ... and for each warp
  double start_clocks;  ///< of a block, before its first load leaves, and after its last store
  double block_ns;      ///< between two blocks that the GPU starts
  double handover_ns;   ///< from a block's store to another block that waits for it
  double atomic_ns;     ///< between two updates of one word of memory
  double launch_ns;     ///< an empty kernel between two events

  double pinned_gb_per_s;                            ///< each direction
  double pageable_gb_per_s, pageable_back_gb_per_s;  ///< to the device and to the host
  double prefetch_gb_per_s, fetch_back_gb_per_s;     ///< of managed memory, to the device and to the host
  double copy_latency_ns;
  /// To other GPUs, each direction: accesses of a kernel, and copies. By PCIe where there is no NVLink.
  double peer_gb_per_s, peer_copy_gb_per_s;
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
