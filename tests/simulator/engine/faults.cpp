// Bad accesses end a kernel with a finding: what, where in the source, which thread, in a student's words.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "simulator/memory/placed_arrays.h"
#include "simulator/report/wording/words.h"
#include "tests/simulator/engine/exec_support.h"

using Catch::Matchers::ContainsSubstring;

namespace {

/// A kernel of the user's file, whose line 7 does @p access.
std::string one_access(const std::string& access) {
  return sim::test::kernel_text(".param .u64 p, .param .u32 n",
                                R"(
  .reg .pred %p;
  .reg .b16 %h;
  .reg .b32 %t, %s, %v, %n;
  .reg .f32 %f<4>;
  .reg .b64 %a, %l;
  .shared .align 4 .b8 tile[64];
  .local .align 8 .b8 depot[32];
  .loc 1 5 3
  ld.param.u64 %a, [p];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  mov.u32 %s, tile;
  mov.u64 %l, depot;
  mov.u32 %v, 1;
  mad.wide.u32 %a, %t, %n, %a;
  .loc 1 7 5
  )" + access + R"(
  .loc 1 8 1
  ret;
)") + ".file 1 \"user.cu\"\n";
}

sim::Finding finding_of(const std::string& access, std::uint64_t pointer, int stride,
                        sim::test::Device* device = nullptr) {
  sim::test::Device own(one_access(access));
  sim::test::Device& d = device == nullptr ? own : *device;
  d.shape.block = {40, 1, 1};
  try {
    d.run("k", pointer, stride);
  } catch (const sim::exec::Fault& fault) {
    return fault.finding;
  }
  return {};
}

}  // namespace

TEST_CASE("a read past the end of a buffer names the line, the thread and the buffer") {
  sim::test::Device device(one_access("ld.global.u32 %v, [%a];"));
  const auto finding = finding_of("", device.upload(std::vector<int>(38)), 4, &device);
  CHECK(finding.kind == sim::FindingKind::out_of_bounds);
  CHECK(finding.space == sim::MemorySpace::global);
  CHECK(finding.access == sim::AccessKind::read);
  CHECK(finding.size == 4);
  CHECK(finding.file == "user.cu");
  CHECK(finding.line == 7);
  CHECK(finding.thread == sim::Index3{38, 0, 0});
  CHECK_THAT(sim::sentence(finding),
             ContainsSubstring("buffer of 152 bytes") && ContainsSubstring("test buffer"));
}

TEST_CASE("a write before the start of a buffer is told as such") {
  sim::test::Device device(one_access("st.global.u32 [%a+-8], %v;"));
  const auto finding = finding_of("", device.upload(std::vector<int>(40)), 4, &device);
  CHECK(finding.kind == sim::FindingKind::out_of_bounds);
  CHECK(finding.access == sim::AccessKind::write);
  CHECK(finding.thread == sim::Index3{0, 0, 0});
  CHECK_THAT(sim::sentence(finding), ContainsSubstring("8 bytes before the start of"));
}

TEST_CASE("memory that was freed is recognised") {
  sim::test::Device device(one_access("ld.global.u32 %v, [%a];"));
  const auto address = device.upload(std::vector<int>(40));
  device.space().free(const_cast<sim::memory::Allocation*>(device.space().find(address)));
  const auto finding = finding_of("", address, 4, &device);
  CHECK(finding.kind == sim::FindingKind::use_after_free);
  CHECK_THAT(sim::sentence(finding), ContainsSubstring("freed"));
}

TEST_CASE("a host pointer in a kernel is asked after") {
  int on_the_host = 0;
  const auto finding =
      finding_of("ld.global.u32 %v, [%a];", reinterpret_cast<std::uint64_t>(&on_the_host), 0);
  CHECK(finding.kind == sim::FindingKind::out_of_bounds);
  CHECK_THAT(sim::sentence(finding), ContainsSubstring("host pointer"));
  CHECK_THAT(sentence(finding_of("ld.global.u32 %v, [%a];", 0, 0)), ContainsSubstring("null pointer"));
}

TEST_CASE("an address that is no multiple of the access is misaligned") {
  sim::test::Device device(one_access("ld.global.v2.u32 {%v, %s}, [%a];"));
  const auto finding = finding_of("", device.upload(std::vector<int>(100)), 4, &device);
  CHECK(finding.kind == sim::FindingKind::misaligned);
  CHECK(finding.size == 8);
  CHECK(finding.thread == sim::Index3{1, 0, 0});
}

TEST_CASE("shared and local arrays are bounded") {
  const auto shared = finding_of("mad.lo.u32 %s, %t, 4, %s;\n st.shared.u32 [%s], %v;", 0, 0);
  CHECK(shared.kind == sim::FindingKind::out_of_bounds);
  CHECK(shared.space == sim::MemorySpace::shared);
  CHECK(shared.thread == sim::Index3{16, 0, 0});
  CHECK_THAT(sim::sentence(shared), ContainsSubstring("offset 64") && ContainsSubstring("64 bytes"));

  const auto local = finding_of("mad.wide.u32 %l, %t, 4, %l;\n st.local.u32 [%l], %v;", 0, 0);
  CHECK(local.kind == sim::FindingKind::out_of_bounds);
  CHECK(local.space == sim::MemorySpace::local);
  CHECK(local.thread == sim::Index3{8, 0, 0});
}

TEST_CASE("generic addresses find shared and local memory by their window") {
  const auto shared = finding_of("cvt.u64.u32 %a, %s;\n cvta.shared.u64 %a, %a;\n st.u32 [%a+64], %v;", 0, 0);
  CHECK(shared.space == sim::MemorySpace::shared);
  const auto fine = finding_of("cvta.local.u64 %l, %l;\n st.u32 [%l+28], %v;\n ld.u32 %v, [%l+28];", 0, 0);
  CHECK(fine.message.empty());
}

TEST_CASE("an access by a lane that its guard holds back is no access") {
  const auto finding = finding_of("setp.gt.u32 %p, %t, 100;\n @%p ld.global.u32 %v, [%a];", 0, 0);
  CHECK(finding.message.empty());
}

TEST_CASE("an instruction that is not known is named with its line and kernel") {
  try {
    finding_of("frobnicate.u32 %v, %v;", 0, 0);
    sim::test::Device device(one_access("frobnicate.u32 %v, %v;"));
    device.run("k", std::uint64_t{0}, 0);
    FAIL("ran");
  } catch (const sim::exec::Fault& fault) {
    CHECK(fault.finding.kind == sim::FindingKind::unsupported);
    CHECK(fault.finding.line == 7);
    CHECK(fault.finding.kernel == "k");
    CHECK_THAT(fault.what(), ContainsSubstring("frobnicate.u32"));
  }
}

TEST_CASE("of several faulty blocks the first one is reported, whatever the host threads do") {
  for (int host_threads : {1, 2, 4}) {
    sim::test::Device device(
        one_access("mov.u32 %t, %ctaid.x;\n setp.ge.u32 %p, %t, 5;\n @%p st.global.u32 [%a], %v;"));
    device.shape.grid = {64, 1, 1};
    device.shape.host_threads = host_threads;
    try {
      device.run("k", std::uint64_t{0}, 0);
      FAIL("ran");
    } catch (const sim::exec::Fault& fault) {
      CHECK(fault.finding.block == sim::Index3{5, 0, 0});
    }
  }
}

TEST_CASE("a breakpoint ends the kernel where there is no debugger") {
  const auto finding = finding_of("brkpt;", 0, 0);
  CHECK(finding.kind == sim::FindingKind::trap);
  CHECK_THAT(sim::sentence(finding), ContainsSubstring("breakpoint"));
}

TEST_CASE("a misaligned access names element and reason: where the array starts, or how far on it is") {
  const auto told = [](std::uint64_t start, int stride) {
    sim::test::Device device(one_access("ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%a];"));
    const std::uint64_t buffer = device.upload(std::vector<float>(260));
    sim::memory::place_array(buffer, 260 * 4, {"in", 4, {260 - std::int64_t(start / 4)}, start});
    device.shape.block = {40, 1, 1};
    try {
      device.run("k", buffer + start, stride);
    } catch (const sim::exec::Fault& fault) {
      return fault.finding;
    }
    return sim::Finding{};
  };
  const auto between = told(0, 4);
  CHECK(between.kind == sim::FindingKind::misaligned);
  CHECK(between.symbol == "in[1]");
  CHECK(sim::sentence(between) ==
        "Thread (1,0,0) reads 16 bytes from in[1] on, 4 bytes past a multiple of 16: in starts at one, and "
        "in[1] "
        "is 4 bytes on.");
  CHECK(between.cure.kind == sim::Cure::aligned_address);
  CHECK(
      sim::sentence(told(4, 16)) ==
      "Thread (0,0,0) reads 16 bytes from in[0] on, 4 bytes past a multiple of 16: in itself starts 4 bytes "
      "past one.");
}

TEST_CASE("an array that starts later in its buffer is told by its own elements") {
  const sim::ArrayShape later{"in", 4, {8}, 4};
  CHECK(sim::element_name(later, 4) == "in[0]");
  CHECK(sim::element_name(later, 36) == "in[8]");
  CHECK(sim::element_name(later, 0) == "in[-1]");
}

TEST_CASE("an index in the millions into shared memory is not taken for a pointer of the host") {
  const auto finding = finding_of(
      "mov.u64 %l, tile; cvta.shared.u64 %l, %l; mov.u32 %v, 0x7fffffff; mad.wide.u32 %l, %v, 4, %l; ld.u32 "
      "%v, [%l];",
      0, 4);
  CHECK(finding.kind == sim::FindingKind::out_of_bounds);
  CHECK(finding.space == sim::MemorySpace::shared);
  CHECK(finding.cure.kind == sim::Cure::index_of_fewer_bits);
  // One that is the host's for sure: where the buffers of device memory are reserved is the kernel's choice.
  alignas(4) static const int of_the_host = 0;
  const auto of_host = finding_of(
      fmt::format("mov.u64 %l, {}; ld.u32 %v, [%l];", reinterpret_cast<std::uintptr_t>(&of_the_host)), 0, 4);
  CHECK(of_host.cure.kind == sim::Cure::set_pointer);
}

namespace {

/// What is said of a kernel that starts a loop with %v = 1 and %n = @p n, and does @p loop in each round.
sim::Finding endless(const std::string& loop, int n) {
  sim::test::Device device(one_access("loop: " + loop));
  device.shape.block = {1, 1, 1};
  device.shape.instruction_limit = 100'000;
  try {
    device.run("k", device.upload(std::vector<int>(1)), n);
  } catch (const sim::exec::Fault& fault) {
    return fault.finding;
  }
  return {};
}

}  // namespace

TEST_CASE("of an endless loop is told what its condition compares") {
  const auto constant = endless("add.u32 %t, %t, 1; setp.ne.s32 %p, %v, %n; @%p bra loop;", 5);
  CHECK(constant.kind == sim::FindingKind::hang);
  CHECK_THAT(sim::sentence(constant),
             ContainsSubstring("In each round line 7 compares 1 with 5: neither of the two changes."));
  CHECK(constant.cure.kind == sim::Cure::none);

  const auto circle = endless("xor.b32 %v, %v, 6; setp.ne.s32 %p, %v, %n; @%p bra loop;", 5);
  CHECK_THAT(sim::sentence(circle),
             ContainsSubstring("What line 7 compares with 5 goes round in a circle of 2 "
                               "numbers: "));
  CHECK_THAT(sim::sentence(circle), !ContainsSubstring("below 0"));

  const auto negative = endless(
      "xor.b32 %v, %v, 3; or.b32 %v, %v, 0x80000000; setp.ne.s32 %p, %v, %n; "
      "@%p bra loop;",
      5);
  CHECK_THAT(sim::sentence(negative), ContainsSubstring("All are below 0"));
  CHECK(negative.cure.kind == sim::Cure::wider_number);

  const auto no_condition = endless("add.u32 %t, %t, 1; bra loop;", 5);
  CHECK_THAT(sim::sentence(no_condition), ContainsSubstring("no comparison"));

  const auto far_away = endless("add.u32 %v, %v, 1; setp.ne.s32 %p, %v, %n; @%p bra loop;", 0);
  CHECK_THAT(sim::sentence(far_away), ContainsSubstring("Does the loop's condition ever change?"));
}
