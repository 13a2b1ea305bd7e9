// Reports of kernels that cannot go on: who waits where.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "simulator/exec/block.h"
#include "simulator/exec/fault.h"

namespace sim::exec {

namespace {

struct Group {
  u32 threads = 0;
  int barrier = -1;
  const Warp* warp = nullptr;
  int lane = 0;
  const Instr* at = nullptr;
};

std::string place_of(const Code& code, const Instr& in) {
  Finding at;
  locate(at, *code.module, code.source_of(in));
  return at.line > 0 ? fmt::format("line {}", at.line)
                     : fmt::format("PTX line {}", code.source_of(in).ptx_line);
}

/// The waiting threads of a block by the instruction they wait at, in program order.
std::map<const Instr*, Group> waiting_groups(const Block& block) {
  std::map<const Instr*, Group> groups;
  for (const Warp& w : block.warps) {
    for (const Split& s : w.waiting) {
      if (s.at == nullptr) continue;
      Group& g = groups[s.at];
      if (g.warp == nullptr) {
        g.warp = &w;
        g.lane = first_lane(s.mask);
        g.at = s.at;
        g.barrier = s.wait == Wait::barrier ? s.barrier : -1;
      }
      g.threads += u32(lane_count(s.mask));
    }
  }
  return groups;
}

}  // namespace

void Block::deadlock() {
  const auto groups = waiting_groups(*this);
  const Code& code = worker->code;
  std::string who;
  bool barrier = false;
  for (const auto& [at, g] : groups) {
    barrier |= g.barrier >= 0;
    who += fmt::format("{}{} of the block's {} threads wait at {} ({})", who.empty() ? "" : ", ", g.threads,
                       threads, place_of(code, *at),
                       g.barrier < 0    ? "for other lanes of their warp"
                       : g.barrier == 0 ? "__syncthreads"
                                        : fmt::format("barrier {}", g.barrier));
  }
  const Group& first = groups.begin()->second;
  const u32 left = threads - live_threads;
  if (left != 0) who += fmt::format(", {} have returned", left);
  fail(*first.warp, *first.at, first.lane, barrier ? "barrier" : "mask",
       fmt::format("The block can never go on: {}. Every thread that a barrier waits for must reach it: move "
                   "it out of "
                   "the branch or loop that only some threads take.",
                   who),
       "", "", 0);
}

void Block::runaway() {
  const Code& code = worker->code;
  const auto alive = std::find_if(warps.begin(), warps.end(), [](const Warp& w) { return w.live != 0; });
  const Warp& w = alive == warps.end() ? warps.front() : *alive;
  const u32 pc = w.active != 0 ? w.pc : w.waiting.empty() ? 0 : w.waiting.front().pc;
  const Mask lanes = w.active != 0 ? w.active : w.live;
  const Instr& in = code.instructions[code.blocks[pc].first];
  fail(
      w, in, first_lane(lanes), "hang",
      fmt::format(
          "The block has issued {} warp instructions and does not end; {} lanes of warp {} are near {}. Does "
          "the loop's condition ever change?",
          instructions, lane_count(lanes), w.index, place_of(code, in)));
}

}  // namespace sim::exec
