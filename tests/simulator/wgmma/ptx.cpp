// The program of a case.
#include "tests/simulator/wgmma/cases.h"

namespace sim::wgmma {

namespace {

std::string list(const std::string& letter, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i ? ", %" : "%") + letter + std::to_string(i);
  return text + "}";
}

/// All of a descriptor but the address.
std::uint64_t descriptor(const Matrix& m) {
  const std::uint64_t mode = m.swizzle == 128 ? 1 : m.swizzle == 64 ? 2 : m.swizzle == 32 ? 3 : 0;
  return std::uint64_t(m.leading / 16) << 16 | std::uint64_t(m.stride / 16) << 32 |
         std::uint64_t(m.base_offset) << 49 | mode << 62;
}

std::string make_descriptor(const std::string& name, const Matrix& m, int part, int step) {
  return "  add.u32 %x, %base, " + std::to_string(part + m.start + m.step * step) +
         ";\n  bfe.u32 %x, %x, 4, 14;\n  cvt.u64.u32 " + name + ", %x;\n  or.b64 " + name + ", " + name +
         ", " + std::to_string(descriptor(m)) + ";\n";
}

std::string load_a(int step) {
  return "  ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%ia+" + std::to_string(kShared + 16 * kThreads * step) +
         "];\n";
}

std::string mma(const Case& c) {
  const int a = c.k * bits_of(c.a) / 64, b = a / 2;
  return load_a(0) + "  ld.global.v2.b32 {%b0, %b1}, [%ia];\n  mma.sync.aligned.m16n8k" +
         std::to_string(c.k) + ".row.col." + name_of(c.d) + "." + name_of(c.a) + "." + name_of(c.b) + "." +
         name_of(c.d) + " " + list("d", registers_of_d(c)) + ", " + list("a", a) + ", " + list("b", b) +
         ", " + list("d", registers_of_d(c)) + ";\n";
}

std::string wgmma(const Case& c, int step) {
  const bool real = c.d != Type::s32, halves = c.a == Type::f16 || c.a == Type::bf16;
  std::string text = make_descriptor("%db", c.bt, kPartOfA, step);
  if (!c.at.registers) text += make_descriptor("%da", c.at, 0, step);
  text += std::string("  wgmma.mma_async") + (c.sparse ? ".sp" : "") + ".sync.aligned.m64n" +
          std::to_string(c.n) + "k" + std::to_string(c.k) + "." + name_of(c.d) + "." + name_of(c.a) + "." +
          name_of(c.b) + (c.a == Type::b1 ? ".and.popc" : "") + (c.saturate ? ".satfinite" : "") + " " +
          list("d", registers_of_d(c)) + ", " +
          (c.at.registers ? list("s" + std::to_string(step) + "_", 4) : "%da") + ", %db, " +
          (c.sparse ? "%m" + std::to_string(step) + ", " + std::to_string(c.selector) + ", " : "") +
          (step == 0 ? "%p" : "1");
  if (real) text += ", " + std::to_string(c.scale_a) + ", " + std::to_string(c.scale_b);
  if (halves && !c.at.registers) text += c.at.mn_major ? ", 1" : ", 0";
  if (halves) text += c.bt.mn_major ? ", 1" : ", 0";
  return text + ";\n";
}

/// Shared memory is filled by all, and made visible to the asynchronous proxy.
const char* const kFill =
    "  mov.u64 %j, %ia;\n  mov.u32 %x, %at;\n"
    "$fill:\n"
    "  ld.global.v4.b32 {%a0, %a1, %a2, %a3}, [%j];\n  st.shared.v4.b32 [%x], {%a0, %a1, %a2, %a3};\n"
    "  add.u64 %j, %j, 2048;\n  add.u32 %x, %x, 2048;\n  setp.lt.u32 %p, %x, %end;\n  @%p bra $fill;\n"
    "  fence.proxy.async;\n  bar.sync 0;\n";

}  // namespace

std::string ptx_of(const Case& c) {
  const int count = registers_of_d(c);
  std::string text =
      ".version 8.7\n.target sm_90a\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 in)\n.maxntid 128\n{\n"
      "  .reg .pred %p;\n  .reg .b32 %t, %x, %at, %base, %end, %a<4>, %b<2>, %d<128>, %m<4>;\n"
      "  .reg .b64 %o, %ia, %ic, %j, %da, %db;\n"
      "  .shared .align 1024 .b8 block[" +
      std::to_string(kShared) +
      "];\n"
      "  mov.u32 %t, %tid.x;\n  mov.u32 %base, block;\n  mad.lo.u32 %at, %t, 16, %base;\n  add.u32 %end, "
      "%base, " +
      std::to_string(kShared) +
      ";\n"
      "  ld.param.u64 %ia, [in];\n  mad.wide.u32 %ic, %t, 4, %ia;\n  mad.wide.u32 %ia, %t, 16, %ia;\n"
      "  ld.param.u64 %o, [out];\n  mad.wide.u32 %o, %t, 4, %o;\n";
  for (int r = 0; r < count; ++r)
    text += "  ld.global.b32 %d" + std::to_string(r) + ", [%ic+" +
            std::to_string(kShared + 16 * kThreads * kMostSteps + 4 * kThreads * r) + "];\n";
  if (c.sync) {
    text += mma(c);
  } else {
    text += kFill;
    for (int s = 0; s < c.steps && c.sparse; ++s)
      text += "  ld.global.b32 %m" + std::to_string(s) + ", [%ic+" +
              std::to_string(kShared + 16 * kThreads * kMostSteps + 4 * kThreads * (count + s)) + "];\n";
    for (int s = 0; s < c.steps && c.at.registers; ++s) {
      const std::string own = "s" + std::to_string(s) + "_";
      text += "  .reg .b32 %" + own + "<4>;\n" + load_a(s);
      for (int r = 0; r < 4; ++r)
        text += "  mov.b32 %" + own + std::to_string(r) + ", %a" + std::to_string(r) + ";\n";
    }
    text +=
        std::string("  setp.ne.u32 %p, ") + (c.scale_d ? "1" : "0") + ", 0;\n  wgmma.fence.sync.aligned;\n";
    for (int s = 0; s < c.steps; ++s) text += wgmma(c, s);
    text += "  wgmma.commit_group.sync.aligned;\n  wgmma.wait_group.sync.aligned 0;\n";
  }
  for (int r = 0; r < count; ++r)
    text += "  st.global.b32 [%o+" + std::to_string(4 * kThreads * r) + "], %d" + std::to_string(r) + ";\n";
  return text + "  ret;\n}\n";
}

}  // namespace sim::wgmma
