// What a kernel launch cost, as the simulator saw it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulator/report/array_shape.h"
#include "simulator/report/index3.h"
#include "simulator/report/memory_access.h"
#include "simulator/report/tile_record.h"
#include "simulator/report/timeline.h"

namespace sim {

/// Counters of one launch, summed over all warps; definitions follow Nsight Compute.
struct Counters {
  std::uint64_t inst_executed = 0;         ///< warp instructions issued
  std::uint64_t thread_inst_executed = 0;  ///< the same, times the lanes that took part
  std::uint64_t global_load_requests = 0;
  std::uint64_t global_load_sectors = 0;  ///< 32-byte sectors touched by those requests
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t global_atomic_requests = 0;
  std::uint64_t global_atomic_sectors = 0;
  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_load_wavefronts = 0;  ///< passes over the 32 banks; requests when conflict-free
  std::uint64_t shared_store_requests = 0;
  std::uint64_t shared_store_wavefronts = 0;
  std::uint64_t shared_atomic_requests = 0;
  std::uint64_t shared_atomic_wavefronts = 0;
  std::uint64_t shared_atomic_words = 0;       ///< of shared memory, in the grid's middle block, by atomics
  std::uint64_t shared_atomic_word_warps = 0;  ///< warps that updated them, for each word
  std::uint64_t local_load_requests = 0;
  std::uint64_t local_load_sectors = 0;
  std::uint64_t local_store_requests = 0;
  std::uint64_t local_store_sectors = 0;
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;

  Counters& operator+=(const Counters& other);
  void scale(double factor);
};

/// Instructions that a kernel is written to use, or to do without.
enum class InstructionClass : std::uint8_t {
  shuffle,           ///< shfl.sync
  vote,              ///< vote.sync, ballots among them
  match,             ///< match.sync
  warp_reduction,    ///< redux.sync
  warp_barrier,      ///< bar.warp.sync
  fence,             ///< of memory
  atomic_store,      ///< st.relaxed, st.release, st.volatile, atom.exch
  async_copy,        ///< cp.async, and the bulk ones
  matrix_load,       ///< ldmatrix
  fragment_load,     ///< wmma.load
  fragment_product,  ///< wmma.mma
  matrix_product,    ///< mma.sync, wgmma
  constant_load,     ///< ld.const
  read_only_load,    ///< ld.global.nc
  half_operation,    ///< arithmetic on one 16-bit float
  packed_operation,  ///< arithmetic on two of them in a register
  float_operation,   ///< additions, multiplications and both at once, in single precision
  extremum,          ///< minima and maxima
  division,          ///< of integers, and remainders
  dot_product,       ///< dp4a, dp2a
  partial_wait,      ///< for all but the last groups of copies, or of products: those stay under way
  acquire,           ///< loads and atomics that acquire; each is of another class besides, or of none
  release,           ///< stores and atomics that release, likewise
  count              ///< no class: how many there are
};
/// "shuffle"; the keys of --json
const char* to_string(InstructionClass which);

/// Warp instructions of each class.
struct InstructionMix {
  std::array<std::uint64_t, static_cast<std::size_t>(InstructionClass::count)> counts{};
  std::uint64_t& operator[](InstructionClass which) { return counts[static_cast<std::size_t>(which)]; }
  std::uint64_t operator[](InstructionClass which) const { return counts[static_cast<std::size_t>(which)]; }
  /// Adds @p n runs of another piece of code.
  void add(const InstructionMix& o, std::uint64_t n) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += n * o.counts[i];
  }
  void scale(double factor) {
    for (std::uint64_t& count : counts)
      count = static_cast<std::uint64_t>(static_cast<double>(count) * factor);
  }
};

/// A pattern of a warp's addresses at one place, in the grid's middle block, or else in the first that came
/// by.
struct AccessSample {
  std::uint64_t uses = 0;
  std::uint32_t mask = 0;                 ///< lanes that took part
  std::uint64_t first = 0;                ///< the first lane's address; in shared memory its offset
  std::uint32_t cost = 0;                 ///< sectors or wavefronts
  std::array<std::int64_t, 32> offset{};  ///< of each lane from there, bytes; 0 for those that sat out
};

/// What one memory instruction of the program cost.
struct AccessRecord {
  MemorySpace space = MemorySpace::global;  ///< or shared, or local
  AccessKind access = AccessKind::read;     ///< or write, or atomic
  std::uint32_t bytes = 0;                  ///< of one lane, after ptxas has joined what it joins
  std::uint64_t requests = 0;
  std::uint64_t cost = 0;           ///< sectors, in shared memory wavefronts
  AccessSample sample;              ///< of the patterns the one that cost most
  std::vector<AccessSample> steps;  ///< the patterns in the order in which they came first, where there are
                                    ///< several, and no more than kMostSteps; only with LADDER_SIM_LENS=1
  static constexpr std::size_t kMostSteps = 16;
  /// The array that the sample's first lane accesses, `start` counted as its address is; no name: not known.
  /// No extents: it is one element. Only with LADDER_SIM_LENS=1.
  ArrayShape array;
};

/// What one line of the user's source cost.
struct LineRecord {
  std::string file;
  int line = 0;
  std::uint64_t inst_executed = 0;
  std::uint64_t thread_inst_executed = 0;
  std::vector<AccessRecord> accesses;
};

/// Some instructions of one warp, in the order in which they were issued.
struct TraceStep {
  std::string file;
  int line = 0;
  std::uint32_t mask = 0;
  std::uint32_t instructions = 0;
};

/// What the time model is given besides the counters.
struct ModelInputs {
  std::uint32_t registers = 0;                       ///< per thread, estimated
  std::uint32_t shared_bytes = 0;                    ///< per block, static and dynamic
  double read_footprint = 0, written_footprint = 0;  ///< see exec::LaunchResult
  std::uint64_t global_waits = 0, shared_waits = 0, atomic_waits = 0, arithmetic_waits = 0;
  std::uint64_t sass_instructions = 0;  ///< machine instructions, estimated
  std::uint64_t doubles = 0, specials = 0, textures = 0, tensor_macs = 0;  ///< see exec::UnitUse
  std::uint64_t wgmma_macs = 0, wgmma_bytes = 0;
  std::uint64_t bulk_requests = 0, bulk_load_sectors = 0, bulk_load_lines = 0, bulk_store_bytes = 0,
                bulk_phases = 0,
                bulk_waits = 0;               ///< see exec::BulkUse
  double longest_warp = 1, slowest_warp = 1;  ///< see exec::LaunchResult
  std::uint64_t same_address_atomics = 0, partial_line_load_sectors = 0,
                partial_line_store_sectors = 0;  ///< see exec::LaunchResult
  double chain_lanes = 0;  ///< lanes of a warp that look at what other blocks store; 0: blocks do not wait
};

/// One kernel launch as the simulator saw it.
struct KernelRecord {
  std::string name;          ///< demangled, without its parameter list
  std::uint64_t launch = 0;  ///< 1 for the first launch of the process
  Index3 grid{};
  Index3 block{};
  std::uint64_t dynamic_shared_bytes = 0;
  Counters counters;
  ModelInputs model;
  InstructionMix instructions;
  InstructionMix places;          ///< how many different instructions of the code these are
  std::vector<LineRecord> lines;  ///< those that cost something, in order
  std::vector<TraceStep> trace;   ///< of a warp in the middle of the grid; only with LADDER_SIM_LENS=1
  Timeline timeline;              ///< of the block in the middle of the grid; likewise
  std::vector<TileRecord> tiles;  ///< that copies by tensor maps move; likewise
  double modelled_ns = 0;         ///< by model/; never a measured time
  std::string bound;  ///< what bounds it: "DRAM", "issue", "shared wavefronts", "latency", "atomics", "L1",
                      ///< "L2", "launch", "migration"
};

}  // namespace sim
