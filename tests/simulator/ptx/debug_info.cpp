// Local variables as a build for debuggers describes them, and the room that is put between them.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "simulator/engine/shared_name.h"
#include "simulator/ptx/local_redzones.h"
#include "tests/simulator/ptx/debug_info_support.h"

using namespace sim::ptx;

namespace {

struct Framed {
  Module module;
  Locals locals;
  const std::vector<LocalVariable>& own() { return locals["k"]; }
};

/// A function whose frame holds int a[4] and int b[4]; its body uses %SP, the frame's start.
Framed framed(const std::string& body, const std::string& sections = sim::test::two_arrays("frame")) {
  const std::string text =
      (".version 9.0\n.target sm_80, debug\n.address_size 64\n.visible .entry k()\n{\n"
       ".local .align 16 .b8 frame[32];\n.reg .b64 %SP, %SPL, %r<8>;\n.reg .b32 %w<4>;\n"
       "mov.u64 %SPL, frame;\ncvta.local.u64 %SP, %SPL;\n" +
       body + "\nret;\n}\n" + sections);
  Module module = parse(text);
  Locals locals = read_debug_info(text, module);
  return {std::move(module), std::move(locals)};
}

std::uint64_t immediate(const Module& m, std::size_t instruction) {
  return std::get<Immediate>(m.functions[0].body[instruction].operands[2].value).bits;
}

std::int64_t offset(const Module& m, std::size_t instruction, std::size_t operand) {
  return std::get<Address>(m.functions[0].body[instruction].operands[operand].value).offset;
}

}  // namespace

TEST_CASE("a build for debuggers tells which arrays a frame holds") {
  Framed f = framed("");
  REQUIRE(f.own().size() == 2);
  const LocalVariable &a = f.own()[0], &b = f.own()[1];
  CHECK(a.name == "a");
  CHECK(a.offset == 0);
  CHECK(a.size == 16);
  CHECK(a.element == 4);
  CHECK(a.plain);
  CHECK(b.name == "b");
  CHECK(b.offset == 16);
  CHECK(b.size == 16);
}

TEST_CASE("debugging information that makes no sense is left out, whatever it is cut to") {
  const std::string whole = sim::test::two_arrays("frame");
  Module module = framed("").module;
  CHECK(read_debug_info(whole, module).at("k").size() == 2);
  for (std::size_t length = 0; length + 3 < whole.size(); ++length)
    CHECK(read_debug_info(whole.substr(0, length), module).empty());
  std::string wrong = whole;
  wrong.replace(wrong.find("52"), 2, "99");  // a tag that nobody knows
  CHECK(framed("", wrong).own().empty());
}

TEST_CASE("variables of a frame are moved apart with all that names them") {
  Framed both = framed(
      "add.u64 %r1, %SP, 0;\nadd.u64 %r2, %SP, 16;\nst.u32 [%SP+20], %w1;\nld.v2.u32 {%w1, %w2}, [%SP+8];\n"
      "st.u32 [%r2+4], %w1;");
  Module& m = both.module;
  insert_local_redzones(m, both.locals);
  CHECK(both.own()[0].room == 32);
  CHECK(both.own()[1].offset == 48);
  CHECK(m.functions[0].variables[0].size == 96);
  CHECK(immediate(m, 2) == 0);
  CHECK(immediate(m, 3) == 48);
  CHECK(offset(m, 4, 0) == 52);
  CHECK(offset(m, 5, 1) == 8);
  CHECK(offset(m, 6, 0) == 4);  // relative to b
}

TEST_CASE("a frame that is used in unforeseen ways stays as it is") {
  for (const char* use :
       {"add.u64 %r1, %SP, %r2;", "sub.u64 %r1, %r2, %SP;", "st.u64 [%r1], %SP;", "ld.u32 %w1, [frame+16];",
        "mov.u64 %SP, %r1;", "add.u64 %SP, %SP, 16;", "st.u32 [%SP+40], %w1;"}) {
    INFO(use);
    Framed f = framed(std::string("add.u64 %r3, %SP, 16;\n") + use);
    insert_local_redzones(f.module, f.locals);
    CHECK(f.module.functions[0].variables[0].size == 32);
    CHECK(f.own()[1].offset == 16);
    CHECK(f.own()[0].room == 0);
    CHECK(immediate(f.module, 2) == 16);
  }
}

TEST_CASE("a variable in shared memory gets its type: an array's extents and a structure's members") {
  // short a[2][3] and int b at 12, in a structure called t of 16 bytes, of which an array of 2 is shared.
  const std::string text = R"(.version 9.0
.target sm_80, debug
.address_size 64
.shared .align 4 .b8 t[32];
.section .debug_abbrev
{
.b8 1, 52, 0, 2, 10, 3, 8, 73, 19, 0, 0
.b8 2, 1, 1, 73, 19, 0, 0
.b8 3, 33, 0, 55, 11, 0, 0
.b8 4, 36, 0, 3, 8, 11, 11, 0, 0
.b8 5, 17, 1, 0, 0
.b8 6, 19, 1, 11, 11, 0, 0
.b8 7, 13, 0, 3, 8, 73, 19, 56, 10, 0, 0
.b8 0
}
.section .debug_info
{
.b32 77
.b8 2, 0
.b32 .debug_abbrev
.b8 8
.b8 5
.b8 4, 105, 110, 116, 0, 4
.b8 4, 115, 0, 2
.b8 2
.b32 18
.b8 3, 2
.b8 3, 3
.b8 0
.b8 6, 16
.b8 7, 97, 0
.b32 22
.b8 2, 35, 0
.b8 7, 98, 0
.b32 12
.b8 2, 35, 12
.b8 0
.b8 2
.b32 32
.b8 3, 2
.b8 0
.b8 1, 9, 3
.b64 t
.b8 116, 0
.b32 55
.b8 0
}
)";
  Module module = parse(text);
  read_debug_info(text, module);
  const auto& type = module.variables.at(0).type_in_source;
  REQUIRE(type != nullptr);
  const sim::exec::SharedVariable shared{"t", 0, 32, type};
  CHECK(sim::exec::element_name(shared, 0, 2) == "t[0].a[0][0]");
  CHECK(sim::exec::element_name(shared, 16 + 10, 2) == "t[1].a[1][2]");
  CHECK(sim::exec::element_name(shared, 12, 4) == "t[0].b");
  CHECK(sim::exec::element_name(shared, -16, 16) == "t[-1]");
  CHECK(sim::exec::extent_in_words(shared, 4) == "t has 2 elements");
}
