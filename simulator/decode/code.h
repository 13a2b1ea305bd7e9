// A decoded kernel with the functions it calls: instructions, basic blocks, constants, and
// where they come from.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/decode/instr.h"
#include "simulator/engine/access/site.h"
#include "simulator/engine/launch.h"
#include "simulator/ptx/program.h"

namespace sim::exec {

struct BasicBlock {
  u32 first = 0, last = 0;  ///< instructions [first, last)
  u32 clocks = 0;           ///< of one visit, roughly
  CodeCost cost;            ///< of one visit
};

/// Bytes of a .param variable in a frame: lane i has `stride` bytes at offset + i * stride.
struct Area {
  std::string name;
  u32 offset = 0;
  u32 stride = 0;
};

/// One operand of an instruction, as far as it is a register.
struct RegisterAccess {
  OperandRef ref = 0;
  bool reads = false, writes = false;
  bool address = false;  ///< the base of one
  int number = -1;       ///< of the function's registers; -1: none
};

struct FunctionCode {
  const ptx::Function* source = nullptr;
  u32 entry = 0;        ///< basic block
  u32 frame_bytes = 0;  ///< areas first, then registers
  u32 local_bytes = 0;  ///< per thread
  std::vector<Area> areas;
  std::vector<u32> params, results;  ///< indices into areas
  bool reads_undefined = false;      ///< may read a register before writing it: registers start as zero
  std::vector<u32> undefined;        ///< offsets of registers that are
  u32 peak_registers = 0;            ///< live 32-bit values at the peak, per thread
  const Area* area(std::string_view name) const;
};

/// Special registers that are the same for all lanes of a block, or for every warp of every block. Those of
/// three extents stand in the order x, y, z.
enum class Special : u8 {
  none,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  laneid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  smid,
  nsmid,
  gridid,
  nwarpid,
  dynamic_smem_size,
  total_smem_size,
  grid_sync_low,
  grid_sync_high,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  reserved_smem_begin,
  reserved_smem_1,
  reserved_smem_cap,
  reserved_smem_end,
};

/// Shared memory behind the program's own that the toolkit's headers use (cooperative groups
/// wider than a warp).
inline constexpr u32 kReservedShared = 1024;

/// A slot of the constant bank and what fills it.
struct Constant {
  enum class Kind : u8 { bits, parameter, special } kind = Kind::bits;
  u8 bytes = 4;  ///< of one lane
  Special special = Special::none;
  ptx::Type type = ptx::Type::none;  ///< parameter: type in memory, extended to `bytes`
  u64 value = 0;                     ///< bits, or the parameter's offset
  u32 offset = 0;                    ///< in the bank
};

/// Offsets of the identity bank.
enum class Identity : u32 { tid_x = 0, tid_y = 128, tid_z = 256, warpid = 384, size = 512 };

/// Arguments of a call: areas of the caller onto areas of the callee.
struct CallDetail {
  int function = -1;            ///< index into Code::functions; -1: indirect or built in
  OperandRef pointer = 0;       ///< indirect: lanes of the function's address
  std::vector<Area> arguments;  ///< in the caller's frame
  std::vector<Area> results;
  void (*builtin)(Warp&, const CallDetail&) = nullptr;
};

struct WideOperands {
  std::vector<OperandRef> op;
  s64 offset = 0;         ///< of an address among them
  s64 second_offset = 0;  ///< of another one
  s64 third_offset = 0;   ///< of a third
  Mods mods;
  std::vector<u32> targets;            ///< brx.idx: basic blocks
  std::shared_ptr<const void> detail;  ///< what the definition's binder worked out
};

/// Function pointers are this plus the function's number, times 16 so that they look like addresses.
inline constexpr u64 kFunctionBase = 0x0000'0000'0F00'0000;

/// A memory instruction, for counting.
struct SiteInfo {
  u32 instruction = 0;  ///< index into Code::instructions
  u32 bytes = 0;        ///< of one lane
  enum class Kind : u8 { load, store, atomic } kind = Kind::load;
  u8 counted_bytes = 0;  ///< of one lane, where ptxas makes it part of a wider access; 0: as it is
  WarpAggregation warp_aggregation = WarpAggregation::never;
  NarrowedLoad narrowed;
  bool counts = true;  ///< false: the wider access is counted at another site
};

/// Where a variable of the program lies in the block's shared memory.
struct SharedVariable {
  std::string name;  ///< mangled
  u32 offset = 0;
  u32 size = 0;                                   ///< 0: dynamic, up to the end
  std::shared_ptr<const ptx::SourceType> type{};  ///< null: not known
};

struct Code {
  const ptx::Module* module = nullptr;
  const ptx::Function* kernel = nullptr;
  std::vector<Instr> instructions;
  std::vector<const ptx::Instruction*> sources;        ///< by instruction
  std::vector<std::vector<RegisterAccess>> registers;  ///< by instruction, an entry for each operand
  /// By instruction: an atomic whose order among others cannot be told afterwards.
  std::vector<bool> commutes;
  std::vector<BasicBlock> blocks;
  std::vector<FunctionCode> functions;  ///< [0] is the kernel
  std::vector<int> by_number;           ///< index into `functions`, by function_number(); -1: not reachable
  std::vector<Constant> constants;
  /// Of equal constants, while decoding.
  std::map<std::tuple<Constant::Kind, u8, Special, ptx::Type, u64>, int> constant_indices;
  std::vector<std::unique_ptr<CallDetail>> calls;
  std::vector<std::unique_ptr<WideOperands>> wides;
  u32 constant_bytes = 0;
  std::vector<SiteInfo> sites;  ///< by Instr::site of memory instructions
  u32 static_shared_bytes = 0;
  std::vector<SharedVariable> shared;
  bool spaced = false;  ///< there is room between the shared variables that belongs to none
  bool uses_reserved_shared = false;
  u32 local_stride = 0;  ///< bytes of local memory per thread
  /// Whether a thread's local memory is a stack of which few threads use more than the beginning: the memory
  /// of a whole grid of them must not be touched.
  bool deep() const { return recursive || allocates; }
  bool recursive = false;
  bool allocates = false;  ///< on the stack, with alloca
  bool ordered = false;    ///< blocks communicate in ways that demand one deterministic order
  std::string ordered_because;

  u32 index_of(const Instr& in) const { return u32(&in - instructions.data()); }
  const ptx::Instruction& source_of(const Instr& in) const { return *sources[index_of(in)]; }
};

}  // namespace sim::exec
