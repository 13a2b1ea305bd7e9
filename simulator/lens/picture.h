// A warp's access as a picture of cells: memory in rows of 128 bytes, or the 32 banks pass by pass.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/report/kernel_record.h"

namespace sim::lens {

/// A four-byte word of memory.
struct Cell {
  enum class State : std::uint8_t {
    untouched,  ///< does not move
    wasted,     ///< moves with its sector, and no lane wants it
    used        ///< a lane's
  } state = State::untouched;
  int lane = -1;        ///< the first lane that wants it
  int lanes = 0;        ///< how many do
  std::string element;  ///< "tile[3][5]", "h[2] and h[3]": what lies there; empty: not known
};

/// 32 words side by side.
struct Row {
  std::int64_t label = 0;  ///< global: bytes from the first lane's line; shared: number of the pass, from 1
  std::array<Cell, 32> cells;
  /// "in[32]": global memory, what begins in the first cell; of a label that has room for it. Empty: not
  /// known.
  std::string element;
};

struct Picture {
  bool banks = false;  ///< rows are passes over the banks, not lines of memory
  std::vector<Row> rows;
  std::uint64_t useful_bytes = 0;  ///< that lanes want, each byte once
  std::uint64_t moved_bytes = 0;   ///< in sectors of 32, or banks of 4
  std::uint32_t ideal = 0;  ///< sectors or wavefronts that the same bytes would take if they lay side by side
};

/// "pass 2"; of memory the element that a row begins with, "in[32]". Where that has more than @p most
/// letters,
/// "[32]" alone; where that has, too, or nothing is known, "+128".
std::string label_of(const Picture& picture, const Row& row, std::size_t most);

/// Accesses of a line that look the same, as those of an unrolled loop do.
struct SimilarAccesses {
  const AccessRecord* shown = nullptr;  ///< the first of them
  int count = 0;
  std::uint64_t requests = 0, cost = 0;  ///< of all of them
};
/// Those with most requests first: what is left over behind an unrolled loop comes last.
std::vector<SimilarAccesses> similar_accesses(const LineRecord& line);

/// @param access  with a sample in it
Picture picture_of(const AccessRecord& access);

/// The access as if it had been nothing but one of its steps.
AccessRecord at_step(const AccessRecord& access, const AccessSample& step);

/// Of its steps the one that costs most in one request: its index. @param access  with steps in it
std::size_t worst_step(const AccessRecord& access);

/// A traced warp from its first instruction to its last, cut into bins of equal length.
struct Activity {
  std::vector<std::array<double, 32>> bins;  ///< how large a part of a bin each lane was at work, 0 to 1
  std::vector<double> lanes;                 ///< at work in each bin, on average
  double average = 0;                        ///< of all instructions
  std::uint64_t instructions = 0;
};
/// @param most  bins; fewer where there are fewer instructions
Activity activity_of(const std::vector<TraceStep>& trace, std::size_t most);

/// Whether the lanes of a traced warp diverged.
bool diverged(const std::vector<TraceStep>& trace);

/// How the addresses of a warp's lanes lie to each other.
struct AccessPattern {
  enum class Kind { one_lane, own_memory, one_address, neighbouring, strided, some_lanes, scattered } kind;
  std::int64_t step{};   ///< bytes from one lane at work to the next: strided, some_lanes
  int lanes{};           ///< of which one is at work: some_lanes
  std::size_t places{};  ///< different addresses: scattered
};
AccessPattern pattern_of(const AccessRecord& access);

/// "neighbouring threads read addresses 4096 bytes apart": how the lanes of a sample lie to each other.
std::string pattern_in_words(const AccessRecord& access);

/// What one request costs on average, and would cost at best.
double cost_per_request(const AccessRecord& access);
double ideal_per_request(const AccessRecord& access);

/// Share of the launch's modelled time that falls to each of its lines, by what bounds the launch.
std::vector<double> shares(const KernelRecord& kernel);

}  // namespace sim::lens
