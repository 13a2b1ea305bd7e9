// Recorded steps in time, against clocks of an H100 (measure_async.cu), and by hand.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <utility>

#include "simulator/model/timeline/timeline.h"
#include "tests/simulator/model/bulk_ring.h"
#include "tests/simulator/timeline/roles.h"

using namespace sim;
using Kind = TimelineSpan::Kind;

namespace {

Timeline replayed(const exec::LaunchResult& result, Index3 block = {1, 1, 1}) {
  exec::Launch launch;
  launch.block = block;
  return model::timeline(*model::find_gpu("h200"), {"k", 0, 0, 0, 32, 0, {}}, launch, result);
}

/// Clocks that one more turn of a ring takes.
double turn(unsigned bytes, unsigned stages) {
  const auto end = [&](unsigned count) {
    return replayed(test::copies(bytes, stages, count, true)).warp_end_ns.at(0);
  };
  return (end(528) - end(16)) / 512 * model::find_gpu("h200")->clock_ghz;
}

}  // namespace

TEST_CASE("a copy that is waited for takes what an H100 was measured to take, by size") {
  for (const auto& [bytes, measured] : {std::pair{16u, 337.8},
                                        {256u, 347.9},
                                        {1024u, 362.0},
                                        {4096u, 394.1},
                                        {8192u, 429.9},
                                        {16384u, 500.8},
                                        {32768u, 655.9}}) {
    INFO(bytes << " bytes, " << turn(bytes, 1) << " clocks");
    CHECK(std::abs(turn(bytes, 1) / measured - 1) < 0.1);
  }
}

TEST_CASE("a ring that is long enough is bound by an SM's rate of copies") {
  CHECK(std::abs(32768 / turn(32768, 4) / 105.4 - 1) < 0.02);
}

TEST_CASE("who waits goes on when the last byte has come, and the stage is filled again behind that") {
  const Timeline t = replayed(test::run_roles(6), {64, 1, 1});
  REQUIRE(t.warp_end_ns.size() == 2);
  std::vector<TimelineSpan> copies, waits;
  for (const TimelineSpan& s : t.spans) {
    if (s.kind == Kind::copy) copies.push_back(s);
    if (s.kind == Kind::wait_stage && s.warp == 0) waits.push_back(s);
  }
  REQUIRE(copies.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(t.stages.at(std::size_t(copies[k].stage)) == (k % 2 == 0 ? "full[0]" : "full[1]"));
    if (k >= 2) CHECK(copies[k].begin_ns > copies[k - 2].end_ns);
  }
  CHECK(waits.size() >= 3);  // every second time the next copy has come meanwhile
  for (const TimelineSpan& wait : waits)
    CHECK(std::any_of(copies.begin(), copies.end(),
                      [&](const TimelineSpan& copy) { return copy.end_ns == wait.end_ns; }));
}

TEST_CASE("blocks of one SM share its copies") {
  exec::LaunchResult r = test::copies(32768, 2, 64, true);
  exec::Launch launch;
  const auto end = [&](unsigned blocks, unsigned shared) {
    launch.grid = {blocks, 1, 1};
    launch.dynamic_shared_bytes = shared;
    return model::timeline(*model::find_gpu("h200"), {"k", 0, 0, 0, 32, 0, {}}, launch, r);
  };
  const Timeline alone = end(132, 100000), two = end(2 * 132, 100000), no_room = end(2 * 132, 200000);
  CHECK(alone.resident == 1);
  CHECK(two.resident == 2);
  CHECK(no_room.resident == 1);
  CHECK(two.warp_end_ns.at(0) > 1.5 * alone.warp_end_ns.at(0));
}

TEST_CASE("warps that wait for each other in one warp end all the same") {
  exec::LaunchResult r;
  r.recording.blocks = 1;
  r.recording.barriers.push_back({exec::RecordedBarrier::Kind::phases, "b", 0, 0});
  exec::Step wait, arrive;
  wait.kind = exec::Step::Kind::wait;
  wait.phase = 1;
  arrive.kind = exec::Step::Kind::arrive;
  r.recording.warps = {{wait, arrive}};
  CHECK(replayed(r).warp_end_ns.size() == 1);
}
