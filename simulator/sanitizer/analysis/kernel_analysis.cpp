#include "simulator/sanitizer/analysis/kernel_analysis.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "simulator/ptx/parse/parser.h"
#include "simulator/sanitizer/analysis/operand_sources.h"
#include "simulator/sanitizer/analysis/provenance.h"
#include "simulator/sanitizer/analysis/spin_loads.h"
#include "simulator/sanitizer/analysis/store_load_pairs.h"

namespace sim::sanitizer {

namespace {

/// The file that an instruction was written in; null when it is not known.
const std::string* file_of(const ptx::Module& module, const ptx::Instruction& in) {
  if (in.location < 0) return nullptr;
  const int file = module.locations[std::size_t(in.location)].file;
  return file > 0 && std::size_t(file) < module.files.size() ? &module.files[std::size_t(file)] : nullptr;
}

MemorySemantics semantics_of(const ptx::Instruction& in) {
  MemorySemantics m;
  const auto has = [&](std::string_view q) { return in.has(q); };
  const bool atomic = in.opcode == "atom" || in.opcode == "red", load = in.opcode == "ld";
  const bool both = has("acq_rel") || has("sc");
  m.is_volatile = has("volatile") || has("mmio");
  m.strong = atomic || (in.opcode == "cp" && has("reduce")) || m.is_volatile || has("relaxed") ||
             has("acquire") || has("release");
  // A relaxed load takes over what it sees although only a fence behind it promises that: the toolkit's own
  // samples leave that fence out.
  m.acquires = (load && m.strong) || in.opcode == "atom";
  m.publishes = atomic || (in.opcode == "st" && m.strong);
  m.releases = m.publishes && (has("release") || both);
  m.of_block = m.strong && has("cta");
  m.of_system = m.is_volatile || (m.strong && has("sys"));
  m.explicit_order = has("relaxed");
  m.async_copy = in.opcode == "cp";
  m.read_only = load && has("nc");
  return m;
}

/// The same by function: names are compared once, and not with each access.
auto by_function(const Code& code, const ptx::Locals* locals) {
  std::unordered_map<const ptx::Function*, const std::vector<ptx::LocalVariable>*> all;
  if (locals == nullptr) return all;
  for (const FunctionCode& f : code.functions)
    if (const auto known = locals->find(f.source->name); known != locals->end())
      all.emplace(f.source, &known->second);
  return all;
}

}  // namespace

KernelAnalysis::KernelAnalysis(const Code& code, const ptx::Locals* locals, const Code* optimised)
    : code_(code), locals_(by_function(code, locals)), provenance_(find_provenance(code, *this)) {
  find_updates();
  for (const FunctionCode& f : code.functions) {
    auto& roomy = roomy_.emplace_back();
    for (const ptx::LocalVariable& v : locals_of(*f.source))
      if (v.room != 0) roomy.push_back(&v);
  }
  semantics_.reserve(code.sources.size());
  for (std::size_t i = 0; i < code.sources.size(); ++i)
    taint_rules_.push_back(sanitizer::taint_rule(*code.sources[i], code.registers[i].size()));
  const std::set<const ptx::Instruction*> expected_values = find_expected_value_loads(code),
                                          reloads = find_store_to_load_reloads(code),
                                          spin_loads = find_spin_loads(code),
                                          shuffles = find_activemask_shuffles(code);
  bool volatile_wait = false, volatile_value = false;
  for (const ptx::Instruction* in : code.sources) {
    semantics_.push_back(semantics_of(*in));
    MemorySemantics& m = semantics_.back();
    m.expected_value = expected_values.contains(in);
    m.reload = reloads.contains(in) && !m.strong;
    m.spin_load = spin_loads.contains(in);
    m.activemask_shuffle = shuffles.contains(in);
    volatile_wait |= m.is_volatile && m.spin_load;
    volatile_value |= m.is_volatile && !m.spin_load && in->opcode == "ld";
    if (const std::string* file = file_of(*code.module, *in)) {
      m.in_toolkit = ptx::is_toolkit_file(*file);
      m.of_fields = m.in_toolkit && file->find("/mma.h") == file->npos;
      // Its reductions rely on more than the memory model promises; its copies are the user's to order.
      m.of_groups = file->find("cooperative_groups") != file->npos && file->find("async") == file->npos;
    }
    waits_for_flags_ |= m.spin_load && !m.of_groups;
    exchanges_ |= in->opcode == "atom" && (in->has("exch") || in->has("cas"));
    const bool barrier = in->opcode == "bar" || in->opcode == "barrier";
    const bool counted = barrier && in->operands.size() > 1;
    has_copies_ |= m.async_copy;
    arrives_apart_ |= barrier && in->has("arrive");
    warps_meet_apart_ |=
        counted || in->opcode == "mbarrier" || in->opcode == "fence" || in->opcode == "membar";
  }
  passes_volatile_ = volatile_wait && volatile_value;
  if (optimised != nullptr) mark_read_only(*optimised), note_widths(*optimised);
}

namespace {

std::tuple<std::string, int, std::string> place_of(const Code& code, const ptx::Instruction& in) {
  const ptx::Location& at = ptx::user_location(*code.module, in.location);
  const bool known = at.file > 0 && std::size_t(at.file) < code.module->files.size();
  return {known ? code.module->files[std::size_t(at.file)] : "", at.line, in.opcode};
}

}  // namespace

void KernelAnalysis::note_widths(const Code& optimised) {
  for (std::size_t i = 0; i < optimised.instructions.size(); ++i) {
    const ptx::Instruction& in = *optimised.sources[i];
    const u32 parts = in.has("v2") ? 2 : in.has("v4") ? 4 : 1;
    const auto type = in.qualifiers.empty() ? std::nullopt : ptx::type_named(in.qualifiers.back());
    if (parts == 1 || (in.opcode != "ld" && in.opcode != "st") || !type) continue;
    u32& widest = widest_[place_of(optimised, in)];
    widest = std::max(widest, parts * u32(ptx::size_of(*type)));
  }
}

u32 KernelAnalysis::widest_at(u32 instruction) const {
  const auto known = widest_.find(place_of(code_, *code_.sources[instruction]));
  return known == widest_.end() ? 0 : known->second;
}

/// Without optimisation a load through a `const __restrict__` pointer is a load like any other. One that the
/// optimiser made read-only is found again by its line and by the parameter that its address is made from.
void KernelAnalysis::mark_read_only(const Code& optimised) {
  using Load = std::tuple<std::string, int, u32>;
  const auto load = [](const Code& code, std::size_t i,
                       const PointerProvenance& origin) -> std::optional<Load> {
    const ptx::Instruction& in = *code.sources[i];
    if (in.opcode != "ld" || origin.kind != PointerProvenance::Kind::parameter) return std::nullopt;
    const ptx::Location& at = ptx::user_location(*code.module, in.location);
    if (at.file <= 0 || std::size_t(at.file) >= code.module->files.size()) return std::nullopt;
    return Load{code.module->files[std::size_t(at.file)], at.line, origin.index};
  };
  std::set<Load> read_only;
  std::vector<PointerProvenance> origins;
  for (std::size_t i = 0; i < optimised.sources.size(); ++i) {
    if (optimised.sources[i]->opcode != "ld" || !optimised.sources[i]->has("nc")) continue;
    if (origins.empty()) origins = find_provenance(optimised, *this);
    if (const auto found = load(optimised, i, origins[i])) read_only.insert(*found);
  }
  if (read_only.empty()) return;
  for (std::size_t i = 0; i < code_.sources.size(); ++i)
    if (const auto found = load(code_, i, provenance_[i]); found && read_only.contains(*found))
      semantics_[i].read_only = !semantics_[i].strong;
}

const std::vector<ptx::LocalVariable>& KernelAnalysis::locals_of(const ptx::Function& function) const {
  static const std::vector<ptx::LocalVariable> none;
  const auto known = locals_.find(&function);
  return known == locals_.end() ? none : *known->second;
}

const ptx::LocalVariable* KernelAnalysis::left_behind(const FunctionCode& function, u64 offset,
                                                      u32 bytes) const {
  const auto& roomy = roomy_[std::size_t(&function - code_.functions.data())];
  const auto next =
      std::upper_bound(roomy.begin(), roomy.end(), offset,
                       [](u64 place, const ptx::LocalVariable* v) { return place < v->room_at + v->room; });
  return next != roomy.end() && (*next)->room_at < offset + bytes ? *next : nullptr;
}

const SharedVariable* KernelAnalysis::beside(u64 offset) const {
  if (!code_.spaced || offset >= code_.static_shared_bytes) return nullptr;
  const SharedVariable* near = nullptr;
  u64 least = ~u64{0};
  for (const SharedVariable& v : code_.shared) {
    if (v.size == 0) continue;
    if (offset >= v.offset && offset - v.offset < v.size) return nullptr;
    const u64 distance = offset < v.offset ? v.offset - offset : offset - v.offset - v.size;
    if (distance < least) least = distance, near = &v;
  }
  return near;
}

void KernelAnalysis::find_updates() {
  std::unordered_map<const ptx::Instruction*, PointerProvenance> of;
  for (std::size_t i = 0; i < code_.sources.size(); ++i) of.emplace(code_.sources[i], provenance_[i]);
  for (const auto& [store, update] : find_read_modify_writes(code_)) {
    read_modify_writes_[store] = update.load;
    const PointerProvenance array = of[store];
    if (array.kind == PointerProvenance::Kind::unknown) continue;
    for (const ptx::Instruction* const other : update.others)
      if (of[other] == array) combining_stores_.insert(store);
  }
}

bool KernelAnalysis::combines_elements(u32 a, u32 b) const {
  return is_read_modify_write(a, b) &&
         (combining_stores_.contains(code_.sources[a]) || combining_stores_.contains(code_.sources[b]));
}

bool KernelAnalysis::is_read_modify_write(u32 a, u32 b) const {
  const ptx::Instruction *const first = code_.sources[a], *const second = code_.sources[b];
  const auto is = [&](const ptx::Instruction* store, const ptx::Instruction* other) {
    const auto known = read_modify_writes_.find(store);
    return known != read_modify_writes_.end() && (other == store || other == known->second);
  };
  return is(first, second) || is(second, first);
}

bool KernelAnalysis::in_one_variable(u64 low, u64 end) const {
  if (!code_.spaced || low >= code_.static_shared_bytes) return true;
  for (const SharedVariable& v : code_.shared)
    if (low >= v.offset && end <= u64(v.offset) + v.size) return true;
  return false;
}

}  // namespace sim::sanitizer
