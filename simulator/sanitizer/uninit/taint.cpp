#include "simulator/sanitizer/uninit/taint.h"

#include <algorithm>

#include "language/catalogue.h"
#include "simulator/engine/fault.h"
#include "simulator/passes/guard.h"

namespace sim::sanitizer {

namespace {

u32 slot_of(OperandRef ref) { return (ref >> 2) / 4; }
bool in_registers(OperandRef ref) { return (ref & 3) == u32(Bank::registers); }

/// Whether a product of a warpgroup adds to its sums: scale-d, which stands behind the factors (and behind
/// metadata and selector of a sparse one). Operands behind it are one register each.
bool adds_to_sums(const Warp& w, const ptx::Instruction& source, const std::vector<RegisterAccess>& all) {
  const std::size_t behind = source.operands.size() - (source.has("sp") ? 6 : 4);
  return (predicate(w, all[all.size() - 1 - behind].ref) & 1) != 0;
}

}  // namespace

Taint::Slots& Taint::slots_of(const Warp& w) {
  Slots& s = frames_[w.frame];
  const std::size_t n = w.frame->function->frame_bytes / 4 + 1;
  if (s.lanes.size() < n) {
    s.lanes.resize(n);
    s.origin.resize(n);
  }
  return s;
}

void Taint::starts(Warp& w) {
  frames_.erase(w.frame);
  const FunctionCode& f = *w.frame->function;
  if (f.undefined.empty() || settled_.contains(kRegister)) return;
  Slots& s = slots_of(w);
  for (const u32 offset : f.undefined) {
    s.lanes[offset / 4] = w.active;
    s.origin[offset / 4] = kRegister;
  }
  w.tainted = true;
}

void Taint::enter(Warp& w, const Instr& in, std::size_t element, Mask lanes, u32 origin) {
  const auto& registers = analysis_.code().registers[analysis_.code().index_of(in)];
  if (element >= registers.size() || !registers[element].writes || !in_registers(registers[element].ref))
    return;
  Slots& s = slots_of(w);
  const u32 slot = slot_of(registers[element].ref);
  s.lanes[slot] |= lanes;
  s.origin[slot] = origin;
  w.tainted = true;
}

void Taint::used(Warp& w, const Instr& in, Mask lanes, u32 origin, Use use) {
  const u32 at = origin & ~kCopied;
  const FindingKey s{FindingKey::Kind::uninitialized, at, FindingKey::kNobody, 0};
  settled_.insert(at);
  if (collector_.again(s)) return;
  Finding& f = collector_.add(s, w, in, first_lane(lanes));
  const std::string file = f.file;
  const int line = f.line;
  if (at == kRegister)
    render_unwritten_register(f, "uses");
  else if (const auto known = prepared_.find(at); known != prepared_.end())
    f = known->second;
  render_use(f, use, file, line);
}

Mask Taint::stored(Warp& w, const Instr& in, ptx::Space space) {
  if (store_.in != &in || store_.value.lanes == 0) return 0;
  const Mask lanes = store_.value.lanes;
  store_.in = nullptr;
  if (space == ptx::Space::local) return lanes;
  const bool copies = analysis_.taint_rule(analysis_.code().index_of(in)) == TaintRule::store;
  if (space == ptx::Space::shared && copies) {
    if (store_.value.origin == kRegister) compute(w, in, lanes, store_.value.origin, "stores");
    return lanes;
  }
  if ((store_.value.origin & kCopied) == 0 || !copies) used(w, in, lanes, store_.value.origin, Use::store);
  return 0;
}

Mask Taint::that_matter(const Warp& w, const Instr& in, const Slots& s, Value value, TaintRule rule) const {
  const auto& registers = analysis_.code().registers[analysis_.code().index_of(in)];
  const auto tainted = [&](std::size_t i) {
    return registers[i].reads && in_registers(registers[i].ref) ? s.lanes[slot_of(registers[i].ref)]
                                                                : Mask{0};
  };
  Mask lanes = value.lanes;
  if (rule == TaintRule::select && tainted(3) == 0) {
    const Mask p = predicate(w, registers[3].ref);
    lanes &= (tainted(1) & p) | (tainted(2) & ~p);
  }
  const bool logic = rule == TaintRule::logic_and || rule == TaintRule::logic_or;
  for (std::size_t i = 1; logic && i < 3; ++i) {
    const Mask p = predicate(w, registers[i].ref);
    lanes &= ~(~tainted(i) & (rule == TaintRule::logic_and ? ~p : p));
  }
  if (rule == TaintRule::shuffle && lanes != passing(w, in)) return 0;
  if ((logic || rule == TaintRule::bits) && (value.origin & kCopied) != 0) return 0;
  return lanes;
}

/// A variable without a value is reported where it is first computed with or given to others, not where it is
/// copied.
void Taint::compute(const Warp& w, const Instr& in, Mask lanes, u32& origin, const char* verb) {
  const u32 at = analysis_.code().index_of(in);
  origin = at;
  if (settled_.contains(at) || prepared_.contains(at)) return;
  Finding& f = prepared_[at];
  f.kind = FindingKind::uninitialized;
  f.kernel = analysis_.code().kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, first_lane(lanes));
  locate(f, w, in);
  render_unwritten_register(f, verb);
}

bool Taint::outlives_its_function(u32 origin) const {
  const u32 at = origin & ~kCopied;
  if (at == kRegister) return false;
  if (analysis_.taint_rule(at) == TaintRule::shuffle) return true;
  // Of shared memory: a function's own objects may have bits that mean nothing.
  const auto known = prepared_.find(at);
  return (origin & kCopied) == 0 && !analysis_.semantics(at).in_toolkit && known != prepared_.end() &&
         known->second.space == MemorySpace::shared;
}

void Taint::step_return(const Warp& w, Slots& s, Mask running) {
  if (w.frame->caller == nullptr) return;
  const FunctionCode& callee = *w.frame->function;
  const CallDetail& call = *w.frame->call;
  for (std::size_t i = 0; i < std::min(call.results.size(), callee.results.size()); ++i) {
    const Area& result = callee.areas[callee.results[i]];
    for (const auto& [offset, value] : s.areas) {
      if (offset < result.offset || offset - result.offset >= std::max(1u, result.stride)) continue;
      if ((value.lanes & running) == 0 || !outlives_its_function(value.origin)) continue;
      Value& area = frames_[w.frame->caller].areas[call.results[i].offset + (offset - result.offset)];
      area = {area.lanes | (value.lanes & running), value.origin};
    }
  }
  for (Mask& m : s.lanes) m &= ~running;
  s.areas.clear();
}

/// What comes back from a tainted argument is tainted.
void Taint::step_call(const Instr& in, Slots& s, Mask running) const {
  const Code& code = analysis_.code();
  if (in.site >= code.calls.size()) return;
  Value any;
  for (const Area& a : code.calls[in.site]->arguments) {
    const auto known = s.areas.find(a.offset);
    if (known == s.areas.end() || (known->second.lanes & running) == 0) continue;
    any = {any.lanes | (known->second.lanes & running), known->second.origin};
  }
  for (const Area& a : code.calls[in.site]->results) s.areas[a.offset] = any;
}

Taint::Value Taint::sources(Warp& w, const Instr& in, const Slots& s, Mask running, TaintRule rule) {
  const bool argument = rule == TaintRule::load_argument || rule == TaintRule::store_argument;
  const bool store = rule == TaintRule::store || rule == TaintRule::store_tile;
  if (store) store_.each.clear();
  Value value;
  const u32 at = analysis_.code().index_of(in);
  const std::vector<RegisterAccess>& all = analysis_.code().registers[at];
  const bool overwrites = rule == TaintRule::product && !adds_to_sums(w, *analysis_.code().sources[at], all);
  for (const RegisterAccess& r : all) {
    if (!r.reads || (overwrites && r.writes)) continue;
    const Mask lanes = in_registers(r.ref) ? s.lanes[slot_of(r.ref)] & running : 0;
    if (store && !r.address) store_.each.push_back(lanes);
    if (lanes == 0) continue;
    const u32 origin = s.origin[slot_of(r.ref)];
    if (r.address && !argument)
      used(w, in, lanes, origin, Use::address);
    else
      value = {value.lanes | lanes, origin};
  }
  return value;
}

void Taint::step(Warp& w, const Instr& in) {
  const Code& code = analysis_.code();
  const u32 at = code.index_of(in);
  const TaintRule rule = analysis_.taint_rule(at);
  Slots& s = slots_of(w);
  const Mask running = passing(w, in);
  if (in.guard != kNoGuard && in_registers(in.guard)) {
    const u32 slot = slot_of(in.guard & ~kNegated);
    if ((s.lanes[slot] & w.active) != 0) used(w, in, s.lanes[slot] & w.active, s.origin[slot], Use::branch);
  }
  if (rule == TaintRule::ret) return step_return(w, s, running);
  if (rule == TaintRule::call) return step_call(in, s, running);
  Value value = sources(w, in, s, running, rule);
  if (rule == TaintRule::store_argument) {
    Value& area = s.areas[u32(in.imm)];
    area = {(area.lanes & ~running) | value.lanes, value.origin};
    return;
  }
  if (rule == TaintRule::store || rule == TaintRule::store_tile) {
    store_.in = &in;
    store_.value = value;
    return;
  }
  if (rule == TaintRule::load) value.lanes = 0;
  if (rule == TaintRule::load_argument) {
    const auto known = s.areas.find(u32(in.imm));
    value = known == s.areas.end() ? Value{} : Value{known->second.lanes & running, known->second.origin};
  }
  if (value.lanes != 0) value.lanes = that_matter(w, in, s, value, rule);
  const bool copies = rule == TaintRule::copy || rule == TaintRule::load || rule == TaintRule::load_argument;
  if (value.lanes != 0) {
    if (value.origin == kRegister && !copies) compute(w, in, value.lanes, value.origin, tr("computes with"));
    if (rule == TaintRule::atomic || rule == TaintRule::reduction)
      used(w, in, value.lanes, value.origin, Use::atomic);
    if (rule == TaintRule::branch) used(w, in, value.lanes, value.origin, Use::branch);
  }
  if (rule == TaintRule::atomic) value.lanes = 0;
  for (const RegisterAccess& r : code.registers[at]) {
    if (!r.writes || !in_registers(r.ref)) continue;
    const u32 slot = slot_of(r.ref);
    s.lanes[slot] = (s.lanes[slot] & ~running) | value.lanes;
    if (value.lanes != 0) s.origin[slot] = copies ? value.origin : value.origin & ~kCopied;
  }
}

}  // namespace sim::sanitizer
