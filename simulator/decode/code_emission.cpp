#include <algorithm>

#include "simulator/decode/ir.h"
#include "simulator/engine/fault.h"
#include "simulator/passes/guard.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

class Emitter {
 public:
  Emitter(IrFunction& f, const std::vector<int>& slots) : f_(f), slots_(slots), code_(f.in.code) {
    scratch_ = f_.code.frame_bytes = (f_.code.frame_bytes + 63) / 64 * 64;
    f_.code.frame_bytes += 512;  // what `_` and unwritten pairs throw away
    reads_.resize(f.function.registers.size());
    for (const IrInstruction& d : f.instructions) {
      for (const IrOperand& o : d.operands)
        if (o.kind == Kind::vreg && o.reads) ++reads_[std::size_t(o.index)];
      if (d.guard.kind == Kind::vreg) ++reads_[std::size_t(d.guard.index)];
    }
  }

  void run();

 private:
  OperandRef ref(const IrOperand& o) const {
    switch (o.kind) {
      case Kind::vreg:
        return operand_ref(Bank::registers, u32(slots_[std::size_t(o.index)]));
      case Kind::constant:
        return operand_ref(Bank::constants, code_.constants[std::size_t(o.index)].offset);
      case Kind::identity:
        return operand_ref(Bank::identity, u32(o.index));
      case Kind::none:
        break;
    }
    return operand_ref(Bank::registers, scratch_);
  }
  int bytes(const IrOperand& o) const {
    if (o.kind == Kind::constant) return code_.constants[std::size_t(o.index)].bytes;
    return ptx::size_of(o.type);
  }
  void emit(const IrInstruction& d);
  Binding bind_operands(const IrInstruction& d, Instr& out, std::vector<OperandRef>& refs) const;
  WideOperands* place_operands(const IrInstruction& d, const std::vector<OperandRef>& refs, Instr& out);
  void guard(const IrInstruction& d, Instr& out) const;
  void count_as_ptxas(const IrInstruction& d, u32 site);
  void note_registers(const IrInstruction& d);
  u32 block_of(int index) const {
    return first_block_ +
           u32(std::upper_bound(leaders_.begin(), leaders_.end(), u32(index)) - leaders_.begin()) - 1;
  }

  IrFunction& f_;
  const std::vector<int>& slots_;
  Code& code_;
  u32 scratch_ = 0, first_block_ = 0;
  std::vector<u32> leaders_;
  std::vector<int> reads_;
};

void Emitter::run() {
  leaders_ = block_leaders(f_.instructions);
  first_block_ = u32(code_.blocks.size());
  f_.code.entry = first_block_;
  const u32 first = u32(code_.instructions.size());
  const std::vector<CodeCost> costs = block_costs(f_);
  for (std::size_t b = 0; b < leaders_.size(); ++b) {
    const u32 last = b + 1 < leaders_.size() ? leaders_[b + 1] : u32(f_.instructions.size());
    code_.blocks.push_back({first + leaders_[b], first + last, estimated_clocks(costs[b]), costs[b]});
  }
  for (const IrInstruction& d : f_.instructions) emit(d);
}

void Emitter::emit(const IrInstruction& d) {
  Instr out;
  out.all = d.def->all;
  out.some = d.def->some;
  std::vector<OperandRef> refs;
  Binding binding = bind_operands(d, out, refs);
  out.mods = binding.mods;
  binding.wide = place_operands(d, refs, out);
  if (d.call >= 0) {
    out.site = u32(d.call);
    if (!refs.empty()) code_.calls[std::size_t(d.call)]->pointer = refs.front();
  }
  if (d.def->bind != nullptr) d.def->bind(binding);
  if (out.all == nullptr || out.some == nullptr) unsupported(f_.in.module, f_.in.kernel, *d.source, "");
  guard(d, out);
  count_as_ptxas(d, out.site);
  code_.instructions.push_back(out);
  code_.sources.push_back(d.source);
  note_registers(d);
  code_.commutes.push_back(binding.commutes);
}

/// The banks and offsets of the operands, and what the definition's binder is told of them.
Binding Emitter::bind_operands(const IrInstruction& d, Instr& out, std::vector<OperandRef>& refs) const {
  Binding binding{.source = *d.source,
                  .def = *d.def,
                  .mods = modifiers_of(*d.source),
                  .out = out,
                  .bytes = {},
                  .counts = d.counts,
                  .stride = d.stride,
                  .guarded = d.guard.kind != Kind::none,
                  .code = code_};
  bool writes = false, read_later = false;
  for (const IrOperand& o : d.operands) {
    refs.push_back(ref(o));
    binding.bytes.push_back(bytes(o));
    if (o.negated) binding.negated = true;
    if (o.kind == Kind::vreg && o.writes) {
      writes = true;
      read_later |= reads_[std::size_t(o.index)] > 0;
    }
  }
  binding.mods.negated = binding.negated;
  binding.unused_result = !writes || !read_later;
  return binding;
}

/// Puts operands, address offset and jump target into the instruction, or beside it where they do not fit.
/// @return Instr::wide, null where the instruction has none
WideOperands* Emitter::place_operands(const IrInstruction& d, const std::vector<OperandRef>& refs,
                                      Instr& out) {
  if (!d.def->wide && refs.size() > std::size(out.op))
    malformed(f_.in.module, f_.in.kernel, *d.source, "it has too many operands");
  std::copy_n(refs.begin(), std::min(refs.size(), std::size(out.op)), out.op);
  if (d.def->wide) {
    auto wide = std::make_unique<WideOperands>();
    wide->op = refs;
    wide->offset = d.offset;
    wide->second_offset = d.second_offset;
    wide->third_offset = d.third_offset;
    wide->mods = out.mods;
    for (int target : d.targets) wide->targets.push_back(block_of(target));
    out.wide = wide.get();
    return code_.wides.emplace_back(std::move(wide)).get();
  }
  const auto& operands = d.def->operands;
  if (!d.targets.empty()) {
    out.imm = block_of(d.targets.front());
  } else if (std::any_of(operands.begin(), operands.end(),
                         [](const OperandSpec& s) { return s.role == Role::address; })) {
    out.imm = d.offset;
  }
  return nullptr;
}

void Emitter::guard(const IrInstruction& d, Instr& out) const {
  if (d.guard.kind == Kind::none) return;
  out.guard = ref(d.guard) | (d.guard.negated ? kNegated : 0);
  if (d.def->flow != Flow::straight) return;
  out.body = out.some;
  out.all = out.some = &run_guarded;
}

/// What the passes have found out about how the hardware makes the instruction's accesses.
void Emitter::count_as_ptxas(const IrInstruction& d, u32 site) {
  if (d.warp_aggregation != WarpAggregation::never) code_.sites[site].warp_aggregation = d.warp_aggregation;
  if (d.narrowed.count != 0) code_.sites[site].narrowed = d.narrowed;
  if (d.fused) {
    code_.sites[site].counted_bytes = d.counted_bytes;
    code_.sites[site].counts = d.counted_bytes != 0;
  }
}

/// Which registers the instruction reads and writes, and which of them hold addresses.
void Emitter::note_registers(const IrInstruction& d) {
  std::vector<RegisterAccess>& registers = code_.registers.emplace_back();
  for (const IrOperand& o : d.operands) {
    const bool is_register = o.kind == Kind::vreg;
    registers.push_back(
        {ref(o), is_register && o.reads, is_register && o.writes, false, is_register ? o.index : -1});
  }
  std::size_t place = 0;
  for (std::size_t k = 0; k < d.counts.size() && k < d.def->operands.size();
       place += std::size_t(d.counts[k++]))
    if (d.def->operands[k].role == Role::address && place < registers.size()) registers[place].address = true;
}

}  // namespace

void emit_function(IrFunction& f, const std::vector<int>& slots) { Emitter(f, slots).run(); }

}  // namespace sim::exec
