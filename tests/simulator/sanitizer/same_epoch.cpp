// The same-epoch fast path for whole warps and for lanes that meet, against the same lane by lane.
#include "simulator/sanitizer/race/same_epoch.h"

#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <random>
#include <set>
#include <tuple>

using namespace sim::sanitizer;

namespace {

constexpr u32 kCells = 4 * kLanes;

/// Warp 1 of block 1, whose blocks have four warps; barriers of the block at moment 3, of the warp at 5.
constexpr SameEpochCheck kLook{160, 128, 128, 3, 5, 8, 0, 77, 1u << 1};

/// Cells with reads by chance, now and then none, and writes that all are before.
Shadow some_shadow(unsigned seed) {
  std::mt19937 random(seed);
  Shadow s(4 * kCells);
  for (u32 c = 0; c < kCells; ++c) {
    s.write_who[c] = 128 + random() % 128;
    s.write_when[c] = random() % 4;
    s.read_who[c] = std::array{160 + random() % 32, 128 + random() % 128, random() % 512}[random() % 3];
    s.read_when[c] = random() % 9;
    s.read_at[c] = random() % 50 | (random() % 4) << kReadersShift | (random() % 4 == 0 ? kStrong : 0);
    s.read_set[c] = u32(random());
    s.read_also[c] = random() % 512;
  }
  return s;
}

/// What counts of a cell's readers: of one reader there is no other.
auto readers(const Shadow& s, u32 c) {
  const bool one = (s.read_at[c] >> kReadersShift & 3) == 0, grid = (s.read_at[c] >> kReadersShift & 3) == 3;
  return std::tuple(s.read_who[c], s.read_when[c], s.read_at[c], one ? 0 : s.read_also[c],
                    one || grid ? 0 : s.read_set[c]);
}

}  // namespace

TEST_CASE("a whole warp's reads are entered as those of its lanes") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const u32 by = seed % 3;
    const Shadow together = some_shadow(seed), alone = some_shadow(seed);
    REQUIRE(same_epoch_reads(together, 0, by, kLook));
    for (u32 lane = 0; lane < kLanes; ++lane)
      REQUIRE(same_epoch_read(alone, lane << by, 1u << by, 1u << lane, kLook, false));
    for (u32 c = 0; c < kCells; ++c) REQUIRE(readers(together, c) == readers(alone, c));
  }
}

TEST_CASE("lanes that read one word are entered as if they came one after the other") {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const Mask lanes = std::max(u32(std::mt19937(seed)()), 1u);
    const Shadow together = some_shadow(seed), alone = some_shadow(seed);
    REQUIRE(same_epoch_read(together, 0, 2, lanes, kLook, false));
    for_each_lane(
        lanes, [&](int i) { REQUIRE(same_epoch_read(alone, 0, 2, kLaneBit[std::size_t(i)], kLook, false)); });
    for (u32 c = 0; c < 2; ++c) REQUIRE(readers(together, c) == readers(alone, c));
  }
}

TEST_CASE("a whole warp's writes are ordered when each lane's is, and nothing is entered when one is not") {
  int ordered = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const u32 by = seed % 3;
    const Shadow together = some_shadow(seed), alone = some_shadow(seed), before = some_shadow(seed);
    if (seed % 2 == 0)  // reads before the block's last barrier
      for (const Shadow* s : {&together, &alone, &before})
        for (u32 c = 0; c < kCells; ++c)
          s->read_when[c] = s->read_when[c] % 4, s->read_who[c] = 128 + c, s->read_at[c] = 5;
    bool all = true;
    for (u32 lane = 0; lane < kLanes; ++lane)
      all &= same_epoch_write(alone, lane << by, 1u << by, int(lane), kLook);
    REQUIRE(same_epoch_writes(together, 0, by, kLook) == all);
    ordered += all;
    const Shadow& same = all ? alone : before;
    for (u32 c = 0; c < kCells; ++c) {
      REQUIRE(together.write_who[c] == same.write_who[c]);
      REQUIRE(together.write_when[c] == same.write_when[c]);
      REQUIRE(together.read_when[c] == same.read_when[c]);
    }
  }
  CHECK(ordered >= 100);
  CHECK(ordered < 400);
}

TEST_CASE("the fast path leaves what is not plainly ordered to the rules") {
  const Shadow s = some_shadow(1);
  s.write_who[0] = 300, s.write_when[0] = 2;  // another block's
  CHECK_FALSE(same_epoch_read(s, 0, 1, 1, kLook, false));
  CHECK_FALSE(same_epoch_write(s, 0, 1, 0, kLook));
  s.write_who[0] = 161, s.write_when[0] = 7;  // lane 1's, behind the warp's last barrier
  CHECK_FALSE(same_epoch_read(s, 0, 1, 1, kLook, false));
  CHECK(same_epoch_read(s, 0, 1, 2, kLook, false));  // by itself
  CHECK_FALSE(same_epoch_read(s, 0, 1, 3, kLook, false));
}

TEST_CASE("lanes are grouped by the bytes they access") {
  sim::exec::AccessPattern p;
  p.mask = 0xFFFF00FF;
  for (int i = 0; i < kLanes; ++i) p.offset[i] = i % 3 * 400 - 8;
  LaneGroups groups;
  groups.find(p);
  REQUIRE(groups.size == 3);
  Mask all = 0;
  std::set<s64> offsets;
  for (u32 g = 0; g < groups.size; ++g) {
    for_each_lane(groups.lanes[g], [&](int i) { CHECK(p.offset[i] == groups.offset[g]); });
    CHECK((all & groups.lanes[g]) == 0);
    all |= groups.lanes[g];
    offsets.insert(groups.offset[g]);
  }
  CHECK(all == p.mask);
  CHECK(offsets.size() == 3);
}
