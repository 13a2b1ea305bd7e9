// Loads, stores and atomics under every two qualifiers of their forms together. Loads and stores against the
// bytes on the host; atomics against the plain spelling, which is held against a GPU (truth/).
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "simulator/decode/instruction_def.h"
#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/truth/cases.h"

using namespace sim::test;

namespace {

/// The groups of a pattern, each with its choices; one that may be left out has the empty choice first.
std::vector<std::vector<std::string>> groups_of(const std::string& pattern) {
  std::vector<std::vector<std::string>> groups;
  for (std::size_t at = 0; at < pattern.size();) {
    const bool bracket = pattern[at] == '{' || pattern[at] == '(';
    const std::size_t end = bracket ? pattern.find(pattern[at] == '{' ? '}' : ')', at) + 1
                                    : std::min(pattern.find_first_of("{(", at), pattern.size());
    groups.push_back(sim::truth::expand(pattern.substr(at, end - at)));
    at = end;
  }
  return groups;
}

/// Spellings in which every two choices of different groups meet; the other groups have their first choice.
std::set<std::vector<std::string>> pairs_of(const std::string& pattern) {
  const auto groups = groups_of(pattern);
  std::vector<std::string> first;
  for (const auto& group : groups) first.push_back(group.front());
  std::set<std::vector<std::string>> all{first};
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = i + 1; j < groups.size(); ++j)
      for (const std::string& a : groups[i])
        for (const std::string& b : groups[j]) {
          std::vector<std::string> one = first;
          one[i] = a;
          one[j] = b;
          all.insert(one);
        }
  return all;
}

/// One spelling of ld or st, taken apart.
struct Access {
  std::string text, space, type;
  int elements = 1;
  bool policy = false;

  explicit Access(const std::vector<std::string>& parts) {
    for (const std::string& part : parts) text += part;
    type = parts.back();
    for (const std::string& part : parts) {
      if (part == ".v2" || part == ".v4") elements = part[2] - '0';
      policy |= part == ".L2::cache_hint";
      for (const char* name : {".global", ".shared", ".local", ".const", ".param"})
        if (part.rfind(name, 0) == 0) space = name;
    }
    if (text.find(".param::func") != text.npos) space = ".param::func";
  }
  int bytes() const { return std::stoi(type.substr(2)) / 8; }
  /// More than 16 bytes at once there is none; parameters of functions have a test of their own.
  bool exists() const { return elements * bytes() <= 16 && space != ".param::func"; }
  std::string registers() const {
    std::string list = elements > 1 ? "{" : "";
    for (int k = 0; k < elements; ++k) list += (k ? ", %v" : "%v") + std::to_string(k);
    return list + (elements > 1 ? "}" : "");
  }
  std::string tail() const { return policy ? ", %c;\n" : ";\n"; }
  std::string plain_type() const { return ".b" + std::to_string(8 * bytes()); }
  std::string address() const {
    return space == ".shared"  ? "%s"
           : space == ".local" ? "%l"
           : space == ".const" ? "table"
           : space == ".param" ? "p"
                               : "%i";
  }
};

/// 16 bytes with every bit pattern's ends among them.
std::vector<unsigned char> pattern() {
  return {0x80, 0xFF, 0x7F, 0x01, 0xFE, 0x00, 0x81, 0xC3, 0x90, 0x12, 0xA5, 0x5A, 0x33, 0xCC, 0xF0, 0x9F};
}

/// Runs one thread; 64 bytes of results. The body has %i (16 bytes of global memory, the pattern), %s and %l
/// (as many of shared and local memory, zeroed for st), `table` and p (constants with the pattern), %o.
std::vector<unsigned char> run(const Access& a, const std::string& body) {
  const std::string width = "b" + std::to_string(std::max(16, 8 * a.bytes()));
  std::string bytes;
  for (const unsigned char b : pattern()) bytes += (bytes.empty() ? "" : ", ") + std::to_string(int(b));
  std::string text =
      kernel_text(".param .u64 out, .param .u64 in, .param .align 16 .b8 p[16]",
                  "  .reg .b32 %s;\n  .reg .b64 %o, %i, %l, %c, %x, %y;\n  .reg ." + width +
                      " %v<4>;\n  .reg .b64 %w<4>;\n  .shared .align 16 .b8 tile[16];\n"
                      "  .local .align 16 .b8 depot[16];\n"
                      "  ld.param.u64 %o, [out];\n  ld.param.u64 %i, [in];\n  mov.u32 %s, tile;\n"
                      "  mov.u64 %l, depot;\n  ld.global.v2.b64 {%x, %y}, [%i];\n"
                      "  createpolicy.fractional.L2::evict_first.b64 %c, 1.0;\n" +
                      body + "  ret;");
  text.insert(text.find(".visible"), ".const .align 16 .b8 table[16] = {" + bytes + "};\n");
  Device device(text);
  const auto out = device.upload(std::vector<unsigned char>(64)), in = device.upload(pattern());
  struct Sixteen {
    std::uint64_t low, high;
  } parameter;
  std::memcpy(&parameter, pattern().data(), sizeof parameter);
  device.run("k", out, in, parameter);
  return device.download<unsigned char>(out, 64);
}

/// Each element as a 64-bit number, extended as its type says.
std::vector<std::uint64_t> extended(const Access& a) {
  std::vector<std::uint64_t> values;
  for (int k = 0; k < a.elements; ++k) {
    std::uint64_t v = 0;
    std::memcpy(&v, pattern().data() + k * a.bytes(), static_cast<std::size_t>(a.bytes()));
    const int shift = 64 - 8 * a.bytes();
    if (a.type[1] == 's') v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << shift) >> shift);
    values.push_back(v);
  }
  return values;
}

bool loads_right(const Access& a) {
  std::string body = "  st.shared.v2.b64 [%s], {%x, %y};\n  st.local.v2.b64 [%l], {%x, %y};\n  ld" + a.text +
                     " " + a.registers() + ", [" + a.address() + "]" + a.tail();
  const int width = std::max(2, a.bytes());
  for (int k = 0; k < a.elements; ++k)
    body += "  st.global.b" + std::to_string(8 * width) + " [%o+" + std::to_string(8 * k) + "], %v" +
            std::to_string(k) + ";\n";
  const auto got = run(a, body);
  const auto want = extended(a);
  for (int k = 0; k < a.elements; ++k)
    if (std::memcmp(got.data() + 8 * k, &want[static_cast<std::size_t>(k)],
                    static_cast<std::size_t>(width)) != 0)
      return false;
  return true;
}

bool stores_right(const Access& a) {
  const std::string space = a.space == ".shared" || a.space == ".local" ? a.space : ".global",
                    at = space == ".global" ? "%i" : a.address();
  std::string body;
  for (int k = 0; k < a.elements; ++k)
    body += "  ld.const" + a.plain_type() + " %v" + std::to_string(k) + ", [table+" +
            std::to_string(k * a.bytes()) + "];\n";
  body += "  st" + space + ".v2.b64 [" + at + "], {0, 0};\n  st" + a.text + " [" + at + "], " +
          a.registers() + a.tail() + "  ld" + space + ".v2.b64 {%x, %y}, [" + at +
          "];\n  st.global.v2.b64 [%o], {%x, %y};\n";
  const auto got = run(a, body);
  std::vector<unsigned char> want(64);
  std::copy_n(pattern().begin(), a.elements * a.bytes(), want.begin());
  return got == want;
}

/// Spellings of all forms of an opcode; @return how many were tried, and in @p wrong those that failed.
int try_all(const std::string& opcode, bool (*right)(const Access&), int& wrong) {
  int tried = 0;
  for (const auto& info : sim::exec::supported_instructions()) {
    if (info.pattern.rfind(opcode, 0) != 0 || info.pattern.find_first_of("{(.") != opcode.size()) continue;
    for (const auto& parts : pairs_of(info.pattern.substr(opcode.size()))) {
      const Access access(parts);
      if (!access.exists() || (opcode == "st" && access.space == ".param")) continue;
      ++tried;
      if (right(access)) continue;
      ++wrong;
      WARN(opcode << access.text);
    }
  }
  return tried;
}

}  // namespace

TEST_CASE("loads give the bytes under every two qualifiers together") {
  int wrong = 0;
  CHECK(try_all("ld", loads_right, wrong) > 1000);
  CHECK(wrong == 0);
}

TEST_CASE("stores leave the bytes under every two qualifiers together") {
  int wrong = 0;
  CHECK(try_all("st", stores_right, wrong) > 700);
  CHECK(wrong == 0);
}

namespace {

/// Old value and new of one thread's atomic.
std::vector<std::uint64_t> outcome(const std::string& opcode, const std::string& order,
                                   const std::string& space, const std::string& operation) {
  const std::string type = operation.substr(operation.rfind('.') + 1);
  const std::string bits = type.ends_with("x2") ? "32" : type.substr(type.find_first_of("0123456789"));
  const bool shared = space.rfind(".shared", 0) == 0, swap = operation.rfind(".cas", 0) == 0;
  const std::string at = shared ? "%s" : "%o", plain = shared ? ".shared.b" : ".global.b";
  Device device(kernel_text(".param .u64 out",
                            "  .reg .b32 %s;\n  .reg .b64 %o;\n  .reg .b" + bits +
                                " %d, %x, %y;\n  .shared .align 8 .b8 cell[8];\n  ld.param.u64 %o, [out];\n"
                                "  mov.u32 %s, cell;\n  mov.b" +
                                bits + " %x, 15873;\n  mov.b" + bits + " %y, 16129;\n  mov.b" + bits +
                                " %d, 0;\n  st" + plain + bits + " [" + at + "], %x;\n  " + opcode + order +
                                space + operation + (opcode == "atom" ? " %d, [" : " [") + at + "], " +
                                (swap ? "%x, %y" : "%y") + ";\n  ld" + plain + bits + " %x, [" + at +
                                "];\n  st.global.b" + bits + " [%o+8], %d;\n  st.global.b" + bits +
                                " [%o], %x;\n  ret;"));
  const auto out = device.upload(std::vector<std::uint64_t>(2));
  device.run("k", out);
  return device.download<std::uint64_t>(out, 2);
}

}  // namespace

TEST_CASE("atomics give what their plain spelling gives under every order, scope and space together") {
  int wrong = 0, tried = 0;
  for (const std::string opcode : {"atom", "red"}) {
    const std::string order =
        opcode == "atom" ? "{.relaxed,.acquire,.release,.acq_rel}" : "{.relaxed,.release}";
    for (const std::string& operation : sim::truth::expand(
             "(.add.u32,.add.s32,.add.u64,.add.f32,.add.f64,.add.noftz.f16,.add.noftz.f16x2,.add.noftz.bf16,"
             ".add.noftz.bf16x2,.min.u32,.min.s32,.min.u64,.min.s64,.max.u32,.max.s32,.max.u64,.max.s64,.and."
             "b32,"
             ".and.b64,.or.b32,.or.b64,.xor.b32,.xor.b64,.inc.u32,.dec.u32,.exch.b32,.exch.b64,.cas.b16,.cas."
             "b32,"
             ".cas.b64)")) {
      if (opcode == "red" && (operation.rfind(".exch", 0) == 0 || operation.rfind(".cas", 0) == 0)) continue;
      // Sums of floats flush small ones in global memory, and not in shared.
      const auto in_global = outcome(opcode, "", ".global", operation),
                 in_shared = outcome(opcode, "", ".shared", operation);
      for (const std::string& how : sim::truth::expand(order + "{.cta,.cluster,.gpu,.sys}")) {
        for (const std::string space : {"", ".global", ".shared", ".shared::cta", ".shared::cluster"}) {
          ++tried;
          const bool shared = space.rfind(".shared", 0) == 0;
          if (outcome(opcode, how, space, operation) == (shared ? in_shared : in_global)) continue;
          ++wrong;
          WARN(opcode << how << space << operation);
        }
      }
    }
  }
  CHECK(tried == 30 * 25 * 5 + 25 * 15 * 5);
  CHECK(wrong == 0);
}
