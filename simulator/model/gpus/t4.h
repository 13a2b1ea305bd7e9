// Tesla T4: from its datasheet and published microbenchmarks.
#pragma once

#include "simulator/model/gpu.h"

namespace sim::model {

inline constexpr Gpu kT4{
    .name = "T4",
    .full_name = "Tesla T4",
    .major = 7,
    .minor = 5,
    .sms = 40,
    .clock_ghz = 1.59,
    .issue_per_clock = 4,
    .wavefronts_per_clock = 1,
    .l1_sectors_per_clock = 2,
    .doubles_per_clock = 0.0625,
    .specials_per_clock = 0.5,
    .textures_per_clock = 0.125,
    .tensor_macs_per_clock = 500,
    .l2_gb_per_s = 1270,
    .l2_partial_line_sectors_per_ns = 25,
    .dram_partial_line_sectors_per_ns = 3,
    .dram_read_gb_per_s = 270,
    .dram_copy_gb_per_s = 240,
    .dependent_clocks = 4.5,
    .l1_clocks = 32,
    .shared_clocks = 24,
    .l2_clocks = 190,
    .dram_clocks = 440,
    .barrier_clocks = 13,
    .barrier_warp_clocks = 2,
    .start_clocks = 600,
    .block_ns = 0.7,
    .handover_ns = 490,
    .atomic_ns = 1,
    .launch_ns = 3500,
    .pinned_gb_per_s = 12,
    .pageable_gb_per_s = 5,
    .pageable_back_gb_per_s = 6,
    .prefetch_gb_per_s = 8,
    .fetch_back_gb_per_s = 6,
    .copy_latency_ns = 5000,
    .peer_gb_per_s = 11,
    .peer_copy_gb_per_s = 11,  // PCIe 3
    .fault_ns = 300'000,
    .max_threads_per_sm = 1024,
    .max_blocks_per_sm = 16,
    .registers_per_sm = 65536,
    .shared_per_sm = 64 * kKiB,
    .shared_per_block = 48 * kKiB,
    .shared_per_block_optin = 64 * kKiB,
    .shared_reserved = 0,
    .l2_bytes = 4 * kMiB,
    .memory_clock_khz = 5'001'000,
    .memory_bus_bits = 256,
    .memory_bytes = 15 * kGiB,
};

}  // namespace sim::model
