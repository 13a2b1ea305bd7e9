// Asynchronous copies that have not been waited for: why, and what mends it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using namespace findings_test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kCopy = line(20) + "cp.async.ca.shared.global [%s], [%g], 4;";
const std::string kRead = line(24) + "ld.shared.u32 %r1, [%s];";

sim::Finding only(const std::string& body, unsigned blocks = 1) {
  const auto found = examine(kernel(body), blocks, 32);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  return found[0];
}

}  // namespace

TEST_CASE("a copy whose group was never committed is told so, for no wait covers it") {
  const sim::Finding found = only(kCopy + "cp.async.wait_group 0;" + kRead);
  CHECK(found.cure.kind == sim::Cure::commit_copies);
  CHECK_THAT(sim::sentence(found), ContainsSubstring("is in no group yet"));
}

TEST_CASE("a wait that leaves too many groups under way is told how many it may leave") {
  const sim::Finding found =
      only(kCopy + "cp.async.commit_group; cp.async.commit_group;" + "cp.async.wait_group 2;" + kRead);
  CHECK(found.cure.kind == sim::Cure::wait_for_copy);
  CHECK_THAT(sim::sentence(found), ContainsSubstring("has committed 1 group since") &&
                                       ContainsSubstring("leaves no more than 1 under way"));
}

TEST_CASE("a block that ends while its copy is under way is told, and which block its memory goes to") {
  const sim::Finding found = only(kCopy + "cp.async.commit_group;", 2);
  CHECK(found.cure.kind == sim::Cure::wait_for_copies_at_end);
  REQUIRE(found.other);
  CHECK(found.other->block != found.block);
  CHECK_THAT(sim::sentence(found), ContainsSubstring("Block (0,0,0) has ended while the asynchronous copy") &&
                                       ContainsSubstring("block (1,0,0)'s now"));
}
