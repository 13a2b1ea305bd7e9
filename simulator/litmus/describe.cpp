#include "simulator/litmus/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "simulator/decode/program.h"
#include "simulator/engine/shared_name.h"

namespace sim::litmus {
namespace {

class Words {
 public:
  Words(const exec::LoadedModule::Program& kernel, const exec::Launch& what, memory::AddressSpace& space,
        const Program& program)
      : code_(*kernel.code), what_(what), space_(space), program_(program) {}

  std::string thread(const Thread& t) const {
    return fmt::format("block {}, thread {}", t.place.block, t.block_thread);
  }

  std::string location(int number) const {
    const Location& l = program_.locations[std::size_t(number)];
    if (l.shared) {
      std::string name = exec::shared_name(code_, exec::u32(l.address), l.bytes);
      if (name.empty()) name = fmt::format("shared[{}]", l.address);
      return blocks() > 1 ? fmt::format("{} of block {}", name, l.block) : name;
    }
    const memory::Allocation* const a = space_.find(l.address);
    if (a == nullptr) return fmt::format("{:#x}", l.address);
    const std::string name = buffer(*a);
    return a->size == l.bytes ? name : fmt::format("{}[{}]", name, (l.address - a->base) / l.bytes);
  }

  /// Signed, as most programs' variables are.
  std::string value(int location, std::uint64_t bits) const {
    const unsigned unused = 64 - 8 * program_.locations[std::size_t(location)].bytes;
    return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  }

 private:
  std::uint64_t blocks() const { return std::uint64_t(what_.grid[0]) * what_.grid[1] * what_.grid[2]; }

  /// A variable's name; of other memory the number of the argument that points to it.
  std::string buffer(const memory::Allocation& a) const {
    if (a.kind == memory::Kind::symbol) return exec::source_name(a.origin);
    std::size_t at = 0, number = 0;
    for (const ptx::Variable& p : code_.kernel->params) {
      at = (at + p.align - 1) / p.align * p.align;
      std::uint64_t pointer = 0;
      if (p.size == sizeof pointer && at + p.size <= what_.params.size())
        std::memcpy(&pointer, what_.params.data() + at, sizeof pointer);
      if (pointer == a.base) return fmt::format("arg{}", number);
      at += p.size, ++number;
    }
    return exec::source_name(a.origin);
  }

  const exec::Code& code_;
  const exec::Launch& what_;
  memory::AddressSpace& space_;
  const Program& program_;
};

const char* name_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::read:
      return "read";
    case Event::Kind::write:
      return "write";
    case Event::Kind::fence:
      return "fence";
    case Event::Kind::proxy_fence:
      return "proxy fence";
    case Event::Kind::arrive:
      return "arrive";
    default:
      return "wait";
  }
}

std::vector<LitmusStep> steps_of(const Execution& e, const Program& program, const Words& words) {
  const int before = int(std::count_if(e.events.begin(), e.events.end(),
                                       [](const Event& x) { return x.thread < 0; }));  // they come first
  std::vector<LitmusStep> steps;
  for (int i = before; i < int(e.events.size()); ++i) {
    const Event& event = e.events[std::size_t(i)];
    const Statement& at = program.statements[event.statement];
    LitmusStep step{event.thread, name_of(event.kind), at.instruction, at.file, at.line, {}, {}};
    if (event.in_memory()) {
      step.location = words.location(event.location);
      step.value = words.value(event.location, event.value);
    }
    if (event.reads())
      step.reads_from = std::max(LitmusStep::kInitial, e.reads_from[std::size_t(i)] - before);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

const char* name_of(Axiom axiom) {
  switch (axiom) {
    case Axiom::coherence:
      return "coherence";
    case Axiom::fence_sc:
      return "Fence-SC";
    case Axiom::atomicity:
      return "atomicity";
    case Axiom::no_thin_air:
      return "no thin air";
    case Axiom::sc_per_location:
      return "SC per location";
    default:
      return "causality";
  }
}

LitmusRecord describe(const exec::LoadedModule::Program& kernel, const exec::Launch& what,
                      memory::AddressSpace& space, const Program& program, const Exploration& exploration) {
  const Words words(kernel, what, space, program);
  LitmusRecord record;
  record.candidates = exploration.candidates;
  record.given_up = program.given_up;
  for (const Thread& t : program.threads) record.threads.push_back(words.thread(t));
  std::vector<int> shown;
  for (int l = 0; l < int(program.locations.size()); ++l) {
    const Location& location = program.locations[std::size_t(l)];
    if (location.shared || !location.written) continue;
    shown.push_back(l);
    record.locations.push_back(words.location(l));
  }
  for (const Outcome& o : exploration.outcomes) {
    LitmusOutcome& outcome = record.outcomes.emplace_back();
    for (const int l : shown) outcome.values.push_back(words.value(l, o.memory[std::size_t(l)]));
    outcome.failure = o.failure;
    outcome.allowed = o.allowed != 0;
    outcome.executions = outcome.allowed ? o.allowed : o.forbidden;
    if (!outcome.allowed)
      for (int a = 0; a < kAxioms; ++a)
        if ((o.broken & bit(Axiom(a))) != 0) outcome.broken.emplace_back(name_of(Axiom(a)));
    outcome.steps = steps_of(o.example, program, words);
  }
  for (const Race& race : exploration.races) {
    const Statement &one = program.statements[race.one], &other = program.statements[race.other];
    record.races.push_back({words.location(race.location), one.file, other.file, one.line, other.line});
  }
  return record;
}

}  // namespace sim::litmus
