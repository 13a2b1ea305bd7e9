// Comparisons into predicates (setp) and registers (set), and selection by them.
#include "simulator/instructions/arithmetic/compare.h"

#include "simulator/instructions/arithmetic/float_rules.h"
#include "simulator/instructions/families.h"

namespace sim::exec {

namespace {

template <class T>
using Select = T(T, T, pred);
template <class T>
using SelectBySign = T(T, T, s32);
template <class T>
using SelectByFloat = T(T, T, f32);

struct SameBits {
  template <class T>
  T operator()(T a, T b, bool p) const {
    return p ? a : b;
  }
};

}  // namespace

void declare_compare(InstructionSet& defs) {
  defs.family("comparison");
#define SIM_COMBINE "{.and,.or,.xor}"
#define SIM_FLOAT_COMPARE "(.eq,.ne,.lt,.le,.gt,.ge,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan)"
#define SIM_UNSIGNED_COMPARE "(.eq,.ne,.lt,.le,.gt,.ge,.lo,.ls,.hi,.hs)"
#define SIM_SIGNED_COMPARE "(.eq,.ne,.lt,.le,.gt,.ge)"
  declare_setp<u16>(defs, "setp" SIM_UNSIGNED_COMPARE SIM_COMBINE "(.u16,.b16)");
  declare_setp<u32>(defs, "setp" SIM_UNSIGNED_COMPARE SIM_COMBINE "(.u32,.b32)");
  declare_setp<u64>(defs, "setp" SIM_UNSIGNED_COMPARE SIM_COMBINE "(.u64,.b64)");
  declare_setp<s16>(defs, "setp" SIM_SIGNED_COMPARE SIM_COMBINE ".s16");
  declare_setp<s32>(defs, "setp" SIM_SIGNED_COMPARE SIM_COMBINE ".s32");
  declare_setp<s64>(defs, "setp" SIM_SIGNED_COMPARE SIM_COMBINE ".s64");
  declare_setp<f32>(defs, "setp" SIM_FLOAT_COMPARE SIM_COMBINE "{.ftz}.f32");
  declare_setp<f64>(defs, "setp" SIM_FLOAT_COMPARE SIM_COMBINE ".f64");

  declare_set<u32, u32>(defs, "set" SIM_UNSIGNED_COMPARE SIM_COMBINE "(.u32,.s32)(.u32,.b32)");
  declare_set<u32, s32>(defs, "set" SIM_SIGNED_COMPARE SIM_COMBINE "(.u32,.s32).s32");
  declare_set<u32, u64>(defs, "set" SIM_UNSIGNED_COMPARE SIM_COMBINE "(.u32,.s32)(.u64,.b64)");
  declare_set<u32, s64>(defs, "set" SIM_SIGNED_COMPARE SIM_COMBINE "(.u32,.s32).s64");
  declare_set<u32, f32>(defs, "set" SIM_FLOAT_COMPARE SIM_COMBINE "{.ftz}(.u32,.s32).f32");
  declare_set<u32, f64>(defs, "set" SIM_FLOAT_COMPARE SIM_COMBINE "(.u32,.s32).f64");
  declare_set<u32, u16>(defs, "set" SIM_UNSIGNED_COMPARE SIM_COMBINE "(.u32,.s32)(.u16,.b16)");
  declare_set<u32, s16>(defs, "set" SIM_SIGNED_COMPARE SIM_COMBINE "(.u32,.s32).s16");
  declare_set<f32, u16>(defs, "set" SIM_UNSIGNED_COMPARE SIM_COMBINE ".f32(.u16,.b16)");
  declare_set<f32, s16>(defs, "set" SIM_SIGNED_COMPARE SIM_COMBINE ".f32.s16");
  declare_set<f32, u64>(defs, "set" SIM_UNSIGNED_COMPARE SIM_COMBINE ".f32(.u64,.b64)");
  declare_set<f32, s64>(defs, "set" SIM_SIGNED_COMPARE SIM_COMBINE ".f32.s64");
  declare_set<f32, f64>(defs, "set" SIM_FLOAT_COMPARE SIM_COMBINE ".f32.f64");
  declare_set<f32, f32>(defs, "set" SIM_FLOAT_COMPARE SIM_COMBINE "{.ftz}.f32.f32");
  declare_set<f32, s32>(defs, "set" SIM_SIGNED_COMPARE SIM_COMBINE ".f32.s32");
  declare_set<f32, u32>(defs, "set" SIM_UNSIGNED_COMPARE SIM_COMBINE ".f32(.u32,.b32)");

  defs.each<Select, u16>("selp(.b%,.u%,.s%)", SameBits());
  defs.each<Select, u32, u64>("selp(.b%,.u%,.s%,.f%)", SameBits());
  const auto by_sign = []<class T>(T a, T b, auto c) { return c >= 0 ? a : b; };
  defs.each<SelectBySign, u16>("slct(.b%,.u%,.s%).s32", by_sign);
  defs.each<SelectBySign, u32, u64>("slct(.b%,.u%,.s%,.f%).s32", by_sign);
  const auto by_float = []<class T>(T a, T b, f32 c, const Mods& m) {
    return (m.ftz ? flushed(c) : c) >= 0 ? a : b;
  };
  defs.each<SelectByFloat, u16>("slct{.ftz}(.b%,.u%,.s%).f32", by_float);
  defs.each<SelectByFloat, u32, u64>("slct{.ftz}(.b%,.u%,.s%,.f%).f32", by_float);
#undef SIM_COMBINE
#undef SIM_FLOAT_COMPARE
#undef SIM_UNSIGNED_COMPARE
#undef SIM_SIGNED_COMPARE
}

}  // namespace sim::exec
