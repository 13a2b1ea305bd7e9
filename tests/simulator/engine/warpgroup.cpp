// wgmma by less than a warpgroup, and with descriptors that reach too far.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>

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

TEST_CASE("what a product of wgmma reads of shared memory, and how long it is waited for, are counted") {
  const auto cost = [](const std::string& products) {
    sim::test::Device device(
        ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
        ".shared .align 1024 .b8 block[8192];\n.reg .b32 %d<32>, %a<4>; .reg .b64 %b;\nmov.b64 %b, 0;\n"
        "wgmma.fence.sync.aligned;\n" +
        products + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nret;\n}\n");
    device.shape.block = {128, 1, 1};
    return device.run("k").cost;
  };
  const std::string sums = "{%d0, %d1, %d2, %d3}",
                    begin = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 " + sums;
  const std::string from_shared = begin + ", %b, %b, 1, 1, 1, 0, 0;\n",
                    from_registers = begin + ", {%a0, %a1, %a2, %a3}, %b, 1, 1, 1, 0;\n";
  CHECK(cost(from_shared).units.wgmma_macs == 64 * 8 * 16);
  CHECK(cost(from_shared).units.wgmma_bytes == 64 * 32 + 8 * 32);
  CHECK(cost(from_registers).units.wgmma_bytes == 8 * 32);
  // Of four warps; sums are handed on in order.
  CHECK(cost(from_shared + from_shared).critical_path.arithmetic ==
        cost(from_shared).critical_path.arithmetic + 4);
}

TEST_CASE("the wait for a product of wgmma takes what an H100 was measured to take, by width") {
  const auto clocks = [](unsigned columns, bool registers) {
    std::string sums = "{%d0";
    for (unsigned i = 1; i < columns / 2; ++i) sums += ", %d" + std::to_string(i);
    sim::test::Device device(
        ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
        ".shared .align 1024 .b8 block[16384];\n.reg .b32 %d<128>, %a<4>; .reg .b64 %b;\n"
        "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n" +
        std::to_string(columns) + "k16.f32.f16.f16 " + sums +
        (registers ? "}, {%a0, %a1, %a2, %a3}, 0, 1, 1, 1, 0;\n" : "}, 0, 0, 1, 1, 1, 0, 0;\n") +
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nret;\n}\n");
    device.shape.block = {128, 1, 1};
    return double(device.run("k").cost.critical_path.arithmetic) / 4 * 4.15;  // of each warp
  };
  for (const auto& [columns, measured] : {std::pair{8u, 57.0},
                                          {16u, 61.0},
                                          {32u, 69.0},
                                          {64u, 85.0},
                                          {96u, 101.0},
                                          {128u, 117.0},
                                          {192u, 155.0},
                                          {256u, 195.0}}) {
    INFO(columns << " columns");
    CHECK(std::abs(clocks(columns, false) / measured - 1) < 0.03);
  }
  CHECK(std::abs(clocks(8, true) / 47.0 - 1) < 0.03);
}
