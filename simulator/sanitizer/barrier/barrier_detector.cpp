// Barriers of the block: who arrives, where, and who never does.
#include "simulator/sanitizer/barrier/barrier_detector.h"

#include <optional>
#include <utility>

#include "simulator/sanitizer/barrier/barrier_findings.h"

namespace sim::sanitizer {

FindingCollector::Line BarrierDetector::place_of_exit(u32 block) const {
  const Code& code = context_.code();
  const BasicBlock& exit = code.blocks[block];
  const FindingCollector::Line end = context_.collector.line_of(exit.last - 1);
  if (exit.last - exit.first != 1) return end;
  std::optional<FindingCollector::Line> jump;
  for (u32 i = 0; i < code.instructions.size(); ++i) {
    const ptx::Instruction& source = *code.sources[i];
    if (source.opcode != "bra" || source.guard.predicate >= 0 || code.instructions[i].imm != block) continue;
    const FindingCollector::Line line = context_.collector.line_of(i);
    if (line == end) continue;
    if (jump && !(*jump == line)) return end;
    jump = line;
  }
  return jump.value_or(end);
}

void BarrierDetector::block_starts(const Block& block) {
  BlockState& state = blocks_.of(block);
  state.exited = 0;
  state.first = {};
  state.warps.clear();
  for (const Warp& w : block.warps) state.warps.push_back({w.divergences, 0, false});
}

void BarrierDetector::arrives(const Warp& w, const Instr& in, int number, u32 expected) {
  FirstArrival& first = blocks_.of(*w.block).first[std::size_t(number)];
  if (is_first_arrival(w, number)) first = {&in, expected, w.index * kLanes + u32(first_lane(w.active))};
  if (first.at != &in || first.expected != expected) check_places(w, in, number, expected, first);
  if (expected % kLanes == 0) return;
  const FindingKey s{FindingKey::Kind::barrier, context_.code().index_of(in), FindingKey::kNobody, 3};
  if (context_.collector.again(s)) return;
  render_partial_warp(context_.collector.add(s, w, in, first_lane(w.active)), expected);
}

void BarrierDetector::check_places(const Warp& w, const Instr& in, int number, u32 expected,
                                   const FirstArrival& first) {
  const bool bar = context_.code().source_of(in).opcode == "bar";
  const bool differs = first.at != &in && expected == 0 && first.expected == 0 && bar;
  const bool counts_differ = expected != first.expected;
  if (!differs && !counts_differ) return;
  FindingCollector& collector = context_.collector;
  const u32 at = context_.code().index_of(in), other = context_.code().index_of(*first.at);
  const FindingCollector::Line here = collector.line_of(at), there = collector.line_of(other);
  if (here == there && !counts_differ) return;
  const FindingKey s{FindingKey::Kind::barrier, at, other, u8(counts_differ)};
  if (collector.again(s)) return;
  render(collector.add(s, w, in, first_lane(w.active)),
         BarrierMismatch{number, counts_differ, expected, first.expected, here, there,
                         collector.thread_of(first.thread)});
}

void BarrierDetector::block_barrier(Block& block, int number) {
  const BlockState& state = blocks_.of(block);
  if (block.barriers[std::size_t(number)].expected != 0 || state.exited == 0) return;
  const Instr& in = *state.first[std::size_t(number)].at;
  Warp* waiting = nullptr;
  const Split* there = nullptr;
  for (Warp& w : block.warps)
    for (const Split& split : w.waiting)
      if (split.at == &in) waiting = &w, there = &split;
  const FindingKey s{FindingKey::Kind::barrier, context_.code().index_of(in), FindingKey::kNobody, 2};
  if (waiting == nullptr || context_.collector.again(s)) return;
  Frame* const frame = std::exchange(waiting->frame, there->frame);  // where the waiting lanes are
  Finding& f = context_.collector.add(s, *waiting, in, first_lane(there->mask));
  waiting->frame = frame;
  render(f, MissingThreads{state.exited, block.threads, context_.collector.thread_of(state.exited_thread),
                           place_of_exit(state.exited_at)});
}

void BarrierDetector::converges(const Block& block) {
  BlockState& state = blocks_.of(block);
  for (const Warp& w : block.warps) state.warps[w.index].divergences = w.divergences;
}

void BarrierDetector::exits(const Warp& w, Mask lanes) {
  if (lanes == 0) return;
  BlockState& state = blocks_.of(*w.block);
  state.exited += u32(lane_count(lanes));
  state.exited_thread = w.index * kLanes + u32(first_lane(lanes));
  state.exited_at = w.left.back().pc;
}

}  // namespace sim::sanitizer
