#include "simulator/litmus/threads/dependencies.h"

namespace sim::litmus {
namespace {

bool is_control(const std::string& opcode) {
  return opcode == "bra" || opcode == "brx" || opcode == "call" || opcode == "ret" || opcode == "exit" ||
         opcode == "trap";
}

bool is_register(exec::OperandRef ref) { return (ref & 3) == u32(exec::Bank::registers); }

}  // namespace

EventSet Dependencies::of(const Key& key) const {
  const auto found = registers_.find(key);
  return found == registers_.end() ? 0 : found->second;
}

void Dependencies::step(const exec::Warp& w, const exec::Code& code, const exec::Instr& in, bool passes) {
  const std::size_t at = code.index_of(in);
  const ptx::Instruction& source = *code.sources[at];
  const EventSet guard = in.guard == exec::kNoGuard ? 0 : of({w.frame, in.guard & ~exec::kNegated});
  sources_ = address_ = guard;
  results_.clear();
  for (const exec::RegisterAccess& r : code.registers[at]) {
    if (!is_register(r.ref)) continue;
    const Key key{w.frame, r.ref};
    if (r.reads || r.address) sources_ |= of(key);
    if (r.address) address_ |= of(key);
    if (r.writes) results_.push_back(key);
  }
  const bool parameter = source.has("param") || source.has("param::func");
  if (parameter && source.opcode == "st" && passes) parameters_ |= sources_;
  if (parameter && source.opcode == "ld") sources_ |= parameters_;
  if (is_control(source.opcode)) control_ |= sources_;
  for (const Key& key : results_) registers_[key] = passes ? sources_ : of(key) | guard;
}

void Dependencies::local(bool writes) {
  if (writes)
    local_ |= sources_;
  else
    for (const Key& key : results_) registers_[key] |= local_;
}

void Dependencies::result(EventSet reads) {
  for (const Key& key : results_) registers_[key] = reads;
}

}  // namespace sim::litmus
