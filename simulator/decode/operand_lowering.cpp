// Operands: registers, constants, special registers, symbols and addresses.
#include "simulator/decode/operand_lowering.h"

#include <algorithm>
#include <unordered_map>

#include "simulator/decode/program.h"
#include "simulator/engine/fault.h"

namespace sim::exec {

namespace {

using Kind = IrOperand::Kind;

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;  // clang 14 deduces no aggregates

const std::unordered_map<std::string_view, Identity> kIdentities = {{"%tid.x", Identity::tid_x},
                                                                    {"%tid.y", Identity::tid_y},
                                                                    {"%tid.z", Identity::tid_z},
                                                                    {"%warpid", Identity::warpid}};

const std::unordered_map<std::string_view, Special> kSpecials = {
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%laneid", Special::laneid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
    {"%nwarpid", Special::nwarpid},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%envreg2", Special::grid_sync_low},
    {"%envreg1", Special::grid_sync_high},
    {"%total_smem_size", Special::total_smem_size},
    {"%reserved_smem_offset_begin", Special::reserved_smem_begin},
    {"%reserved_smem_offset_0", Special::reserved_smem_begin},
    {"%reserved_smem_offset_1", Special::reserved_smem_1},
    {"%reserved_smem_offset_cap", Special::reserved_smem_cap},
    {"%reserved_smem_offset_end", Special::reserved_smem_end},
    {"%clusterid.x", Special::clusterid_x},
    {"%clusterid.y", Special::clusterid_y},
    {"%clusterid.z", Special::clusterid_z},
    {"%nclusterid.x", Special::nclusterid_x},
    {"%nclusterid.y", Special::nclusterid_y},
    {"%nclusterid.z", Special::nclusterid_z},
    {"%cluster_ctaid.x", Special::cluster_ctaid_x},
    {"%cluster_ctaid.y", Special::cluster_ctaid_y},
    {"%cluster_ctaid.z", Special::cluster_ctaid_z},
    {"%cluster_nctaid.x", Special::cluster_nctaid_x},
    {"%cluster_nctaid.y", Special::cluster_nctaid_y},
    {"%cluster_nctaid.z", Special::cluster_nctaid_z},
    {"%is_explicit_cluster", Special::is_explicit_cluster},
    {"%aggr_smem_size", Special::total_smem_size},
    {"%cluster_ctarank", Special::cluster_ctarank},
    {"%cluster_nctarank", Special::cluster_nctarank}};

}  // namespace

/// The last qualifier that names a type: what the instruction's operands are unless its
/// definition says otherwise.
ptx::Type written_type(const ptx::Instruction& instruction) {
  static const std::unordered_map<std::string_view, ptx::Type> types = [] {
    std::unordered_map<std::string_view, ptx::Type> all;
    for (int t = 0; t <= int(ptx::Type::surfref); ++t) all[ptx::name_of(ptx::Type(t))] = ptx::Type(t);
    return all;
  }();
  for (auto q = instruction.qualifiers.rbegin(); q != instruction.qualifiers.rend(); ++q) {
    if (const auto t = types.find(*q); t != types.end() && !q->empty()) return t->second;
  }
  return ptx::Type::none;
}

void OperandLowering::value(const ptx::Operand& operand, Role role, ptx::Type type) {
  const int bytes = std::max(2, ptx::size_of(type));
  std::visit(
      Overload{[&](const ptx::RegisterUse& use) {
                 IrOperand o = reg(use, role);
                 const int width = ptx::size_of(o.type);
                 if ((type == ptx::Type::pred) != (o.type == ptx::Type::pred) || width < ptx::size_of(type)) {
                   reject("register " + f_.function.registers[std::size_t(use.index)].name +
                          " is of another type");
                 }
                 ir_.operands.push_back(o);
               },
               [&](const ptx::Immediate& immediate) {
                 const u64 bits = bytes >= 8 ? immediate.bits : immediate.bits & ((u64{1} << 8 * bytes) - 1);
                 ir_.operands.push_back(
                     type == ptx::Type::pred
                         ? constant(Constant::Kind::bits, immediate.bits ? kAllLanes : 0, 4)
                         : constant(Constant::Kind::bits, bits, bytes, type));
               },
               [&](const ptx::SpecialRegister& s) { special(s.name, bytes); },
               [&](const ptx::SymbolUse& use) { symbol(use.name, use.offset, bytes); },
               [&](const ptx::SinkUse&) {
                 ir_.operands.push_back({Kind::none, false, true, false, -1, type});
               },
               [&](const auto&) { reject("an operand is of a kind that does not fit"); }},
      operand.value);
}

void OperandLowering::require_target(int target, const std::string& what) const {
  const std::string& written = f_.in.module.target;  // "sm_90a"
  if (written.starts_with("sm_") && !provides(target_of(written.substr(3)), target))
    needs_target(f_.in.module, f_.in.kernel, source_, what, target);
}

void OperandLowering::special(const std::string& name, int bytes) {
  if (name.find("cluster") != name.npos || name == "%aggr_smem_size") require_target(90, name);
  if (const auto id = kIdentities.find(name); id != kIdentities.end() && bytes == 4) {
    ir_.operands.push_back({Kind::identity, true, false, false, int(id->second), ptx::Type::u32});
  } else if (const auto s = kSpecials.find(name); s != kSpecials.end()) {
    ir_.operands.push_back(constant(Constant::Kind::special, 0, bytes, ptx::Type::none, s->second));
  } else {
    // What changes while the kernel runs (%clock64, %activemask) is an instruction of its own.
    const InstructionDef* reader = is_move() ? find_instruction(name) : nullptr;
    if (reader == nullptr) refuse("special register " + name);
    const IrOperand& to = ir_.operands.front();
    if (ptx::size_of(to.type) != ptx::size_of(reader->operands.front().type))
      reject(name + " and where it goes differ in width");
    ir_.def = reader;
    ir_.operands.push_back(constant(Constant::Kind::bits, 0, bytes));
  }
}

void OperandLowering::symbol(const std::string& name, s64 offset, int bytes) {
  u64 base = 0;
  if (const auto s = f_.in.shared.find(name); s != f_.in.shared.end()) {
    base = s->second;
  } else if (const auto l = f_.locals.find(name); l != f_.locals.end()) {
    base = l->second;
    if (!f_.is_kernel) {  // below it lie the callers' locals: known when the function runs
      if (!is_move()) refuse("a local variable of a function, taken other than by mov,");
      ir_.def = find_instruction("local_address");
    }
  } else if (const ptx::Function* callee = f_.in.module.find(name)) {
    if (!f_.in.functions.contains(callee))
      refuse(callee->is_entry
                 ? "dynamic parallelism (a kernel that launches kernels: the address of " + name + ")"
                 : "the address of " + name);
    base = function_address(f_.in.module, name);
  } else if (const auto global = f_.in.symbols.find(name)) {
    base = global->value;
  } else {
    u64 at = 0;  // a kernel parameter taken as a value: its offset in the parameter space
    bool found = false;
    for (const ptx::Variable& p : f_.function.params) {
      at = (at + p.align - 1) / p.align * p.align;
      if (p.name == name && f_.is_kernel) {
        base = at;
        found = true;
      }
      at += p.size;
    }
    if (!found) refuse("the address of " + name);
  }
  ir_.operands.push_back(constant(Constant::Kind::bits, base + u64(offset), bytes));
}

void OperandLowering::address(const ptx::Address& address) {
  const int number = ir_.addresses++;
  s64& offset = number == 0 ? ir_.offset : number == 1 ? ir_.second_offset : ir_.third_offset;
  offset = address.offset;
  if (const auto* use = std::get_if<ptx::RegisterUse>(&address.base)) {
    ir_.operands.push_back(reg(*use, Role::read));
    if (ptx::size_of(ir_.operands.back().type) < 4)
      reject("register " + f_.function.registers[std::size_t(use->index)].name + " cannot hold an address");
  } else if (const auto* named = std::get_if<ptx::SymbolUse>(&address.base)) {
    offset += named->offset;
    if (const Area* area = f_.code.area(named->name)) {
      area_ = area;
      ir_.stride = area->stride;
      ir_.operands.push_back({});
    } else {
      symbol(named->name, 0, 8);
    }
  } else {
    ir_.operands.push_back(constant(Constant::Kind::bits, 0, 8));
  }
}

/// A .param variable of a device function lies in its frame: only ld.param and st.param, only inside it.
void OperandLowering::check_area() const {
  if (area_ == nullptr) return;
  const bool moves = source_.opcode == "ld" || source_.opcode == "st";
  if (!moves || !(source_.has("param") || source_.has("param::func") || source_.has("param::entry")))
    refuse("the address of a parameter of a function");
  const s64 bytes = ptx::size_of(written_type(source_)) * s64(ir_.operands.size() - 1);
  if (ir_.offset < 0 || bytes > area_->stride || ir_.offset > area_->stride - bytes)
    reject("it reaches beyond the parameter " + area_->name);
}

}  // namespace sim::exec
