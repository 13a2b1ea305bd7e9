// What the detector of barriers and masks has found, put into words.
#pragma once

#include "simulator/instructions/lanes.h"
#include "simulator/sanitizer/finding_collector.h"

namespace sim::sanitizer {

/// One barrier, reached at two places or for two counts of threads.
struct BarrierMismatch {
  int barrier;
  bool counts_differ;  ///< else the places do
  u32 expected;        ///< here
  u32 first_expected;  ///< at the first arrival
  FindingCollector::Line here, there;
  Index3 first_thread;  ///< that arrived there
};
void render(Finding& f, const BarrierMismatch& mismatch);

/// A count of threads that is no multiple of the warp.
void render_partial_warp(Finding& f, u32 expected);

/// Threads that never reach a barrier: they have returned, or gone round it.
struct MissingThreads {
  u32 missing, threads;         ///< of the block
  Index3 thread;                ///< one of them
  FindingCollector::Line left;  ///< where that one ended
};
void render(Finding& f, const MissingThreads& missing);

/// Lanes that a mask names and that have ended.
struct LanesGone {
  Mask named, gone;
  bool known = false;           ///< where one of them ended; then:
  Index3 thread{};              ///< that one
  FindingCollector::Line left;  ///< where
  /// Values of threadIdx.y that the warp's lanes have, where those that have ended are told apart by them.
  u32 rows = 0;
  Index3 block{};  ///< its extents
};
void render(Finding& f, const LanesGone& gone);

/// A shuffle from a lane for which the block has no thread.
void render_missing_lane(Finding& f, int lane, int source);

/// A shuffle from a lane that the mask does not name. @param ends  whether the sentence ends here
void render_unnamed_lane(Finding& f, int lane, int source, Mask named, bool ends);

/// A shuffle whose mask is __activemask()'s, after lanes had diverged.
void render_by_chance(Finding& f, Mask named);

}  // namespace sim::sanitizer
