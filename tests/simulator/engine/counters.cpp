// Counters of known access patterns: sectors of global memory, wavefronts of shared memory, branches.
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/engine/exec_support.h"

namespace {

/// One warp; lane i accesses element i * stride of a global or shared array.
sim::exec::LaunchResult run(const std::string& access, int stride, int threads = 32) {
  sim::test::Device device(sim::test::kernel_text(".param .u64 p, .param .u32 stride", R"(
  .reg .pred %p;
  .reg .b16 %h;
  .reg .b32 %t, %s, %v<5>;
  .reg .b64 %a, %d<3>;
  .shared .align 16 .b8 tile[20480];
  ld.param.u64 %a, [p];
  ld.param.u32 %s, [stride];
  mov.u32 %t, %tid.x;
  mul.lo.u32 %t, %t, %s;
  mad.wide.u32 %a, %t, 1, %a;
  mov.u32 %v0, tile;
  add.u32 %s, %t, %v0;
  )" + access + "\n ret;"));
  device.shape.block = {unsigned(threads), 1, 1};
  return device.run("k", device.upload(std::vector<int>(20000)), stride);
}

sim::Counters counters_of(const std::string& access, int stride, int threads = 32) {
  return run(access, stride, threads).counters;
}

struct Expected {
  int stride;
  unsigned cost;
};

}  // namespace

TEST_CASE("sectors of a global load follow from the stride in bytes") {
  for (const Expected e :
       {Expected{0, 1}, {4, 4}, {8, 8}, {12, 12}, {16, 16}, {32, 32}, {128, 32}, {-4 + 4, 1}}) {
    const auto c = counters_of("ld.global.u32 %v1, [%a];", e.stride);
    INFO(e.stride);
    CHECK(c.global_load_requests == 1);
    CHECK(c.global_load_sectors == e.cost);
  }
  CHECK(counters_of("ld.global.u32 %v1, [%a+4];", 4).global_load_sectors == 5);
  CHECK(counters_of("ld.global.u8 %h, [%a];", 1).global_load_sectors == 1);
  CHECK(counters_of("ld.global.v2.u32 {%v1, %v2}, [%a];", 8).global_load_sectors == 8);
  CHECK(counters_of("ld.global.v4.u32 {%v1, %v2, %v3, %v4}, [%a];", 16).global_load_sectors == 16);
  CHECK(counters_of("ld.global.v4.u32 {%v1, %v2, %v3, %v4}, [%a];", 32).global_load_sectors == 32);
  CHECK(counters_of("ld.global.u64 %d1, [%a];", 8).global_load_sectors == 8);
  CHECK(counters_of("ld.global.u32 %v1, [%a];", 4, 5).global_load_sectors == 1);
  CHECK(counters_of("st.global.u32 [%a], %v0;", 4, 40).global_store_sectors == 5);
  CHECK(counters_of("st.global.u32 [%a], %v0;", 4, 40).global_store_requests == 2);
}

TEST_CASE(
    "partial-line sectors are those that lie alone in their 128-byte line, of requests for many lines") {
  for (const Expected e :
       {Expected{0, 0}, {4, 0}, {8, 0}, {32, 0}, {64, 0}, {96, 16}, {128, 32}, {160, 32}}) {
    INFO(e.stride);
    CHECK(run("ld.global.u32 %v1, [%a];", e.stride).partial_line_load_sectors == e.cost);
    CHECK(run("st.global.u32 [%a], %v0;", e.stride).partial_line_store_sectors == e.cost);
  }
  CHECK(run("ld.global.u32 %v1, [%a+4];", 4).partial_line_load_sectors == 1);  // one behind the line
  CHECK(run("ld.global.u32 %v1, [%a+32];", 4).partial_line_load_sectors ==
        1);  // the same, without a fifth sector
  CHECK(run("ld.global.u32 %v1, [%a+64];", 4).partial_line_load_sectors == 0);  // two and two
  CHECK(run("ld.global.u8 %h, [%a+16];", 1).partial_line_load_sectors == 0);    // one line
  CHECK(run("ld.global.u32 %v1, [%a+32];", 128).partial_line_load_sectors == 32);
  CHECK(run("red.global.add.u32 [%a], 1;", 128).partial_line_load_sectors == 0);
}

TEST_CASE("costs and samples do not depend on which host thread ran which block") {
  // Block b's lanes lie b * 12 bytes apart.
  sim::test::Device device(sim::test::kernel_text(".param .u64 p", R"(
  .reg .b32 %t, %b, %v;
  .reg .b64 %a;
  ld.param.u64 %a, [p];
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mul.lo.u32 %t, %t, %b;
  mad.wide.u32 %a, %t, 12, %a;
  .loc 1 7 0
  ld.global.u32 %v, [%a];
  ret;)") + "\n.file 1 \"k.cu\"\n");
  device.shape.block = {32, 1, 1};
  device.shape.grid = {50, 1, 1};
  const auto buffer = device.upload(std::vector<int>(31 * 49 * 3 + 1));
  const auto launch = [&](int threads) {
    device.shape.host_threads = threads;
    return device.run("k", buffer);
  };
  const sim::exec::LaunchResult alone = launch(1);
  CHECK(alone.partial_line_load_sectors > 0);
  REQUIRE(alone.lines.size() == 1);
  REQUIRE(alone.lines[0].accesses.size() == 1);
  CHECK(alone.lines[0].accesses[0].sample.offset[1] == 25 * 12);  // the block in the middle
  for (int again = 0; again < 20; ++again) {
    const sim::exec::LaunchResult many = launch(4);
    CHECK(many.partial_line_load_sectors == alone.partial_line_load_sectors);
    CHECK(many.lines[0].accesses[0].sample.offset == alone.lines[0].accesses[0].sample.offset);
    CHECK(many.lines[0].accesses[0].sample.uses == 1);
  }
}

TEST_CASE("the steps of a loop are kept in their order, where somebody looks, as far as they differ") {
  // Lanes that lie 4, 8, 16 and 32 bytes apart, and 4 once more.
  sim::test::Device device(sim::test::kernel_text("", R"(
  .reg .b32 %t, %s, %i, %v, %a;
  .reg .pred %p;
  .shared .align 16 .b8 tile[1024];
  mov.u32 %t, %tid.x;
  mov.u32 %i, 0;
AGAIN:
  and.b32 %s, %i, 3;
  add.u32 %s, %s, 2;
  shl.b32 %s, %t, %s;
  mov.u32 %a, tile;
  add.u32 %a, %a, %s;
  .loc 1 7 0
  ld.shared.u32 %v, [%a];
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 5;
  @%p bra AGAIN;
  ret;)") + "\n.file 1 \"k.cu\"\n");
  device.shape.grid = {3, 1, 1};
  device.shape.block = {32, 1, 1};
  CHECK(device.run("k").lines.at(0).accesses.at(0).steps.empty());
  device.shape.trace = true;
  const sim::exec::LaunchResult result = device.run("k");
  const sim::AccessRecord& access = result.lines.at(0).accesses.at(0);
  REQUIRE(access.steps.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(access.steps[i].offset[1] == 4 << i);
    CHECK(access.steps[i].cost == 1U << i);
    CHECK(access.steps[i].uses == (i == 0 ? 2 : 1));
  }
  CHECK(access.sample.offset[1] == 32);
}

TEST_CASE("lanes that update one address take turns, unless ptxas adds their values up first") {
  const auto turns = counters_of("red.global.add.u32 [%a], 1;", 0);  // the address is computed by lane
  CHECK(turns.global_atomic_requests == 1);
  CHECK(turns.global_atomic_sectors == 32);
  const auto summed = counters_of("ld.param.u64 %d1, [p];\n red.global.add.u32 [%d1], %v1;", 4);
  CHECK(summed.global_atomic_requests == 1);
  CHECK(summed.global_atomic_sectors == 1);
  CHECK(counters_of("ld.param.u64 %d1, [p];\n red.global.add.f32 [%d1], 0f3f800000;", 4)
            .global_atomic_sectors == 32);
  CHECK(counters_of("red.global.add.u32 [%a], 1;", 4).global_atomic_sectors == 4);
  CHECK(counters_of("red.shared.add.u32 [%s], 1;", 4).shared_atomic_requests == 1);
}

TEST_CASE("wavefronts of a shared load are its bank conflicts") {
  for (int words = 1; words <= 32; ++words) {
    unsigned degree = 1;  // greatest power of two in the stride
    while (words % int(2 * degree) == 0 && degree < 32) degree *= 2;
    INFO(words);
    const auto c = counters_of("ld.shared.u32 %v1, [%s];", 4 * words);
    CHECK(c.shared_load_requests == 1);
    CHECK(c.shared_load_wavefronts == degree);
  }
  CHECK(counters_of("ld.shared.u32 %v1, [%s];", 0).shared_load_wavefronts == 1);
  CHECK(counters_of("ld.shared.u8 %h, [%s];", 1).shared_load_wavefronts == 1);
  CHECK(counters_of("ld.shared.u64 %d1, [%s];", 8).shared_load_wavefronts == 2);
  CHECK(counters_of("ld.shared.v4.u32 {%v1, %v2, %v3, %v4}, [%s];", 16).shared_load_wavefronts == 4);
  CHECK(counters_of("st.shared.u32 [%s], %v0;", 128).shared_store_wavefronts == 32);
}

TEST_CASE("a request whose lanes are all held back makes no wavefront and no sector") {
  const auto c =
      counters_of("setp.eq.u32 %p, %t, 7;\n @%p ld.shared.u32 %v1, [%s];\n @%p ld.global.u32 %v1, [%a];", 4);
  CHECK(c.shared_load_requests == 0);
  CHECK(c.shared_load_wavefronts == 0);
  CHECK(c.global_load_requests == 0);
}

TEST_CASE("generic accesses count where they land") {
  const auto c = counters_of(
      "cvt.u64.u32 %d1, %s;\n cvta.shared.u64 %d1, %d1;\n ld.u32 %v1, [%d1];\n ld.u32 %v1, [%a];", 4);
  CHECK(c.shared_load_requests == 1);
  CHECK(c.shared_load_wavefronts == 1);
  CHECK(c.global_load_requests == 1);
  CHECK(c.global_load_sectors == 4);
}

TEST_CASE("a load behind a store waits for what is stored, unless the two cannot meet") {
  const auto waits = [](const std::string& load, const std::string& store) {
    const std::string elsewhere = "add.u64 %d1, %a, 4096;\n";
    return run(elsewhere + load + " %v1, [%a];\n" + store + ", %v1;\n" + load + " %v2, [%a+128];\n" + store +
                   ", %v2;\n",
               4)
        .cost.critical_path.global;
  };
  CHECK(waits("ld.global.u32", "st.global.u32 [%d1]") == 2);
  CHECK(waits("ld.u32", "st.u32 [%d1]") == 2);
  CHECK(waits("ld.global.nc.u32", "st.global.u32 [%d1]") == 1);  // __restrict__
  CHECK(waits("ld.global.u32", "st.global.u32 [%a+4]") == 1);    // never the same place
  CHECK(waits("ld.global.u32", "st.shared.u32 [%s]") == 1);
}

TEST_CASE("branches count once per warp and are divergent when lanes part") {
  const std::string text = R"(
  setp.lt.u32 %p, %t, 40;
  @%p bra $a;
  add.u32 %v0, %v0, 1;
$a:
  setp.lt.u32 %p, %t, 1000;
  @%p bra $b;
  add.u32 %v0, %v0, 1;
$b:)";
  const auto c = counters_of(text, 4);
  CHECK(c.branches == 2);
  CHECK(c.divergent_branches == 1);
}

TEST_CASE("a lane counts as taking part in what its warp issues while it is active") {
  const auto c =
      counters_of("setp.lt.u32 %p, %t, 40;\n @!%p exit;\n add.u32 %v0, %v0, 1;\n add.u32 %v0, %v0, 1;", 4);
  // Two parameters, mov, mul, mad, mov, add, setp and exit by 32 lanes, then two adds and ret by 10.
  CHECK(c.inst_executed == 12);
  CHECK(c.thread_inst_executed == 9 * 32 + 3 * 10);
}

TEST_CASE("parameters, immediates and special registers that are copied once issue nothing") {
  sim::test::Device device(sim::test::kernel_text(".param .u64 p", R"(
  .reg .b32 %t<3>;
  .reg .b64 %a<3>;
  ld.param.u64 %a0, [p];
  cvta.to.global.u64 %a1, %a0;
  mov.u32 %t0, %tid.x;
  mov.u32 %t1, 5;
  mad.wide.u32 %a2, %t0, 4, %a1;
  st.global.u32 [%a2], %t1;
  ret;)"));
  device.shape.block = {32, 1, 1};
  const auto p = device.upload(std::vector<int>(32));
  CHECK(device.run("k", p).counters.inst_executed == 3);
  CHECK(device.download<int>(p, 32) == std::vector<int>(32, 5));
}

TEST_CASE("constant memory is read, and is no global request") {
  sim::test::Device device(
      ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .u32 table[4] = {7, 8, 9, 10};\n" +
      sim::test::kernel_text(".param .u64 p", R"(
  .reg .b32 %t, %i, %v;
  .reg .b64 %a, %c;
  ld.param.u64 %a, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %a, %t, 4, %a;
  and.b32 %i, %t, 3;
  mov.u64 %c, table;
  mad.wide.u32 %c, %i, 4, %c;
  ld.const.u32 %v, [%c];
  st.global.u32 [%a], %v;
  ret;)")
          .substr(sim::test::kernel_text("", "").find(".visible")));
  device.shape.block = {32, 1, 1};
  const auto p = device.upload(std::vector<int>(32));
  const auto c = device.run("k", p).counters;
  CHECK(c.global_load_requests == 0);
  CHECK(c.global_store_requests == 1);
  const auto got = device.download<int>(p, 32);
  for (int i = 0; i < 32; ++i) CHECK(got[std::size_t(i)] == 7 + i % 4);
}

TEST_CASE("how many warps of a block meet at a word of shared memory is counted by words") {
  const auto apart = counters_of("red.shared.add.u32 [%s], 1;", 4, 64);
  CHECK(apart.shared_atomic_words == 64);
  CHECK(apart.shared_atomic_word_warps == 64);
  const auto together = counters_of("red.shared.add.u32 [%s], 1;", 0, 96);
  CHECK(together.shared_atomic_words == 1);
  CHECK(together.shared_atomic_word_warps == 3);
  const auto elsewhere = counters_of("red.global.add.u32 [%a], 1;", 0, 96);
  CHECK(elsewhere.shared_atomic_words == 0);
}

TEST_CASE("of a tile of wmma the access that costs most is kept for pictures: ldmatrix, by rows") {
  sim::test::Device device(sim::test::kernel_text("", R"(
  .reg .b32 %a<8>, %s;
  .shared .align 32 .b8 tile[2048];
  .loc 1 3 1
  mov.u32 %s, tile;
  wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%s], 64;
  ret;
)") + ".file 1 \"tile.cu\"\n");
  device.shape.grid = {1, 1, 1};
  device.shape.block = {32, 1, 1};
  const auto result = device.run("k");
  REQUIRE(result.lines.size() == 1);
  REQUIRE(result.lines[0].accesses.size() == 1);
  const sim::AccessRecord& access = result.lines[0].accesses[0];
  CHECK(access.bytes == 16);
  CHECK(access.sample.mask == ~0u);
  CHECK(access.sample.offset[1] == 64 * 2);  // the next row
}
