// Device functions: arguments and results, divergence inside,
// recursion, pointers to functions, built-in functions.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/exec_support.h"

using sim::test::Device;

namespace {

const std::string kHeadOfCalls = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::vector<unsigned> outcome(const std::string& functions, const std::string& body, unsigned threads = 32) {
  Device device(kHeadOfCalls + functions + R"(
.visible .entry k(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %t, %v, %a;
  .reg .b64 %o, %f;
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %o, %t, 4, %o;
)" + body + R"(
  st.global.u32 [%o], %v;
  ret;
})");
  device.shape.block = {threads, 1, 1};
  const auto out = device.upload(std::vector<unsigned>(threads));
  device.run("k", out);
  return device.download<unsigned>(out, threads);
}

/// Calls @p function(%t) into %v.
std::string call(const std::string& function, const std::string& prototype = "") {
  return "{ .param .b32 x; .param .b32 r; st.param.b32 [x+0], %t; call.uni (r), " + function + ", (x)" +
         prototype + "; ld.param.b32 %v, [r+0]; }\n";
}

const std::string kSquare = R"(
.func (.param .b32 r) square(.param .b32 x)
{
  .reg .b32 %a;
  ld.param.u32 %a, [x];
  mul.lo.u32 %a, %a, %a;
  st.param.b32 [r+0], %a;
  ret;
}
)";

// fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2), every lane to its own depth.
const std::string kFibonacci = R"(
.func (.param .b32 r) fib(.param .b32 x)
{
  .reg .pred %p;
  .reg .b32 %a, %b, %c;
  ld.param.u32 %a, [x];
  setp.lt.u32 %p, %a, 2;
  @%p bra $leaf;
  sub.u32 %b, %a, 1;
  { .param .b32 y; .param .b32 s; st.param.b32 [y+0], %b; call.uni (s), fib, (y); ld.param.b32 %c, [s+0]; }
  sub.u32 %b, %a, 2;
  { .param .b32 y; .param .b32 s; st.param.b32 [y+0], %b; call.uni (s), fib, (y); ld.param.b32 %b, [s+0]; }
  add.u32 %a, %b, %c;
$leaf:
  st.param.b32 [r+0], %a;
  ret;
}
)";

}  // namespace

TEST_CASE("a function gets its arguments and gives its result, lane by lane") {
  const auto v = outcome(kSquare, call("square"), 50);
  for (unsigned i = 0; i < 50; ++i) CHECK(v[i] == i * i);
}

TEST_CASE("lanes recurse to their own depth") {
  const auto v = outcome(kFibonacci, "rem.u32 %t, %t, 13;\n" + call("fib"));
  const unsigned fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == fib[i % 13]);
}

TEST_CASE("a recursion without end is a stack overflow, not a crash") {
  const std::string endless = R"(
.func (.param .b32 r) down(.param .b32 x)
{
  .reg .b32 %a;
  .local .align 8 .b8 depot[256];
  ld.param.u32 %a, [x];
  { .param .b32 y; .param .b32 s; st.param.b32 [y+0], %a; call.uni (s), down, (y); ld.param.b32 %a, [s+0]; }
  st.param.b32 [r+0], %a;
  ret;
}
)";
  try {
    outcome(endless, call("down"));
    FAIL("ran");
  } catch (const sim::exec::Fault& f) {
    CHECK_THAT(f.what(), Catch::Matchers::ContainsSubstring("stack"));
  }
}

TEST_CASE("lanes call different functions through a pointer") {
  const std::string table = kSquare + R"(
.func (.param .b32 r) plus(.param .b32 x)
{
  .reg .b32 %a;
  ld.param.u32 %a, [x];
  add.u32 %a, %a, 1000;
  st.param.b32 [r+0], %a;
  ret;
}
.global .align 8 .u64 table[2] = {square, plus};
)";
  const auto v = outcome(
      table,
      "and.b32 %a, %t, 1;\n mov.u64 %f, table;\n mad.wide.u32 %f, %a, 8, %f;\n ld.global.u64 %f, [%f];\n"
      "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n" +
          call("%f", ", proto"));
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == (i % 2 ? i + 1000 : i * i));
}

TEST_CASE(
    "a call through a null pointer is told apart from one through another pointer that is no function") {
  const auto said = [](const std::string& pointer) -> std::string {
    try {
      outcome(kSquare, "mov.u64 %f, " + pointer +
                           ";\n proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n" +
                           call("%f", ", proto"));
    } catch (const sim::exec::Fault& fault) {
      return to_string(fault.finding.kind) + std::string(": ") + sim::sentence(fault.finding);
    }
    return "";
  };
  CHECK(said("0") == "out-of-bounds: a call through a null pointer, which is no device function.");
  CHECK(said("4096") == "out-of-bounds: a call through a pointer that is no device function.");
}

TEST_CASE("lanes that enter a function late reconverge with the others inside") {
  const std::string reconverges = R"(
.func (.param .b32 r) total(.param .b32 x)
{
  .reg .b32 %a;
  ld.param.u32 %a, [x];
  redux.sync.add.u32 %a, %a, -1;
  st.param.b32 [r+0], %a;
  ret;
}
)";
  // The lanes below 7 loop before they call.
  const auto v = outcome(reconverges, R"(
  mov.u32 %a, 0;
  setp.ge.u32 %p, %t, 7;
  @%p bra $call;
$loop:
  add.u32 %a, %a, 1;
  setp.lt.u32 %p, %a, 50;
  @%p bra $loop;
$call:
)" + call("total"));
  for (unsigned x : v) CHECK(x == 496);
}

TEST_CASE("device malloc gives memory, free takes it, and a second free is a fault") {
  const std::string heap =
      ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
  const std::string take =
      "{ .param .b64 n; .param .b64 r; mov.u64 %f, 16; st.param.b64 [n+0], %f; call.uni (r), malloc, (n); "
      "ld.param.b64 %f, [r+0]; }\n st.u32 [%f+12], %t;\n ld.u32 %v, [%f+12];\n";
  const std::string give = "{ .param .b64 p; st.param.b64 [p+0], %f; call.uni free, (p); }\n";
  const auto v = outcome(heap, take + give);
  for (unsigned i = 0; i < 32; ++i) CHECK(v[i] == i);
  try {
    outcome(heap, take + give + give);
    FAIL("ran");
  } catch (const sim::exec::Fault& f) {
    CHECK(f.finding.kind == sim::FindingKind::free);
  }
}

TEST_CASE("a kernel that launches kernels is told what the simulator lacks") {
  try {
    outcome(".extern .func __cudaCDP2Free(.param .b64 p);\n",
            "{ .param .b64 p; st.param.b64 [p+0], %f; call.uni __cudaCDP2Free, (p); }\n");
    FAIL("ran");
  } catch (const sim::exec::Fault& f) {
    CHECK(f.finding.kind == sim::FindingKind::unsupported);
    CHECK(sim::sentence(f.finding).find("dynamic parallelism") != std::string::npos);
  }
  try {
    outcome(".visible .entry child()\n{\n  ret;\n}\n", "mov.u64 %f, child;\n");
    FAIL("ran");
  } catch (const sim::exec::Fault& f) {
    CHECK(f.finding.kind == sim::FindingKind::unsupported);
    CHECK(sim::sentence(f.finding).find("dynamic parallelism") != std::string::npos);
  }
}
