#include "common/grid.h"

#include <catch2/catch_test_macros.hpp>

#include "fake_runtime.h"

TEST_CASE("a large input gets so many blocks for each multiprocessor, whatever its size") {
  fake_runtime() = {};
  CHECK(ladder::grid_stride_blocks(std::int64_t{1} << 28, 256, 8) == 132 * 8);
  CHECK(ladder::grid_stride_blocks(std::int64_t{1} << 40, 256, 8) == 132 * 8);
}

TEST_CASE("a small input gets no block without work, and a last one that is partly filled") {
  fake_runtime() = {};
  CHECK(ladder::grid_stride_blocks(256, 256, 8) == 1);
  CHECK(ladder::grid_stride_blocks(257, 256, 8) == 2);
}

TEST_CASE("an empty input gets one block, which writes the result for it") {
  fake_runtime() = {};
  CHECK(ladder::grid_stride_blocks(0, 256, 8) == 1);
}

TEST_CASE("without a GPU to ask there is still a grid to launch") {
  fake_runtime() = {};
  fake_runtime().device_error = cudaErrorNoDevice;
  CHECK(ladder::grid_stride_blocks(1 << 20, 256, 8) == 8);
}
