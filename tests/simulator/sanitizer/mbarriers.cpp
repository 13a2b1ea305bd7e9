// mbarriers that are used before they are known to be there, whose arrivals are one too many, or whose waits
// are for another phase; and registers of warpgroups.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using Catch::Matchers::ContainsSubstring;
using findings_test::line;

namespace {

const std::string kDeclared =
    ".reg .pred %q; .reg .b64 %w; .shared .align 16 .b8 tile[256]; .shared .align 8 .b64 ready, empty;\n"
    "setp.ne.u32 %p0, %t, 0; setp.lt.u32 %p1, %t, 32;\n";

std::vector<sim::Finding> found_at_mbarriers(const std::string& body, unsigned threads = 64,
                                             const std::string& bounds = "") {
  std::string text = findings_test::kernel(kDeclared + body);
  if (!bounds.empty()) {
    text.replace(text.find("sm_90"), 5, "sm_90a");
    text.insert(text.find("\n{"), "\n" + bounds);
  }
  return findings_test::examine(text, 1, threads);
}

/// Thread 0 initialises the mbarrier at line 11.
std::string init(const std::string& barrier, int arrivals) {
  return "@%p0 bra begun_" + barrier + ";" + line(11) + "mbarrier.init.shared.b64 [" + barrier + "], " +
         std::to_string(arrivals) + ";\nbegun_" + barrier + ":\n";
}
std::string wait_at(int at, const std::string& barrier, int parity, const std::string& label) {
  return line(at) + label + ": mbarrier.try_wait.parity.shared.b64 %q, [" + barrier + "], " +
         std::to_string(parity) + "; @!%q bra " + label + ";\n";
}
std::string arrive_at(int at, const std::string& barrier) {
  return line(at) + "mbarrier.arrive.shared.b64 %w, [" + barrier + "];\n";
}

void nothing_at_mbarriers(const std::vector<sim::Finding>& found) {
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  CHECK(found.empty());
}

const sim::Finding& one_at_mbarriers(const std::vector<sim::Finding>& found, sim::FindingKind kind, int at,
                                     sim::Cure::Kind cure) {
  for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == kind);
  CHECK(found[0].line == at);
  CHECK(found[0].cure.kind == cure);
  return found[0];
}

}  // namespace

TEST_CASE("an mbarrier is used behind a barrier of the block, or by the thread that has initialised it") {
  nothing_at_mbarriers(found_at_mbarriers(init("ready", 64) + "bar.sync 0;" + arrive_at(15, "ready")));
  nothing_at_mbarriers(
      found_at_mbarriers("@%p0 bra over;" + init("ready", 1) + arrive_at(15, "ready") + "over:\n"));
}

TEST_CASE("an mbarrier that another warp uses without a barrier is told, although it was there") {
  // Warp 0 runs first.
  const auto found = found_at_mbarriers(init("ready", 64) + arrive_at(15, "ready") + "bar.sync 0;");
  const sim::Finding& f = one_at_mbarriers(found, sim::FindingKind::race, 15, sim::Cure::mbarrier_for_all);
  REQUIRE(f.other);
  CHECK(f.other->line == 11);
  CHECK_THAT(sim::sentence(f),
             ContainsSubstring("uses mbarrier ready") && ContainsSubstring("initialises at line 11"));
}

TEST_CASE("an arrival more than a phase has is told where its phase depends on luck") {
  // One arrival a phase, and both warps arrive.
  const std::string twice =
      "bar.warp.sync -1; setp.eq.u32 %p2, %t, 0; setp.eq.u32 %p3, %t, 32;"
      "@%p2 bra arrives; @%p3 bra arrives; bra over;\narrives:\n" +
      arrive_at(15, "ready") + "over:\n";
  const auto found = found_at_mbarriers(init("ready", 1) + "bar.sync 0;" + twice);
  const sim::Finding& f =
      one_at_mbarriers(found, sim::FindingKind::barrier, 15, sim::Cure::too_many_arrivals);
  CHECK_THAT(sim::sentence(f), ContainsSubstring("a phase has 1 arrival"));
  nothing_at_mbarriers(found_at_mbarriers(init("ready", 2) + "bar.sync 0;" + twice));
  // One behind the other is as it should be.
  nothing_at_mbarriers(found_at_mbarriers(init("ready", 64) + "bar.sync 0;" + arrive_at(15, "ready") +
                                          wait_at(16, "ready", 0, "w") + arrive_at(17, "ready")));
}

TEST_CASE("a wait by parity that the next phase may overtake is told, though it came in time") {
  // Warp 0 arrives in phases 0, 1 and 2, and between the first two lets warp 1 come. Warp 4, of another
  // warpgroup, waits.
  const auto overtaken = [](const std::string& meet) {
    return found_at_mbarriers(
        init("ready", 32) + init("empty", 32) +
            "bar.sync 0; setp.lt.u32 %p2, %t, 64; setp.lt.u32 %p3, %t, 128;\n"
            "@%p1 bra arrives; @%p2 bra helps; @%p3 bra over;\n" +
            wait_at(16, "ready", 0, "w") + meet + "bra over;\nhelps:\n" + wait_at(13, "ready", 0, "h") +
            arrive_at(14, "empty") + "bra over;\narrives:\n" + arrive_at(15, "ready") +
            wait_at(17, "empty", 0, "e") + meet + "bar.warp.sync -1;\n" + arrive_at(18, "ready") +
            "bar.warp.sync -1;\n" + arrive_at(19, "ready") + "over:\n",
        160);
  };
  const auto found = overtaken("");
  const sim::Finding& f =
      one_at_mbarriers(found, sim::FindingKind::barrier, 16, sim::Cure::wait_for_each_phase);
  CHECK_THAT(sim::sentence(f), ContainsSubstring("waits for phase 0 of mbarrier ready by its parity"));
  nothing_at_mbarriers(overtaken("bar.sync 1, 64;\n"));
}

TEST_CASE("a wait for a phase that none has ended yet is named where the copy is read too early") {
  const std::string copy = "@%p0 bra made; mbarrier.arrive.expect_tx.shared.b64 %w, [ready], 256;" +
                           line(13) +
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%b], "
                           "256, [ready];\nmade:\n";
  const std::string read = line(20) + "ld.shared.u32 %r3, [tile]; st.global.u32 [%g+2048], %r3;";
  const std::string second = "bar.sync 0; @%p0 bra over;" + arrive_at(21, "ready") + "over:\n";
  // The other warp reads before the copy is made, or behind a barrier that does not wait for it.
  for (const std::string barrier : {"", "bar.sync 0;"}) {
    const auto found = found_at_mbarriers(init("ready", 2) + "bar.sync 0;" + copy + barrier +
                                          wait_at(15, "ready", 1, "w") + read + second);
    for (const auto& f : found) UNSCOPED_INFO(sim::sentence(f));
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == sim::FindingKind::race);
    CHECK(found[0].line + found[0].other->line == 20 + 13);
    CHECK(found[0].cure.kind == sim::Cure::parity_of_phase);
    CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("The wait at line 15 is for parity 1"));
  }
}

TEST_CASE("a copy out of shared memory has to be waited for before its block leaves") {
  const std::string store = line(12) +
                            "st.shared.u32 [%s], %t; fence.proxy.async; bar.sync 0; @%p0 bra over;" +
                            line(14) + "cp.async.bulk.global.shared::cta.bulk_group [%b], [s], 256;";
  const std::string commit = "cp.async.bulk.commit_group;";
  nothing_at_mbarriers(found_at_mbarriers(store + commit + "cp.async.bulk.wait_group.read 0;\nover:\n"));
  nothing_at_mbarriers(found_at_mbarriers(store + commit + "cp.async.bulk.wait_group 0;\nover:\n"));
  const auto found = found_at_mbarriers(store + commit + "\nover:\n");
  CHECK_THAT(sim::sentence(one_at_mbarriers(found, sim::FindingKind::use_after_free, 14,
                                            sim::Cure::wait_for_bulk_reads_at_end)),
             ContainsSubstring("its group has not been waited for"));
  const auto open = found_at_mbarriers(store + "cp.async.bulk.wait_group.read 0;\nover:\n");
  CHECK_THAT(sim::sentence(one_at_mbarriers(open, sim::FindingKind::use_after_free, 14,
                                            sim::Cure::wait_for_bulk_reads_at_end)),
             ContainsSubstring("has not been committed"));
}

TEST_CASE("setmaxnreg is for whole warpgroups, and for registers that there are") {
  const std::string bounds = ".maxntid 384\n.minnctapersm 1";
  const auto asks = [](int less, int more) {
    return "setp.lt.u32 %p2, %t, 128; @%p2 bra first;" + line(12) + "setmaxnreg.inc.sync.aligned.u32 " +
           std::to_string(more) + "; bra over;\nfirst:" + line(14) + "setmaxnreg.dec.sync.aligned.u32 " +
           std::to_string(less) + ";\nover:\n";
  };
  nothing_at_mbarriers(found_at_mbarriers(asks(40, 232), 384, bounds));
  const auto greedy = found_at_mbarriers(asks(80, 224), 384, bounds);
  CHECK_THAT(
      sim::sentence(
          one_at_mbarriers(greedy, sim::FindingKind::launch, 12, sim::Cure::registers_within_budget)),
      ContainsSubstring("starts with 168 a thread, 64512 in all, and its warps ask for 67584 (warps 0-3 80, "
                        "warps 4-11 224 a thread)"));
  nothing_at_mbarriers(found_at_mbarriers(asks(40, 232), 384, ".maxnreg 168"));

  const auto partly = found_at_mbarriers(
      "@!%p1 bra over;" + line(12) + "setmaxnreg.dec.sync.aligned.u32 40;\nover:\n", 256, bounds);
  CHECK_THAT(sim::sentence(one_at_mbarriers(partly, sim::FindingKind::mask, 12, sim::Cure::whole_warpgroup)),
             ContainsSubstring("Warp 0 executes setmaxnreg.dec 40 at line 12, and warp 1 does not"));

  const auto ignored = found_at_mbarriers(asks(40, 232), 384, ".maxntid 384");
  CHECK(one_at_mbarriers(ignored, sim::FindingKind::launch, 14, sim::Cure::none).severity ==
        sim::Severity::note);
}
