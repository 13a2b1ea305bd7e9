// What the warps of one block did over time, by the time model: what is under way beside them, and what they
// wait for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/report/index3.h"

namespace sim {

/// From one moment to another, counted from the block's start.
struct TimelineSpan {
  enum class Kind : std::uint8_t {
    copy,           ///< into shared memory: cp.async, bulk or by a tensor map; from its order to its arrival
    store,          ///< a bulk copy out of shared memory
    product,        ///< wgmma, beside the warp: the tensor cores work
    multiply,       ///< mma.sync: the same
    wait_stage,     ///< the warp waits for a phase of an mbarrier
    wait_block,     ///< ... at a barrier of the block or of the cluster
    wait_copies,    ///< ... for groups of its cp.async
    wait_stores,    ///< ... for groups of its bulk copies out of shared memory
    wait_products,  ///< ... for groups of wgmma
    load            ///< ... for ordinary loads of global memory
  } kind = Kind::copy;
  double begin_ns = 0, end_ns = 0;
  std::uint32_t warp = 0;   ///< of the block: that does or has ordered it
  std::int32_t stage = -1;  ///< index into Timeline::stages; -1: none
  std::uint32_t line = 0;   ///< index into Timeline::lines
};

/// A line of the user's source; 0 where it is not known.
struct TimelineLine {
  std::string file;
  int line = 0;
};

/// Of the block in the middle of the grid; times are modelled.
struct Timeline {
  Index3 block{};
  std::uint32_t resident = 1;       ///< blocks that share its SM, and do the same there
  std::vector<double> warp_end_ns;  ///< by warp
  std::vector<std::string> stages;  ///< mbarriers such as "full[2]", and "stage 2" of a ring of cp.async
  std::vector<TimelineLine> lines;
  std::vector<TimelineSpan> spans;  ///< by their beginning
  bool cut = false;                 ///< the block did more than was recorded
  bool empty() const { return spans.empty(); }
};

/// "copy", "wait for a stage": a kind in words, and in JSON.
const char* to_string(TimelineSpan::Kind kind);

}  // namespace sim
