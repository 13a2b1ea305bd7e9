// The steps that the engine records of a block's warps.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/timeline/roles.h"

using namespace sim::exec;

namespace {

std::vector<Step> of_kind(const std::vector<Step>& steps, Step::Kind kind) {
  std::vector<Step> found;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(found),
               [&](const Step& s) { return s.kind == kind; });
  return found;
}

}  // namespace

TEST_CASE("a producer's copies and a consumer's waits are recorded with mbarrier and phase") {
  const ClusterRecording r = sim::test::run_roles(5).recording;
  REQUIRE(r.warps.size() == 2);
  const auto loads = of_kind(r.warps[1], Step::Kind::load);
  REQUIRE(loads.size() == 5);
  for (std::size_t k = 0; k < loads.size(); ++k) {
    CHECK(r.barriers[loads[k].barrier].name == (k % 2 == 0 ? "full[0]" : "full[1]"));
    CHECK(loads[k].phase == k / 2);
    CHECK(loads[k].amount == 1024);
    CHECK(loads[k].lines == 8);
  }
  std::vector<Step> waits = of_kind(r.warps[0], Step::Kind::wait);
  REQUIRE(waits.size() == 6);
  CHECK(r.barriers[waits[0].barrier].kind == RecordedBarrier::Kind::block);
  for (std::size_t k = 0; k < 5; ++k) CHECK(waits[k + 1].phase == k / 2 + 1);
  CHECK(of_kind(r.warps[0], Step::Kind::arrive).size() == 1 + 5);
}

TEST_CASE("waiting is no work, however often a warp looks") {
  const ClusterRecording r = sim::test::run_roles(40).recording;
  const auto waits = of_kind(r.warps[0], Step::Kind::wait);
  REQUIRE(waits.size() == 41);
  for (std::size_t k = 2; k < waits.size(); ++k) CHECK(waits[k].machine_instructions < 20);
}

TEST_CASE("a launch that is not traced records no steps, and costs the same") {
  const LaunchResult plain = sim::test::run_roles(5, false), traced = sim::test::run_roles(5);
  CHECK(plain.recording.warps.empty());
  CHECK(plain.counters.inst_executed == traced.counters.inst_executed);
  CHECK(plain.bulk.waits == traced.bulk.waits);
}

TEST_CASE("groups of cp.async are recorded: what they bring, their closing, and the wait") {
  sim::test::Device device(sim::test::kernel_text(".param .u64 in", R"(
  .reg .b64 %in;
  .shared .align 16 .b8 tile[2048];
  ld.param.u64 %in, [in];
  cp.async.ca.shared.global [tile], [%in], 16;
  cp.async.ca.shared.global [tile+16], [%in+16], 16;
  cp.async.commit_group;
  cp.async.ca.shared.global [tile+1024], [%in], 16;
  cp.async.commit_group;
  cp.async.wait_group 1;
  ret;)"));
  device.shape.trace = true;
  const auto in = device.upload(std::vector<unsigned char>(1024));
  const ClusterRecording r = device.run("k", in).recording;
  REQUIRE(r.warps.size() == 1);
  const auto starts = of_kind(r.warps[0], Step::Kind::start);
  REQUIRE(starts.size() == 2);
  CHECK(starts[0].amount == 32);
  CHECK(starts[1].amount == 16);
  CHECK(starts[1].offset == 1024);
  CHECK(of_kind(r.warps[0], Step::Kind::commit).size() == 2);
  const auto waits = of_kind(r.warps[0], Step::Kind::wait_group);
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].amount == 1);
}
