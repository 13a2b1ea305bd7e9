#include "simulator/exec/decode.h"

#include <algorithm>
#include <functional>
#include <set>

#include "simulator/exec/draft.h"
#include "simulator/exec/program.h"

namespace sim::exec {

namespace {

u32 aligned(u32 offset, u32 to) { return (offset + to - 1) / to * to; }

/// Functions that are called, or whose address is taken anywhere in the module once a call goes through a
/// pointer.
std::vector<const ptx::Function*> reachable(const ptx::Module& module, const ptx::Function& kernel,
                                            bool& recursive) {
  std::vector<const ptx::Function*> found{&kernel};
  std::map<const ptx::Function*, std::set<const ptx::Function*>> calls;
  std::set<const ptx::Function*> indirect;
  const auto add = [&](const ptx::Function* f) {
    if (f != nullptr && !f->is_declaration && !f->is_entry &&
        std::find(found.begin(), found.end(), f) == found.end())
      found.push_back(f);
  };
  for (const ptx::Variable& v : module.variables)
    for (const auto& r : v.relocations)
      if (const ptx::Function* f = module.find(r.symbol); f != nullptr && !f->is_declaration)
        indirect.insert(f);
  bool through_pointer = false;
  const std::function<void(const ptx::Function&, const ptx::Operand&)> visit =
      [&](const ptx::Function& f, const ptx::Operand& operand) {
        const auto note = [&](const std::string& name) {
          if (const ptx::Function* callee = module.find(name)) {
            add(callee);
            calls[&f].insert(callee);
          }
        };
        if (const auto* s = std::get_if<ptx::SymbolUse>(&operand.value)) note(s->name);
        if (const auto* l = std::get_if<ptx::VectorUse>(&operand.value))
          for (const auto& e : l->elements) visit(f, e);
      };
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ptx::Function& f = *found[i];
    for (const ptx::Instruction& in : f.body) {
      for (const ptx::Operand& operand : in.operands) visit(f, operand);
      if (in.opcode == "call" && !f.prototypes.empty()) through_pointer = true;
    }
    if (through_pointer && i + 1 == found.size())
      for (const ptx::Function* f : indirect) add(f);
  }
  // Recursion: a function that reaches itself. Calls through pointers may reach any of their targets.
  const std::function<bool(const ptx::Function*, const ptx::Function*, std::set<const ptx::Function*>&)>
      reaches =
          [&](const ptx::Function* from, const ptx::Function* to, std::set<const ptx::Function*>& seen) {
            for (const ptx::Function* next : calls[from]) {
              if (next == to) return true;
              if (seen.insert(next).second && reaches(next, to, seen)) return true;
            }
            return false;
          };
  recursive = through_pointer;
  for (const ptx::Function* f : found) {
    std::set<const ptx::Function*> seen;
    recursive |= reaches(f, f, seen);
  }
  return found;
}

void place_shared(Decoding& d, const std::vector<const ptx::Function*>& functions) {
  u32 offset = 0;
  std::vector<const ptx::Variable*> dynamic;
  const auto place = [&](const ptx::Variable& v) {
    if (v.space != ptx::Space::shared || d.shared.contains(v.name)) return;
    if (v.is_extern || v.size == 0) {
      dynamic.push_back(&v);
      return;
    }
    offset = aligned(offset, std::max<u32>(v.align, 1));
    d.shared[v.name] = offset;
    d.code.shared.push_back({v.name, offset, u32(v.size)});
    offset += u32(v.size);
  };
  // Module-scope shared variables take room only in kernels that can use them; telling which is not worth it.
  for (const ptx::Variable& v : d.module.variables) place(v);
  for (const ptx::Function* f : functions)
    for (const ptx::Variable& v : f->variables) place(v);
  u32 align = 1;
  for (const ptx::Variable* v : dynamic) align = std::max(align, v->align);
  if (!dynamic.empty()) offset = aligned(offset, std::max<u32>(align, 16));
  for (const ptx::Variable* v : dynamic) {
    d.shared[v->name] = offset;
    d.code.shared.push_back({v->name, offset, 0});
  }
  d.code.static_shared_bytes = offset;
}

void place_locals(FunctionDraft& f) {
  const auto area = [&](const ptx::Variable& v) {
    const u32 stride = aligned(u32(std::max<std::uint64_t>(v.size, 1)), 8);
    f.code.frame_bytes = aligned(f.code.frame_bytes, 64);
    f.code.areas.push_back({v.name, f.code.frame_bytes, stride});
    f.code.frame_bytes += stride * kLanes;
    return u32(f.code.areas.size()) - 1;
  };
  if (!f.is_kernel) {
    for (const ptx::Variable& v : f.function.params) f.code.params.push_back(area(v));
    for (const ptx::Variable& v : f.function.results) f.code.results.push_back(area(v));
  }
  for (const ptx::Variable& v : f.function.variables) {
    if (v.space == ptx::Space::param) area(v);
    if (v.space != ptx::Space::local) continue;
    f.code.local_bytes = aligned(f.code.local_bytes, std::max<u32>(v.align, 1));
    f.locals[v.name] = f.code.local_bytes;
    f.code.local_bytes += u32(v.size);
  }
  f.code.local_bytes = aligned(f.code.local_bytes, 16);
}

constexpr u32 kRecursionStack = 16 * 1024;  ///< bytes of local memory per thread when the depth is not known

}  // namespace

u64 function_address(const ptx::Module& module, std::string_view name) {
  const ptx::Function* f = module.find(name);
  return f == nullptr ? 0 : kFunctionBase + 16 * u64(f - module.functions.data());
}

const Area* FunctionCode::area(std::string_view name) const {
  for (const Area& a : areas)
    if (a.name == name) return &a;
  return nullptr;
}

std::unique_ptr<Code> decode(const ptx::Module& module, const ptx::Function& kernel, const Symbols& symbols) {
  auto code = std::make_unique<Code>();
  code->module = &module;
  code->kernel = &kernel;
  Decoding decoding{module, kernel, symbols, *code, {}, {}};
  const auto functions = reachable(module, kernel, code->recursive);
  code->functions.resize(functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) decoding.functions[functions[i]] = int(i);
  for (const ptx::Function& f : module.functions) {
    const auto known = decoding.functions.find(&f);
    code->by_module_index.push_back(known == decoding.functions.end() ? -1 : known->second);
  }
  place_shared(decoding, functions);
  u32 local = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    FunctionDraft draft{decoding, *functions[i], code->functions[i], i == 0, {}, {}};
    code->functions[i].source = functions[i];
    place_locals(draft);
    local += code->functions[i].local_bytes;  // no function is active twice: the sum bounds every path
    draft_function(draft);
    fold_copies(draft);
    merge_accesses(draft);
    mark_summed_atomics(draft);
    emit_function(draft, allocate_registers(draft));
  }
  code->local_stride = code->recursive ? std::max(local, kRecursionStack) : local;
  for (const Constant& c : code->constants) {
    code->uses_reserved_shared |=
        c.special >= Special::reserved_smem_begin && c.special <= Special::reserved_smem_end;
  }
  code->ordered_because = order_matters(module, *code);
  code->ordered = !code->ordered_because.empty();
  return code;
}

std::string order_matters(const ptx::Module&, const Code& code) {
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const ptx::Instruction& in = *code.sources[i];
    const auto has = [&](std::string_view q) {
      return std::find(in.qualifiers.begin(), in.qualifiers.end(), q) != in.qualifiers.end();
    };
    const bool memory = in.opcode == "ld" || in.opcode == "st";
    if (has("shared") || has("shared::cta") || has("local") || has("param")) continue;
    if (memory && (has("volatile") || has("relaxed") || has("acquire") || has("release") || has("mmio")))
      return in.form();
    if ((in.opcode == "atom" || in.opcode == "red") && !code.commutes[i]) return in.form();
    if (in.opcode == "call" && code.calls[code.instructions[i].site]->builtin != nullptr)
      return "call of the device runtime";
  }
  return "";
}

}  // namespace sim::exec
