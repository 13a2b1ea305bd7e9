// Sentences of barriers and masks.
#include "simulator/sanitizer/barrier/barrier_findings.h"

#include <fmt/format.h>

#include "language/catalogue.h"
#include "simulator/sanitizer/finding_words.h"

namespace sim::sanitizer {

namespace {

std::string hex(Mask mask) { return fmt::format("{:#010x}", mask); }

/// Whether who ended at a line below the finding's has gone round it, and not returned before it.
bool went_round(const Finding& f, const FindingCollector::Line& left) {
  return left.file == f.file && left.line > f.line && f.line > 0;
}

}  // namespace

void render(Finding& f, const BarrierMismatch& m) {
  f.other = OtherParty{AccessKind::barrier, m.there.line, f.block, m.first_thread, {}, m.there.file};
  const std::string here =
      f.inside.line > 0 ? fmt::format("{}{}", f.line, in_header(f.inside)) : std::to_string(m.here.line);
  f.message = m.counts_differ
                  ? Message("Barrier {} is for {} threads at {} and for {} at line {}.", m.barrier,
                            m.first_expected, OtherLine{}, m.expected, here)
                  : Message(
                        "Some threads of the block wait at the __syncthreads() of {}, others at the one "
                        "of line {}: one barrier, reached at two places.",
                        OtherLine{}, here);
  f.cure = m.counts_differ ? Cure::equal_barrier_counts : Cure::one_syncthreads;
}

void render_partial_warp(Finding& f, u32 expected) {
  f.message =
      Message("The barrier is for {} threads, and barriers count whole warps: multiples of 32.", expected);
  f.cure = Cure::whole_warps;
}

void render(Finding& f, const MissingThreads& m) {
  f.other = OtherParty{AccessKind::exit, m.left.line, f.block, m.thread, {}, m.left.file};
  const std::string place = place_beside(f, m.left.file, m.left.line);
  const bool round = went_round(f, m.left);
  f.message = Message(
      "{} of the block's {} threads never reach this barrier: {}, thread {} among them{}. The hardware lets "
      "the others go on; the language promises nothing.",
      m.missing, m.threads, round ? tr("they go round it") : tr("they have returned"), OtherThread{},
      m.left.line <= 0 ? ""
      : round          ? tr(", and leave at {}", place)
                       : tr(", at {}", place));
  f.cure = round ? Cure::barrier_outside_branch : Cure::no_return_before_barrier;
}

void render(Finding& f, const LanesGone& g) {
  const std::string place = place_beside(f, g.left.file, g.left.line);
  const bool round = went_round(f, g.left), one = lane_count(g.gone) == 1;
  if (g.known) f.other = OtherParty{AccessKind::exit, g.left.line, f.block, g.thread, {}, g.left.file};
  const std::string how = one               ? round             ? tr("does not come here, and has ended at {}", place)
                                              : g.left.line > 0 ? tr("has returned before, at {}", place)
                                                                : tr("has returned before")
                                        : round ? tr("do not come here, and have ended at {}", place)
                          : g.left.line > 0 ? tr("have returned before, at {}", place)
                                            : tr("have returned before");
  f.message = Message("The mask {} names {} lane{} of the warp that {}: what comes from there is undefined.",
                      hex(g.named), lane_count(g.gone), one ? "" : "s", how);
  f.cure = round ? Cure::mask_before_branch : Cure::no_return_before_call;
  if (g.rows < 2) return;
  f.message += Message(" The block is {} x {} x {}, so a warp has {} values of threadIdx.y: should x be 32?",
                       g.block[0], g.block[1], g.block[2], g.rows);
  f.cure = Cure::warp_in_one_row;
}

void render_missing_lane(Finding& f, int lane, int source) {
  f.message = Message(
      "Lane {} reads the value of lane {}, for which the block has no thread: what it gets is undefined.",
      lane, source);
  f.cure = Cure::source_lane_in_block;
}

void render_unnamed_lane(Finding& f, int lane, int source, Mask named, bool ends) {
  f.message =
      Message("Lane {} reads the value of lane {}, which is not in the mask {}: what it gets is undefined{}",
              lane, source, hex(named), ends ? "." : "");
  f.cure = Cure::source_lane_in_mask;
}

void render_by_chance(Finding& f, Mask named) {
  f.message = Message(
      "The mask {} is what __activemask() said after lanes of the warp had gone different ways: who is "
      "here then is chance, and the shuffle reads from a lane at a fixed distance, which may be missing.",
      hex(named));
  f.cure = Cure::mask_by_intent;
}

}  // namespace sim::sanitizer
