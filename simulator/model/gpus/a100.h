// NVIDIA A100-SXM4-40GB: the 40 GB version with SXM4; from its datasheet and published microbenchmarks.
#pragma once

#include "simulator/model/gpu.h"

namespace sim::model {

inline constexpr Gpu kA100{
    .name = "A100",
    .full_name = "NVIDIA A100-SXM4-40GB",
    .major = 8,
    .minor = 0,
    .sms = 108,
    .clock_ghz = 1.41,
    .issue_per_clock = 4,
    .wavefronts_per_clock = 1,
    .l1_sectors_per_clock = 2,
    .doubles_per_clock = 1,
    .specials_per_clock = 0.5,
    .textures_per_clock = 0.125,
    .tensor_macs_per_clock = 1000,
    .l2_gb_per_s = 3900,
    .l2_partial_line_sectors_per_ns = 76,
    .dram_partial_line_sectors_per_ns = 13,
    .dram_read_gb_per_s = 1430,
    .dram_copy_gb_per_s = 1350,
    .dependent_clocks = 4.5,
    .l1_clocks = 33,
    .shared_clocks = 29,
    .l2_clocks = 260,
    .dram_clocks = 560,
    .barrier_clocks = 13,
    .barrier_warp_clocks = 2,
    .start_clocks = 600,
    .block_ns = 0.8,
    .handover_ns = 550,
    .atomic_ns = 1.1,
    .launch_ns = 3000,
    .pinned_gb_per_s = 25,
    .pageable_gb_per_s = 6,
    .pageable_back_gb_per_s = 8,
    .prefetch_gb_per_s = 18,
    .fetch_back_gb_per_s = 12,
    .copy_latency_ns = 5000,
    .peer_gb_per_s = 224,
    .peer_copy_gb_per_s = 261,  // of the 300 of NVLink 3 as much as the H200 has of its 450
    .fault_ns = 300'000,
    .max_threads_per_sm = 2048,
    .max_blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .shared_per_sm = 164 * kKiB,
    .shared_per_block = 48 * kKiB,
    .shared_per_block_optin = 163 * kKiB,
    .shared_reserved = 1 * kKiB,
    .l2_bytes = 40 * kMiB,
    .memory_clock_khz = 1'215'000,
    .memory_bus_bits = 5120,
    .memory_bytes = 39 * kGiB,
};

}  // namespace sim::model
