// NVIDIA H200: measured on one H200 with CUDA 13.0 where it says (m), fitted to the lessons' times (f).
#pragma once

#include "simulator/model/gpu.h"

namespace sim::model {

inline constexpr Gpu kH200{
    .name = "H200",
    .full_name = "NVIDIA H200",
    .major = 9,
    .minor = 0,
    .sms = 132,
    .clock_ghz = 1.98,  // (m)
    .issue_per_clock = 4,
    .wavefronts_per_clock = 1,
    .l2_gb_per_s = 5600,
    .dram_read_gb_per_s = 4583,  // (m)
    .dram_copy_gb_per_s = 4258,  // (m)
    .dependent_clocks = 4.5,
    .l1_clocks = 33,
    .dram_clocks = 900,  // (f) under load
    .barrier_clocks = 30,
    .start_clocks = 770,      // (f)
    .block_ns = 0.43,         // (f) blocks that do next to nothing
    .chain_ns = 13,           // (f) look-back over a million blocks
    .atomic_ns = 1.6,         // (f) sums and histograms by global atomics: 0.85 to 2
    .launch_ns = 2700,        // (m)
    .pinned_gb_per_s = 55,    // (m)
    .pageable_gb_per_s = 10,  // (m) 6 to 12
    .copy_latency_ns = 5000,
    .fault_ns = 220'000,  // (f)
    .max_threads_per_sm = 2048,
    .max_blocks_per_sm = 32,
    .registers_per_sm = 65536,
    .shared_per_sm = 228 * kKiB,
    .shared_per_block = 48 * kKiB,
    .shared_per_block_optin = 227 * kKiB,
    .shared_reserved = 1 * kKiB,
    .l2_bytes = 60 * kMiB,
    .memory_clock_khz = 3'201'000,
    .memory_bus_bits = 6144,
    .memory_bytes = 139 * kGiB,
};

}  // namespace sim::model
