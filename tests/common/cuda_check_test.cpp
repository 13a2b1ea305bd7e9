#include "common/cuda_check.h"

#include <catch2/catch_test_macros.hpp>
#include <string>

namespace {

cudaError_t refused_launch() { return cudaErrorInvalidConfiguration; }
cudaError_t fine() { return cudaSuccess; }

}  // namespace

TEST_CASE("a call that succeeds throws nothing and runs once") {
  int calls = 0;
  const auto counted = [&] {
    ++calls;
    return fine();
  };
  CHECK_NOTHROW(CUDA_CHECK(counted()));
  CHECK(calls == 1);
}

TEST_CASE("a call that fails is reported with its text, the reason, the file and the line") {
  std::string what;
  cudaError_t code = cudaSuccess;
  const int line = __LINE__ + 2;
  try {
    CUDA_CHECK(refused_launch());
  } catch (const ladder::CudaError& error) {
    what = error.what();
    code = error.code();
  }
  CHECK(code == cudaErrorInvalidConfiguration);
  CHECK(what.starts_with("refused_launch() failed: invalid configuration argument ("));
  CHECK(what.ends_with("cuda_check_test.cpp:" + std::to_string(line) + ")"));
}

TEST_CASE("CUDA_CHECK is one statement, also between if and else") {
  bool otherwise = false;
  if (fine() == cudaErrorInvalidValue)
    CUDA_CHECK(refused_launch());
  else
    otherwise = true;
  CHECK(otherwise);
}
