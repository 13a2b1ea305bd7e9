#include "simulator/decode/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "simulator/decode/ir.h"
#include "simulator/decode/program.h"

namespace sim::exec {

namespace {

u32 aligned(u32 offset, u32 to) { return (offset + to - 1) / to * to; }

/// What a kernel may run: itself first, then the functions it reaches.
struct Reachable {
  std::vector<const ptx::Function*> functions;
  std::map<const ptx::Function*, std::set<const ptx::Function*>> calls;
  bool recursive = false;
};

/// Names of symbols among an operand, its address and the lists in it.
void each_symbol(const ptx::Operand& operand, const std::function<void(const std::string&)>& use) {
  if (const auto* s = std::get_if<ptx::SymbolUse>(&operand.value)) use(s->name);
  if (const auto* a = std::get_if<ptx::Address>(&operand.value))
    if (const auto* s = std::get_if<ptx::SymbolUse>(&a->base)) use(s->name);
  if (const auto* l = std::get_if<ptx::BracketList>(&operand.value))
    for (const auto& e : l->elements) each_symbol(e, use);
  if (const auto* l = std::get_if<ptx::VectorUse>(&operand.value))
    for (const auto& e : l->elements) each_symbol(e, use);
}

/// Whether some function may be entered again before it has returned: not all of them can be taken away one
/// by one, callers first.
bool has_cycle(const Reachable& r) {
  std::map<const ptx::Function*, int> callers;
  for (const auto& [f, callees] : r.calls)
    for (const ptx::Function* callee : callees) ++callers[callee];
  std::vector<const ptx::Function*> free;
  for (const ptx::Function* f : r.functions)
    if (!callers.contains(f)) free.push_back(f);
  std::size_t taken = 0;
  for (; !free.empty(); ++taken) {
    const auto callees = r.calls.find(free.back());
    free.pop_back();
    if (callees == r.calls.end()) continue;
    for (const ptx::Function* callee : callees->second)
      if (--callers[callee] == 0) free.push_back(callee);
  }
  return taken < r.functions.size();
}

/// Functions that are called, or whose address is taken anywhere in the module once a call
/// goes through a pointer.
Reachable reachable(const ptx::Module& module, const ptx::Function& kernel) {
  std::unordered_map<std::string_view, const ptx::Function*> defined;
  for (const ptx::Function& f : module.functions)
    if (!f.is_declaration && !f.is_entry) defined.emplace(f.name, &f);
  Reachable r;
  r.functions.push_back(&kernel);
  std::set<const ptx::Function*> known{&kernel};
  const auto add = [&](const ptx::Function* f) {
    if (known.insert(f).second) r.functions.push_back(f);
  };
  bool through_pointer = false, targets_added = false;
  const auto add_by_name = [&](const std::string& name) {
    if (const auto target = defined.find(name); target != defined.end()) add(target->second);
  };
  for (std::size_t i = 0; i < r.functions.size(); ++i) {
    const ptx::Function& f = *r.functions[i];
    for (const ptx::Instruction& in : f.body) {
      for (const ptx::Operand& operand : in.operands) {
        each_symbol(operand, [&](const std::string& name) {
          const auto callee = defined.find(name);
          if (callee == defined.end()) return;
          add(callee->second);
          r.calls[&f].insert(callee->second);
        });
      }
      if (in.opcode == "call" && !f.prototypes.empty()) through_pointer = true;
    }
    if (!through_pointer || targets_added) continue;
    targets_added = true;
    for (const ptx::Variable& v : module.variables)
      for (const auto& relocation : v.relocations) add_by_name(relocation.symbol);
    for (const ptx::Function& other : module.functions)  // another kernel may have stored it
      for (const ptx::Instruction& in : other.body)
        if (in.opcode != "call")
          for (const ptx::Operand& operand : in.operands) each_symbol(operand, add_by_name);
  }
  r.recursive = through_pointer || has_cycle(r);  // a pointer may lead to any of its targets
  return r;
}

// What a GPU has; more than that no assembler accepts, and it is not reserved here on a program's say-so.
constexpr u64 kMostShared = 227 * 1024;      ///< bytes of a block
constexpr u64 kMostLocal = 512 * 1024;       ///< bytes of a thread
constexpr u64 kMostParameters = 256 * 1024;  ///< bytes of .param variables of a function, per thread

[[noreturn]] void too_large(const ptx::Function& kernel, const std::string& what, u64 bytes, u64 most) {
  Finding f;
  f.kind = FindingKind::unsupported;
  f.kernel = kernel.name;
  f.message = Message("{} needs {} bytes of {}; a GPU has at most {}", kernel.name, bytes, what, most);
  throw Fault(std::move(f));
}

/// Adds a variable to those that lie one after the other. @return where it lies
u64 place(u64& end, u64 size, u32 align) {
  const u64 at = (end + align - 1) / align * align;
  end = at + std::min(size, ~u64{0} / 4);
  return at;
}

/// Room behind a variable in shared memory, where some is left: indices that are wrong are wrong by little.
u64 room_behind(u64 size) { return std::clamp<u64>(size / 16 * 16, 64, 1024); }

std::unordered_set<std::string> symbols_in(const std::vector<const ptx::Function*>& functions) {
  std::unordered_set<std::string> names;
  for (const ptx::Function* f : functions)
    for (const ptx::Instruction& in : f->body)
      for (const ptx::Operand& operand : in.operands)
        each_symbol(operand, [&](const std::string& name) { names.insert(name); });
  return names;
}

void place_shared(DecodeState& d, const std::vector<const ptx::Function*>& functions) {
  u64 end = 0, used = 0;
  std::vector<const ptx::Variable*> dynamic;
  const auto put = [&](const ptx::Variable& v) {
    if (v.space != ptx::Space::shared || d.shared.contains(v.name)) return;
    if (v.is_extern || v.size == 0) {
      dynamic.push_back(&v);
      return;
    }
    const u32 at = u32(place(end, v.size, std::max<u32>(v.align, 1)));
    used += v.size;
    if (used > kMostShared) too_large(d.kernel, "shared memory for a block", used, kMostShared);
    if (d.code.spaced) end += room_behind(v.size);
    d.shared[v.name] = at;
    d.code.shared.push_back({v.name, at, u32(v.size), v.type_in_source});
  };
  // Variables of module scope, as nvcc makes those of templates, take room in the kernels that use them.
  const std::vector<ptx::Variable>& variables = d.module.variables;
  const auto is_shared = [](const ptx::Variable& v) { return v.space == ptx::Space::shared; };
  if (std::any_of(variables.begin(), variables.end(), is_shared)) {
    const std::unordered_set<std::string> named = symbols_in(functions);
    for (const ptx::Variable& v : variables)
      if (named.contains(v.name)) put(v);
  }
  for (const ptx::Function* f : functions)
    for (const ptx::Variable& v : f->variables) put(v);
  u32 offset = u32(end), align = 1;
  for (const ptx::Variable* v : dynamic) align = std::max(align, v->align);
  if (!dynamic.empty()) offset = aligned(offset, std::max<u32>(align, 16));
  for (const ptx::Variable* v : dynamic) {
    d.shared[v->name] = offset;
    d.code.shared.push_back({v->name, offset, 0, v->type_in_source});
  }
  d.code.static_shared_bytes = offset;
}

void place_locals(IrFunction& f) {
  u64 parameters = 0, locals = 0;
  const auto area = [&](const ptx::Variable& v) {
    place(parameters, v.size, 8);
    if (parameters > kMostParameters)
      too_large(f.in.kernel, "parameters of functions for a thread", parameters, kMostParameters);
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
    f.locals[v.name] = u32(place(locals, v.size, std::max<u32>(v.align, 1)));
    if (locals > kMostLocal) too_large(f.in.kernel, "local memory for a thread", locals, kMostLocal);
  }
  f.code.local_bytes = aligned(u32(locals), 16);
}

constexpr u32 kRecursionStack = 16 * 1024;  ///< bytes of local memory per thread when the depth is not known

}  // namespace

const Area* FunctionCode::area(std::string_view name) const {
  for (const Area& a : areas)
    if (a.name == name) return &a;
  return nullptr;
}

std::unique_ptr<Code> decode(const ptx::Module& module, const ptx::Function& kernel, const Symbols& symbols,
                             bool spaced) {
  auto code = std::make_unique<Code>();
  code->spaced = spaced;
  code->module = &module;
  code->kernel = &kernel;
  DecodeState decoding{module, kernel, symbols, *code, {}, {}};
  const Reachable reached = reachable(module, kernel);
  const std::vector<const ptx::Function*>& functions = reached.functions;
  code->recursive = reached.recursive;
  code->functions.resize(functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) decoding.functions[functions[i]] = int(i);
  for (const ptx::Function& f : module.functions) {
    const auto known = decoding.functions.find(&f);
    if (known == decoding.functions.end()) continue;
    const u64 number = function_number(f.name);
    if (number >= code->by_number.size()) code->by_number.resize(number + 1, -1);
    code->by_number[number] = known->second;
  }
  place_shared(decoding, functions);
  u32 local = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    IrFunction function{decoding, *functions[i], code->functions[i], i == 0, {}, {}};
    code->functions[i].source = functions[i];
    place_locals(function);
    local += code->functions[i].local_bytes;  // no function is active twice: the sum bounds every path
    if (local > kMostLocal) too_large(kernel, "local memory for a thread", local, kMostLocal);
    lower_function(function);
    propagate_copies(function);
    fuse_accesses(function);
    narrow_vector_loads(function);
    mark_warp_aggregated_atomics(function);
    emit_function(function, allocate_registers(function));
  }
  for (const ptx::Function* f : functions)
    for (const ptx::Instruction& in : f->body) code->allocates |= in.opcode == "alloca";
  code->local_stride = code->deep() ? std::max(local, kRecursionStack) : local;
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
    const auto has = [&](std::string_view q) { return in.has(q); };
    const bool memory = in.opcode == "ld" || in.opcode == "st";
    if (has("shared") || has("shared::cta") || has("shared::cluster") || has("local") || has("param"))
      continue;
    if (memory && (has("volatile") || has("relaxed") || has("acquire") || has("release") || has("mmio")))
      return in.mnemonic();
    if ((in.opcode == "atom" || in.opcode == "red") && !code.commutes[i]) return in.mnemonic();
    if (in.opcode == "call" && code.calls[code.instructions[i].site]->builtin != nullptr)
      return "call of the device runtime";
  }
  return "";
}

}  // namespace sim::exec
