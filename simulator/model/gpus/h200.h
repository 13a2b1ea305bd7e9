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
    .cluster_groups = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2},  // (m) of an H200 and of an H100
    .clock_ghz = 1.98,                                              // (m)
    .issue_per_clock = 4,
    .wavefronts_per_clock = 1,
    .l1_sectors_per_clock = 2,      // (m) by ncu, of a matrix product that reads rows from L1
    .doubles_per_clock = 2,         // (m) 1.96
    .specials_per_clock = 0.5,      // (m)
    .textures_per_clock = 0.124,    // (m) nearest and bilinear
    .tensor_macs_per_clock = 1220,  // (m) mma.sync
    .wgmma_macs_per_clock = 2047,   // (m) of an H100, by measure_wgmma.cu
    // (m) of an H100 80GB HBM3 on 26 November 2026, by measure_async.cu: 105.4 bytes a clock; 16 of each SM
    .bulk_lines_per_clock = 105.4 / 128,
    .bulk_clocks = 290,
    .bulk_store_bytes_per_clock = 31.9,
    .bulk_store_gpu_bytes_per_clock = 16.0 * 132,
    .l2_gb_per_s = 7700,                       // (m)
    .l2_partial_line_sectors_per_ns = 150,     // (m)
    .dram_partial_line_sectors_per_ns = 38.7,  // (m) 64 bytes are moved for each, and pages opened
    .dram_read_gb_per_s = 4583,                // (m)
    .dram_copy_gb_per_s = 4258,                // (m)
    .dependent_clocks = 4.15,                  // (m)
    .l1_clocks = 41,                           // (m)
    .shared_clocks = 29,                       // (m)
    .l2_clocks = 287,                          // (m)
    .dram_clocks = 665,                        // (m)
    .barrier_clocks = 13,                      // (m)
    .barrier_warp_clocks = 2,                  // (m)
    .start_clocks = 664,                       // (f)
    .block_ns = 0.6,                           // (m)
    .handover_ns = 395,                        // (m)
    .atomic_ns = 0.77,                         // (m)
    .launch_ns = 2700,                         // (m)
    .pinned_gb_per_s = 55,                     // (m)
    .pageable_gb_per_s = 10,                   // (m) 6 to 12
    .pageable_back_gb_per_s = 19,              // (m)
    .prefetch_gb_per_s = 40,                   // (m) 32 to 47
    .fetch_back_gb_per_s = 20,                 // (m)
    .copy_latency_ns = 5000,
    .peer_gb_per_s = 336,       // (m) between two H200s, one reading from the other
    .peer_copy_gb_per_s = 391,  // (m)
    .fault_ns = 220'000,        // (f)
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
