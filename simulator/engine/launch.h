// Running a kernel: the one door from the runtime into the interpreter.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/engine/timeline/recording.h"
#include "simulator/memory/address_space.h"
#include "simulator/memory/texture.h"
#include "simulator/ptx/program.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace sim::exec {

struct Instr;

/// A kernel ended by an error of the student's program or by something the simulator lacks.
/// what() is the finding's message; finding has kind, line, block and thread filled in.
struct Fault : std::runtime_error {
  explicit Fault(Finding f);
  Finding finding;
  const Instr* at = nullptr;  ///< of an access that cannot be performed ...
  std::uint64_t address = 0;  ///< ... where: of shared memory the offset
};

/// A parsed module with its global and constant variables placed in memory, kernels decoded on first use.
class LoadedModule {
 public:
  /// @param primary  another build of the same source: variables of equal names are its variables;
  /// null: all are new
  LoadedModule(ptx::Module module, memory::AddressSpace& space, const LoadedModule* primary = nullptr);
  ~LoadedModule();
  const ptx::Module& module() const;
  /// Allocation of a module-scope variable, null when there is none of that name.
  memory::Allocation* variable(std::string_view name) const;

  struct Program;  ///< a decoded kernel with what it calls
  /// @throws Fault (kind "unsupported") naming the instruction, source line and kernel
  const Program& kernel(std::string_view name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Static facts of a decoded kernel, for attributes, occupancy and launch checks.
struct KernelFacts {
  std::string name;  ///< mangled
  std::uint32_t static_shared_bytes;
  std::uint32_t local_bytes;  ///< per thread
  std::uint32_t param_bytes;
  std::uint32_t registers;    ///< estimated registers per thread (live 32-bit values at the peak)
  std::uint32_t max_threads;  ///< from launch bounds, 0 = none
  std::span<const ptx::Variable> params;
  bool polls_memory = false;         ///< its blocks look at memory that others may write while they run
  Index3 cluster{};                  ///< extents in blocks that the kernel itself demands; 0: none
  bool blocks_are_clusters = false;  ///< a launch's grid counts clusters
};
KernelFacts facts(const LoadedModule::Program& kernel);

class Observer;

struct Launch {
  Index3 grid{1, 1, 1};
  Index3 block{1, 1, 1};
  Index3 cluster{1, 1, 1};        ///< in blocks; divides the grid
  bool explicit_cluster = false;  ///< the kernel or the launch names a cluster, be it of one block
  std::uint32_t dynamic_shared_bytes = 0;
  std::span<const std::byte> params;  ///< laid out as the PTX .param list demands
  bool cooperative = false;
  int device = -1;                             ///< number of the GPU that it runs on; -1: there is no other
  const memory::Textures* textures = nullptr;  ///< what handles of textures and surfaces stand for
  int host_threads = 0;                        ///< 0: all cores
  std::uint64_t schedule_seed = 0;             ///< 0: natural order
  /// Warp instructions of one block before a runaway is reported; 0: none.
  std::uint64_t instruction_limit = 0;
  bool trace = false;                ///< record LaunchResult::trace and LaunchResult::recording
  std::uint64_t sampled_blocks = 0;  ///< 0: all; else run about so many, and scale up what they count. The
                                     ///< kernel's results are then incomplete: for modelled times alone
  /// Cooperative launches: device address of 4 KiB of zeros for grid.sync().
  std::uint64_t grid_sync_workspace = 0;
  /// Sees every access and every barrier; the blocks then share one host thread.
  Observer* observer = nullptr;
  /// Stores to shared memory of a block that has left, and arrivals at its mbarriers, do nothing, as on an
  /// H100; else they are findings.
  bool drops_lost_stores = false;
  /// The kernel's blocks may all wait for memory that the host or another stream will write.
  bool may_wait = false;
};

/// The longest chain of instructions that wait for each other, by what they wait for.
struct CriticalPath {
  std::uint64_t global = 0;   ///< loads of global or local memory
  std::uint64_t shared = 0;   ///< loads of shared memory, shuffles
  std::uint64_t atomics = 0;  ///< on global memory, whose result is waited for
  std::uint64_t arithmetic = 0;
  std::uint64_t copies = 0;    ///< of the loads of global memory those that are waits for cp.async
  std::uint64_t products = 0;  ///< of the arithmetic that which waits for wgmma
  CriticalPath& operator+=(const CriticalPath& o) {
    global += o.global, shared += o.shared, atomics += o.atomics, arithmetic += o.arithmetic;
    copies += o.copies, products += o.products;
    return *this;
  }
};

/// Instructions, of whole warps, for units of which an SM has fewer lanes than for the rest.
struct UnitUse {
  std::uint64_t doubles = 0;      ///< arithmetic of double precision
  std::uint64_t specials = 0;     ///< special functions: reciprocals, roots, powers, sines
  std::uint64_t textures = 0;     ///< fetches
  std::uint64_t tensor_macs = 0;  ///< multiplications of matrix instructions, in those of 16-bit numbers
  std::uint64_t wgmma_macs = 0;   ///< those of them that are wgmma's
  std::uint64_t wgmma_bytes = 0;  ///< that it reads of shared memory
  void add(const UnitUse& o, std::uint64_t n) {
    doubles += n * o.doubles, specials += n * o.specials, textures += n * o.textures;
    tensor_macs += n * o.tensor_macs, wgmma_macs += n * o.wgmma_macs, wgmma_bytes += n * o.wgmma_bytes;
  }
};

/// What the time model wants to know of a piece of code besides its counters.
struct CodeCost {
  UnitUse units;
  InstructionMix instructions;
  CriticalPath critical_path;
  std::uint64_t sass_instructions = 0;  ///< machine instructions: of a division, for one, ptxas makes many
  /// Adds @p n runs of another piece.
  void add(const CodeCost& o, std::uint64_t n) {
    const CriticalPath& path = o.critical_path;
    critical_path += {path.global * n,     path.shared * n, path.atomics * n,
                      path.arithmetic * n, path.copies * n, path.products * n};
    sass_instructions += o.sass_instructions * n;
    units.add(o.units, n);
    instructions.add(o.instructions, n);
  }
  void scale(double factor) {
    for (std::uint64_t* part :
         {&critical_path.global, &critical_path.shared, &critical_path.atomics, &critical_path.arithmetic,
          &critical_path.copies, &critical_path.products, &sass_instructions, &units.doubles, &units.specials,
          &units.textures, &units.tensor_macs, &units.wgmma_macs, &units.wgmma_bytes})
      *part = static_cast<std::uint64_t>(static_cast<double>(*part) * factor);
    instructions.scale(factor);
  }
};

/// What bulk copies between global and shared memory have moved, and how they were waited for.
struct BulkUse {
  static constexpr std::uint64_t kWait = 5040;  ///< of waits, that no other copy was under way beside
  std::uint64_t requests = 0;                   ///< copies, and rows of boxes
  std::uint64_t load_sectors = 0;
  std::uint64_t load_lines = 0;   ///< 128 bytes of a copy, or a row of a box that has no more
  std::uint64_t store_bytes = 0;  ///< from shared memory
  std::uint64_t phases = 0;       ///< of mbarriers, that bytes came in and that were waited for
  std::uint64_t waits = 0;        ///< the same, each by how many were under way: kWait for one, half for two
  BulkUse& operator+=(const BulkUse& o) {
    requests += o.requests, load_sectors += o.load_sectors, load_lines += o.load_lines;
    store_bytes += o.store_bytes, phases += o.phases, waits += o.waits;
    return *this;
  }
};

/// What one launch cost, for the counters and the time model.
struct LaunchResult {
  Counters counters;
  BulkUse bulk;
  CodeCost cost;            ///< of all warps together, each by itself
  InstructionMix places;    ///< instructions of the code that some warp ran, each once
  double longest_warp = 1;  ///< how much longer the longest warp takes than one does on average
  double slowest_warp = 1;  ///< the same of the slowest one of every block, on average
  std::uint64_t same_address_atomics = 0;  ///< of global atomics at the 512 bytes that see most of them,
                                           ///< a float's count twice (estimate)
  /// That a request reads without others of their 128-byte line (estimate).
  std::uint64_t partial_line_load_sectors = 0;
  std::uint64_t partial_line_store_sectors = 0;  ///< or writes
  double chain_lanes = 0;      ///< of a warp that waits for what blocks before its own store; 0: none does
  std::vector<Finding> notes;  ///< defects that did not end the kernel, one for each line
  std::vector<LineRecord> lines;
  std::vector<TraceStep> trace;
  ClusterRecording recording;  ///< of the grid's middle cluster, where Launch::trace is set
  double read_footprint = 0, written_footprint = 0;  ///< bytes of the buffers that it has read, and written
  /// Bytes moved by accesses of global memory whose instruction met that of another GPU last.
  double peer_bytes = 0;
};

/// Runs the whole grid. Results do not depend on the number of host threads.
/// @throws Fault; of kind "waits" where Launch::may_wait is set and it does
LaunchResult launch(const LoadedModule::Program& kernel, const Launch& what, memory::AddressSpace& space);

/// A launch that can be suspended while its blocks wait for the host or another stream.
class ResumableLaunch {
 public:
  /// @param what  its parameters and textures have to stay
  ResumableLaunch(const LoadedModule::Program& kernel, const Launch& what, memory::AddressSpace& space);
  ~ResumableLaunch();
  /// Runs until the end or, where Launch::may_wait is set, until all blocks wait.
  /// @param until   after which such a launch is suspended, too
  /// @param weight  with which what it does meanwhile counts towards Launch::instruction_limit; 0: not at all
  /// @return whether it has ended, with or without a fault
  bool resume(std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max(),
              std::uint64_t weight = 1);
  /// Whether it was suspended because all its blocks wait.
  bool is_blocked() const;
  /// What it cost, when it has ended. @throws Fault
  LaunchResult outcome() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sim::exec
