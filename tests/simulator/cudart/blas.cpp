// cuBLAS's functions as programs call them; declared here, since building needs no header of the library.
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/cudart/runtime_support.h"

extern "C" {
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSetStream_v2(void* handle, cudaStream_t stream);
int cublasSaxpy_v2(void* handle, int n, const float* alpha, const float* x, int step_x, float* y, int step_y);
int cublasSgeam(void* handle, int op_a, int op_b, int m, int n, const float* alpha, const float* a, int lda,
                const float* beta, const float* b, int ldb, float* c, int ldc);
}

namespace {

constexpr int kSuccess = 0, kInvalidValue = 7;

struct Fixture {
  runtime_test::FreshDevice fresh;
  void* handle = nullptr;
  Fixture() { REQUIRE(cublasCreate_v2(&handle) == kSuccess); }
  ~Fixture() { cublasDestroy_v2(handle); }

  static float* upload(const std::vector<float>& values) {
    void* device = nullptr;
    REQUIRE(cudaMalloc(&device, values.size() * sizeof(float)) == cudaSuccess);
    REQUIRE(cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice) ==
            cudaSuccess);
    return static_cast<float*>(device);
  }
  static std::vector<float> download(const float* device, std::size_t n) {
    std::vector<float> values(n);
    REQUIRE(cudaMemcpy(values.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
    return values;
  }
};

}  // namespace

TEST_CASE("geam adds matrices, each as it is or transposed, and reads none whose factor is zero") {
  Fixture f;
  float* a = f.upload({1, 2, 3, 4, 5, 6});         // 2 x 3 by columns
  float* b = f.upload({10, 20, 30, 40, 50, 60});   // 3 x 2 by columns
  float* c = f.upload(std::vector<float>(9, -1));  // 2 x 3 in columns of 3
  const float two = 2, one = 1, zero = 0;
  CHECK(cublasSgeam(f.handle, 0, 1, 2, 3, &two, a, 2, &one, b, 3, c, 3) == kSuccess);
  CHECK(f.download(c, 9) == std::vector<float>{12, 44, -1, 26, 58, -1, 40, 72, -1});
  CHECK(cublasSgeam(f.handle, 1, 0, 3, 2, &one, a, 2, &zero, nullptr, 3, b, 3) == kSuccess);
  CHECK(f.download(b, 6) == std::vector<float>{1, 3, 5, 2, 4, 6});
  CHECK(cublasSgeam(f.handle, 0, 0, 2, 3, &two, a, 2, &one, a, 2, a, 2) == kSuccess);
  CHECK(f.download(a, 6) == std::vector<float>{3, 6, 9, 12, 15, 18});
  CHECK(cublasSgeam(f.handle, 1, 0, 3, 2, &one, a, 2, &one, b, 3, a, 3) == kInvalidValue);
  CHECK(cublasSgeam(f.handle, 0, 0, 3, 2, &one, b, 2, &one, b, 3, c, 3) == kInvalidValue);
}

TEST_CASE("a factor on the host is read by the call, also when the work is captured for later") {
  Fixture f;
  float* x = f.upload({1, 2, 3});
  float* y = f.upload({10, 20, 30});
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cublasSetStream_v2(f.handle, stream) == kSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  float alpha = 2;
  CHECK(cublasSaxpy_v2(f.handle, 3, &alpha, x, 1, y, 1) == kSuccess);
  alpha = 100;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  CHECK(f.download(y, 3) == std::vector<float>{10, 20, 30});
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(f.download(y, 3) == std::vector<float>{14, 28, 42});
  REQUIRE(cudaGraphExecDestroy(executable) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}
