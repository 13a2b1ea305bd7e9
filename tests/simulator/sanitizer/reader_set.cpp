// Who has read a word: sets that grow wider as readers join, and never forget one.
#include "simulator/sanitizer/race/reader_set.h"

#include <catch2/catch_test_macros.hpp>

using namespace sim::sanitizer;

namespace {

/// Threads 128 ... 255 of the grid are the block's: four warps.
constexpr u32 kBlock = 128;

ReaderSet one(u32 who) { return {u32(Readers::one), who, 0}; }

/// A thread of the grid joins.
ReaderSet joined(const ReaderSet& s, u32 thread) {
  const u32 warp = (thread - kBlock) / kLanes;
  return s.with({.lanes = 1u << thread % kLanes,
                 .warp_bit = 1u << (warp & 31),
                 .block_first = kBlock,
                 .in_warp = s.who / kLanes == thread / kLanes,
                 .in_block = s.who - kBlock < 128 && thread - kBlock < 128});
}

}  // namespace

TEST_CASE("readers of one warp are a set of its lanes") {
  const ReaderSet s = joined(joined(one(kBlock + 32), kBlock + 35), kBlock + 63);
  CHECK(Readers(s.readers) == Readers::warp);
  CHECK(s.set == (1u | 1u << 3 | 1u << 31));
  CHECK(s.who == kBlock + 32);
}

TEST_CASE("readers of two warps of a block are a set of warps, whichever lanes they were") {
  const ReaderSet s = joined(joined(one(kBlock + 32), kBlock + 35), kBlock + 96);
  CHECK(Readers(s.readers) == Readers::block);
  CHECK(s.set == (1u << 1 | 1u << 3));
  CHECK(joined(s, kBlock).set == (1u << 0 | 1u << 1 | 1u << 3));
}

TEST_CASE("a reader of the first one's warp does not narrow a set of warps") {
  const ReaderSet s = joined(joined(one(kBlock + 32), kBlock + 96), kBlock + 33);
  CHECK(Readers(s.readers) == Readers::block);
  CHECK(s.set == (1u << 1 | 1u << 3));
}

TEST_CASE("readers of several blocks stay that wide") {
  const ReaderSet s = joined(one(kBlock + 5), 7);
  CHECK(Readers(s.readers) == Readers::grid);
  CHECK(Readers(joined(s, kBlock + 6).readers) == Readers::grid);
}
