// What the warps of one cluster did, as far as others wait for it or it runs beside them: the steps that the
// time model replays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulator/report/index3.h"
#include "simulator/report/tile_record.h"

namespace sim::exec {

/// What runs beside the warp that has started it.
enum class AsyncUnit : std::uint8_t { copies, stores, products };
inline constexpr std::size_t kAsyncUnits = 3;

/// One step of a warp, and the work since the step before.
struct Step {
  enum class Kind : std::uint8_t {
    start,          ///< cp.async, a bulk copy out of shared memory, or wgmma, in the open group of `unit`
    commit,         ///< the group of `unit` is closed
    wait_group,     ///< until at most `amount` groups of `unit` are under way
    load,           ///< a bulk copy into shared memory, which counts in `phase` of `barrier`
    arrive,         ///< counts in `phase` of `barrier`
    arrive_behind,  ///< the same, once the warp's cp.async so far are done
    wait,           ///< until `phase` phases of `barrier` have ended
    multiply,       ///< mma.sync, as part of the work
    end             ///< of the warp
  } kind{};
  AsyncUnit unit{};
  std::uint32_t barrier = 0;     ///< index into ClusterRecording::barriers
  std::uint32_t line = 0;        ///< index into ClusterRecording::lines
  std::uint64_t phase = 0;       ///< phases that had ended before
  std::uint64_t amount = 0;      ///< bytes, multiplications, or groups that may stay open
  std::uint64_t lines = 0;       ///< of a load: of 128 bytes, or rows of a box that have no more
  std::uint64_t tile_bytes = 0;  ///< that wgmma reads of shared memory
  std::uint32_t offset = 0;      ///< in shared memory, of what a copy writes or reads

  /// Work: see CriticalPath, without what it waits for copies and products.
  std::uint64_t global = 0, shared = 0, atomics = 0, arithmetic = 0;
  std::uint64_t machine_instructions = 0;
};

/// What warps arrive at and wait for.
struct RecordedBarrier {
  enum class Kind : std::uint8_t {
    phases,
    block,
    cluster
  } kind{};                  ///< an mbarrier, bar.sync, barrier.cluster
  std::string name;          ///< in the source, such as "full[2]"
  std::uint32_t rank = 0;    ///< of the block that it is of
  std::uint32_t offset = 0;  ///< in shared memory; of a block's barrier its number
};

/// A line of the user's source.
struct RecordedLine {
  std::string file;
  int line = 0;
};

struct ClusterRecording {
  Index3 block{};                        ///< the one to look at: the grid's middle one
  std::uint32_t rank = 0;                ///< of it in the cluster
  std::uint32_t blocks = 0;              ///< of the cluster
  bool cut = false;                      ///< there was more than kMostSteps
  std::vector<std::vector<Step>> warps;  ///< of all blocks, by rank
  std::vector<RecordedBarrier> barriers;
  std::vector<RecordedLine> lines;
  std::vector<TileRecord> tiles;  ///< boxes that copies by tensor maps move
};

}  // namespace sim::exec
