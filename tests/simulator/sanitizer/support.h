// Small kernels in PTX, run under observation.
#pragma once

#include <string>
#include <vector>

#include "simulator/sanitizer/examine.h"
#include "tests/simulator/engine/exec_support.h"

namespace findings_test {

/// A kernel k(buffer) with a shared array s of 256 words; %t is threadIdx.x, %s the address of s[%t], %g that
/// of buffer[%t]; the body starts at line 10 of user.cu.
inline std::string kernel(const std::string& body) {
  return sim::test::kernel_text(".param .u64 p", R"(
  .reg .pred %p<8>;
  .reg .b32 %r<16>, %t, %s;
  .reg .b64 %g, %b;
  .shared .align 4 .b8 s[1024];
  .loc 1 9 1
  ld.param.u64 %b, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %g, %t, 4, %b;
  mov.u32 %s, s;
  mad.lo.u32 %s, %t, 4, %s;
  .loc 1 10 1
)" + body + "\n  ret;\n") +
         ".file 1 \"user.cu\"\n";
}

/// A line of the source.
inline std::string line(int number) { return "\n  .loc 1 " + std::to_string(number) + " 1\n  "; }

/// What is found in one launch of blocks of some shape; the buffer holds @p words zeros.
/// @param optimised  the kernel as the optimiser makes it; empty: not known
inline std::vector<sim::Finding> examine_shaped(const std::string& ptx, unsigned blocks, sim::Index3 block,
                                                int words = 1024, const std::string& optimised = {}) {
  sim::test::Device device(ptx);
  const auto& program = device.module().kernel("k");
  const std::uint64_t buffer = device.upload(std::vector<int>(std::size_t(words)));
  sim::exec::Launch launch;
  launch.grid = {blocks, 1, 1};
  launch.block = block;
  launch.instruction_limit = 100'000;
  launch.params = std::as_bytes(std::span(&buffer, 1));
  sim::ptx::Module parsed = sim::ptx::parse(ptx);
  const sim::ptx::Locals locals = sim::ptx::read_debug_info(ptx, parsed);
  sim::test::Device fast(optimised.empty() ? ptx : optimised);
  const auto subject =
      sim::sanitizer::prepare(program, &locals, optimised.empty() ? nullptr : &fast.module().kernel("k"));
  return sim::sanitizer::examine(*subject, launch, device.space()).findings;
}

/// The same of blocks of one dimension.
inline std::vector<sim::Finding> examine(const std::string& ptx, unsigned blocks, unsigned threads,
                                         int words = 1024) {
  return examine_shaped(ptx, blocks, {threads, 1, 1}, words);
}

}  // namespace findings_test
