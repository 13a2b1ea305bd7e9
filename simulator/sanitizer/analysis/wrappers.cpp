#include "simulator/sanitizer/analysis/wrappers.h"

#include <algorithm>

#include "simulator/ptx/program.h"

namespace sim::sanitizer {

Wrappers::Wrappers(const Code& code) : code_(code), called_(code.functions.size()) {
  std::vector<std::pair<u32, std::size_t>> begins;  // of functions, by their first instruction
  for (std::size_t f = 0; f < code.functions.size(); ++f)
    begins.emplace_back(code.blocks[code.functions[f].entry].first, f);
  std::sort(begins.begin(), begins.end());
  for (u32 at = 0; at < code.sources.size(); ++at) {
    if (code.sources[at]->location < 0) continue;
    const ptx::Location& l = code.module->locations[std::size_t(code.sources[at]->location)];
    if (l.inlined_at >= 0) {
      inlined_[{l.file, l.function}].insert(l.line);
    } else {
      const auto next = std::upper_bound(begins.begin(), begins.end(), std::pair(at, ~std::size_t{0}));
      if (next != begins.begin()) called_[std::prev(next)->second].insert(l.line);
    }
  }
}

bool Wrappers::wants_wrapper(const ptx::Instruction& in) {
  return in.opcode == "wgmma" || in.opcode == "mbarrier" || in.opcode == "setmaxnreg" ||
         (in.opcode == "cp" && in.has("bulk"));
}

SourceLine Wrappers::line_of(const Frame* frame, u32 instruction) const {
  const ptx::Module& module = *code_.module;
  for (;;) {
    int at = code_.sources[instruction]->location;
    const auto location = [&]() -> const ptx::Location& { return module.locations[std::size_t(at)]; };
    const auto passes = [&] {
      if (location().inlined_at < 0) return false;
      if (ptx::is_toolkit_file(module.files[std::size_t(location().file)])) return true;
      const auto known = inlined_.find({location().file, location().function});
      return known != inlined_.end() && known->second.size() <= kMostLines;
    };
    while (at >= 0 && passes()) at = location().inlined_at;
    const bool called = frame != nullptr && frame->caller != nullptr;
    const bool inside = at < 0 || location().inlined_at < 0;
    const bool outward = called && inside &&
                         (at < 0 || ptx::is_toolkit_file(module.files[std::size_t(location().file)]) ||
                          is_wrapper(std::size_t(frame->function - code_.functions.data())));
    if (!outward) {
      if (at < 0 || ptx::is_toolkit_file(module.files[std::size_t(location().file)])) return {};
      return {module.files[std::size_t(location().file)], location().line};
    }
    instruction = code_.blocks[frame->return_pc - 1].last - 1;
    frame = frame->caller;
  }
}

}  // namespace sim::sanitizer
