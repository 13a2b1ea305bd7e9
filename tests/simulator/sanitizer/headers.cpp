// Accesses in functions of a header: the call that leads there is told, and the header's line beside it.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/json.h"
#include "simulator/report/wording/words.h"
#include "tests/simulator/sanitizer/support.h"

using namespace findings_test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A line of a function in tile.h that is inlined at a line of user.cu.
std::string inlined(int in_header, int call) {
  return "\n  .loc 2 " + std::to_string(in_header) + " 1, function_name $L, inlined_at 1 " +
         std::to_string(call) + " 1\n  ";
}

std::vector<sim::Finding> examine_with_header(const std::string& body) {
  return examine(kernel(body) + ".file 2 \"tile.h\"\n", 1, 64);
}

const std::string kStore = "st.shared.u32 [%s], %t;", kLoadNextWarp = "ld.shared.u32 %r1, [%s+128];";

}  // namespace

TEST_CASE("a race between functions of a header is told by the lines that call them") {
  const auto found =
      examine_with_header(line(15) + "setp.lt.u32 %p1, %t, 32; @%p1 bra READ;" + inlined(3, 20) + kStore +
                          line(30) + "ret; READ:" + inlined(7, 21) + kLoadNextWarp);
  REQUIRE(found.size() == 1);
  CHECK(found[0].file == "user.cu");
  CHECK(found[0].inside.file == "tile.h");
  REQUIRE(found[0].other);
  CHECK(found[0].line + found[0].other->line == 20 + 21);
  CHECK_THAT(sim::sentence(found[0]),
             ContainsSubstring("line 20 (tile.h:3)") && ContainsSubstring("line 21 (tile.h:7)"));
  const auto told = sim::findings_from(sim::findings_text(found));
  REQUIRE(told);
  CHECK(told->at(0).inside == found[0].inside);
  CHECK(told->at(0).other->inside == found[0].other->inside);
}

TEST_CASE("of an access that is wrong by itself the header's line stands beside block and thread") {
  const auto found = examine_with_header(inlined(5, 22) + "st.shared.u32 [%s+1024], %t;");
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 22);
  CHECK(found[0].inside == sim::SourceLine{"tile.h", 5});
  CHECK_THAT(sim::finding_headline(found[0]), ContainsSubstring("at user.cu:22"));
  CHECK_THAT(sim::finding_detail(found[0]), ContainsSubstring("thread (0,0,0), in tile.h:5"));
}

TEST_CASE("a kernel that is in a header itself has its findings there") {
  const auto found =
      examine(kernel("\n.loc 2 5 1\nst.shared.u32 [%s+1024], %t;") + ".file 2 \"tile.h\"\n", 1, 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].file == "tile.h");
  CHECK(found[0].line == 5);
  CHECK(found[0].inside.line == 0);
}
