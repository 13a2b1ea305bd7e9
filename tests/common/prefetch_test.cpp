#include "common/prefetch.h"

#include <catch2/catch_test_macros.hpp>

#include "fake_runtime.h"

TEST_CASE("a prefetch to a device names that device and the range") {
  fake_runtime() = {};
  const float data[4] = {};
  CHECK(ladder::prefetch_to_device(data, sizeof data, 3) == cudaSuccess);
  CHECK(fake_runtime().prefetched == data);
  CHECK(fake_runtime().prefetched_bytes == sizeof data);
  CHECK(fake_runtime().prefetched_to.type == cudaMemLocationTypeDevice);
  CHECK(fake_runtime().prefetched_to.id == 3);
}

TEST_CASE("a prefetch to the host names the host, not device 0") {
  fake_runtime() = {};
  const float data[4] = {};
  CHECK(ladder::prefetch_to_host(data, sizeof data) == cudaSuccess);
  CHECK(fake_runtime().prefetched == data);
  CHECK(fake_runtime().prefetched_to.type == cudaMemLocationTypeHost);
}
