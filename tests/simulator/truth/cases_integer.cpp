// Integer arithmetic, bits, shifts, permutations, video instructions.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

void add_width(std::vector<Case>& all, const std::string& bits, Kind k, Kind wider) {
  const std::string types = "(.u" + bits + ",.s" + bits + ")", any = ".b" + bits, is_signed = ".s" + bits;
  add(all, "(add,sub,min,max,mul.lo,mul.hi,div,rem)" + types, k, {k, k}, 64);
  add(all, "(mad.lo,mad.hi,sad)" + types, k, {k, k, k}, 64);
  if (bits != "64") {
    add(all, "mul.wide" + types, wider, {k, k}, 64);
    add(all, "mad.wide" + types, wider, {k, k, wider}, 64);
  }
  add(all, "(neg,abs)" + is_signed, k, {k}, 64);
  add(all, "(and,or,xor)" + any, k, {k, k}, 32);
  add(all, "(not,cnot)" + any, k, {k}, 32);
  add(all, "shl" + any, k, {k, Kind::amount}, 64);
  add(all, "shr(.u" + bits + ",.s" + bits + ",.b" + bits + ")", k, {k, Kind::amount}, 64);
  add_predicate(all, "setp(.eq,.ne,.lt,.le,.gt,.ge)" + types, {k, k}, 64);
  add_predicate(all, "setp(.lo,.ls,.hi,.hs).u" + bits, {k, k}, 64);
  add_predicate(all, "setp(.eq,.ne).b" + bits, {k, k}, 64);
  const std::string number = bits == "16" ? "" : ",.f" + bits;
  for (const std::string& name : expand("selp(.b" + bits + ",.u" + bits + ",.s" + bits + number + ")"))
    add_body(all, name, "setp.lt.s32 %p0, %a2, 0; " + name + " %d0, %a0, %a1, %p0;", {k}, {k, k, Kind::b32},
             32);
  add(all, "mov(.b" + bits + ",.u" + bits + ",.s" + bits + number + ")", k, {k}, 32);
  if (bits == "16") return;
  add(all, "(popc,clz)" + any, Kind::b32, {k}, 64);
  add(all, "brev" + any, k, {k}, 64);
  add(all, "bfind{.shiftamt}" + types, Kind::b32, {k}, 64);
  add(all, "bfe" + types, k, {k, Kind::amount, Kind::amount}, 128);
  add(all, "bfi" + any, k, {k, k, Kind::amount, Kind::amount}, 128);
  // Sums of two registers' width, through the carry.
  for (const std::string& name : expand("(add,sub)" + types)) {
    const std::string op = name.substr(0, 3), type = name.substr(3);
    add_body(all, op + ".cc" + type,
             op + ".cc" + type + " %d0, %a0, %a1; " + op + "c.cc" + type + " %d1, %a2, %a3; " + op + "c" +
                 type + " %d2, %a0, %a2;",
             {k, k, k}, {k, k, k, k});
  }
  for (const std::string& type : expand(types)) {
    add_body(all, "mad.lo.cc" + type,
             "mad.lo.cc" + type + " %d0, %a0, %a1, %a2; madc.hi.cc" + type + " %d1, %a0, %a1, %a3; madc.lo" +
                 type + " %d2, %a1, %a2, %a3;",
             {k, k, k}, {k, k, k, k});
    add_body(all, "mad.hi.cc" + type,
             "mad.hi.cc" + type + " %d0, %a0, %a1, %a2; madc.lo.cc" + type + " %d1, %a0, %a1, %a3; madc.hi" +
                 type + " %d2, %a1, %a2, %a3;",
             {k, k, k}, {k, k, k, k});
  }
}

}  // namespace

void add_integer_cases(std::vector<Case>& all) {
  using enum Kind;
  add_width(all, "16", b16, b32);
  add_width(all, "32", b32, b64);
  add_width(all, "64", b64, b64);
  add(all, "(add,sub).sat.s32", b32, {b32, b32}, 64);
  add(all, "mad.hi.sat.s32", b32, {b32, b32, b32}, 64);
  add(all, "(min,max).relu.s32", b32, {b32, b32}, 64);
  add(all, "(add,min,max)(.u16x2,.s16x2)", b32, {b32, b32}, 64);
  add(all, "(min,max).relu.s16x2", b32, {b32, b32}, 64);
  add(all, "mul24(.lo,.hi)(.u32,.s32)", b32, {b32, b32}, 64);
  add(all, "mad24(.lo,.hi)(.u32,.s32)", b32, {b32, b32, b32}, 64);
  add(all, "mad24.hi.sat.s32", b32, {b32, b32, b32}, 64);
  add(all, "dp4a(.u32,.s32)(.u32,.s32)", b32, {b32, b32, b32}, 64);
  add(all, "dp2a(.lo,.hi)(.u32,.s32)(.u32,.s32)", b32, {b32, b32, b32}, 64);
  add(all, "bmsk(.clamp,.wrap).b32", b32, {amount, amount}, 64);
  add(all, "szext(.clamp,.wrap)(.u32,.s32)", b32, {b32, amount}, 128);
  add(all, "fns.b32", b32, {b32, amount, few}, 128);
  add(all, "shf(.l,.r)(.wrap,.clamp).b32", b32, {b32, b32, amount}, 64);
  add(all, "prmt.b32{.f4e,.b4e,.rc8,.ecl,.ecr,.rc16}", b32, {b32, b32, b32}, 64);
  for (const char* table : {"0x96", "0xe8", "0xca", "0x01", "0x80", "0xfe", "0x2d"})
    add_body(all, std::string("lop3.b32 ") + table,
             std::string("lop3.b32 %d0, %a0, %a1, %a2, ") + table + ";", {b32}, {b32, b32, b32}, 32);
  for (const char* combine : {"or", "and"})
    add_body(all, std::string("lop3.") + combine + ".b32",
             std::string("setp.lt.s32 %p1, %a2, 0; lop3.") + combine +
                 ".b32 %d0|%p0, %a0, %a1, %a2, 0x96, %p1; selp.u32 %d1, 1, 0, %p0;",
             {b32, b32}, {b32, b32, b32}, 64);
  for (const std::string& name : expand("(and,or,xor).pred"))
    add_body(all, name,
             "setp.lt.s32 %p0, %a0, 0; setp.lt.s32 %p1, %a1, 0; " + name +
                 " %p2, %p0, %p1; not.pred %p3, %p2; selp.u32 %d0, 1, 0, %p2; @%p3 add.u32 %d0, %d0, 2;",
             {b32}, {b32, b32}, 32);

  // Video instructions: on one value, and on two or four at once.
  const std::string types = "(.u32,.s32)(.u32,.s32)(.u32,.s32)";
  add(all, "(vadd,vsub,vabsdiff,vmin,vmax)" + types + "{.sat}", b32, {b32, b32}, 32);
  add(all, "(vshl,vshr)(.u32,.s32)(.u32,.s32).u32(.clamp,.wrap)", b32, {b32, b32}, 32);
  add(all, "vshr(.u32,.s32)(.u32,.s32).u32.sat(.clamp,.wrap)", b32, {b32, b32}, 32);
  for (const char* lanes : {"2", "4"})
    for (const std::string& operation : expand("(vadd,vsub,vavrg,vabsdiff,vmin,vmax)"))
      add(all, operation + lanes + types + "{.sat,.add}", b32, {b32, b32, b32}, 32);
  add(all, "(vset2,vset4)(.u32,.s32)(.u32,.s32)(.eq,.ne,.lt,.le,.gt,.ge){.add}", b32, {b32, b32, b32}, 32);
  add(all, "vset(.u32,.s32)(.u32,.s32)(.eq,.ne,.lt,.le,.gt,.ge)", b32, {b32, b32}, 32);
}

}  // namespace sim::truth
