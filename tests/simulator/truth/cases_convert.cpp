// cvt between all types.
#include <string>

#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

struct Type {
  const char* name;
  Kind kind;
};
constexpr Type kIntegers[] = {{".u8", Kind::b8},   {".s8", Kind::b8},   {".u16", Kind::b16},
                              {".s16", Kind::b16}, {".u32", Kind::b32}, {".s32", Kind::b32},
                              {".u64", Kind::b64}, {".s64", Kind::b64}};

/// Whether every value of s is one of d: .sat is then not allowed.
bool holds(const Type& d, const Type& s) {
  const bool d_signed = d.name[1] == 's', s_signed = s.name[1] == 's';
  const int d_bits = std::stoi(d.name + 2), s_bits = std::stoi(s.name + 2);
  return d_signed == s_signed ? d_bits >= s_bits : d_signed && d_bits > s_bits;
}

}  // namespace

void add_convert_cases(std::vector<Case>& all) {
  using enum Kind;
  for (const Type& d : kIntegers) {
    const std::string to = d.name;
    for (const Type& s : kIntegers) {
      add(all, "cvt" + to + s.name, d.kind, {s.kind}, 32);
      if (!holds(d, s)) add(all, "cvt.sat" + to + s.name, d.kind, {s.kind}, 32);
    }
    add(all, "cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}" + to + ".f32", d.kind, {f32}, 128);
    add(all, "cvt(.rni,.rzi,.rmi,.rpi){.sat}" + to + ".f64", d.kind, {f64}, 128);
    add(all, "cvt(.rni,.rzi,.rmi,.rpi){.sat}" + to + ".f16", d.kind, {f16});
    add(all, "cvt(.rn,.rz,.rm,.rp){.sat}.f32" + to, f32, {d.kind}, 64);
    add(all, "cvt(.rn,.rz,.rm,.rp){.sat}.f64" + to, f64, {d.kind}, 64);
    add(all, "cvt(.rn,.rz,.rm,.rp){.sat}.f16" + to, f16, {d.kind}, 64);
    if (to == ".u8" || to == ".s8") continue;  // not for bf16
    add(all, "cvt(.rni,.rzi,.rmi,.rpi)" + to + ".bf16", d.kind, {bf16});
    add(all, "cvt(.rn,.rz,.rm,.rp).bf16" + to, bf16, {d.kind}, 64);
  }
  add(all, "cvt(.rn,.rz,.rm,.rp){.ftz}{.sat}.f32.f64", f32, {f64}, 128);
  add(all, "cvt{.ftz}{.sat}.f64.f32", f64, {f32});
  add(all, "cvt{.ftz}{.sat}.f32.f32", f32, {f32});
  add(all, "cvt{.sat}.f64.f64", f64, {f64});
  add(all, "cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.f32.f32", f32, {f32}, 128);
  add(all, "cvt(.rni,.rzi,.rmi,.rpi){.sat}.f64.f64", f64, {f64}, 128);
  add(all, "cvt(.rni,.rzi,.rmi,.rpi){.sat}.f16.f16", f16, {f16});
  add(all, "cvt(.rni,.rzi,.rmi,.rpi).bf16.bf16", bf16, {bf16});
  add(all, "cvt{.ftz}{.sat}.f32.f16", f32, {f16}, 128);
  add(all, "cvt{.ftz}.f32.bf16", f32, {bf16});
  add(all, "cvt{.sat}.f64.f16", f64, {f16});
  add(all, "cvt.f64.bf16", f64, {bf16});
  add(all, "cvt{.sat}.f16.f16", f16, {f16});
  add(all, "cvt(.rn,.rz,.rm,.rp){.ftz}{.sat}.f16.f32", f16, {f32}, 256);
  add(all, "cvt(.rn,.rz,.rm,.rp){.sat}.f16.f64", f16, {f64}, 128);
  add(all, "cvt(.rn,.rz,.rm,.rp).bf16.f64", bf16, {f64}, 128);
  add(all, "cvt(.rn,.rz,.rm,.rp).bf16.f32", bf16, {f32}, 256);
  add(all, "cvt(.rn,.rz)(.relu,.satfinite,.relu.satfinite)(.f16,.bf16).f32", b16, {f32}, 128);
  add(all, "cvt(.rn,.rz){.relu}{.satfinite}(.f16x2,.bf16x2).f32", b32, {f32, f32}, 128);
  add(all, "cvt(.rn,.rz,.rm,.rp)(.bf16).f16", bf16, {f16}, 128);
  add(all, "cvt(.rn,.rz,.rm,.rp)(.f16).bf16", f16, {bf16}, 128);
  add(all, "cvt.rna{.satfinite}.tf32.f32", b32, {f32}, 256);
  add(all, "cvt(.rn,.rz){.relu}.tf32.f32", b32, {f32}, 256);
  add(all, "cvt.rn.satfinite{.relu}(.e4m3x2,.e5m2x2).f32", b16, {f32, f32}, 256);
  add(all, "cvt.rn.satfinite{.relu}(.e4m3x2,.e5m2x2).f16x2", b16, {f16x2}, 128);
  add(all, "cvt.rn{.relu}.f16x2(.e4m3x2,.e5m2x2)", b32, {fp8x2}, 256);
  add(all, "cvt.pack.sat(.u16,.s16).s32", b32, {b32, b32});
  add(all, "cvt.pack.sat(.u8,.s8,.u4,.s4,.u2,.s2).s32.b32", b32, {b32, b32, b32});
}

}  // namespace sim::truth
