// cuBLAS's functions as programs call them; declared here, since building needs no header of the library.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <vector>

#include "tests/simulator/cudart/runtime_support.h"

extern "C" {
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSetStream_v2(void* handle, cudaStream_t stream);
int cublasSaxpy_v2(void* handle, int n, const float* alpha, const float* x, int step_x, float* y, int step_y);
int cublasSgeam(void* handle, int op_a, int op_b, int m, int n, const float* alpha, const float* a, int lda,
                const float* beta, const float* b, int ldb, float* c, int ldc);
int cublasGemmEx(void* handle, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                 int a_type, int lda, const void* b, int b_type, int ldb, const void* beta, void* c,
                 int c_type, int ldc, int compute, int algorithm);
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

namespace {

/// A number's upper half: one that bf16 has.
std::uint16_t bf16_of(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

/// c = a b, of bf16 with a sum in f32, all column by column.
std::vector<float> product_of(Fixture& f, const std::vector<float>& a, const std::vector<float>& b, int m,
                              int n, int k) {
  const auto upload = [](const std::vector<float>& values) {
    std::vector<std::uint16_t> bits(values.size());
    std::transform(values.begin(), values.end(), bits.begin(), bf16_of);
    void* device = nullptr;
    REQUIRE(cudaMalloc(&device, bits.size() * 2) == cudaSuccess);
    REQUIRE(cudaMemcpy(device, bits.data(), bits.size() * 2, cudaMemcpyHostToDevice) == cudaSuccess);
    return device;
  };
  constexpr int kBf16 = 14, kF32 = 0, kSumsInF32 = 68;  // cudaDataType, cublasComputeType_t
  const float one = 1, zero = 0;
  float* c = f.upload(std::vector<float>(static_cast<std::size_t>(m * n), -1));
  REQUIRE(cublasGemmEx(f.handle, 0, 0, m, n, k, &one, upload(a), kBf16, m, upload(b), kBf16, k, &zero, c,
                       kF32, m, kSumsInF32, 0) == kSuccess);
  return f.download(c, static_cast<std::size_t>(m * n));
}

}  // namespace

TEST_CASE("a product of 16-bit numbers is added as the tensor cores add it, in steps of 16") {
  Fixture f;
  std::vector<float> a(16, 0x1p-12f), b(16, 0x1p-13f);
  a[0] = b[0] = 1;
  // One by one, each 2^-25 would be lost beside the 1. Together they are 15 of them, of which 12 reach a
  // float.
  CHECK(product_of(f, a, b, 1, 1, 16) == std::vector<float>{1 + 0x1.8p-22f});
  // Of a step of its own, 2^-25 is lost again.
  a.push_back(0x1p-12f), b.push_back(0x1p-13f);
  CHECK(product_of(f, a, b, 1, 1, 17) == std::vector<float>{1 + 0x1.8p-22f});
}

TEST_CASE("a product of 16-bit numbers is right for sizes that no tile divides") {
  Fixture f;
  for (const auto& [m, n, k] : {std::array{17, 259, 19}, std::array{1, 1, 1}, std::array{33, 9, 48}}) {
    CAPTURE(m, n, k);
    std::vector<float> a, b, expected;
    for (int i = 0; i < m * k; ++i) a.push_back(static_cast<float>(i * 7 % 31 - 15));
    for (int i = 0; i < k * n; ++i) b.push_back(static_cast<float>(i * 5 % 29 - 14));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        float sum = 0;
        for (int l = 0; l < k; ++l)
          sum += a[static_cast<std::size_t>(l * m + i)] * b[static_cast<std::size_t>(j * k + l)];
        expected.push_back(sum);
      }
    CHECK(product_of(f, a, b, m, n, k) == expected);
  }
}
