#include "simulator/decode/wrappers.h"

#include <algorithm>

#include "simulator/ptx/program.h"

namespace sim::exec {

Wrappers::Wrappers(const Code& code) : code_(code), called_(code.functions.size()) {
  for (std::size_t f = 0; f < code.functions.size(); ++f)
    begins_.emplace_back(code.blocks[code.functions[f].entry].first, f);
  std::sort(begins_.begin(), begins_.end());
  Lines inlined;
  for (u32 at = 0; at < code.sources.size(); ++at) {
    if (code.sources[at]->location < 0) continue;
    const ptx::Location& l = code.module->locations[std::size_t(code.sources[at]->location)];
    if (l.inlined_at >= 0) {
      inlined[{l.file, l.function}].insert(l.line);
    } else {
      called_[function_of(at)].insert(l.line);
    }
  }
  find_outside(inlined);
}

void Wrappers::find_outside(const Lines& inlined) {
  const std::vector<ptx::Location>& locations = code_.module->locations;
  for (int start = 0; start < int(locations.size()); ++start) {
    int at = start;
    while (at >= 0) {
      const ptx::Location& l = locations[std::size_t(at)];
      if (l.inlined_at < 0) break;
      const auto known = inlined.find({l.file, l.function});
      const bool wrapper = known != inlined.end() && known->second.size() <= kMostLines;
      if (!wrapper && !in_toolkit(at)) break;
      at = l.inlined_at;
    }
    outside_.push_back(at);
  }
}

bool Wrappers::wants_wrapper(const ptx::Instruction& in) {
  return in.opcode == "wgmma" || in.opcode == "mbarrier" || in.opcode == "setmaxnreg" ||
         (in.opcode == "cp" && in.has("bulk")) || (in.opcode == "barrier" && in.has("cluster"));
}

const std::string& Wrappers::file_of(int location) const {
  static const std::string unknown;
  const int file = code_.module->locations[std::size_t(location)].file;
  return file > 0 && std::size_t(file) < code_.module->files.size() ? code_.module->files[std::size_t(file)]
                                                                    : unknown;
}

bool Wrappers::in_toolkit(int location) const { return ptx::is_toolkit_file(file_of(location)); }

SourceLine Wrappers::line_at(int location) const {
  if (location < 0 || in_toolkit(location)) return {};
  return {file_of(location), code_.module->locations[std::size_t(location)].line};
}

int Wrappers::outside(u32 instruction) const {
  const int location = code_.sources[instruction]->location;
  return location < 0 ? location : outside_[std::size_t(location)];
}

std::size_t Wrappers::function_of(u32 instruction) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), std::pair(instruction, ~std::size_t{0}));
  return next == begins_.begin() ? 0 : std::prev(next)->second;
}

u32 Wrappers::end_of_function(u32 instruction) const {
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), std::pair(instruction, ~std::size_t{0}));
  return next == begins_.end() ? u32(code_.sources.size()) : next->first;
}

SourceLine Wrappers::line_of_call(u32 instruction, int call) const {
  const int at = outside(instruction);
  const bool inside = at < 0 || code_.module->locations[std::size_t(at)].inlined_at < 0;
  if (call >= 0 && inside && (at < 0 || in_toolkit(at) || is_wrapper(function_of(instruction))))
    return line_at(outside(u32(call)));
  return line_at(at);
}

SourceLine Wrappers::line_of(const Frame* frame, u32 instruction) const {
  for (;;) {
    const int at = outside(instruction);
    const bool called = frame != nullptr && frame->caller != nullptr;
    const bool inside = at < 0 || code_.module->locations[std::size_t(at)].inlined_at < 0;
    const bool outward =
        called && inside &&
        (at < 0 || in_toolkit(at) || is_wrapper(std::size_t(frame->function - code_.functions.data())));
    if (!outward) return line_at(at);
    instruction = code_.blocks[frame->return_pc - 1].last - 1;
    frame = frame->caller;
  }
}

}  // namespace sim::exec
