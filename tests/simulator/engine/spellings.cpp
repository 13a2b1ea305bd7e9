// Spellings that say something about order, scope, caches or names of spaces, and do not change what is
// computed: each gives what the plain spelling gives.
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/engine/exec_support.h"
#include "tests/simulator/truth/cases.h"

using sim::test::Device;
using sim::test::kernel_text;
using sim::truth::expand;

namespace {

/// Runs one warp. The body has %o, this lane's 64 bytes of results; %t, the lane; %s, 64 bytes of shared
/// memory of its own; %c, a cache policy.
std::vector<unsigned> outcome(const std::string& body) {
  Device device(kernel_text(".param .u64 out, .param .align 4 .b8 p[8]", R"(
  .reg .pred %p, %q;
  .reg .b16 %h<4>;
  .reg .b32 %t, %s, %m, %r<6>, %f;
  .reg .b64 %o, %c, %x, %y, %d<4>;
  .reg .b128 %w<3>;
  .shared .align 16 .b8 own[2048];
  ld.param.u64 %o, [out];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %o, %t, 64, %o;
  mov.u32 %s, own;
  mad.lo.u32 %s, %t, 64, %s;
  mov.u64 %x, 0x1122334455667788;
  mov.u32 %r1, %t;
  createpolicy.fractional.L2::evict_first.b64 %c, 1.0;
)" + body + "\n  ret;"));
  device.shape.block = {32, 1, 1};
  const auto out = device.upload(std::vector<unsigned>(32 * 16, 7));
  device.run("k", out, std::uint64_t{0x500000003});
  return device.download<unsigned>(out, 32 * 16);
}

/// Every choice of the pattern against the plain text: each is put in the place of "@" in the body.
void same_as(const std::string& plain, const std::string& pattern, const std::string& body) {
  const auto with = [&](const std::string& text) {
    std::string all = body;
    for (std::size_t at = 0; (at = all.find('@', at)) != all.npos; at += text.size())
      all.replace(at, 1, text);
    return outcome(all);
  };
  const std::vector<unsigned> expected = with(plain);
  REQUIRE(expected != std::vector<unsigned>(32 * 16, 7));
  for (const std::string& text : expand(pattern)) {
    INFO(text);
    CHECK(with(text) == expected);
  }
}

}  // namespace

TEST_CASE("orders, scopes and cache hints of loads and stores change no value") {
  const std::string use = "st.global.u32 [%o+8], %t; @.u32 %r2, [%o+8]; st.global.u32 [%o], %r2;";
  same_as(
      "ld.global",
      "ld(.weak,.volatile,.relaxed.sys,.acquire.cta,.acquire.cluster,.mmio.relaxed.sys,.relaxed.gpu).global",
      use);
  same_as("ld.global",
          "ld.global(.L1::evict_normal,.L1::evict_first,.L1::evict_last)"
          "(.L2::evict_last,.L2::evict_first,.L2::evict_normal)",
          use);
  same_as(
      "st.global",
      "st(.weak,.volatile,.relaxed.sys,.release.cta,.release.cluster,.mmio.relaxed.sys,.release.gpu).global",
      "@.u32 [%o], %t;");
  same_as("st.global",
          "st.global(.L1::evict_normal,.L1::evict_first,.L1::evict_unchanged)"
          "(.L2::evict_last,.L2::evict_first,.L2::evict_normal)",
          "@.u32 [%o], %t;");
  same_as("st.shared", "st(.shared,.shared::cta,.shared::cluster)",
          "@.u32 [%s], %t; ld.shared.u32 %r2, [%s]; st.global.u32 [%o], %r2;");
  same_as("ld.shared", "ld(.shared,.shared::cta,.shared::cluster)",
          "st.shared.u32 [%s], %t; @.u32 %r2, [%s]; st.global.u32 [%o], %r2;");
  same_as("ld.param", "ld(.param,.param::entry)", "@.u32 %r2, [p+4]; st.global.u32 [%o], %r2;");
  same_as("u8", "(u8,b8)",
          "st.global.u32 [%o+8], %t; ld.global.@ %h1, [%o+8]; st.global.u32 [%o], 0; "
          "st.global.@ [%o], %h1;");
}

TEST_CASE("parameters of functions are read and written under either name of their space") {
  const std::string body =
      "{ .param .b32 a; .param .b32 r; st@.b32 [a], %t; call (r), twice, (a); ld@.b32 %r2, "
      "[r]; st.global.u32 [%o], %r2; }";
  for (const char* space : {".param", ".param::func"}) {
    std::string text = body;
    for (std::size_t at; (at = text.find('@')) != text.npos;) text.replace(at, 1, space);
    std::string module = kernel_text(".param .u64 out",
                                     ".reg .b32 %t, %r<4>; .reg .b64 %o; ld.param.u64 %o, [out]; "
                                     "mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 64, %o;" +
                                         text + " ret;");
    module.insert(module.find(".visible"),
                  std::string(".func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %v; ld") + space +
                      ".b32 %v, [a]; add.u32 %v, %v, %v; st" + space + ".b32 [r], %v; ret.uni; }\n");
    Device device(module);
    device.shape.block = {32, 1, 1};
    const auto out = device.upload(std::vector<unsigned>(512));
    device.run("k", out);
    for (unsigned i = 0; i < 32; ++i) CHECK(device.download<unsigned>(out, 512)[16 * i] == 2 * i);
  }
}

TEST_CASE("orders and scopes of narrow and wide atomics change no value") {
  const std::string orders = "(.relaxed.cta,.acquire.cluster,.release.gpu,.acq_rel.sys)";
  const std::string swap =
      "mov.u16 %h1, 5; st.global.b16 [%o], %h1; mov.u16 %h2, 9; "
      "@.cas.b16 %h3, [%o], %h1, %h2; st.global.b16 [%o+2], %h3;";
  same_as("atom.global", "atom" + orders + ".global", swap);
  const std::string shared =
      "mov.u16 %h1, 5; st.shared.b16 [%s], %h1; mov.u16 %h2, 9; "
      "@.cas.b16 %h3, [%s], %h1, %h2; ld.shared.b16 %h2, [%s]; st.global.v2.b16 [%o], "
      "{%h2, %h3};";
  same_as("atom.shared", "atom" + orders + "(.shared,.shared::cta,.shared::cluster)", shared);
  const std::string wide = "cvt.u64.u32 %d0, %t; mov.b128 %w0, {%d0, %x}; mov.b128 %w1, {%x, %d0}; ";
  const std::string in_global = wide + "st.global.v2.b64 [%o], {%d0, %x}; ",
                    in_shared = wide + "st.shared.v2.b64 [%s], {%d0, %x}; ",
                    from_global = "mov.b128 {%d1, %d2}, %w2; st.global.v2.b64 [%o+16], {%d1, %d2};",
                    from_shared = "ld.shared.v2.b64 {%d1, %d2}, [%s]; st.global.v2.b64 [%o], {%d1, %d2}; " +
                                  from_global;
  for (const std::string& operation :
       {std::string(".exch.b128 %w2, [A], %w1;"), std::string(".cas.b128 %w2, [A], %w0, %w1;")}) {
    std::string at_global = operation, at_shared = operation;
    at_global.replace(at_global.find("[A]"), 3, "[%o]");
    at_shared.replace(at_shared.find("[A]"), 3, "[%s]");
    same_as("atom.global", "atom" + orders + ".global", in_global + "@" + at_global + from_global);
    same_as("atom.shared", "atom" + orders + "(.shared,.shared::cta,.shared::cluster)",
            in_shared + "@" + at_shared + from_shared);
  }
}

TEST_CASE("barriers, fences and jumps have spellings that change nothing") {
  same_as("bar.sync 1", "(bar.sync,bar.cta.sync,barrier.sync,barrier.cta.sync.aligned) 1",
          "@; st.global.u32 [%o], %t;");
  same_as("bar.red.popc.u32", "(bar.red,bar.cta.red,barrier.red,barrier.cta.red).popc.u32",
          "setp.lt.u32 %p, %t, 9; @ %r2, 0, %p; st.global.u32 [%o], %r2;");
  for (const char* operation : {"and", "or"}) {
    const std::string rest = std::string(".") + operation + ".pred";
    same_as("bar.red" + rest, "(bar.cta.red,barrier.red,barrier.cta.red)" + rest,
            "setp.lt.u32 %p, %t, 9; @ %q, 0, %p; selp.u32 %r2, 1, 0, %q; st.global.u32 [%o], %r2;");
  }
  same_as("bar.arrive", "(bar.arrive,bar.cta.arrive,barrier.arrive,barrier.cta.arrive)",
          "@ 2, 64; st.global.u32 [%o], %t;");
  same_as("membar.gl", "(membar.cta,membar.sys,fence.acq_rel.gpu,fence.sc.sys,fence.acq_rel.cluster)",
          "@; st.global.u32 [%o], %t;");
  same_as("bra", "bra{.uni}", "@ over; st.global.u32 [%o], 0; over: st.global.u32 [%o+4], %t;");
  same_as(
      "brx.idx", "brx.idx{.uni}",
      "places: .branchtargets first, second; mov.u32 %r2, 1; @ %r2, places; first: st.global.u32 [%o], 0; "
      "second: st.global.u32 [%o+4], %t;");
  same_as("ret", "ret{.uni}", "st.global.u32 [%o], %t; @; st.global.u32 [%o+4], 0;");
}

TEST_CASE("cache policies and addresses of spaces are made under every name") {
  const std::string use = " st.global.L2::cache_hint.u32 [%o], %t, %c;";
  same_as("createpolicy.fractional.L2::evict_first",
          "createpolicy.fractional(.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged)"
          "{.L2::evict_first,.L2::evict_unchanged}",
          "@.b64 %c, 0.5;" + use);
  same_as(
      "createpolicy.range.global.L2::evict_last",
      "createpolicy.range{.global}(.L2::evict_last,.L2::evict_normal,.L2::evict_first,.L2::evict_unchanged)",
      "@.b64 %c, [%o], 64, 128;" + use);
  same_as(
      "cvta.shared", "cvta(.shared,.shared::cta)",
      "st.shared.u32 [%s], %t; cvt.u64.u32 %y, %s; @.u64 %y, %y; ld.u32 %r2, [%y]; st.global.u32 [%o], %r2;");
  same_as("cvta.to.global", "cvta.to(.global,.const)", "@.u64 %y, %o; st.global.u32 [%y], %t;");
  same_as("cvta.param", "cvta.param",
          "mov.u64 %y, p; @.u64 %y, %y; cvta.to.param.u64 %y, %y; ld.param.u32 %r2, [p]; st.global.u32 [%o], "
          "%r2;");
}

TEST_CASE("reductions and asynchronous copies are the same under every order, hint and name of a space") {
  same_as("red.global", "red(.relaxed.gpu,.release.gpu,.relaxed.cta).global",
          "st.global.u32 [%o], %t; @.add.u32 [%o], 5;");
  const std::string sectors = "{.L2::64B,.L2::128B,.L2::256B}";
  const std::string finish =
      " cp.async.wait_all; ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%s]; st.global.v4.u32 "
      "[%o+16], {%r2, %r3, %r4, %r5};";
  for (const char* cache : {"ca", "cg"}) {
    const std::string copy = std::string("cp.async.") + cache;
    same_as(copy + ".shared.global", copy + "(.shared,.shared::cta).global" + sectors,
            "st.global.u32 [%o], %t; @ [%s], [%o], 16;" + finish);
    same_as(copy + ".shared.global.L2::cache_hint",
            copy + "(.shared,.shared::cta).global.L2::cache_hint" + sectors,
            "st.global.u32 [%o], %t; @ [%s], [%o], 16, %c;" + finish);
  }
}

TEST_CASE("hints to caches, events and other grids run and change nothing") {
  const std::string body = R"(
  cvta.global.u64 %y, %o;
  st.u32 [%y], %t;
  ldu.global.u32 %r2, [%o];
  createpolicy.cvt.L2.b64 %c, %x;
  applypriority.global.L2::evict_normal [%o], 128;
  prefetch.tensormap [%o];
  prefetch.const.tensormap [%o];
  prefetch.param.tensormap [p];
  prefetch.local.L1 [%o];
  prefetch.global.L2::evict_normal [%o];
  pmevent.mask 3;
  setmaxnreg.dec.sync.aligned.u32 32;
  isspacep.param::entry %p, %o;
  fence.proxy.async;
  fence.proxy.async.global;
  fence.proxy.async.shared::cta;
  fence.proxy.async.shared::cluster;
  fence.proxy.alias;
  pmevent 3;
  griddepcontrol.launch_dependents;
  griddepcontrol.wait;
  setmaxnreg.inc.sync.aligned.u32 64;
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.acquire.aligned;
  nanosleep.u32 20;
  cp.async.ca.shared.global.L2::cache_hint.L2::128B [%s], [%o], 4, %c;
  cp.async.wait_all;
  st.global.u32 [%o+4], %r2;)";
  const auto v = outcome(body);
  for (unsigned i = 0; i < 32; ++i) CHECK((v[16 * i] == i && v[16 * i + 1] == i && v[16 * i + 2] == 7));
}

TEST_CASE("addresses of the cluster's only block are its own") {
  const auto v = outcome(R"(
  cvta.to.global.u64 %y, %o;
  st.shared.u32 [%s], %t;
  mapa.u32 %m, %s, 0;
  ld.shared.u32 %r2, [%m];
  getctarank.u32 %r3, %m;
  cvt.u64.u32 %d0, %s;
  mapa.shared::cluster.u64 %d1, %d0, 0;
  getctarank.shared::cluster.u64 %r4, %d1;
  cvta.shared::cluster.u64 %d0, %d1;
  isspacep.shared::cluster %p, %d0;
  selp.u32 %r5, 1, 0, %p;
  discard.global.L2 [%y], 128;
  st.global.v4.u32 [%y], {%r2, %r3, %r4, %r5};)");
  for (unsigned i = 0; i < 32; ++i)
    CHECK((v[16 * i] == i && v[16 * i + 1] == 0 && v[16 * i + 2] == 0 && v[16 * i + 3] == 1));
}

TEST_CASE("stores take the low bits of a register, whatever sign their type has") {
  for (const char* type : {"s8", "s16", "s32", "s64"}) {
    const std::string bits = std::string(type).substr(1), from = bits == "64"   ? "%x"
                                                                 : bits == "32" ? "%t"
                                                                                : "%h1";
    same_as("st.global.u" + bits, std::string("st.global.") + type,
            "cvt.u16.u32 %h1, %t; st.global.u32 [%o], 0; @ [%o], " + from + ";");
  }
}

TEST_CASE("the low half of the global timer is that of the whole") {
  const auto v = outcome(R"(
  mov.u64 %x, %globaltimer;
  mov.u32 %r2, %globaltimer_lo;
  mov.u64 %y, %globaltimer;
  cvt.u32.u64 %r3, %x;
  sub.u32 %r3, %r2, %r3;
  sub.u64 %y, %y, %x;
  cvt.u32.u64 %r4, %y;
  setp.le.u32 %p, %r3, %r4;
  selp.u32 %r5, 1, 0, %p;
  st.global.u32 [%o], %r5;)");
  for (std::size_t i = 0; i < 32; ++i) CHECK(v[16 * i] == 1);
}

TEST_CASE(".relu stands before or behind the type, and a bf16 converted to bf16 is the same") {
  for (const char* type : {"s32", "s16x2"}) {
    for (const char* operation : {"min", "max"}) {
      const std::string plain = std::string(operation) + ".relu." + type,
                        behind = std::string(operation) + "{.relu}." + type + ".relu";
      same_as(plain, behind,
              "mad.lo.s32 %r2, %t, 0x8F371, 0xFFF3FFF9; @ %r2, %r2, 0x00050003; st.global.u32 [%o], %r2;");
    }
  }
  same_as("mov.b16", "cvt.bf16.bf16",
          "cvt.u16.u32 %h1, %t; xor.b16 %h1, %h1, 0x3F91; @ %h2, %h1; st.global.b16 [%o], %h2;");
}
