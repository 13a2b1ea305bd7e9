// wgmma by less than a warpgroup, and with descriptors that reach too far.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/simulator/engine/exec_support.h"

using Catch::Matchers::ContainsSubstring;

namespace {

struct Said {
  sim::FindingKind kind{};
  std::string message;  ///< empty: nothing
};

/// What the simulator says of a kernel that multiplies with both factors at a descriptor.
Said finding_of(const std::string& before, unsigned threads, const std::string& descriptor = "0") {
  const std::string text =
      ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
      ".shared .align 1024 .b8 block[4096];\n.reg .pred %p; .reg .b32 %t, %d<4>; .reg .b64 %a;\n"
      "mov.u32 %t, %tid.x;\nmov.b64 %a, " +
      descriptor + ";\n" + before +
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0, %d1, %d2, %d3}, %a, %a, 1, 1, 1, 0, 0;\n"
      "$end: ret;\n}\n";
  try {
    sim::test::Device device(text);
    device.shape.block = {threads, 1, 1};
    device.run("k");
  } catch (const sim::exec::Fault& fault) {
    return {fault.finding.kind, fault.what()};
  }
  return {};
}

}  // namespace

TEST_CASE("wgmma by all warps of a warpgroup is no mistake") {
  CHECK(finding_of("", 128).message.empty());
  CHECK(finding_of("", 256).message.empty());
  // A second warpgroup may be elsewhere.
  CHECK(finding_of("setp.ge.u32 %p, %t, 128; @%p bra $end;\n", 256).message.empty());
}

TEST_CASE("a wgmma that one warp of the warpgroup does not come to is told with who waits") {
  const Said found = finding_of("setp.ge.u32 %p, %t, 96; @%p bra $end;\n", 128);
  CHECK(found.kind == sim::FindingKind::mask);
  CHECK_THAT(found.message, ContainsSubstring("warps 0-2 wait") &&
                                ContainsSubstring("for other warps of their warpgroup") &&
                                ContainsSubstring("warp 3 left"));
}

TEST_CASE("a wgmma of a block that ends within a warpgroup is told") {
  const Said found = finding_of("", 224);
  CHECK(found.kind == sim::FindingKind::mask);
  CHECK_THAT(found.message,
             ContainsSubstring("a block of 224 threads ends within the warpgroup that begins at thread 128"));
}

TEST_CASE("a descriptor that reaches beyond shared memory is told") {
  const Said found = finding_of("", 128, "0x0000000800080100");
  CHECK(found.kind == sim::FindingKind::out_of_bounds);
  CHECK_THAT(found.message, ContainsSubstring("and the block has 4096"));
}
