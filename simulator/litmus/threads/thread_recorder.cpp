#include "simulator/litmus/threads/thread_recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/engine/cluster.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/schedule.h"
#include "simulator/litmus/explore.h"
#include "simulator/litmus/threads/semantics.h"
#include "simulator/passes/guard.h"

namespace sim::litmus {
namespace {

using exec::Block;
using exec::Instr;
using exec::Mask;
using exec::Warp;
using ptx::Space;

int elements_of(const ptx::Instruction& in) { return in.has("v4") ? 4 : in.has("v2") ? 2 : 1; }

/// Why an instruction cannot be followed, where that shows before it runs; null where nothing does.
const char* obstacle(const ptx::Instruction& in) {
  for (const char* opcode : {"tex", "tld4", "suld", "sust", "sured"})
    if (in.opcode == opcode) return "textures and surfaces are outside of the memory model";
  if (in.opcode != "call") return nullptr;
  for (const ptx::Operand& operand : in.operands)
    if (const auto* called = std::get_if<ptx::SymbolUse>(&operand.value))
      if (called->name == "malloc" || called->name == "free")
        return "memory that the kernel allocates is not explored";
  return nullptr;
}

}  // namespace

ThreadRecorder::ThreadRecorder(const exec::Code& code, std::uint64_t block, unsigned thread,
                               MemoryValues& values, std::vector<Statement>& statements,
                               const RecordLimits& limits, Script& script)
    : code_(code),
      block_(block),
      thread_(thread),
      values_(values),
      statements_(statements),
      limits_(limits),
      script_(script) {}

ThreadRecorder::~ThreadRecorder() {
  for (auto change = overwritten_.rbegin(); change != overwritten_.rend(); ++change)
    std::memcpy(change->first, change->second.data(), change->second.size());
}

void ThreadRecorder::stop(End how, std::exception_ptr reason) {
  end = how;
  why = std::move(reason);
  throw exec::Fault(Finding{});
}

void ThreadRecorder::refuse(const std::string& what) {
  const Statement& at = statements_[statement()];
  stop(End::stopped,
       std::make_exception_ptr(Unexplorable(fmt::format(
           "{}:{}: {} ({})", at.file.substr(at.file.find_last_of('/') + 1), at.line, what, at.instruction))));
}

std::uint32_t ThreadRecorder::statement() {
  Statement s;
  s.instruction = now_->mnemonic();
  const ptx::Location& at = ptx::user_location(*code_.module, now_->location);
  if (at.file > 0) s.file = code_.module->files[std::size_t(at.file)];
  s.line = at.line;
  const auto known = std::find(statements_.begin(), statements_.end(), s);
  if (known != statements_.end()) return std::uint32_t(known - statements_.begin());
  statements_.push_back(s);
  return std::uint32_t(statements_.size() - 1);
}

Event& ThreadRecorder::add(Event::Kind kind) {
  if (trace.events.size() == std::size_t(limits_.operations))
    stop(End::stopped, std::make_exception_ptr(TooMuch(
                           fmt::format("more than {} operations of one thread", limits_.operations))));
  const Semantics s = semantics_of(*now_);
  Event e{.kind = kind, .order = order_, .done = order_};
  e.strong = s.strong;
  e.scope = s.scope;
  e.sc = s.sc && kind == Event::Kind::fence;
  e.acquires = s.acquires && kind != Event::Kind::write;
  e.releases = s.releases && kind != Event::Kind::read;
  e.reduction = now_->opcode == "red";
  e.depends = dependencies_.by_all();
  e.statement = statement();
  return trace.events.emplace_back(e);
}

Event& ThreadRecorder::add_memory(Event::Kind kind, const Element& at) {
  Event& e = add(kind);
  e.location = at.location;
  return e;
}

/// Changes memory, and remembers what was there; shared memory ends with the launch.
void ThreadRecorder::give(const Element& at, std::uint64_t value) {
  const Location& l = values_[at.location];
  if (!l.shared) overwritten_.emplace_back(at.host, std::vector<std::byte>(at.host, at.host + l.bytes));
  std::memcpy(at.host, &value, l.bytes);
}

/// A read: memory holds what the script says when the instruction looks.
int ThreadRecorder::read(const Element& at) {
  const auto& values = values_[at.location].values;
  if (reads_ == script_.size()) script_.push_back({0, values.size()});
  const std::uint64_t value = values[script_[reads_++].chosen];
  Event& e = add_memory(Event::Kind::read, at);
  e.depends = dependencies_.by_address();
  e.value = value;
  give(at, value);
  return int(trace.events.size()) - 1;
}

int ThreadRecorder::write(const Element& at, std::uint64_t value) {
  add_memory(Event::Kind::write, at).value = value;
  values_.may_hold(at.location, value);
  return int(trace.events.size()) - 1;
}

void ThreadRecorder::block_starts(Block& block) {
  const bool its = block.index == block_;
  if (its) cluster = block.cluster->block(0).index;
  for (Warp& w : block.warps) {
    const bool runs = its && thread_ / exec::kLanes == w.index;
    const Mask mine = runs ? exec::kLaneBit[thread_ % exec::kLanes] : 0;
    w.followed = runs;
    exec::exit_lanes(w, w.live & ~mine);
  }
}

/// Other blocks of the cluster end at once; their shared memory stays within reach.
void ThreadRecorder::block_ends(Block& block) {
  if (block.index == block_)
    finish_update();
  else
    block.ended = false;
}

void ThreadRecorder::step(Warp& w, const Instr& in) {
  finish_update();
  decoded_ = &in;
  now_ = &code_.source_of(in);
  ++order_;
  if (const char* why = obstacle(*now_)) refuse(why);
  dependencies_.step(w, code_, in, exec::passing(w, in) != 0);
}

void ThreadRecorder::access(Warp& w, const exec::ObservedAccess& seen) {
  if (now_->opcode == "cp") return;  // bulk copies: see bulk_reads()
  if (seen.space == Space::local) return dependencies_.local(seen.kind != exec::Access::read);
  if (seen.space != Space::global && seen.space != Space::shared) return;
  const bool shared = seen.space == Space::shared;
  if (seen.kind == exec::Access::read && ++turns_[now_] > limits_.turns) stop(End::given_up, nullptr);
  const int elements = elements_of(*now_);
  const unsigned bytes = seen.bytes / unsigned(elements);
  if (bytes > 8 || (elements > 1 && seen.kind == exec::Access::atomic)) refuse("this access is too wide");
  guarded([&] {
    EventSet results = 0;
    for (int k = 0; k < elements; ++k) {
      std::byte* const host = seen.host + std::size_t(k) * bytes;
      const Element at{
          values_.locate(shared, shared ? seen.owner.index : 0, seen.first + u64(k) * bytes, bytes, host),
          host};
      if (now_->has("nc")) values_[at.location].read_only = true;
      if (seen.kind == exec::Access::atomic) return update(w, at);
      if (seen.kind == exec::Access::read) {
        results |= only(read(at));
      } else {
        const int lane = exec::first_lane(seen.pattern.mask);
        write(at, value_at(seen.values.columns[k] + std::size_t(lane) * seen.values.register_bytes, bytes));
        give(at, trace.events.back().value);
      }
    }
    if (seen.kind == exec::Access::read) dependencies_.result(results);
  });
}

/// Whether a compare-and-swap leaves memory alone: it then only reads, as in C++.
bool ThreadRecorder::swap_fails(const Warp& w, std::uint64_t found, unsigned bytes) const {
  if (!now_->has("cas")) return false;
  const exec::OperandRef expected = code_.registers[code_.index_of(*decoded_)][2].ref;
  const int lane = exec::first_lane(w.active);
  switch (bytes) {
    case 2:
      return exec::lanes<u16>(w, expected)[lane] != found;
    case 4:
      return exec::lanes<u32>(w, expected)[lane] != found;
    default:
      return exec::lanes<u64>(w, expected)[lane] != found;
  }
}

void ThreadRecorder::update(const Warp& w, const Element& at) {
  if (++turns_[now_] > limits_.turns) stop(End::given_up, nullptr);
  const int r = read(at);
  const bool fails = swap_fails(w, trace.events[std::size_t(r)].value, values_[at.location].bytes);
  dependencies_.result(only(r));
  if (fails) return;
  update_ = {r, at.host};
  // Its value comes with finish_update().
  const int written = write(at, trace.events[std::size_t(r)].value);
  trace.events[std::size_t(r)].rmw = written;
}

void ThreadRecorder::finish_update() {
  if (!update_) return;
  Event& written = trace.events[std::size_t(trace.events[std::size_t(update_->read)].rmw)];
  written.value = value_at(update_->host, values_[written.location].bytes);
  values_.may_hold(written.location, written.value);
  update_.reset();
}

}  // namespace sim::litmus
