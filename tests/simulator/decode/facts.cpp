// What is known of a kernel before it runs.
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/engine/exec_support.h"

namespace sim::test {

TEST_CASE("shared memory of module scope takes room in the kernels that use it, called functions included") {
  Device device(R"(
.version 8.6
.target sm_90
.address_size 64
.shared .align 4 .b8 of_first[4096];
.shared .align 4 .b8 of_second[128];
.shared .align 4 .b8 of_nobody[1024];
.func helper()
{
  .reg .b32 %r<2>;
  ld.shared.u32 %r1, [of_second+4];
  ret;
}
.visible .entry first()
{
  .reg .b32 %r<2>;
  mov.u32 %r1, of_first;
  st.shared.u32 [%r1], 0;
  ret;
}
.visible .entry second()
{
  call helper;
  ret;
}
)");
  const auto shared = [&](const char* name) {
    return exec::facts(device.module().kernel(name)).static_shared_bytes;
  };
  CHECK(shared("first") == 4096);
  CHECK(shared("second") == 128);
}

}  // namespace sim::test
