// Function bodies of the PTX parser: instructions, operands, scopes, labels, calls.
#include <catch2/catch_test_macros.hpp>
#include <string>

#include "simulator/ptx/program.h"

using namespace sim::ptx;

namespace {

constexpr const char* kRegisters =
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 "
    "%fd<9>;\n";

Module kernel(const std::string& body, const std::string& before = "") {
  return parse(".version 8.4\n.target sm_80\n.address_size 64\n" + before +
               "\n.entry k(.param .u64 k_param_0) {\n" + kRegisters + body + "\nret;\n}\n");
}

Instruction one(const std::string& text, const std::string& before = "") {
  return kernel(text, before).find("k")->body.at(0);
}

template <class T>
T operand(const Instruction& instruction, std::size_t index) {
  return std::get<T>(instruction.operands.at(index).value);
}

}  // namespace

TEST_CASE("an instruction splits into opcode, qualifiers and operands") {
  const Module module = kernel("@!%p1 ld.global.nc.L1::no_allocate.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];");
  const Function& k = *module.find("k");
  const Instruction& i = k.body[0];
  CHECK(i.opcode == "ld");
  CHECK(i.mnemonic() == "ld.global.nc.L1::no_allocate.v4.f32");
  CHECK(k.registers[i.guard.predicate].name == "%p1");
  CHECK(i.guard.negated);
  const auto vector = operand<VectorUse>(i, 0);
  REQUIRE(vector.elements.size() == 4);
  CHECK(std::holds_alternative<SinkUse>(vector.elements[2].value));
  const auto address = operand<Address>(i, 1);
  CHECK(address.offset == -16);
  CHECK(std::holds_alternative<RegisterUse>(address.base));
}

TEST_CASE("qualifiers that inline assembly writes in another order get nvcc's order") {
  CHECK(one("atom.add.release.gpu.u32 %r1, [%rd1], %r2;").mnemonic() == "atom.release.gpu.add.u32");
  CHECK(one("red.or.relaxed.cta.global.b32 [%rd1], %r2;").mnemonic() == "red.relaxed.cta.global.or.b32");
  CHECK(one("vote.ballot.sync.b32 %r1, %p1, -1;").mnemonic() == "vote.sync.ballot.b32");
}

TEST_CASE("what a range of registers costs does not depend on the number in it") {
  const Module module = parse(
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .f32 %f<900000000>;\n"
      "add.f32 %f899999999, %f3, %f3;\nadd.f32 %f3, %f70, %f899999999;\nadd.f32 %f70, %f70, %f3;\n}\n");
  CHECK(module.find("k")->registers.size() == 3);
  CHECK(module.find("k")->registers[0].name == "%f899999999");
}

TEST_CASE("registers of a range resolve to their declared numbers and types") {
  const Module module = kernel("add.s32 %r7, %r0, %r19;");
  const Function& k = *module.find("k");
  const auto target = operand<RegisterUse>(k.body[0], 0).index;
  CHECK(k.registers[target].name == "%r7");
  CHECK(k.registers[target].type == Type::b32);
  CHECK_THROWS_AS(kernel("add.s32 %r7, %r0, %r20;"), ParseError);
  CHECK_THROWS_AS(kernel("add.s32 %r7, %r0, %r07;"), ParseError);
}

TEST_CASE("immediates of every kind keep their bits and type") {
  const auto bits = [](const std::string& text) {
    return operand<Immediate>(one("mov.b64 %rd1, " + text + ";"), 1);
  };
  CHECK(bits("42").bits == 42);
  CHECK(bits("-1").bits == ~0ull);
  CHECK(bits("0xDEADBEEF").bits == 0xDEADBEEF);
  CHECK(bits("0xffffffffffffffff").bits == ~0ull);
  CHECK(bits("017").bits == 15);
  CHECK(bits("0b101").bits == 5);
  CHECK(bits("0").bits == 0);
  CHECK(bits("3U").type == Type::u64);
  CHECK(bits("0x1FU").bits == 31);
  CHECK(bits("0f3F800000").bits == 0x3F800000);
  CHECK(bits("0f3F800000").type == Type::f32);
  CHECK(bits("-0f3F800000").bits == 0xBF800000);
  CHECK(bits("0d3FF0000000000000").bits == 0x3FF0000000000000);
  CHECK(bits("0d3FF0000000000000").type == Type::f64);
  CHECK(bits("1.0").bits == 0x3FF0000000000000);
  CHECK(bits("-9223372036854775808").bits == 0x8000000000000000);
  CHECK(bits("WARP_SZ").bits == 32);
}

TEST_CASE("second destinations, negated predicates and special registers are operands") {
  const Module module = kernel("shfl.sync.down.b32 %r1|%p2, %r3, 16, 31, -1;");
  const Function& k = *module.find("k");
  REQUIRE(k.body[0].operands[0].paired);
  const int paired = std::get<RegisterUse>(k.body[0].operands[0].paired->value).index;
  CHECK(k.registers[paired].name == "%p2");
  const Instruction setp = one("setp.lt.and.f32 %p1|%p2, %f1, %f2, !%p3;");
  CHECK(operand<RegisterUse>(setp, 3).negated);
  CHECK(operand<SpecialRegister>(one("mov.u32 %r1, %tid.x;"), 1).name == "%tid.x");
  CHECK(operand<SpecialRegister>(one("mov.u32 %r1, %laneid;"), 1).name == "%laneid");
  CHECK(operand<SpecialRegister>(one("mov.u32 %r1, %envreg2;"), 1).name == "%envreg2");
  CHECK_THROWS_AS(one("mov.u32 %r1, %nonsense;"), ParseError);
}

TEST_CASE("addresses take registers, symbols, parameters and absolute numbers") {
  const auto address = [](const std::string& text) {
    return operand<Address>(one("ld.b64 %rd1, " + text + ";", ".global .u32 counter;"), 1);
  };
  CHECK(std::get<SymbolUse>(address("[counter+8]").base).name == "counter");
  CHECK(address("[counter+8]").offset == 8);
  CHECK(std::get<SymbolUse>(address("[k_param_0]").base).name == "k_param_0");
  CHECK(std::holds_alternative<std::monostate>(address("[16]").base));
  CHECK(address("[%rd1-4]").offset == -4);
  CHECK_THROWS_AS(address("[unknown]"), ParseError);
}

TEST_CASE("a symbol may be a value, with an offset") {
  const auto symbol = operand<SymbolUse>(one("mov.u64 %rd1, counter+4;", ".global .u32 counter[4];"), 1);
  CHECK(symbol.name == "counter");
  CHECK(symbol.offset == 4);
}

TEST_CASE("texture operands keep the list inside the brackets") {
  const Instruction tex = one("tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];");
  CHECK(tex.mnemonic() == "tex.2d.v4.f32.f32");
  const auto list = operand<BracketList>(tex, 1);
  REQUIRE(list.elements.size() == 2);
  CHECK(std::get<VectorUse>(list.elements[1].value).elements.size() == 2);
}

TEST_CASE("labels resolve forwards, backwards and to the end of the body") {
  const Module module = parse(
      ".version 8.0\n.target sm_80\n.entry k() {\n.reg .pred %p<2>;\n"
      "$L_top: nanosleep.u32 1;\n@%p1 bra $L_end;\nbra.uni $L_top;\n$L_end:\n}\n");
  const auto& body = module.find("k")->body;
  CHECK(operand<LabelUse>(body[1], 0).target == 3);
  CHECK(operand<LabelUse>(body[2], 0).target == 0);
}

TEST_CASE("nested scopes may reuse the names of labels, registers and variables") {
  const Module module = kernel(R"(
    { .reg .b32 low; .param .b32 arg; mov.b32 low, 1; st.param.b32 [arg], low; WAIT: bra WAIT; bra OUT; }
    { .reg .f32 low; .param .b64 arg; mov.f32 low, %f1; st.param.b64 [arg], %rd1; WAIT: bra WAIT; bra OUT; }
    OUT: )");
  const Function& k = *module.find("k");
  const auto type = [&](int at) { return k.registers[operand<RegisterUse>(k.body[at], 0).index].type; };
  CHECK(type(0) == Type::b32);
  CHECK(type(4) == Type::f32);
  CHECK(operand<LabelUse>(k.body[2], 0).target == 2);
  CHECK(operand<LabelUse>(k.body[6], 0).target == 6);
  CHECK(operand<LabelUse>(k.body[3], 0).target == 8);
  REQUIRE(k.variables.size() == 2);
  CHECK(k.variables[0].name != k.variables[1].name);
  CHECK(std::get<SymbolUse>(operand<Address>(k.body[5], 0).base).name == k.variables[1].name);
}

TEST_CASE("calls are parsed in every form") {
  const std::string callee = ".func (.param .b32 r) f (.param .b32 a) { ret; }\n.func g () { ret; }\n";
  const std::string scope = "{ .param .b32 p0; .param .b32 r0; ";
  const Instruction full = one(scope + "call.uni (r0), f, (p0); }", callee);
  REQUIRE(full.operands.size() == 3);
  CHECK(operand<VectorUse>(full, 0).elements.size() == 1);
  CHECK(operand<SymbolUse>(full, 1).name == "f");
  CHECK(operand<SymbolUse>(one("call g;", callee), 0).name == "g");
  const Module indirect =
      kernel(scope +
                 "proto_0 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);\n"
                 "call (r0), %rd1, (p0), proto_0; }",
             callee);
  const Function& k = *indirect.find("k");
  CHECK(operand<SymbolUse>(k.body[0], 3).name == "proto_0");
  REQUIRE(k.prototypes.size() == 1);
  CHECK(k.prototypes[0].params[1].size == 16);
}

TEST_CASE("a branch table becomes the list of its targets") {
  const Module module = kernel("ts: .branchtargets A, B, A;\nbrx.idx %r1, ts;\nA: nanosleep.u32 1;\nB: ");
  const auto targets = operand<VectorUse>(module.find("k")->body[0], 1);
  REQUIRE(targets.elements.size() == 3);
  CHECK(std::get<LabelUse>(targets.elements[0].value).target == 1);
  CHECK(std::get<LabelUse>(targets.elements[1].value).target == 2);
}

TEST_CASE("variables of a body are listed with their space") {
  const Module module = kernel(
      ".local .align 16 .b8 __local_depot0[64];\n.shared .align 4 .b8 tile[4096];\n"
      "mov.b64 %rd1, __local_depot0;\n.pragma \"nounroll\";");
  const auto& variables = module.find("k")->variables;
  REQUIRE(variables.size() == 2);
  CHECK(variables[0].space == Space::local);
  CHECK(variables[1].space == Space::shared);
  CHECK(variables[1].size == 4096);
}

TEST_CASE("malformed PTX ends in an error that names the line") {
  for (const char* text : {"add.s32 %r1, %r2",
                           "add.s32 %r1 %r2;",
                           "@%r1 bra X;",
                           "bra NOWHERE;",
                           "X: X: ret;",
                           "{ {",
                           "mov.b32 %r1, ;",
                           "mov.b32 %r1, 0f12;",
                           "mov.b32 %r1, 99999999999999999999999;",
                           "ld.b32 %r1, [%r2;",
                           ".reg .b32 %big<4000000000>;",
                           ".reg .nonsense %x;",
                           ".shared .b8 x[99999999999999999];",
                           "mov.b32 %r1, {{{{{{{{{{{{{{1}}}}}}}}}}}}}};",
                           "call (r0), f;",
                           "\"open",
                           ".shared .align 3 .b8 x;",
                           "12 34;",
                           ".loc 1;",
                           "/* never closed",
                           "mov.b32 %r1, 0x;",
                           "mov.b32 %r1, 12abc;",
                           "@",
                           "@!",
                           ".unknown 3;"}) {
    INFO(text);
    CHECK_THROWS_AS(kernel(text), ParseError);
  }
  try {
    parse(".version 8.0\n.target sm_80\n\nnonsense\n");
    FAIL("accepted");
  } catch (const ParseError& error) {
    CHECK(error.line == 4);
    CHECK(std::string(error.what()).starts_with("line 4: "));
  }
}

TEST_CASE("every prefix of a valid file gives a module or a parse error") {
  const std::string text =
      ".version 8.4\n.target sm_80\n.address_size 64\n.global .align 8 .u64 t[2] = {1, generic(t)+8};\n"
      ".entry k(.param .u64 p)\n.maxntid 32, 1, 1\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.loc 1 2 3\n"
      "{ .param .b32 a; ts: .branchtargets L; brx.idx %r1, ts; }\n@!%p1 ld.v2.b32 {%r1, %r2}, [p+4];\nL: "
      "ret;\n}\n"
      ".file 1 \"a.cu\"\n.section .debug_str { x: .b8 1,0 }\n";
  CHECK(parse(text).functions.size() == 1);
  int errors = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      parse(std::string_view(text).substr(0, n));
    } catch (const ParseError&) {
      ++errors;
    }
  }
  CHECK(errors > 0);
}
