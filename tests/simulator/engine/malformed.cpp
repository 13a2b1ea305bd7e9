// PTX that is well-formed and makes no sense: every case ends in a finding that names the instruction, or in
// a ParseError, before anything runs.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/simulator/engine/exec_support.h"

using Catch::Matchers::ContainsSubstring;
using sim::test::Device;
using sim::test::kernel_text;

namespace {

/// What is said of a kernel with this body; "" when it runs.
std::string refusal(const std::string& body, const std::string& before = "") {
  const std::string text = kernel_text(".param .u64 out, .param .u32 n", R"(
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<9>;
  .reg .b64 %d<9>;
)" + body);
  try {
    std::string module = text;
    module.insert(text.find(".visible"), before);
    Device device(module);
    device.shape.instruction_limit = 100000;
    device.run("k", device.upload(std::vector<unsigned>(64)), 5);
  } catch (const sim::exec::Fault& f) {
    return f.what();
  } catch (const sim::ptx::ParseError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("operands of the wrong type, number or kind are refused by name") {
  CHECK_THAT(refusal("st.shared.u32 [%p1], %r1;"), ContainsSubstring("%p1 cannot hold an address"));
  CHECK_THAT(refusal("ld.global.u32 %r1, [%r2];"), ContainsSubstring("ld.global.u32"));
  CHECK_THAT(refusal("ld.global.u32 %r1, [%h2];"), ContainsSubstring("%h2 cannot hold an address"));
  CHECK_THAT(refusal("add.u32 %r1, %d2, 1;"), ContainsSubstring("add.u32"));
  CHECK_THAT(refusal("add.u32 %r1, %p2, 1;"), ContainsSubstring("add.u32"));
  CHECK_THAT(refusal("add.u32 %r1, 1;"), ContainsSubstring("add.u32"));
  CHECK_THAT(refusal("ld.global.v2.u32 {%r1, %d1}, [%d2];"), ContainsSubstring("differ in width"));
  CHECK_THAT(refusal("st.global.v2.u16 [%d2], {%h1, %tid.x};"), ContainsSubstring("st.global"));
  CHECK_THAT(refusal("mov.u32 %r1, %clock64;"), ContainsSubstring("differ in width"));
  CHECK_THAT(refusal("add.u32 %r1, %r2, %clock;"), ContainsSubstring("%clock"));
  CHECK_THAT(refusal("frobnicate.u32 %r1, %r2;"), ContainsSubstring("frobnicate.u32"));
  CHECK_THAT(refusal("ld.global.v4.u32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%d2];"),
             ContainsSubstring("ld.global"));
}

TEST_CASE("jumps and calls to nowhere are refused") {
  CHECK_THAT(refusal("bra $nowhere;"), ContainsSubstring("$nowhere"));
  CHECK_THAT(refusal("bra %r1;"), ContainsSubstring("label"));
  CHECK_THAT(refusal("bra {};"), ContainsSubstring("label"));
  CHECK_THAT(refusal("brx.idx %r1, {%r2, 5};"), ContainsSubstring("label"));
  CHECK_THAT(refusal("call %r1;"), ContainsSubstring("64 bits"));
  CHECK_THAT(refusal("call 5;"), ContainsSubstring("no function"));
  CHECK_THAT(refusal("call vprintf;", ".extern .func vprintf(.param .b64 a);\n"),
             ContainsSubstring("vprintf"));
  CHECK_THAT(refusal("add.u32 %q1, %r1, %r2;"), ContainsSubstring("%q1"));
}

TEST_CASE("parameters are read inside their bytes and into registers that hold them") {
  CHECK(refusal("ld.param.u32 %r1, [n];") == "");
  CHECK_THAT(refusal("ld.param.u32 %r1, [n+4];"), ContainsSubstring("beyond the parameter"));
  CHECK_THAT(refusal("ld.param.u32 %r1, [n+-8];"), ContainsSubstring("beyond the parameter"));
  CHECK_THAT(refusal("ld.param.v2.u64 {%d1, %d2}, [out];"), ContainsSubstring("beyond the parameter"));
  CHECK_THAT(refusal("ld.param.u32 %p1, [n];"), ContainsSubstring("of another type"));
  CHECK_THAT(refusal("ld.param.u64 %r1, [out];"), ContainsSubstring("of another type"));
  const std::string area = ".param .b32 a;\n";
  CHECK(refusal(area + "st.param.b32 [a], %r1;") == "");
  CHECK_THAT(refusal(area + "st.param.b32 [a+8], %r1;"), ContainsSubstring("beyond the parameter"));
  CHECK_THAT(refusal(area + "st.param.b32 [a+-4], %r1;"), ContainsSubstring("beyond the parameter"));
  CHECK_THAT(refusal(area + "st.global.b32 [a], %r1;"), ContainsSubstring("st.global.b32"));
}

TEST_CASE("memory that no GPU has is refused, not reserved") {
  CHECK_THAT(refusal(".local .b8 l[4294967296];"), ContainsSubstring("local memory"));
  CHECK_THAT(refusal(".local .b8 l[4294967297];"), ContainsSubstring("local memory"));
  CHECK_THAT(refusal(".shared .b8 s[4294967300];"), ContainsSubstring("shared memory"));
  CHECK_THAT(refusal(".shared .b8 s[200000];\n.shared .b8 t[200000];"), ContainsSubstring("shared memory"));
  CHECK_THAT(refusal(".param .b8 a[1099511627776];"), ContainsSubstring("parameters of functions"));
  CHECK_THAT(refusal(".shared .pred s[];"), ContainsSubstring("without a size"));
  CHECK_THAT(refusal(".shared .b8 s[9223372036854775807][9];"), ContainsSubstring("too large"));
  CHECK_THROWS_AS(refusal("ret;", ".global .b8 g[1099511627776];\n"), std::bad_alloc);
}

TEST_CASE("a chain of functions as long as the text allows is no recursion of the decoder") {
  std::string functions = ".func f0() { ret; }\n";
  for (int i = 1; i <= 20000; ++i)
    functions += ".func f" + std::to_string(i) + "() { call f" + std::to_string(i - 1) + "; ret; }\n";
  CHECK(refusal("call f9; ret;", functions) == "");
}

TEST_CASE("recursion without end is reported as a stack that overflows") {
  const std::string text = refusal("call f; ret;", ".func f()\n{ .local .b8 l[64]; call f; ret; }\n");
  CHECK_THAT(text, ContainsSubstring("recursion is too deep"));
}

TEST_CASE("recursion without end and without local memory is reported too") {
  const std::string text = refusal("call f; ret;", ".func f()\n{ call f; ret; }\n");
  CHECK_THAT(text, ContainsSubstring("recursion is too deep"));
}
