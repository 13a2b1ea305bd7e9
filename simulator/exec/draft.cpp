#include "simulator/exec/draft.h"

#include <algorithm>
#include <unordered_map>

#include "simulator/exec/builtins.h"
#include "simulator/exec/fault.h"
#include "simulator/exec/program.h"

namespace sim::exec {

int constant_index(Code& code, const Constant& wanted) {
  const auto found = std::find(code.constants.begin(), code.constants.end(), wanted);
  if (found != code.constants.end()) return int(found - code.constants.begin());
  code.constants.push_back(wanted);
  code.constants.back().offset = code.constant_bytes;
  code.constant_bytes += wanted.bytes == 8 ? 256 : 128;
  return int(code.constants.size()) - 1;
}

namespace {

using Kind = DraftOperand::Kind;

template <class... F>
struct Overload : F... {
  using F::operator()...;
};

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
    {"%cluster_ctarank", Special::none},
    {"%cluster_nctarank", Special::one},
    {"%cluster_nctaid.x", Special::one},
    {"%cluster_nctaid.y", Special::one},
    {"%cluster_nctaid.z", Special::one},
    {"%cluster_ctaid.x", Special::none},
    {"%cluster_ctaid.y", Special::none},
    {"%cluster_ctaid.z", Special::none}};

/// The last qualifier that names a type: what the instruction's operands are unless its form says otherwise.
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

class Flattener {
 public:
  Flattener(FunctionDraft& f, const ptx::Instruction& source) : f_(f), source_(source) {
    draft_.source = &source;
  }

  void run();

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    unsupported(f_.in.module, f_.in.kernel, source_, what);
  }
  DraftOperand constant(Constant::Kind kind, u64 value, int bytes, ptx::Type type = ptx::Type::none,
                        Special special = Special::none) {
    const Constant c{kind, u8(bytes), special, type, value, 0};
    return {Kind::constant, true, false, false, constant_index(f_.in.code, c), type};
  }
  DraftOperand reg(const ptx::RegisterUse& use, Role role) const {
    DraftOperand o{Kind::vreg,  role != Role::write, role == Role::write || role == Role::modify,
                   use.negated, use.index,           f_.function.registers[std::size_t(use.index)].type};
    return o;
  }
  void flatten(const ptx::Operand& operand, const OperandSpec& spec);
  void value(const ptx::Operand& operand, Role role, ptx::Type type);
  void special(const std::string& name, int bytes);
  void symbol(const std::string& name, s64 offset, int bytes);
  void address(const ptx::Address& address);
  bool parameter_load();
  void call();
  Area area_of(const ptx::Operand& operand) const;
  void finish();

  FunctionDraft& f_;
  const ptx::Instruction& source_;
  Draft draft_;
};

void Flattener::finish() {
  if (source_.guard.predicate >= 0) {
    draft_.guard = reg({source_.guard.predicate, source_.guard.negated}, Role::read);
    const Flow flow = draft_.form->flow;
    if (flow == Flow::meet || flow == Flow::barrier || flow == Flow::call) {
      // Where lanes wait, a guard is a jump around.
      Draft around;
      around.source = &source_;
      around.form = find_form("bra");
      around.guard = draft_.guard;
      around.guard.negated = !around.guard.negated;
      around.targets = {int(&source_ - f_.function.body.data()) + 1};
      f_.drafts.push_back(std::move(around));
      draft_.guard = {};
    }
  }
  f_.drafts.push_back(std::move(draft_));
}

void Flattener::run() {
  if (source_.opcode == "call") return call();
  if (parameter_load()) return;
  draft_.form = find_form(source_, f_.function.registers);
  if (draft_.form == nullptr) refuse("");
  const Form& form = *draft_.form;
  if (source_.operands.size() > form.operands.size()) refuse("");
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    const std::size_t before = draft_.operands.size();
    if (i < source_.operands.size()) {
      flatten(source_.operands[i], form.operands[i]);
    } else if (form.operands[i].optional) {
      const int bytes = std::max(4, ptx::size_of(form.operands[i].type));
      if (form.operands[i].role != Role::ignored)
        draft_.operands.push_back(constant(Constant::Kind::bits, 0, bytes));
    } else {
      refuse("too few operands");
    }
    draft_.counts.push_back(int(draft_.operands.size() - before));
  }
  finish();
}

void Flattener::flatten(const ptx::Operand& operand, const OperandSpec& spec) {
  const ptx::Type type = spec.type != ptx::Type::none ? spec.type : written_type(source_);
  if (spec.role == Role::ignored) return;
  if (spec.role == Role::address) {
    const auto* at = std::get_if<ptx::Address>(&operand.value);
    if (at == nullptr) refuse("an address is missing");
    return address(*at);
  }
  if (spec.role == Role::label) {
    if (const auto* label = std::get_if<ptx::LabelUse>(&operand.value)) {
      draft_.targets.push_back(label->target);
    } else if (const auto* list = std::get_if<ptx::VectorUse>(&operand.value)) {
      for (const auto& e : list->elements) draft_.targets.push_back(std::get<ptx::LabelUse>(e.value).target);
    }
    return;
  }
  const Role role = spec.role == Role::pair ? Role::write : spec.role;
  const auto elements = [&](const auto& self, const ptx::Operand& o) -> void {
    if (const auto* vector = std::get_if<ptx::VectorUse>(&o.value)) {
      for (const auto& e : vector->elements) self(self, e);
    } else if (const auto* list = std::get_if<ptx::BracketList>(&o.value)) {
      for (const auto& e : list->elements) self(self, e);
    } else {
      value(o, role, type);
    }
  };
  elements(elements, operand);
  if (spec.role == Role::pair) {
    if (operand.paired) {
      value(*operand.paired, Role::write, ptx::Type::pred);
    } else {
      draft_.operands.push_back({Kind::none, false, true, false, -1, ptx::Type::pred});
    }
  }
}

void Flattener::value(const ptx::Operand& operand, Role role, ptx::Type type) {
  const int bytes = std::max(2, ptx::size_of(type));
  std::visit(
      Overload{[&](const ptx::RegisterUse& use) {
                 DraftOperand o = reg(use, role);
                 const int width = ptx::size_of(o.type);
                 if ((type == ptx::Type::pred) != (o.type == ptx::Type::pred) || width < ptx::size_of(type)) {
                   refuse("register " + f_.function.registers[std::size_t(use.index)].name +
                          " is of another type");
                 }
                 draft_.operands.push_back(o);
               },
               [&](const ptx::Immediate& immediate) {
                 const u64 bits = bytes >= 8 ? immediate.bits : immediate.bits & ((u64{1} << 8 * bytes) - 1);
                 draft_.operands.push_back(
                     type == ptx::Type::pred
                         ? constant(Constant::Kind::bits, immediate.bits ? kAllLanes : 0, 4)
                         : constant(Constant::Kind::bits, bits, bytes, type));
               },
               [&](const ptx::SpecialRegister& s) { special(s.name, bytes); },
               [&](const ptx::SymbolUse& use) { symbol(use.name, use.offset, bytes); },
               [&](const ptx::SinkUse&) {
                 draft_.operands.push_back({Kind::none, false, true, false, -1, type});
               },
               [&](const auto&) { refuse("operand of a kind that does not fit"); }},
      operand.value);
}

void Flattener::special(const std::string& name, int bytes) {
  if (const auto id = kIdentities.find(name); id != kIdentities.end() && bytes == 4) {
    draft_.operands.push_back({Kind::identity, true, false, false, int(id->second), ptx::Type::u32});
  } else if (const auto s = kSpecials.find(name); s != kSpecials.end()) {
    draft_.operands.push_back(constant(Constant::Kind::special, 0, bytes, ptx::Type::none, s->second));
  } else {
    // What changes while the kernel runs (%clock64, %activemask) is an instruction of its own.
    draft_.form = find_form(name);
    if (draft_.form == nullptr) refuse("special register " + name);
    draft_.operands.push_back(constant(Constant::Kind::bits, 0, bytes));
  }
}

void Flattener::symbol(const std::string& name, s64 offset, int bytes) {
  u64 base = 0;
  if (const auto s = f_.in.shared.find(name); s != f_.in.shared.end()) {
    base = s->second;
  } else if (const auto l = f_.locals.find(name); l != f_.locals.end()) {
    base = l->second;
    if (!f_.is_kernel) {  // below it lie the callers' locals: known when the function runs
      draft_.form = find_form("local_address");
    }
  } else if (const ptx::Function* callee = f_.in.module.find(name)) {
    if (!f_.in.functions.contains(callee)) refuse("the address of " + name);
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
  draft_.operands.push_back(constant(Constant::Kind::bits, base + u64(offset), bytes));
}

void Flattener::address(const ptx::Address& address) {
  s64& offset = draft_.addresses++ == 0 ? draft_.offset : draft_.second_offset;
  offset = address.offset;
  if (const auto* use = std::get_if<ptx::RegisterUse>(&address.base)) {
    draft_.operands.push_back(reg(*use, Role::read));
  } else if (const auto* named = std::get_if<ptx::SymbolUse>(&address.base)) {
    offset += named->offset;
    if (const Area* area = f_.code.area(named->name)) {
      offset += area->offset;
      draft_.stride = area->stride;
      draft_.operands.push_back({});
    } else {
      symbol(named->name, 0, 8);
      if (draft_.form->opcode == "local_address")
        refuse("a local variable of a function, addressed directly");
    }
  } else {
    draft_.operands.push_back(constant(Constant::Kind::bits, 0, 8));
  }
}

/// ld.param of a kernel's parameter is a copy of a constant.
bool Flattener::parameter_load() {
  if (source_.opcode != "ld" || !f_.is_kernel || source_.operands.size() != 2) return false;
  const auto* at = std::get_if<ptx::Address>(&source_.operands[1].value);
  const auto* named = at == nullptr ? nullptr : std::get_if<ptx::SymbolUse>(&at->base);
  if (named == nullptr) return false;
  u64 offset = 0;
  const ptx::Variable* parameter = nullptr;
  for (const ptx::Variable& p : f_.function.params) {
    offset = (offset + p.align - 1) / p.align * p.align;
    if (p.name == named->name) {
      parameter = &p;
      break;
    }
    offset += p.size;
  }
  if (parameter == nullptr) return false;
  const ptx::Type type = written_type(source_);
  u64 from = offset + u64(named->offset + at->offset);
  const auto one = [&](const ptx::Operand& to) {
    if (const auto* use = std::get_if<ptx::RegisterUse>(&to.value)) {
      const DraftOperand d = reg(*use, Role::write);
      const int bytes = ptx::size_of(d.type);
      draft_.form = find_form("mov", {"b" + std::to_string(8 * bytes)});
      draft_.counts = {1, 1};
      draft_.operands = {d, constant(Constant::Kind::parameter, from, bytes, type)};
      Draft kept = draft_;
      finish();
      draft_ = std::move(kept);
    }
    from += u64(ptx::size_of(type));
  };
  if (const auto* list = std::get_if<ptx::VectorUse>(&source_.operands[0].value)) {
    for (const auto& e : list->elements) one(e);
  } else {
    one(source_.operands[0]);
  }
  return true;
}

Area Flattener::area_of(const ptx::Operand& operand) const {
  const auto* named = std::get_if<ptx::SymbolUse>(&operand.value);
  const Area* area = named == nullptr ? nullptr : f_.code.area(named->name);
  if (area == nullptr) refuse("arguments that are not .param variables");
  return *area;
}

void Flattener::call() {
  auto detail = std::make_unique<CallDetail>();
  std::size_t next = 0;
  const auto take_list = [&](std::vector<Area>& areas) {
    if (next >= source_.operands.size()) return;
    const auto* list = std::get_if<ptx::VectorUse>(&source_.operands[next].value);
    if (list == nullptr) return;
    for (const auto& e : list->elements) areas.push_back(area_of(e));
    ++next;
  };
  take_list(detail->results);
  if (next >= source_.operands.size()) refuse("no function to call");
  const ptx::Operand& target = source_.operands[next++];
  take_list(detail->arguments);

  if (const auto* named = std::get_if<ptx::SymbolUse>(&target.value)) {
    const ptx::Function* callee = f_.in.module.find(named->name);
    const auto known = f_.in.functions.find(callee);
    detail->builtin = known == f_.in.functions.end() ? find_builtin(named->name) : nullptr;
    if (known != f_.in.functions.end()) {
      detail->function = known->second;
    } else if (detail->builtin == nullptr) {
      refuse("function " + named->name + ", which has no body");
    }
  } else if (const auto* use = std::get_if<ptx::RegisterUse>(&target.value)) {
    draft_.operands.push_back(reg(*use, Role::read));
  } else {
    refuse("no function to call");
  }
  draft_.form = find_form(detail->builtin         ? "call_builtin"
                          : detail->function >= 0 ? "call"
                                                  : "call_indirect");
  draft_.call = int(f_.in.code.calls.size());
  f_.in.code.calls.push_back(std::move(detail));
  finish();
}

}  // namespace

void draft_function(FunctionDraft& f) {
  std::vector<int> draft_at;  // by instruction of the body
  for (const ptx::Instruction& instruction : f.function.body) {
    draft_at.push_back(int(f.drafts.size()));
    Flattener(f, instruction).run();
  }
  draft_at.push_back(int(f.drafts.size()));
  static const ptx::Instruction end{"ret", {}, {}, {}, -1, 0};  // falling off the end returns
  f.drafts.push_back({});
  f.drafts.back().source = &end;
  f.drafts.back().form = find_form("ret");
  for (Draft& d : f.drafts)
    for (int& target : d.targets) target = draft_at[std::size_t(target)];
}

}  // namespace sim::exec
