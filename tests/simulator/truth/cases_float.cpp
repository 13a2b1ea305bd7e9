// f32 and f64 arithmetic, approximate functions, comparisons.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

/// Comparisons whose result is combined with a predicate: every comparison, combination and type.
void add_combined(std::vector<Case>& all) {
  using enum Kind;
  const std::string combined = "(.and,.or,.xor)", any = "(.eq,.ne,.lt,.le,.gt,.ge",
                    first = "setp.lt.s32 %p2, %a2, 0; ";
  const auto add_both = [&](const std::string& comparisons, const std::string& tail, Kind k) {
    for (const std::string& name : expand("set" + comparisons + combined + tail.substr(0, tail.find('|')) +
                                          "(.u32,.s32,.f32)" + tail.substr(tail.find('|') + 1)))
      add_body(all, name, first + name + " %d0, %a0, %a1, %p2;", {b32}, {k, k, b32}, 32);
    for (const std::string& name : expand("setp" + comparisons + combined + tail.substr(0, tail.find('|')) +
                                          tail.substr(tail.find('|') + 1)))
      add_body(all, name,
               first + name + " %p0|%p1, %a0, %a1, !%p2; selp.u32 %d0, 1, 0, %p0; @%p1 add.u32 %d0, %d0, 2;",
               {b32}, {k, k, b32}, 32);
  };
  for (const auto& [bits, kind] : {std::pair{"16", b16}, std::pair{"32", b32}, std::pair{"64", b64}}) {
    add_both(any + ")", std::string("|(.s") + bits + ",.u" + bits + ")", kind);
    add_both("(.lo,.ls,.hi,.hs)", std::string("|.u") + bits, kind);
    add_both("(.eq,.ne)", std::string("|.b") + bits, kind);
  }
  add_both(TRUTH_FLOAT_COMPARE, "{.ftz}|.f32", f32);
  add_both(TRUTH_FLOAT_COMPARE, "|.f64", f64);
}

}  // namespace

void add_float_cases(std::vector<Case>& all) {
  using enum Kind;
  add(all, "(add,sub,mul){.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32", f32, {f32, f32});
  add(all, "(add,sub,mul){.rn,.rz,.rm,.rp}.f64", f64, {f64, f64});
  add(all, "(fma,mad)(.rn,.rz,.rm,.rp){.ftz}{.sat}.f32", f32, {f32, f32, f32});
  add(all, "(fma,mad)(.rn,.rz,.rm,.rp).f64", f64, {f64, f64, f64});
  add(all, "div(.rn,.rz,.rm,.rp){.ftz}.f32", f32, {f32, f32});
  add(all, "div(.rn,.rz,.rm,.rp).f64", f64, {f64, f64});
  add(all, "(rcp,sqrt)(.rn,.rz,.rm,.rp){.ftz}.f32", f32, {f32}, 128);
  add(all, "(rcp,sqrt)(.rn,.rz,.rm,.rp).f64", f64, {f64}, 128);
  add(all, "(min,max){.ftz}{.NaN}{.xorsign.abs}.f32", f32, {f32, f32});
  add(all, "(min,max).f64", f64, {f64, f64});
  add(all, "(neg,abs){.ftz}.f32", f32, {f32});
  add(all, "(neg,abs).f64", f64, {f64});
  add(all, "copysign.f32", f32, {f32, f32});
  add(all, "copysign.f64", f64, {f64, f64});
  const std::string tests = "testp(.finite,.infinite,.number,.notanumber,.normal,.subnormal)";
  add_predicate(all, tests + ".f32", {f32});
  add_predicate(all, tests + ".f64", {f64});

  // The errors that the PTX ISA states, in the words of its tables.
  add(all, "ex2.approx{.ftz}.f32", f32, {f32}, kMany, 0x1p-22);
  add(all, "lg2.approx{.ftz}.f32", f32, {f32}, kMany, 0x1p-22, 0x1p-22);
  add(all, "(sin,cos).approx{.ftz}.f32", f32, {f32}, kMany, 0, 0x1p-20);  // and see compare.cpp
  add(all, "tanh.approx.f32", f32, {f32}, kMany, 0x1p-11);
  add(all, "rcp.approx{.ftz}.f32", f32, {f32}, kMany, 0x1p-23);
  add(all, "sqrt.approx{.ftz}.f32", f32, {f32}, kMany, 0x1p-22);
  add(all, "rsqrt.approx{.ftz}.f32", f32, {f32}, kMany, 0x1p-22);
  add(all, "(div.approx,div.full){.ftz}.f32", f32, {f32, f32}, kMany, 0x1p-22);
  add(all, "rcp.approx.ftz.f64", f64, {f64}, kMany, 0x1p-18);
  add(all, "rsqrt.approx{.ftz}.f64", f64, {f64}, kMany, 0x1p-18);

  add_predicate(all, "setp" TRUTH_FLOAT_COMPARE "{.ftz}.f32", {f32, f32});
  add_predicate(all, "setp" TRUTH_FLOAT_COMPARE ".f64", {f64, f64});
  add(all, "set" TRUTH_FLOAT_COMPARE "{.ftz}(.u32,.s32,.f32).f32", b32, {f32, f32}, 64);
  add(all, "set" TRUTH_FLOAT_COMPARE "(.u32,.s32,.f32).f64", b32, {f64, f64}, 64);
  for (const auto& [bits, kind] : {std::pair{"16", b16}, std::pair{"32", b32}, std::pair{"64", b64}}) {
    const std::string to = "(.u32,.s32,.f32)", n = bits;
    add(all, "set(.eq,.ne,.lt,.le,.gt,.ge)" + to + "(.u" + n + ",.s" + n + ")", b32, {kind, kind}, 32);
    add(all, "set(.lo,.ls,.hi,.hs)" + to + ".u" + n, b32, {kind, kind}, 32);
    add(all, "set(.eq,.ne)" + to + ".b" + n, b32, {kind, kind}, 32);
  }
  add_combined(all);
  add(all, "slct(.b32,.u32,.s32,.f32).s32", b32, {b32, b32, b32});
  add(all, "slct{.ftz}(.b32,.u32,.s32,.f32).f32", b32, {b32, b32, f32});
  add(all, "slct(.b64,.u64,.s64,.f64).s32", b64, {b64, b64, b32});
  add(all, "slct{.ftz}(.b64,.u64,.s64,.f64).f32", b64, {b64, b64, f32});
  add(all, "slct(.b16,.u16,.s16).s32", b16, {b16, b16, b32});
  add(all, "slct{.ftz}(.b16,.u16,.s16).f32", b16, {b16, b16, f32});
}

}  // namespace sim::truth
