// Shuffles, votes and their like: who is named, who comes, and who is read from.
#include <fmt/format.h>

#include <algorithm>

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

namespace {

/// The lanes of a warp that exist.
Mask existing(const Warp& w) {
  const u32 threads = w.block->threads - std::min(w.block->threads, w.index * kLanes);
  return threads >= u32(kLanes) ? kAllLanes : (Mask{1} << threads) - 1;
}

constexpr const char* kNamed = "shuffle from a lane of the mask only";

std::string not_named(int lane, int from, Mask named) {
  return fmt::format(
      "Lane {} reads the value of lane {}, which is not in the mask {:#010x}: what it gets is undefined",
      lane, from, named);
}

}  // namespace

void Watch::meets(Warp& w, const Instr& in, Mask lanes, Mask named) {
  const ptx::Instruction& source = plan_.code().source_of(in);
  // That some lanes never existed, in a block of few threads, harms nobody who does not read from them.
  const Mask gone = named & ~w.live & existing(w);
  if (source.opcode == "shfl") {
    shuffle_source(w, in, lanes, named);
    shuffle_by_chance(w, in, lanes, named);
  }
  if ((w.live & ~lanes) == 0) state_of(*w.block).company[w.index].partings = w.partings;
  if (gone == 0) return;
  const Sighting s{Sighting::Kind::mask, plan_.code().index_of(in), Sighting::kNobody, 0};
  if (collector_.again(s)) return;
  Finding& f = collector_.add(s, w, in, first_lane(lanes));
  const auto left =
      std::find_if(w.left.begin(), w.left.end(), [&](const Left& l) { return (l.lanes & gone) != 0; });
  const FindingCollector::Line at = left == w.left.end()
                                        ? FindingCollector::Line{}
                                        : collector_.line_of(plan_.code().blocks[left->pc].last - 1);
  const std::string place = place_beside(f, at.file, at.line);
  const bool went_round = at.file == f.file && at.line > f.line && f.line > 0, one = lane_count(gone) == 1;
  if (left != w.left.end())
    f.other = OtherParty{"exit", at.line, f.block, w.block->thread_of(w, first_lane(left->lanes & gone)),
                         {},     at.file};
  const std::string how = went_round ? fmt::format("{} not come here, and {} ended at {}",
                                                   one ? "does" : "do", one ? "has" : "have", place)
                          : at.line > 0
                              ? fmt::format("{} returned before, at {}", one ? "has" : "have", place)
                              : fmt::format("{} returned before", one ? "has" : "have");
  f.message = fmt::format(
      "The mask {:#010x} names {} lane{} of the warp that {}: what comes from there is undefined.", named,
      lane_count(gone), one ? "" : "s", how);
  f.cure = went_round ? "call it outside the branch, where all lanes of the mask come by, or make the mask "
                        "before the branch with __ballot_sync() of those that take it"
                      : "let all lanes of the mask reach the call: no return before it, or a mask from "
                        "__ballot_sync() of those that stay";
}

void Watch::shuffle_source(Warp& w, const Instr& in, Mask lanes, Mask named) {
  const ptx::Instruction& source = plan_.code().source_of(in);
  const u32 *b = exec::lanes<u32>(w, in.op[3]), *c = exec::lanes<u32>(w, in.op[4]);
  const bool idx = source.has("idx"), up = source.has("up"), down = source.has("down");
  Mask unnamed = 0;  // lanes that read by distance, from others that take no part
  int one = 0, its = 0;
  for_each_lane(lanes, [&](int lane) {
    const u32 own = u32(lane), by = b[lane] & 31, segment = c[lane] >> 8 & 31;
    const u32 last = (own & segment) | (c[lane] & 31 & ~segment);
    u32 from = idx ? (own & segment) | (by & ~segment) : up ? own - by : down ? own + by : own ^ by;
    if (up ? int(from) < int(last) : from > last) from = own;  // outside its segment: it keeps its value
    const bool missing = (existing(w) & kLaneBit[from]) == 0;
    if (!missing && (named & kLaneBit[from]) != 0) return;
    if (!missing && !idx) {  // reductions do so in lanes whose results nobody uses
      if ((w.active & kLaneBit[own]) != 0) unnamed |= kLaneBit[own], one = lane, its = int(from);
      return;
    }
    const Sighting s{Sighting::Kind::mask, plan_.code().index_of(in), Sighting::kNobody, 1};
    if (collector_.again(s)) return;
    Finding& f = collector_.add(s, w, in, lane);
    f.message = missing ? fmt::format(
                              "Lane {} reads the value of lane {}, for which the block has no thread: "
                              "what it gets is undefined.",
                              lane, from)
                        : not_named(lane, int(from), named) + ".";
    f.cure = missing ? "as many threads as the shuffle reads from, or a width that the block fills" : kNamed;
  });
  if (unnamed == 0) return;
  doubts_.loaded(w, in, 0, unnamed, false, [&] {
    Finding f;
    f.kind = FindingKind::mask;
    f.kernel = plan_.code().kernel->name;
    f.block = w.block->id;
    f.thread = w.block->thread_of(w, one);
    locate(f, w, in);
    f.message = not_named(one, its, named);
    f.cure = kNamed;
    return f;
  });
}

void Watch::asks_who_is_here(const Warp& w) {
  BlockState::Company& company = state_of(*w.block).company[w.index];
  company.here = w.active;
  company.parted = company.partings != w.partings;
}

void Watch::shuffle_by_chance(const Warp& w, const Instr& in, Mask lanes, Mask named) {
  const u32 at = plan_.code().index_of(in);
  const BlockState::Company& company = state_of(*w.block).company[w.index];
  if (!plan_.semantics(at).among_those_here || !company.parted || named != company.here) return;
  const Sighting s{Sighting::Kind::mask, at, Sighting::kNobody, 2};
  if (collector_.again(s)) return;
  Finding& f = collector_.add(s, w, in, first_lane(lanes));
  f.message = fmt::format(
      "The mask {:#010x} is what __activemask() said after lanes of the warp had gone different ways: who is "
      "here then is chance, and the shuffle reads from a lane at a fixed distance, which may be missing.",
      named);
  f.cure =
      "a mask that says who has to come: 0xffffffff where all lanes do, or __ballot_sync() of those who "
      "will, "
      "before the branch";
}

}  // namespace sim::sanitizer
