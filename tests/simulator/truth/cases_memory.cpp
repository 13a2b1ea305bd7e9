// Loads, stores, atomics, address conversions.
#include "tests/simulator/truth/lists.h"

namespace sim::truth {

namespace {

/// An atomic on this row's second result (global) or its own 64 bytes (shared): old value and new.
void add_atomic(std::vector<Case>& all, const std::string& operation, Kind k, Kind operand, int operands = 2,
                bool reduces = true) {
  const std::string bits = std::to_string(8 * bytes_of(k)), at = "[%o+8]";
  const std::string fewer = operation == ".cas.b64" ? "and.b64 %a0, %a0, 1; and.b64 %a1, %a1, 1; " : "";
  for (const bool shared : {false, true}) {
    const std::string space = shared ? ".shared" : ".global", place = shared ? "[%s]" : at;
    std::string values;
    for (int i = 1; i < operands; ++i) values += ", %a" + std::to_string(i);
    Kinds in(static_cast<std::size_t>(operands), operand);
    const std::string set = fewer + "st" + space + ".b" + bits + " " + place + ", %a0; ",
                      get = " ld" + space + ".b" + bits + " %d1, " + place + ";";
    add_body(all, "atom" + space + operation,
             set + "atom" + space + operation + " %d0, " + place + values + ";" + get, {k, k}, in);
    if (reduces) {
      add_body(all, "red" + space + operation,
               set + "mov.b" + bits + " %d0, %a0; red" + space + operation + " " + place + values + ";" + get,
               {k, k}, in);
    }
  }
  const Kinds in(static_cast<std::size_t>(operands), operand);
  std::string values;
  for (int i = 1; i < operands; ++i) values += ", %a" + std::to_string(i);
  // Every order and scope once, and the spellings of shared memory.
  for (const char* where : {".acq_rel.gpu", ".relaxed.cta.shared::cta", ".acquire.cluster.shared::cluster",
                            ".release.sys.global"}) {
    const std::string name = where + operation;
    const bool shared = name.find("shared") != name.npos, cluster = name.find("::cluster") != name.npos;
    const std::string space = shared ? ".shared" : ".global";
    const std::string place = cluster ? "[%m]" : shared ? "[%s]" : at;
    const std::string head = fewer + (cluster ? "{ .reg .b32 %m; mapa.shared::cluster.u32 %m, %s, 0; " : "") +
                             ("st" + space) + ".b" + bits + " " + (shared ? "[%s]" : at) + ", %a0; ";
    const std::string tail =
        " ld" + space + ".b" + bits + " %d1, " + (shared ? "[%s]" : at) + ";" + (cluster ? " }" : "");
    add_body(all, "atom" + name, head + "atom" + name + " %d0, " + place + values + ";" + tail, {k, k}, in,
             32);
    if (reduces && (name[3] == 'l'))  // .relaxed and .release
      add_body(all, "red" + name,
               head + "mov.b" + bits + " %d0, %a0; red" + name + " " + place + values + ";" + tail, {k, k},
               in, 32);
  }
  if (reduces)
    add_body(all, "red.relaxed.cluster.shared::cluster" + operation,
             "{ .reg .b32 %m; mapa.shared::cluster.u32 %m, %s, 0; st.shared.b" + bits + " [%s], %a0; mov.b" +
                 bits + " %d0, %a0; red.relaxed.cluster.shared::cluster" + operation + " [%m]" + values +
                 "; ld.shared.b" + bits + " %d1, [%s]; }",
             {k, k}, in, 32);
}

void add_atomics(std::vector<Case>& all) {
  using enum Kind;
  for (const char* operation : {".add.u32", ".add.s32", ".min.u32", ".min.s32", ".max.u32", ".max.s32",
                                ".and.b32", ".or.b32", ".xor.b32", ".inc.u32", ".dec.u32"})
    add_atomic(all, operation, b32, b32);
  for (const char* operation :
       {".add.u64", ".min.u64", ".min.s64", ".max.u64", ".max.s64", ".and.b64", ".or.b64", ".xor.b64"})
    add_atomic(all, operation, b64, b64);
  add_atomic(all, ".add.f32", f32, f32);
  add_atomic(all, ".add.f64", f64, f64);
  add_atomic(all, ".add.noftz.f16", f16, f16);
  add_atomic(all, ".add.noftz.f16x2", f16x2, f16x2);
  add_atomic(all, ".add.noftz.bf16", bf16, bf16);
  add_atomic(all, ".add.noftz.bf16x2", bf16x2, bf16x2);
  add_atomic(all, ".exch.b32", b32, b32, 2, false);
  add_atomic(all, ".exch.b64", b64, b64, 2, false);
  add_atomic(all, ".cas.b64", b64, b64, 3, false);
  for (const char* space : {".shared", ".global"}) {
    const std::string at = space[1] == 's' ? ", [%s]" : ", [%o+8]", to = at.substr(2), s = space;
    add_body(all, "atom" + s + ".cas.b16",
             "and.b16 %a0, %a0, 1; and.b16 %a1, %a1, 1; st" + s + ".b16 " + to + ", %a0; atom" + s +
                 ".cas.b16 %d0" + at + ", %a1, %a2; ld" + s + ".b16 %d1" + at + ";",
             {b16, b16}, {b16, b16, b16});
  }
  add_atomic(all, ".cas.b32", b32, few, 3, false);
  const std::string make =
                        "mov.b128 %x, {%a0, %a1}; mov.b128 %y, {%a2, %a3}; mov.b128 %z, {%a4, %a5}; "
                        "st.shared.v2.b64 [%s], {%a0, %a1}; ",
                    end = " mov.b128 {%d0, %d1}, %z; ld.shared.v2.b64 {%d2, %d3}, [%s]; }";
  const Kinds six{b64, b64, b64, b64, b64, b64}, four{b64, b64, b64, b64};
  add_body(all, "atom.shared.exch.b128",
           "{ .reg .b128 %x, %y, %z; " + make + "atom.shared.exch.b128 %z, [%s], %y;" + end, four, six, 32);
  add_body(all, "atom.shared.cas.b128",
           "{ .reg .b128 %x, %y, %z; " + make +
               "setp.lt.s64 %p0, %a5, 0; @%p0 mov.b128 %y, %x; "
               "atom.shared.cas.b128 %z, [%s], %y, %z;" +
               end,
           four, six, 64);
}

void add_moves(std::vector<Case>& all) {
  using enum Kind;
  for (const std::string& type : expand("(.u8,.s8,.u16,.s16,.b16,.u32,.s32,.f32,.b32,.u64,.s64,.f64,.b64)")) {
    const std::string store = "st.shared.b64 [%s], %a0; ";
    const int bits = std::stoi(type.substr(2));
    const std::string into = bits == 64 ? "%d0" : "%x";
    for (const char* width : {"b32", "b64"}) {
      if (bits == 64 && width == std::string("b32")) continue;
      if (bits == 32 && type[1] == 'f' && width == std::string("b64")) continue;
      if (type[1] == 'b' && width == std::string("b64") && bits < 64) continue;
      add_body(all, "ld.shared" + type + " into " + width,
               std::string("{ .reg .") + width + " %x; mov.b64 %d0, 0; " + store + "ld.shared" + type + " " +
                   into + ", [%s]; " +
                   (bits == 64                    ? ""
                    : width == std::string("b32") ? "cvt.u64.u32 %d0, %x;"
                                                  : "mov.b64 %d0, %x;") +
                   " }",
               {b64}, {b64}, 32);
    }
  }
  for (const std::string& hint :
       expand("(.ca,.cg,.cs,.lu,.cv,.nc,.ca.nc,.cg.nc,.cs.nc,.L1::evict_last,.L1::no_allocate,.nc.L1::no_"
              "allocate,"
              ".nc.L1::evict_first.L2::128B,.L1::evict_normal.L2::64B,.L2::256B,.L1::evict_unchanged)"))
    add_body(all, "ld.global" + hint + ".v2.u32",
             "{ .reg .b32 %x, %y; ld.global" + hint + ".v2.u32 {%x, %y}, [%i]; mov.b64 %d0, {%x, %y}; }",
             {b64}, {b64}, 32);
  for (const std::string& order :
       expand("(.weak,.volatile,.relaxed.gpu,.acquire.sys,.relaxed.cta,.acquire.cluster)"))
    add_body(all, "ld" + order + ".global.b64",
             "st.global.b64 [%o], %a0; ld" + order + ".global.b64 %d0, [%o];", {b64}, {b64}, 32);
  for (const std::string& order : expand("(.weak,.volatile,.relaxed.gpu,.release.sys,.relaxed.cta)"))
    add_body(all, "st" + order + ".global.b64",
             "st" + order + ".global.b64 [%o], %a0; ld.global.b64 %d0, [%o];", {b64}, {b64}, 32);
  for (const std::string& hint : expand("(.wb,.cg,.cs,.wt,.L1::no_allocate,.L1::evict_last)"))
    add_body(all, "st.global" + hint + ".b64",
             "st.global" + hint + ".b64 [%o], %a0; ld.global.b64 %d0, [%o];", {b64}, {b64}, 32);
  add_body(all, "ld.global.L2::cache_hint.b64",
           "{ .reg .b64 %c; createpolicy.fractional.L2::evict_last.b64 %c, 0.5; "
           "st.global.L2::cache_hint.b64 [%o], %a0, %c; ld.global.L2::cache_hint.b64 %d0, [%o], %c; }",
           {b64}, {b64}, 32);
  add_body(all, "createpolicy.fractional",
           "{ .reg .b64 %c; createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %c, 0.25; "
           "ld.global.nc.L1::no_allocate.L2::cache_hint.v2.u32 {%d0, %d1}, [%i], %c; }",
           {b32, b32}, {b64}, 32);
  add_body(all, "createpolicy.range",
           "{ .reg .b64 %c; createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 %c, [%i], 1024, "
           "4096; "
           "ld.global.L2::cache_hint.b64 %d0, [%i], %c; }",
           {b64}, {b64}, 32);
  add_body(all, "prefetch.global.L2",
           "prefetch.global.L2 [%i]; prefetch.global.L1 [%i]; prefetch.global.L2::evict_last [%i]; "
           "prefetch.L2 [%i]; "
           "prefetchu.L1 [%i]; ld.global.b64 %d0, [%i];",
           {b64}, {b64}, 32);
  add_body(all, "cvta.shared.u64",
           "{ .reg .b64 %x, %y; .reg .b32 %z; st.shared.b64 [%s], %a0; cvt.u64.u32 %x, %s; cvta.shared.u64 "
           "%y, %x; "
           "ld.b64 %d0, [%y]; cvta.to.shared.u64 %y, %y; sub.u64 %d1, %y, %x; isspacep.shared %p0, %y; }",
           {b64, b64}, {b64}, 32);
  add_body(
      all, "isspacep.shared",
      "{ .reg .b64 %x; cvt.u64.u32 %x, %s; cvta.shared.u64 %x, %x; isspacep.shared %p0, %x; selp.b32 %d0, 1, "
      "0, %p0; "
      "isspacep.global %p0, %x; selp.b32 %d1, 1, 0, %p0; isspacep.shared::cta %p0, %x; selp.b32 %d2, 1, 0, "
      "%p0; "
      "isspacep.local %p0, %x; selp.b32 %d3, 1, 0, %p0; isspacep.global %p0, %o; @%p0 or.b32 %d3, %d3, 2; "
      "isspacep.const %p0, %o; @%p0 or.b32 %d3, %d3, 4; isspacep.param %p0, %o; @%p0 or.b32 %d3, %d3, 8; }",
      {b32, b32, b32, b32}, {b64}, 32);
  add_body(
      all, "mapa.u64",
      "{ .reg .b64 %x, %y; .reg .b32 %z; cvt.u64.u32 %x, %s; cvta.shared.u64 %x, %x; st.shared.b64 [%s], "
      "%a0; "
      "mapa.u64 %y, %x, 0; ld.b64 %d0, [%y]; getctarank.u64 %d1, %y; mapa.shared::cluster.u32 %z, %s, 0; "
      "ld.shared::cluster.b32 %d2, [%z]; getctarank.shared::cluster.u32 %z, %z; add.u32 %d1, %d1, %z; }",
      {b64, b32, b32}, {b64}, 32);
  add_body(
      all, "mov.b64 {}",
      "{ .reg .b16 %p, %q, %r, %t; .reg .b32 %x, %y; mov.b64 {%x, %y}, %a0; mov.b64 {%p, %q, %r, %t}, %a0; "
      "mov.b32 %x, {%t, %q}; mov.b64 %d0, {%y, %x}; mov.b64 %d1, {%r, %p, %t, %q}; }",
      {b64, b64}, {b64}, 32);
  add_body(all, "cp.async.ca.shared.global",
           "cp.async.ca.shared.global [%s], [%i], 4; cp.async.ca.shared.global [%s+8], [%i], 8, %a1; "
           "cp.async.cg.shared.global [%s+16], [%i], 16; cp.async.commit_group; cp.async.wait_group 0; "
           "ld.shared.b32 %d0, [%s]; ld.shared.b64 %d1, [%s+8]; ld.shared.b64 %d2, [%s+16];",
           {b32, b64, b64}, {b64, few}, 32);
  add_body(all, "cp.async ignore-src",
           "setp.eq.u32 %p0, %a1, 0; cp.async.ca.shared.global [%s], [%i], 8, %p0; cp.async.wait_all; "
           "ld.shared.b64 %d0, [%s];",
           {b64}, {b64, few}, 32);
}

}  // namespace

void add_memory_cases(std::vector<Case>& all) {
  add_atomics(all);
  add_moves(all);
}

}  // namespace sim::truth
