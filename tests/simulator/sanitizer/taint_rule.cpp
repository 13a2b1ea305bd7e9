// How instructions pass on values that nobody wrote, as far as their text tells.
#include "simulator/sanitizer/analysis/taint_rule.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

using sim::sanitizer::TaintRule;

namespace {

/// That of an instruction with so many operands.
TaintRule rule(const std::string& opcode, std::vector<std::string> qualifiers, std::size_t operands) {
  sim::ptx::Instruction in;
  in.opcode = opcode;
  in.qualifiers = std::move(qualifiers);
  return sim::sanitizer::taint_rule(in, operands);
}

}  // namespace

TEST_CASE("arithmetic is tainted by its sources, and a copy keeps what it was") {
  CHECK(rule("add", {"u32"}, 3) == TaintRule::compute);
  CHECK(rule("setp", {"eq", "u32"}, 3) == TaintRule::compute);
  CHECK(rule("mov", {"b32"}, 2) == TaintRule::copy);
}

TEST_CASE("a selection and the logic of predicates look at which source counts") {
  CHECK(rule("selp", {"b32"}, 4) == TaintRule::select);
  CHECK(rule("and", {"pred"}, 3) == TaintRule::logic_and);
  CHECK(rule("or", {"pred"}, 3) == TaintRule::logic_or);
  CHECK(rule("xor", {"pred"}, 3) == TaintRule::compute);
  CHECK(rule("and", {"b32"}, 3) == TaintRule::bits);
  CHECK(rule("lop3", {"b32"}, 5) == TaintRule::bits);
}

TEST_CASE("of a warpgroup's product sums count where it adds to them") {
  CHECK(rule("wgmma", {"mma_async", "sync", "aligned"}, 12) == TaintRule::product);
  CHECK(rule("wgmma", {"fence", "sync", "aligned"}, 0) == TaintRule::compute);
}

TEST_CASE("arguments of functions are no memory") {
  CHECK(rule("ld", {"param", "u32"}, 2) == TaintRule::load_argument);
  CHECK(rule("st", {"param", "u32"}, 2) == TaintRule::store_argument);
  CHECK(rule("ld", {"shared", "u32"}, 2) == TaintRule::load);
  CHECK(rule("st", {"shared", "v2", "u32"}, 3) == TaintRule::store);
}

TEST_CASE("a tile is loaded as memory has it, and stored as more than bytes") {
  CHECK(rule("ldmatrix", {"sync", "aligned", "m8n8", "x1", "shared", "b16"}, 2) == TaintRule::load);
  CHECK(rule("wmma", {"load", "a", "sync"}, 3) == TaintRule::load);
  CHECK(rule("wmma", {"store", "d", "sync"}, 3) == TaintRule::store_tile);
  CHECK(rule("wmma", {"mma", "sync"}, 4) == TaintRule::compute);
  CHECK(rule("stmatrix", {"sync"}, 2) == TaintRule::store_tile);
}

TEST_CASE("what decides where threads go, or what memory holds, has a rule of its own") {
  CHECK(rule("atom", {"global", "add", "u32"}, 3) == TaintRule::atomic);
  CHECK(rule("red", {"global", "add", "u32"}, 2) == TaintRule::reduction);
  CHECK(rule("brx", {"idx"}, 2) == TaintRule::branch);
  CHECK(rule("bra", {}, 1) == TaintRule::compute);
  CHECK(rule("shfl", {"sync", "down", "b32"}, 5) == TaintRule::shuffle);
  CHECK(rule("call", {}, 1) == TaintRule::call);
  CHECK(rule("ret", {}, 0) == TaintRule::ret);
}
