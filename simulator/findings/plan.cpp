#include "simulator/findings/plan.h"

#include <algorithm>

#include "simulator/findings/origins.h"

namespace sim::findings {

namespace {

Manner manner_of(const ptx::Instruction& in) {
  Manner m;
  const auto has = [&](std::string_view q) {
    return std::find(in.qualifiers.begin(), in.qualifiers.end(), q) != in.qualifiers.end();
  };
  const bool atomic = in.opcode == "atom" || in.opcode == "red", load = in.opcode == "ld";
  const bool both = has("acq_rel") || has("sc");
  m.is_volatile = has("volatile") || has("mmio");
  m.strong = atomic || m.is_volatile || has("relaxed") || has("acquire") || has("release");
  // A relaxed load takes over what it sees although only a fence behind it promises that: the toolkit's own
  // samples leave that fence out.
  m.acquires = (load && m.strong) || in.opcode == "atom";
  m.publishes = atomic || (in.opcode == "st" && m.strong);
  m.releases = m.publishes && (has("release") || both);
  m.of_block = m.strong && has("cta");
  m.compares = in.opcode == "atom" && has("cas");
  m.together = in.opcode == "wmma" || in.opcode == "ldmatrix" || in.opcode == "stmatrix";
  return m;
}

}  // namespace

Plan::Plan(const Code& code) : code_(code), origins_(find_origins(code)) {
  manners_.reserve(code.sources.size());
  for (const ptx::Instruction* in : code.sources) {
    manners_.push_back(manner_of(*in));
    if (in->location >= 0) {
      const int file = code.module->locations[std::size_t(in->location)].file;
      manners_.back().in_toolkit = file > 0 && std::size_t(file) < code.module->files.size() &&
                                   ptx::is_toolkit_file(code.module->files[std::size_t(file)]);
    }
    stores_matrices_ |=
        in->opcode == "stmatrix" ||
        (in->opcode == "wmma" && std::count(in->qualifiers.begin(), in->qualifiers.end(), "store") != 0);
    const bool counted = (in->opcode == "bar" || in->opcode == "barrier") && in->operands.size() > 1;
    warps_meet_apart_ |=
        counted || in->opcode == "mbarrier" || in->opcode == "fence" || in->opcode == "membar";
  }
}

}  // namespace sim::findings
