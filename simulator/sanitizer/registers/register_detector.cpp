#include "simulator/sanitizer/registers/register_detector.h"

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/registers/register_findings.h"

namespace sim::sanitizer {

namespace {

bool is_product(const ptx::Instruction& in) { return in.opcode == "wgmma" && in.has("mma_async"); }

}  // namespace

bool RegisterDetector::applies(const Code& code) {
  if (code.module->debug) return false;
  for (const ptx::Instruction* in : code.sources)
    if (is_product(*in)) return true;
  return false;
}

RegisterDetector::RegisterDetector(LaunchContext& context) : context_(context) {
  const Code& code = context_.code();
  for (std::size_t i = 0; i < code.sources.size(); ++i) {
    const ptx::Instruction& in = *code.sources[i];
    const std::vector<RegisterAccess>& registers = code.registers[i];
    Does does = Does::other;
    if (is_product(in)) {
      does = Does::product;
    } else if (in.opcode == "wgmma") {
      does = in.has("fence") ? Does::fence : in.has("commit_group") ? Does::commit : Does::wait;
    } else if (in.opcode == "mov" && registers.size() == 2) {
      does = registers[1].number < 0 ? Does::constant : Does::copy;
    }
    does_.push_back(does);
  }
}

void RegisterDetector::block_starts(Block& block) {
  Warps& warps = warps_.of(block);
  for (Warp& w : block.warps) {
    State& s = warps.of[w.index];
    s = {};
    s.registers.resize(context_.code().functions[0].source->registers.size());
    w.followed = true;
  }
}

void RegisterDetector::step(const Warp& w, const Instr& in) {
  State& s = warps_.of(*w.block).of[w.index];
  const u32 at = context_.code().index_of(in);
  s.has_fenced |= does_[at] == Does::fence;
  if (w.frame->depth != 0) return;  // registers of functions that are called are others
  ++s.now;
  switch (does_[at]) {
    case Does::fence:
      s.fenced = s.now;
      s.fence = at;
      return;
    case Does::commit:
      ++s.open;
      return;
    case Does::wait:
      return waits(w, in, s);
    case Does::product:
      return multiplies(w, in, at, s);
    case Does::constant:
    case Does::copy:
    case Does::other:
      return accesses(w, in, at, s);
  }
}

void RegisterDetector::waits(const Warp& w, const Instr& in, State& s) const {
  const auto* number = std::get_if<ptx::Immediate>(&context_.code().source_of(in).operands.front().value);
  const u32 pending = number != nullptr ? u32(number->bits) : lanes<u32>(w, in.op[0])[first_lane(w.active)];
  s.waited = s.now;
  if (s.open > pending) s.over = std::max(s.over, s.open - pending);
}

bool RegisterDetector::is_unfenced(const State& s, const Register& r, u32 product) const {
  if (r.writer == FindingKey::kNobody || r.written <= s.fenced) return false;
  // None since the products before and the wait for them, or none at all.
  if (s.fenced <= s.waited && s.fenced <= s.multiplied) return true;
  if (!is_computed(r)) return false;
  const int fence = outermost_line(s.fence), write = outermost_line(r.writer), use = outermost_line(product);
  return fence > 0 && fence < write && write < use;
}

void RegisterDetector::multiplies(const Warp& w, const Instr& in, u32 at, State& s) {
  Register last;  // of those written with no fence behind
  bool accumulates = false;
  for (const RegisterAccess& access : context_.code().registers[at]) {
    if (access.number < 0) continue;
    Register& r = s.registers[std::size_t(access.number)];
    const ptx::Type type = context_.code().functions[0].source->registers[std::size_t(access.number)].type;
    if (type == ptx::Type::pred || (!access.writes && ptx::size_of(type) == 8)) continue;  // a descriptor
    const bool pending = r.product != FindingKey::kNobody && r.group >= s.over;
    // Products with the same accumulators follow each other in order.
    if (pending && r.accumulator != access.writes) found_pending(w, in, at, s, r, access.writes);
    const auto age = [&](const Register& x) {
      return std::pair(x.written != 0 && is_computed(x), x.written);
    };
    if (age(r) > age(last) && is_unfenced(s, r, at)) last = r, accumulates = access.writes;
    r = {.product = at, .group = s.open, .accumulator = access.writes};
  }
  s.multiplied = s.now;
  if (last.written != 0)
    found_unfenced(w, at, last, accumulates);
  else if (!s.has_fenced)
    found_first_unfenced(w, in, at);
}

void RegisterDetector::accesses(const Warp& w, const Instr& in, u32 at, State& s) {
  const std::vector<RegisterAccess>& registers = context_.code().registers[at];
  const auto pending = [&](const Register& r) {
    return r.product != FindingKey::kNobody && r.group >= s.over;
  };
  if (does_[at] == Does::copy) {
    if (registers[0].number < 0) return;
    Register& from = s.registers[std::size_t(registers[1].number)];
    Register& to = s.registers[std::size_t(registers[0].number)];
    if (pending(from)) {
      from.copied = true;
      to = from;
    } else {
      to = {.writer = at, .written = s.now};
    }
    return;
  }
  for (const RegisterAccess& access : registers) {
    if (access.number < 0 || !access.reads) continue;
    // To read a fragment of A beside the product is forbidden as well, and does no harm.
    const Register& r = s.registers[std::size_t(access.number)];
    if (pending(r) && r.accumulator) found_pending(w, in, at, s, r, access.writes);
  }
  for (const RegisterAccess& access : registers) {
    if (access.number < 0 || !access.writes) continue;
    Register& r = s.registers[std::size_t(access.number)];
    if (pending(r) && !r.copied) found_pending(w, in, at, s, r, true);
    r = {.writer = at, .written = s.now};
  }
}

int RegisterDetector::outermost_line(u32 at) const {
  const Code& code = context_.code();
  int location = code.sources[at]->location;
  if (location < 0) return 0;
  while (code.module->locations[std::size_t(location)].inlined_at >= 0)
    location = code.module->locations[std::size_t(location)].inlined_at;
  return code.module->locations[std::size_t(location)].line;
}

void RegisterDetector::found_pending(const Warp& w, const Instr& in, u32 at, const State& s,
                                     const Register& r, bool writes) {
  // Of a product that is not waited for, the first use stands for all.
  const FindingKey key{FindingKey::Kind::pending_register, r.product, FindingKey::kNobody};
  if (context_.collector.again(key)) return;
  Finding& f = context_.collector.add(key, w, in, first_lane(w.active));
  if (does_[at] != Does::other) place(f, at, w);
  f.access = writes ? AccessKind::write : AccessKind::read;
  PendingRegister p;
  p.product = party(r.product, w);
  if (r.accumulator) p.product.access = AccessKind::write;
  p.accumulator = r.accumulator;
  p.committed = r.group < s.open;
  p.by_product = does_[at] == Does::product;
  render_pending_register(f, p);
}

void RegisterDetector::found_unfenced(const Warp& w, u32 product, const Register& r, bool accumulator) {
  const FindingKey key{FindingKey::Kind::pending_register, product, FindingKey::kNobody, 2};
  if (context_.collector.again(key)) return;
  const Instr& writer = context_.code().instructions[r.writer];
  Finding& f = context_.collector.add(key, w, writer, first_lane(w.active));
  // Copies and constants have lines by chance: there the product's own serves.
  const bool computed = is_computed(r);
  if (!computed) place(f, product, w);
  f.access = AccessKind::write;
  render_unfenced_register(f, party(product, w), accumulator, computed);
}

void RegisterDetector::found_first_unfenced(const Warp& w, const Instr& in, u32 product) {
  const FindingKey key{FindingKey::Kind::pending_register, product, FindingKey::kNobody, 2};
  if (context_.collector.again(key)) return;
  Finding& f = context_.collector.add(key, w, in, first_lane(w.active));
  place(f, product, w);
  f.access = AccessKind::write;
  render_first_product_unfenced(f);
}

void RegisterDetector::place(Finding& f, u32 at, const Warp& w) const {
  exec::locate(f, context_.analysis.wrappers().line_of(w.frame, at));
}

OtherParty RegisterDetector::party(u32 at, const Warp& w) const {
  Finding f;
  exec::locate(f, context_.code(), w.frame, context_.code().instructions[at]);
  place(f, at, w);
  return {AccessKind::read, f.line, w.block->id, w.block->thread_of(w, first_lane(w.active)), {}, f.file};
}

}  // namespace sim::sanitizer
