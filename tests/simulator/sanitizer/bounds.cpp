// Accesses that leave the variable or the buffer that they mean.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/ptx/debug_info_support.h"
#include "tests/simulator/sanitizer/support.h"

using namespace findings_test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// int a[4] and int b[4] in one frame; %a and %e are the addresses of a[%t] and b[%t].
std::string with_arrays(const std::string& body) {
  return kernel(R"(
  .local .align 16 .b8 frame[32];
  .reg .b64 %SP, %SPL, %a, %e, %o;
  mov.u64 %SPL, frame;
  cvta.local.u64 %SP, %SPL;
  mul.wide.u32 %o, %t, 4;
  add.u64 %a, %SP, 0;
  add.u64 %a, %a, %o;
  add.u64 %e, %SP, 16;
  add.u64 %e, %e, %o;
)" + body) +
         sim::test::two_arrays("frame");
}

}  // namespace

TEST_CASE("a local array that runs into its neighbour is told by name") {
  const auto found = examine(with_arrays(line(20) + "st.u32 [%a], %t;"), 1, 6);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::out_of_bounds);
  CHECK(found[0].space == sim::MemorySpace::local);
  CHECK(found[0].access == sim::AccessKind::write);
  CHECK(found[0].size == 4);
  CHECK(found[0].line == 20);
  CHECK(found[0].symbol == "a[4]");
  CHECK(found[0].thread == sim::Index3{4, 0, 0});
  CHECK(found[0].count == 2);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("local array a, which has 16 bytes"));
}

TEST_CASE("an index below zero of a local array is told, too") {
  const auto found = examine(with_arrays(line(20) + "st.u32 [%e+-4], %t;"), 1, 2);
  REQUIRE(found.size() == 1);
  CHECK(found[0].symbol == "b[-1]");
}

TEST_CASE("every element of two local arrays side by side can be used") {
  CHECK(examine(with_arrays(line(20) + "st.u32 [%a], %t; st.u32 [%e], %t; ld.u32 %r1, [%a]; "
                                       "ld.u32 %r2, [%e]; st.global.u32 [%g], %r2;"),
                1, 4)
            .empty());
}

TEST_CASE("an element of a local array that nobody wrote is told when it is stored, and named") {
  const auto found = examine(with_arrays(line(20) + "st.u32 [%SP], %t;" + line(21) +
                                         "ld.u32 %r1, [%SP+4]; st.global.u32 [%g], %r1;"),
                             1, 4);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::uninitialized);
  CHECK(found[0].space == sim::MemorySpace::local);
  CHECK(found[0].line == 21);
  CHECK(found[0].symbol == "a[1]");
}

TEST_CASE("a store of a structure, which is made of several instructions, is one access") {
  std::string ptx = kernel(".reg .b64 %x;" + line(20) +
                           "add.s64 %x, %g, 4096; st.global.u32 [%x+8], %t; st.global.u32 [%x+4], %t; "
                           "st.global.u32 [%x], %t;");
  const std::string target = ".target sm_90";
  ptx.insert(ptx.find(target) + target.size(), ", debug");
  const auto found = examine(ptx, 1, 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::out_of_bounds);
  CHECK(found[0].count == 3);
  CHECK(found[0].nth == 1);
  CHECK(found[0].of == 1);
}

TEST_CASE("of a vector that the check build stores in parts the whole is told to be misaligned") {
  const auto ptx = [](const std::string& stores) {
    return kernel("\n.reg .b32 %q; mov.u32 %q, s; mad.lo.u32 %q, %t, 18, %q;" + line(20) + stores);
  };
  const auto found = examine_shaped(
      ptx("st.shared.u32 [%q+12], %t; st.shared.u32 [%q+8], %t; st.shared.u32 [%q+4], %t; st.shared.u32 "
          "[%q], %t;"),
      1, {2, 1, 1}, 1024, ptx("st.shared.v4.u32 [%q], {%t, %t, %t, %t};"));
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == sim::FindingKind::misaligned);
  CHECK(found[0].size == 16);
  CHECK_THAT(
      sim::sentence(found[0]),
      ContainsSubstring("16 bytes") && ContainsSubstring("at address 0x12, which is not a multiple of 16"));
}

TEST_CASE("an access to dynamic shared memory of which the launch gives none is told so") {
  std::string ptx = kernel(line(20) + "st.shared.u32 [%s], %t;");
  const std::string own = ".shared .align 4 .b8 s[1024];";
  ptx.erase(ptx.find(own), own.size());
  ptx.insert(ptx.find(".visible"), ".extern .shared .align 16 .b8 s[];\n");
  const auto found = examine(ptx, 1, 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::out_of_bounds);
  CHECK(found[0].count == 3);
  CHECK(found[0].nth == 1);
  CHECK(found[0].of == 1);
}

TEST_CASE("of a vector that the check build stores in parts the whole is told to be misaligned") {
  const auto ptx = [](const std::string& stores) {
    return kernel("\n.reg .b32 %q; mov.u32 %q, s; mad.lo.u32 %q, %t, 18, %q;" + line(20) + stores);
  };
  const auto found = examine_shaped(
      ptx("st.shared.u32 [%q+12], %t; st.shared.u32 [%q+8], %t; st.shared.u32 [%q+4], %t; st.shared.u32 "
          "[%q], %t;"),
      1, {2, 1, 1}, 1024, ptx("st.shared.v4.u32 [%q], {%t, %t, %t, %t};"));
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].kind == sim::FindingKind::misaligned);
  CHECK(found[0].size == 16);
  CHECK_THAT(
      sim::sentence(found[0]),
      ContainsSubstring("16 bytes") && ContainsSubstring("at address 0x12, which is not a multiple of 16"));
}

TEST_CASE("an access to dynamic shared memory of which the launch gives none is told so") {
  const std::string text = kernel(line(20) + "mov.u32 %r1, tiles; st.shared.u32 [%r1], %t;");
  std::string ptx = text;
  ptx.insert(ptx.find(".visible"), ".extern .shared .align 16 .b8 tiles[];\n");
  ptx.replace(ptx.find(".shared .align 4 .b8 s[1024];"), 29, ".shared .align 4 .b8 s[16];");
  const auto found = examine(ptx, 1, 1);
  REQUIRE(found.size() == 1);
  CHECK(found[0].cure.kind == sim::Cure::give_shared_bytes);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("asks for 0 bytes of dynamic shared memory"));
}
