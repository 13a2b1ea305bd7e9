// Allocation, copies and fills through the CUDA runtime API.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <numeric>

#include "tests/simulator/cudart/runtime_support.h"

using Catch::Matchers::ContainsSubstring;
using runtime_test::FreshDevice;
using runtime_test::only_finding;

namespace {

std::vector<int> counting(std::size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

template <class T>
T* device_array(std::size_t n) {
  void* p = nullptr;
  REQUIRE(cudaMalloc(&p, n * sizeof(T)) == cudaSuccess);
  return static_cast<T*>(p);
}

}  // namespace

TEST_CASE("bytes copied to the device, within it and back are the same bytes") {
  FreshDevice fresh;
  const auto in = counting(1000);
  std::vector<int> out(1000);
  int* a = device_array<int>(1000);
  int* b = device_array<int>(1000);
  CHECK(cudaMemcpy(a, in.data(), 4000, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(b, a, 4000, cudaMemcpyDeviceToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(out.data(), b, 4000, cudaMemcpyDefault) == cudaSuccess);
  CHECK(out == in);
  CHECK(cudaFree(a) == cudaSuccess);
  CHECK(cudaFree(b) == cudaSuccess);
  CHECK(sim::take_findings().empty());
}

TEST_CASE("a copy that is larger than the buffer is refused and explained") {
  FreshDevice fresh;
  const auto in = counting(300);
  int* a = device_array<int>(256);
  CHECK(cudaMemcpy(a, in.data(), 300 * 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue);
  CHECK(cudaGetLastError() == cudaSuccess);
  const std::string message = only_finding();
  CHECK_THAT(message, ContainsSubstring("cudaMemcpy") && ContainsSubstring("1200 bytes") &&
                          ContainsSubstring("1024 bytes (cudaMalloc #"));
}

TEST_CASE("a copy with its kind the wrong way round is refused and explained") {
  FreshDevice fresh;
  auto host = counting(4);
  int* a = device_array<int>(4);
  CHECK(cudaMemcpy(a, host.data(), 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("wrong way round"));
  CHECK(cudaMemcpy(host.data(), a, 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpy(a, host.data(), 16, static_cast<cudaMemcpyKind>(7)) == cudaErrorInvalidMemcpyDirection);
}

TEST_CASE("null pointers and freed buffers are refused as sides of a copy") {
  FreshDevice fresh;
  auto host = counting(4);
  int* a = device_array<int>(4);
  CHECK(cudaMemcpy(nullptr, host.data(), 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("null pointer"));
  REQUIRE(cudaFree(a) == cudaSuccess);
  CHECK(cudaMemcpy(a, host.data(), 16, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("freed"));
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice) == cudaSuccess);
}

TEST_CASE("freeing twice, freeing the middle, and freeing with the wrong call are explained") {
  FreshDevice fresh;
  int* a = device_array<int>(4);
  CHECK(cudaFree(a + 1) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("only the pointer that the allocation returned"));
  CHECK(cudaFreeHost(a) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("pairs"));
  CHECK(cudaFree(a) == cudaSuccess);
  CHECK(cudaFree(a) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("freed before"));
  int local = 0;
  CHECK(cudaFree(&local) == cudaErrorInvalidValue);
  CHECK(cudaFree(nullptr) == cudaSuccess);
}

TEST_CASE("asking for more memory than the GPU has is out of memory, and no more") {
  FreshDevice fresh;
  void* p = &fresh;
  CHECK(cudaMalloc(&p, std::size_t{1} << 50) == cudaErrorMemoryAllocation);
  CHECK(p == nullptr);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaMalloc(&p, 64) == cudaSuccess);
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
  CHECK(free + 64 == total);
}

TEST_CASE("managed and page-locked memory are host memory too") {
  FreshDevice fresh;
  int* managed = nullptr;
  int* pinned = nullptr;
  REQUIRE(cudaMallocManaged(reinterpret_cast<void**>(&managed), 40, cudaMemAttachGlobal) == cudaSuccess);
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), 40) == cudaSuccess);
  for (int i = 0; i < 10; ++i) managed[i] = i;
  CHECK(cudaMemcpy(pinned, managed, 40, cudaMemcpyDefault) == cudaSuccess);
  CHECK(pinned[9] == 9);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, managed) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeManaged);
  CHECK(cudaPointerGetAttributes(&attributes, pinned + 3) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaPointerGetAttributes(&attributes, &fresh) == cudaSuccess);
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  CHECK(cudaFree(managed) == cudaSuccess);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("a two-dimensional copy moves rows and leaves the padding alone") {
  FreshDevice fresh;
  const auto in = counting(12);  // 3 rows of 4
  void* device = nullptr;
  std::size_t pitch = 0;
  REQUIRE(cudaMallocPitch(&device, &pitch, 16, 3) == cudaSuccess);
  CHECK(pitch >= 16);
  CHECK(cudaMemset2D(device, pitch, 0, 16, 3) == cudaSuccess);
  CHECK(cudaMemcpy2D(device, pitch, in.data(), 16, 16, 3, cudaMemcpyHostToDevice) == cudaSuccess);
  std::vector<int> out(3 * 6, -1);  // rows of 6: two elements of padding
  CHECK(cudaMemcpy2D(out.data(), 24, device, pitch, 16, 3, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(out == std::vector<int>{1, 2, 3, 4, -1, -1, 5, 6, 7, 8, -1, -1, 9, 10, 11, 12, -1, -1});
  CHECK(cudaMemcpy2D(out.data(), 8, device, pitch, 16, 3, cudaMemcpyDeviceToHost) ==
        cudaErrorInvalidPitchValue);
}

TEST_CASE("cudaMemset sets bytes, and only in device memory") {
  FreshDevice fresh;
  int* a = device_array<int>(4);
  std::vector<int> out(4);
  CHECK(cudaMemset(a, 1, 16) == cudaSuccess);
  CHECK(cudaMemcpy(out.data(), a, 16, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(out[3] == 0x01010101);
  CHECK(cudaMemset(a, 0, 17) == cudaErrorInvalidValue);
  CHECK(cudaMemset(out.data(), 0, 16) == cudaErrorInvalidValue);
}

TEST_CASE("variables of a module are reached by their host names") {
  FreshDevice fresh;
  runtime_test::PtxModule module(
      ".const .align 4 .b8 table[8] = {1, 0, 0, 0, 2};\n.global .u32 counter = 7;\n");
  char table_host, counter_host;
  __cudaRegisterVar(module.handle(), &table_host, nullptr, "table", 0, 8, 1, 0);
  __cudaRegisterVar(module.handle(), &counter_host, nullptr, "counter", 0, 4, 0, 0);
  int values[2] = {};
  CHECK(cudaMemcpyFromSymbol(values, &table_host, 8, 0, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(values[0] == 1);
  CHECK(values[1] == 2);
  const int five = 5;
  CHECK(cudaMemcpyToSymbol(&table_host, &five, 4, 4, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpyFromSymbol(values, &table_host, 4, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(values[0] == 5);
  void* address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, &counter_host) == cudaSuccess);
  CHECK(cudaMemcpy(values, address, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
  CHECK(values[0] == 7);
  CHECK(cudaMemcpyToSymbol(&table_host, values, 8, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  CHECK(cudaMemcpyToSymbol(&fresh, values, 4, 0, cudaMemcpyHostToDevice) == cudaErrorInvalidSymbol);
}

TEST_CASE("a managed variable is a pointer that its module's start fills in") {
  FreshDevice fresh;
  runtime_test::PtxModule module(".visible .global .attribute(.managed) .align 4 .u32 shared_counter = 3;\n");
  static void* host_pointer = nullptr;
  __cudaRegisterManagedVar(module.handle(), &host_pointer, nullptr, "shared_counter", 0, 4, 0, 0);
  REQUIRE(__cudaInitModule(module.handle()));
  REQUIRE(host_pointer);
  CHECK(*static_cast<int*>(host_pointer) == 3);
}

TEST_CASE("a device that is full says so, and the process goes on with what is freed") {
  FreshDevice fresh;
  std::vector<char*> blocks;
  cudaError_t code = cudaSuccess;
  std::size_t room = 0, total = 0;
  REQUIRE(cudaMemGetInfo(&room, &total) == cudaSuccess);
  while (blocks.size() < 100) {  // sixteenths of the device
    char* block = nullptr;
    code = cudaMalloc(reinterpret_cast<void**>(&block), total / 16);
    if (code != cudaSuccess) break;
    blocks.push_back(block);
  }
  CHECK(code == cudaErrorMemoryAllocation);
  CHECK((blocks.size() >= 12 && blocks.size() <= 16));
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);  // told once, and nothing is lost
  CHECK(cudaMemset(blocks[0], 1, 256) == cudaSuccess);
  CHECK(cudaFree(blocks.back()) == cudaSuccess);
  CHECK(cudaMalloc(reinterpret_cast<void**>(&blocks.back()), total / 16) == cudaSuccess);
  for (char* block : blocks) CHECK(cudaFree(block) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

namespace {

/// Adds 1 to out[i] for each of 32 threads.
constexpr const char* kIncrement = R"(
.visible .entry increment(.param .u64 out) {
  .reg .b32 %r<3>;
  .reg .b64 %q<3>;
  ld.param.u64 %q1, [out];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %q1, %r1, 4, %q1;
  ld.global.u32 %r2, [%q1];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%q1], %r2;
  ret;
})";

}  // namespace

TEST_CASE("a kernel reads and writes host memory that was registered, at the address that the host uses") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kIncrement);
  std::vector<int> host = counting(64);
  REQUIRE(cudaHostRegister(host.data(), 64 * 4, cudaHostRegisterMapped) == cudaSuccess);
  void* there = nullptr;
  REQUIRE(cudaHostGetDevicePointer(&there, host.data() + 8, 0) == cudaSuccess);
  CHECK(there == host.data() + 8);  // unified addressing
  CHECK(runtime_test::launch(module.kernel("increment"), 1, 32, 0, nullptr, there) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(host[7] == 8);
  CHECK(host[8] == 10);
  CHECK(host[39] == 41);
  CHECK(host[40] == 41);
  cudaPointerAttributes what{};
  CHECK(cudaPointerGetAttributes(&what, host.data()) == cudaSuccess);
  CHECK(what.type == cudaMemoryTypeHost);
  CHECK(cudaHostUnregister(host.data()) == cudaSuccess);
  CHECK(sim::take_findings().empty());
}

TEST_CASE("registered memory ends where it was said to, and when it is unregistered") {
  FreshDevice fresh;
  runtime_test::PtxModule module(kIncrement);
  std::vector<int> host(32);
  void* const start = host.data();
  REQUIRE(cudaHostRegister(start, 31 * 4, 0) == cudaSuccess);
  CHECK(cudaHostRegister(host.data() + 8, 16, 0) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaHostRegister(host.data() - 1, 40 * 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
  CHECK(cudaFreeHost(start) == cudaErrorInvalidValue);
  CHECK_THAT(only_finding(), ContainsSubstring("cudaHostUnregister undoes that"));
  CHECK(runtime_test::launch(module.kernel("increment"), 1, 32, 0, nullptr, start) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK_THAT(only_finding(), ContainsSubstring("124 bytes (cudaHostRegister #"));
  FreshDevice::clear();
  REQUIRE(cudaHostRegister(start, 32 * 4, 0) == cudaSuccess);
  REQUIRE(cudaHostUnregister(start) == cudaSuccess);
  CHECK(cudaHostUnregister(start) == cudaErrorHostMemoryNotRegistered);
  CHECK(runtime_test::launch(module.kernel("increment"), 1, 32, 0, nullptr, start) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  CHECK_THAT(only_finding(), ContainsSubstring("freed"));
}

TEST_CASE("host memory that is registered in part is copied like any other") {
  FreshDevice fresh;
  std::vector<int> host = counting(64), back(64);
  int* const d = device_array<int>(64);
  REQUIRE(cudaHostRegister(host.data() + 16, 64, 0) == cudaSuccess);
  CHECK(cudaMemcpy(d, host.data(), 256, cudaMemcpyHostToDevice) == cudaSuccess);
  CHECK(cudaMemcpy(back.data(), d, 256, cudaMemcpyDefault) == cudaSuccess);
  CHECK(back == host);
  CHECK(cudaHostUnregister(host.data() + 16) == cudaSuccess);
  CHECK(sim::take_findings().empty());
}
