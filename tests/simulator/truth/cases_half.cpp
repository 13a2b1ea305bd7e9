// Arithmetic and comparisons of f16, bf16 and pairs of them.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

struct Half {
  const char* type;
  Kind kind;
  const char* ftz;
  bool brain;
};

void add_type(std::vector<Case>& all, const Half& h) {
  using enum Kind;
  const Kind k = h.kind;
  const std::string type = std::string(".") + h.type, ftz = h.brain ? "" : "{.ftz}";
  add(all, "(add,sub,mul){.rn}" + ftz + (h.brain ? "" : "{.sat}") + type, k, {k, k});
  add(all, "fma.rn" + ftz + (h.brain ? "{.relu}" : "{.sat,.relu}") + type, k, {k, k, k}, 128);
  add(all, "fma.rn.oob{.relu}" + type, k, {k, k, k}, 128);
  add(all, "(min,max)" + ftz + "{.NaN}{.xorsign.abs}" + type, k, {k, k});
  add(all, "(neg,abs)" + ftz + type, k, {k});
  add(all, "tanh.approx" + type, k, {k}, 256, h.brain ? 0x1p-7 : 0x1p-10);
  add(all, std::string("ex2.approx") + (h.brain ? ".ftz" : "") + type, k, {k}, 256, h.brain ? 0x1p-6 : 0x1p-9,
      h.brain ? 0 : 0x1p-23);
  const bool pair = bytes_of(k) == 4;
  for (const std::string& name : expand("setp" TRUTH_FLOAT_COMPARE + ftz + type)) {
    if (pair) {
      add_body(all, name, name + " %p0|%p1, %a0, %a1; selp.u32 %d0, 1, 0, %p0; @%p1 add.u32 %d0, %d0, 2;",
               {b32}, {k, k});
    } else {
      add_predicate(all, name, {k, k});
    }
  }
  const std::string to = pair ? " %p0|%p1" : " %p0", second = pair ? " @%p1 add.u32 %d0, %d0, 2;" : "";
  for (const std::string& name : expand("setp" TRUTH_FLOAT_COMPARE "(.and,.or,.xor)" + ftz + type)) {
    add_body(all, name,
             "setp.lt.s32 %p2, %a2, 0; " + name + to + ", %a0, %a1, !%p2; selp.u32 %d0, 1, 0, %p0;" + second,
             {b32}, {k, k, b32}, 32);
  }
  add(all, "set" TRUTH_FLOAT_COMPARE + ftz + type + type, k, {k, k}, 64);
  if (pair) {
    add(all, "set" TRUTH_FLOAT_COMPARE + ftz + "(.u32,.s32)" + type, b32, {k, k}, 32);
  } else {
    add(all, "set" TRUTH_FLOAT_COMPARE + ftz + "(.u16,.s16)" + type, b16, {k, k}, 32);
    add(all, "set" TRUTH_FLOAT_COMPARE + ftz + "(.u32,.s32)" + type, b32, {k, k}, 32);
  }
  const std::string integers = pair ? "(.u32,.s32" : "(.u16,.s16,.u32,.s32";
  for (const std::string& name :
       expand("set" TRUTH_FLOAT_COMPARE "(.and,.or,.xor)" + ftz + integers + "," + type + ")" + type)) {
    const bool wide = name.find("32") != name.npos, same = name.find(type + type) != name.npos;
    add_body(all, name, "setp.lt.s32 %p2, %a2, 0; " + name + " %d0, %a0, %a1, %p2;",
             {same   ? k
              : wide ? b32
                     : b16},
             {k, k, b32}, 32);
  }
}

}  // namespace

void add_half_cases(std::vector<Case>& all) {
  add_type(all, {"f16", Kind::f16, "{.ftz}", false});
  add_type(all, {"f16x2", Kind::f16x2, "{.ftz}", false});
  add_type(all, {"bf16", Kind::bf16, "", true});
  add_type(all, {"bf16x2", Kind::bf16x2, "", true});
}

}  // namespace sim::truth
