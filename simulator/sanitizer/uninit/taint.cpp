#include "simulator/sanitizer/uninit/taint.h"

#include <algorithm>

#include "simulator/engine/fault.h"
#include "simulator/passes/guard.h"

namespace sim::sanitizer {

namespace {

u32 slot_of(OperandRef ref) { return (ref >> 2) / 4; }
bool in_registers(OperandRef ref) { return (ref & 3) == u32(Bank::registers); }

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
  w.doubtful = true;
}

void Taint::enter(Warp& w, const Instr& in, std::size_t element, Mask lanes, u32 origin) {
  const auto& registers = plan_.code().registers[plan_.code().index_of(in)];
  if (element >= registers.size() || !registers[element].writes || !in_registers(registers[element].ref))
    return;
  Slots& s = slots_of(w);
  const u32 slot = slot_of(registers[element].ref);
  s.lanes[slot] |= lanes;
  s.origin[slot] = origin;
  w.doubtful = true;
}

void Taint::used(Warp& w, const Instr& in, Mask lanes, u32 origin, Use use) {
  const u32 at = origin & ~kCopied;
  const Sighting s{Sighting::Kind::uninitialized, at, Sighting::kNobody, 0};
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
  if (store_.in != &in || store_.lanes == 0) return 0;
  const Mask lanes = store_.lanes;
  store_.in = nullptr;
  if (space == ptx::Space::local) return lanes;
  const bool copies = plan_.code().source_of(in).opcode == "st";  // a tile is more than bytes to pass on
  if (space == ptx::Space::shared && copies) {
    if (store_.origin == kRegister) compute(w, in, lanes, store_.origin, "stores");
    return lanes;
  }
  if ((store_.origin & kCopied) == 0 || !copies) used(w, in, lanes, store_.origin, Use::store);
  return 0;
}

Mask Taint::chosen(const Warp& w, const Instr& in, Slots& s, Mask doubtful) const {
  const u32 at = plan_.code().index_of(in);
  const auto& registers = plan_.code().registers[at];
  const ptx::Instruction& source = *plan_.code().sources[at];
  const auto doubt = [&](std::size_t i) {
    return registers[i].reads && in_registers(registers[i].ref) ? s.lanes[slot_of(registers[i].ref)]
                                                                : Mask{0};
  };
  if (source.opcode == "selp" && registers.size() == 4 && doubt(3) == 0) {
    const Mask p = predicate(w, registers[3].ref);
    return ((doubt(1) & p) | (doubt(2) & ~p)) & doubtful;
  }
  if ((source.opcode == "and" || source.opcode == "or") && source.qualifiers.front() == "pred" &&
      registers.size() == 3) {
    for (std::size_t i = 1; i < 3; ++i) {  // false and anything, true or anything
      const Mask value = predicate(w, registers[i].ref);
      doubtful &= ~(~doubt(i) & (source.opcode == "and" ? ~value : value));
    }
  }
  return doubtful;
}

/// A variable without a value is told of where it is first computed with or given to others, not where it is
/// copied.
void Taint::compute(const Warp& w, const Instr& in, Mask doubtful, u32& origin, const char* verb) {
  const u32 at = plan_.code().index_of(in);
  origin = at;
  if (settled_.contains(at) || prepared_.contains(at)) return;
  Finding& f = prepared_[at];
  f.kind = FindingKind::uninitialized;
  f.kernel = plan_.code().kernel->name;
  f.block = w.block->id;
  f.thread = w.block->thread_of(w, first_lane(doubtful));
  locate(f, w, in);
  render_unwritten_register(f, verb);
}

bool Taint::outlives_its_function(u32 origin) const {
  const u32 at = origin & ~kCopied;
  if (at == kRegister) return false;
  if (plan_.code().sources[at]->opcode == "shfl") return true;
  // Of shared memory: a function's own objects may have bits that mean nothing.
  const auto known = prepared_.find(at);
  return (origin & kCopied) == 0 && !plan_.semantics(at).in_toolkit && known != prepared_.end() &&
         known->second.space == MemorySpace::shared;
}

void Taint::give_back(const Warp& w, const Slots& from, Mask running) {
  const FunctionCode& callee = *w.frame->function;
  const CallDetail& call = *w.frame->call;
  for (std::size_t i = 0; i < std::min(call.results.size(), callee.results.size()); ++i) {
    const Area& result = callee.areas[callee.results[i]];
    for (const auto& [offset, doubt] : from.areas) {
      if (offset < result.offset || offset - result.offset >= std::max(1u, result.stride)) continue;
      const auto [lanes, origin] = doubt;
      if ((lanes & running) == 0 || !outlives_its_function(origin)) continue;
      auto& area = frames_[w.frame->caller].areas[call.results[i].offset + (offset - result.offset)];
      area = {area.first | (lanes & running), origin};
    }
  }
}

void Taint::step(Warp& w, const Instr& in) {
  const Code& code = plan_.code();
  const u32 at = code.index_of(in);
  const ptx::Instruction& source = *code.sources[at];
  const std::string& op = source.opcode;
  Slots& s = slots_of(w);
  const Mask running = passing(w, in);
  if (in.guard != kNoGuard && in_registers(in.guard)) {
    const u32 slot = slot_of(in.guard & ~kNegated);
    if ((s.lanes[slot] & w.active) != 0) used(w, in, s.lanes[slot] & w.active, s.origin[slot], Use::branch);
  }
  if (op == "ret" && w.frame->caller != nullptr) {
    give_back(w, s, running);
    for (Mask& m : s.lanes) m &= ~running;
    s.areas.clear();
    return;
  }
  if (op == "call") {  // what comes back from a doubtful argument is doubtful
    if (in.site >= code.calls.size()) return;
    Mask any = 0;
    u32 origin = 0;
    for (const Area& a : code.calls[in.site]->arguments) {
      const auto known = s.areas.find(a.offset);
      if (known == s.areas.end() || (known->second.first & running) == 0) continue;
      any |= known->second.first & running;
      origin = known->second.second;
    }
    for (const Area& a : code.calls[in.site]->results) s.areas[a.offset] = {any, origin};
    return;
  }

  const auto is_tile = [&](const char* what) { return op == "wmma" && source.has(what); };
  const bool load = op == "ld" || op == "ldmatrix" || is_tile("load"),
             store = op == "st" || op == "stmatrix" || is_tile("store");
  const bool in_area = (load || store) && source.qualifiers.front().starts_with("param");
  Mask doubtful = 0;
  u32 origin = 0;
  store_.each.clear();
  for (const RegisterAccess& r : code.registers[at]) {
    if (!r.reads) continue;
    const Mask m = in_registers(r.ref) ? s.lanes[slot_of(r.ref)] & running : 0;
    if (store && !r.address) store_.each.push_back(m);
    if (m == 0) continue;
    const u32 slot = slot_of(r.ref);
    if (r.address && !in_area) {
      used(w, in, m, s.origin[slot], Use::address);
    } else {
      doubtful |= m;
      origin = s.origin[slot];
    }
  }
  if (in_area && store) {
    auto& area = s.areas[u32(in.imm)];
    area = {(area.first & ~running) | doubtful, origin};
    return;
  }
  if (in_area) {
    const auto known = s.areas.find(u32(in.imm));
    doubtful = known == s.areas.end() ? 0 : known->second.first & running;
    origin = known == s.areas.end() ? 0 : known->second.second;
  } else if (load) {
    doubtful = 0;  // what it loads is told by memory
  }
  if (store) {
    store_.in = &in;
    store_.lanes = doubtful;
    store_.origin = origin;
    return;
  }
  if (doubtful != 0) doubtful = chosen(w, in, s, doubtful);
  if (op == "shfl" && doubtful != running)
    doubtful = 0;  // lanes without a value of their own read that of others
  const bool bits = op == "and" || op == "or" || op == "bfi" || op == "lop3";
  if (bits && (origin & kCopied) != 0)
    doubtful = 0;  // a bit field of a structure: the other bits do not matter
  const bool copies = op == "mov" || load;
  if (doubtful != 0 && origin == kRegister && !copies) compute(w, in, doubtful, origin, "computes with");
  if (doubtful != 0 && (op == "atom" || op == "red")) used(w, in, doubtful, origin, Use::atomic);
  if (doubtful != 0 && op == "brx") used(w, in, doubtful, origin, Use::branch);
  if (op == "atom") doubtful = 0;
  for (const RegisterAccess& r : code.registers[at]) {
    if (!r.writes || !in_registers(r.ref)) continue;
    const u32 slot = slot_of(r.ref);
    s.lanes[slot] = (s.lanes[slot] & ~running) | doubtful;
    if (doubtful != 0) s.origin[slot] = copies ? origin : origin & ~kCopied;
  }
}

}  // namespace sim::sanitizer
