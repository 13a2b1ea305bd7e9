// Atomics on one address for the whole warp: ptxas adds the lanes' values up in registers (vote and
// popc, redux) and sends one lane to memory. The simulator executes every lane's atomic and counts
// as the hardware would.
//
// Seen in the machine code of sm_90 for integers: without a result always; with a result where the value is
// a constant, and otherwise only when all 32 lanes are there (they scan by shuffles).
#include <algorithm>

#include "simulator/decode/ir.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

/// Which registers certainly hold one value for all lanes of a warp: defined once, from nothing
/// that differs by lane.
class Uniform {
 public:
  explicit Uniform(const IrFunction& f) : f_(f), known_(f.function.registers.size(), false) {
    std::vector<int> definitions(known_.size());
    for (const IrInstruction& d : f.instructions)
      for (const IrOperand& o : d.operands)
        if (o.kind == Kind::vreg && o.writes) ++definitions[std::size_t(o.index)];
    for (bool changed = true; changed;) {
      changed = false;
      for (const IrInstruction& d : f.instructions) {
        if (d.guard.kind != Kind::none || !same_in_all_lanes(d)) continue;
        for (const IrOperand& o : d.operands) {
          if (o.kind != Kind::vreg || !o.writes || known_[std::size_t(o.index)]) continue;
          if (definitions[std::size_t(o.index)] != 1) continue;
          known_[std::size_t(o.index)] = changed = true;
        }
      }
    }
  }

  bool operator()(const IrOperand& o) const {
    if (o.kind == Kind::vreg) return known_[std::size_t(o.index)];
    if (o.kind != Kind::constant) return o.kind == Kind::none;
    const Constant& c = f_.in.code.constants[std::size_t(o.index)];
    return c.kind != Constant::Kind::special || c.special < Special::laneid ||
           c.special > Special::lanemask_gt;
  }

 private:
  bool same_in_all_lanes(const IrInstruction& d) const {
    static constexpr std::string_view kByLane[] = {"atom",       "shfl",     "match", "call",
                                                   "activemask", "ldmatrix", "wmma",  "mma"};
    const std::string& name = d.source->opcode;
    if (std::find(std::begin(kByLane), std::end(kByLane), name) != std::end(kByLane)) return false;
    if (name == "ld" && (d.has("volatile") || d.has("local"))) return false;
    return std::all_of(d.operands.begin(), d.operands.end(),
                       [&](const IrOperand& o) { return !o.reads || (*this)(o); });
  }

  const IrFunction& f_;
  std::vector<bool> known_;
};

WarpAggregation warp_aggregation(const IrFunction& f, const IrInstruction& d, bool result_used) {
  const std::string& type = d.source->qualifiers.back();
  const bool integer = type[0] != 'f' && type[0] != 'b' && type != "bf16";
  const bool constant =
      d.operands.back().kind == Kind::constant &&
      f.in.code.constants[std::size_t(d.operands.back().index)].kind == Constant::Kind::bits;
  if (d.has("add") && integer) {
    if (constant) return WarpAggregation::always;
    if (type.ends_with("64")) return WarpAggregation::never;  // there is no redux of 64 bits
    return result_used ? WarpAggregation::full_warps : WarpAggregation::always;
  }
  const bool reducible = d.has("min") || d.has("max") || d.has("and") || d.has("or") || d.has("xor");
  return reducible && !result_used && type.ends_with("32") ? WarpAggregation::always : WarpAggregation::never;
}

}  // namespace

void mark_warp_aggregated_atomics(IrFunction& f) {
  const std::vector<bool> read = registers_read(f);
  const auto is_atomic = [](const IrInstruction& d) {
    return d.source->opcode == "atom" || d.source->opcode == "red";
  };
  if (std::none_of(f.instructions.begin(), f.instructions.end(), is_atomic)) return;
  const Uniform uniform(f);
  for (IrInstruction& d : f.instructions) {
    if (!is_atomic(d)) continue;
    const bool returns = d.source->opcode == "atom";
    const IrOperand& address = d.operands[returns ? 1 : 0];
    const bool used = returns && d.operands[0].kind == Kind::vreg && read[std::size_t(d.operands[0].index)];
    if (uniform(address)) d.warp_aggregation = warp_aggregation(f, d, used);
  }
}

}  // namespace sim::exec
